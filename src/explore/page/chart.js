/* chart.js - the histogram of distances, by uPlot (uPlot.iife.min.js). */
import { make, turns } from './dom.js';

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* Shares of positions, in %, by turns to the end. */
function shares(side, result) {
    const byTurn = [];

    for (const [plies, n] of side[result]) {
        const turn = Math.ceil(plies / 2);

        byTurn[turn] = (byTurn[turn] ?? 0) + 100 * n / side.positions;
    }
    return byTurn;
}

const text = (share) => `${share < 0.1 ? share.toPrecision(1) : share.toFixed(1)} %`;

/* What the bars under the pointer say. */
function tip(host, data) {
    const box = make('div', { class: 'tip', hidden: true });

    return { hooks: {
        init: (plot) => plot.over.append(box),
        setCursor: (plot) => {
            const i = plot.cursor.idx, [, wins, losses] = data;

            box.hidden = i === null || i === undefined || (!wins[i] && !losses[i]);
            if (box.hidden)
                return;
            box.textContent = [turns(i), wins[i] ? `wins ${text(wins[i])}` : '',
                losses[i] ? `losses ${text(losses[i])}` : ''].filter(Boolean).join(' · ');
            const left = Math.min(plot.cursor.left + 12, plot.over.clientWidth - box.offsetWidth);

            box.style.transform = `translate(${Math.max(0, left)}px, ${Math.max(0, plot.cursor.top - 30)}px)`;
        },
    } };
}

/* Draws the histogram of one side to move, in the place of what was there. */
export function chart(host, side) {
    const wins = shares(side, 'win'), losses = shares(side, 'loss');
    const most = Math.max(wins.length, losses.length, 2);
    const x = Array.from({ length: most }, (_, i) => i);
    const data = [x, x.map((i) => wins[i] ?? null), x.map((i) => losses[i] ?? null)];
    const grid = { stroke: css('--line'), width: 1 };
    const axis = { stroke: css('--soft'), grid, ticks: { show: false }, font: '12px system-ui, sans-serif' };
    const tens = (plot, splits) => splits.map((v) => Math.abs(Math.log10(v) % 1) < 1e-9 ? v : null);
    const bars = (label, colour, align) => ({ label, fill: css(colour), stroke: css(colour), width: 0,
        points: { show: false }, paths: uPlot.paths.bars({ size: [0.42, 30], align, radius: 0.2 }) });
    const shown = (tick) => tick === null ? '' : `${+tick.toPrecision(2)} %`;
    /* room for the longest of its labels; the shortest bar is not a line upon the axis */
    const wide = (plot, labels) => 12 + 7 * Math.max(...(labels ?? ['']).map((label) => label.length));
    const range = (plot, min, max) => [10 ** Math.floor(Math.log10(min * 0.6)), 10 ** Math.ceil(Math.log10(max))];
    const size = () => ({ width: Math.max(240, host.clientWidth), height: 230 });

    host.replaceChildren();
    const plot = new uPlot({ ...size(), legend: { show: false }, plugins: [tip(host, data)],
        scales: { x: { time: false, range: [-0.6, most - 0.4] }, y: { distr: 3, range } },
        cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
        axes: [{ ...axis, size: 28, grid: { show: false }, label: 'turns', labelSize: 20, labelFont: axis.font },
            { ...axis, size: wide, filter: tens, grid: { ...grid, filter: tens },
                values: (_, ticks) => ticks.map(shown) }],
        series: [{}, bars('wins', '--win', 1), bars('losses', '--loss', -1)] }, data, host);
    const watch = new ResizeObserver(() => {
        if (plot.root.isConnected)
            plot.setSize(size());
        else
            watch.disconnect();
    });

    watch.observe(host);
}
