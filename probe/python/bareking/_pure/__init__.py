"""A prober in Python alone, where libbareking is not: from docs/format.md, index.md, facts.md and rules.md.

    library     the functions of bareking.h
    catalog     which files answer
    settle      the value of a position: files and exits
    file        a file: head, models, shards
    index       a position becomes a number
    facts       questions about where the men stand
    material    names of tables, and what they lead to
    moves       legal moves, ends, names
    position    positions and FENs
    board       where men can go
    game        variant files
    hashes      XXH, zstd
"""
