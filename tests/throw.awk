# throw.awk - random placements of four men on 8x8: FENs without end, by Park and Miller's generator.
# -v seed=NUMBER -v armies="KQkq KRkb ..." (one after another) -v n=HOW MANY
function board(men,    at, i, sq, gap, fen) {
    split("", at)
    for (i = 1; i <= length(men); i++) {
        do {
            seed = seed * 16807 % 2147483647
            sq = seed % 64
        } while (sq in at)
        at[sq] = substr(men, i, 1)
    }
    for (sq = gap = 0; sq < 64; sq++) {
        gap += !(sq in at)
        if (gap && (sq in at || sq % 8 == 7)) {
            fen = fen gap
            gap = 0
        }
        fen = fen at[sq] (sq % 8 == 7 && sq < 63 ? "/" : "")
    }
    return fen
}
BEGIN {
    kinds = split(armies, army, " ")
    for (i = 1; i <= n; i++)
        print board(army[(i - 1) % kinds + 1]), i % 2 ? "w" : "b"
}
