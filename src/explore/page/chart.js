/* chart.js - the histogram of distances, by uPlot (uPlot.iife.min.js). */
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* Shares of positions by turns to the end. */
function shares(side, result) {
    const byTurn = new Map();

    for (const [plies, n] of side[result]) {
        const turns = Math.ceil(plies / 2);

        byTurn.set(turns, (byTurn.get(turns) ?? 0) + 100 * n / side.positions);
    }
    return byTurn;
}

const LINES = [
    ['White to move wins', 'white', 'win', '--win', []],
    ['White to move loses', 'white', 'loss', '--loss', []],
    ['Black to move wins', 'black', 'win', '--win', [4, 4]],
    ['Black to move loses', 'black', 'loss', '--loss', [4, 4]],
];

export function chart(host, histogram) {
    const lines = LINES.map(([label, side, result, colour, dash]) =>
        ({ label, colour, dash, shares: shares(histogram[side], result) }))
        .filter((line) => line.shares.size);
    const most = Math.max(0, ...lines.flatMap((line) => [...line.shares.keys()]));
    const x = Array.from({ length: most + 1 }, (_, i) => i);
    const data = [x, ...lines.map((line) => x.map((turn) => line.shares.get(turn) ?? null))];
    const axis = { stroke: css('--soft'), grid: { stroke: css('--line'), width: 1 },
        ticks: { stroke: css('--line'), width: 1 }, font: '12px system-ui, sans-serif' };
    const size = () => ({ width: Math.max(240, host.clientWidth), height: 240 });
    const plot = new uPlot({ ...size(), scales: { x: { time: false }, y: { distr: 3 } },
        legend: { live: true },
        cursor: { drag: { x: false, y: false } },
        axes: [{ ...axis, label: 'turns', labelSize: 18, labelFont: '12px system-ui, sans-serif' },
            { ...axis, size: 58, values: (_, ticks) => ticks.map((t) => t === null ? '' : `${+t.toPrecision(2)} %`) }],
        series: [{ label: 'Turns' }, ...lines.map((line) => ({ label: line.label, stroke: css(line.colour),
            width: 2, dash: line.dash, points: { size: 5, fill: css('--card') }, spanGaps: true,
            value: (_, v) => v === null || v === undefined ? '–' : `${v.toPrecision(2)} %` }))] }, data, host);
    const watch = new ResizeObserver(() => host.isConnected ? plot.setSize(size()) : watch.disconnect());

    watch.observe(host);
}
