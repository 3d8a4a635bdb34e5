# to_man.awk - Markdown, as our pages use it, to man(7).
#
#     awk -f to_man.awk -v page=bareking-build -v section=1 -v date=2026-01-31 -v version=0.2.0 X.md
#
# Headings, paragraphs, lists with `-` or numbers, `term` / `: definition`, code by four blanks or fences,
# tables, **bold**, *slanted*, `code`, links.  A link to another page becomes its man page, if `pages`
# ("format.md=bareking-table(5) ...") names one.  Text is filled anew, to lines of less than 80 bytes.
#
# Rejected: pandoc (170 MB) and go-md2man for their weight; lowdown, small and well kept, because its tables
# are boxes of fixed columns and its font changes (\fC) are not man(7)'s: mandoc -Tlint warns of each.

function escaped(s, code) {
    gsub(/\\/, "\\e", s)
    gsub(/~/, "\\(ti", s)
    gsub(/\^/, "\\(ha", s)
    gsub(/`/, "\\(ga", s)
    if (code) {
        gsub(/-/, "\\-", s)
        gsub(/'/, "\\(aq", s)
    } else
        gsub(/--/, "\\-\\-", s)
    return s
}

function linked(text, url,    target) {
    target = url
    sub(/#.*/, "", target)
    if (target in page_of)
        return "\\fB" escaped(substr(page_of[target], 1, length(page_of[target]) - 3), 1) "\\fR" \
               substr(page_of[target], length(page_of[target]) - 2)
    return url ~ /^https?:/ && text != url ? inline(text) " <" escaped(url, 1) ">" : inline(text)
}

function inline(s,    out, at, text, url) {
    out = ""
    while (s != "") {
        if (match(s, /^`[^`]+`/)) {
            out = out "\\fB" escaped(substr(s, 2, RLENGTH - 2), 1) "\\fR"
        } else if (match(s, /^\\[*\\]/)) {
            out = out escaped(substr(s, 2, 1), 0)
        } else if (match(s, /^\*\*[^*]+\*\*/)) {
            out = out "\\fB" escaped(substr(s, 3, RLENGTH - 4), 1) "\\fR"
        } else if (match(s, /^\*[^* ][^*]*\*/)) {
            out = out "\\fI" escaped(substr(s, 2, RLENGTH - 2), 0) "\\fR"
        } else if (match(s, /^\[[^]]+\]\([^)]+\)/)) {
            text = substr(s, 1, RLENGTH)
            s = substr(s, RLENGTH + 1)
            at = index(text, "](")
            url = substr(text, at + 2, length(text) - at - 2)
            out = out linked(substr(text, 2, at - 2), url)
            continue
        } else {
            # as far as nothing may begin
            match(s, /^.[^`*[\\]*/)
            out = out escaped(substr(s, 1, RLENGTH), 0)
        }
        s = substr(s, RLENGTH + 1)
    }
    return out
}

# A letter beyond ASCII is \[uXXXX] when mandoc measures a line.
function width(s) {
    gsub(/[^ -~]/, "\\[u0000]", s)
    return length(s)
}

# Words of filled text, on lines of less than 80 bytes.
function fill(s,    n, i, word, line) {
    n = split(s, word, /[ \t]+/)
    line = ""
    for (i = 1; i <= n; i++) {
        if (word[i] == "")
            continue
        if (line != "" && width(line) + width(word[i]) + 1 > 78) {
            put_line(line)
            line = ""
        }
        line = line (line == "" ? "" : " ") word[i]
    }
    if (line != "")
        put_line(line)
}
function put_line(line) { print (line ~ /^['.]/ ? "\\&" : "") line }

# == Blocks == each begins at line[at], and leaves `at` behind its last one

function is_blank(i) { return line[i] ~ /^[ \t]*$/ }
function is_code(i) { return line[i] ~ /^    / }
function begins_block(i) { return is_blank(i) || line[i] ~ /^(#+ |\||```|- |[0-9]+\. |: )/ }

# A heading has a paragraph with it.
function paragraph() {
    if (!headed)
        print ".PP"
    headed = 0
}

function code_line(s) {
    s = escaped(s, 1)
    print (s ~ /^['.]/ ? "\\&" : "") s
}
function code(fenced,    blanks) {
    paragraph()
    print ".RS 4\n.EX"
    if (fenced) {
        for (at++; at <= lines && line[at] !~ /^```/; at++)
            code_line(line[at])
        at++
    } else {
        for (blanks = 0; at <= lines && (is_code(at) || is_blank(at)); at++) {
            if (is_blank(at)) {
                blanks++
                continue
            }
            for (; blanks; blanks--)
                print ""
            code_line(substr(line[at], 5))
        }
    }
    print ".EE\n.RE"
}

function heading() {
    if (line[at] ~ /^##? /)
        print ".SH " toupper(escaped(substr(line[at], index(line[at], " ") + 1), 0))
    else
        print ".SS " escaped(substr(line[at], index(line[at], " ") + 1), 0)
    headed = 1
    at++
}

# Lines up to the next block, as one.
function gather(first,    text) {
    text = first
    for (at++; at <= lines && !begins_block(at); at++)
        text = text " " line[at]
    return text
}

function item(    mark) {
    mark = line[at] ~ /^-/ ? "-" : substr(line[at], 1, index(line[at], ".") )
    headed = 0
    print ".IP " (mark == "-" ? "\\(bu 2" : mark " 4")
    fill(inline(gather(substr(line[at], length(mark) + 2))))
}

function definition(    term) {
    headed = 0
    term = line[at++]
    print ".TP\n" inline(term)
    fill(inline(gather(substr(line[at], 3))))
}

function cells(line, cell,    n, i, c, ticks, s) {
    sub(/^\| ?/, "", line)
    sub(/ ?\|[ \t]*$/, "", line)
    n = 1
    cell[1] = ""
    ticks = 0
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "`")
            ticks = !ticks
        if (c == "|" && !ticks)
            cell[++n] = ""
        else
            cell[n] = cell[n] c
    }
    for (i = 1; i <= n; i++) {
        sub(/^ +/, "", cell[i])
        sub(/ +$/, "", cell[i])
    }
    return n
}

function table(    rows, columns, c, r, out, wide, head, form) {
    for (rows = 0; at <= lines && line[at] ~ /^\|/; at++) {
        if (line[at] ~ /^\|[-| ]+\|$/)
            continue
        columns = cells(line[at], cell)
        rows++
        for (c = 1; c <= columns; c++)
            entry[rows, c] = cell[c]
    }
    head = form = ""
    for (c = 1; c <= columns; c++) {
        wide = 0
        for (r = 1; r <= rows; r++)
            if (length(entry[r, c]) > 26)
                wide = 1
        expand[c] = wide
        head = head (c > 1 ? " " : "") "lb"
        form = form (c > 1 ? " " : "") (wide ? "lx" : "l")
    }
    paragraph()
    print ".TS\ntab(@);\n" head "\n" form "."
    for (r = 1; r <= rows; r++) {
        out = ""
        for (c = 1; c <= columns; c++) {
            out = out (c > 1 ? "@" : "")
            if (r > 1 && expand[c] && entry[r, c] != "") {
                # a text block begins and ends on lines of its own
                print out "T{"
                fill(inline(entry[r, c]))
                out = "T}"
            } else
                out = out (entry[r, c] == "" ? "\\&" : inline(entry[r, c]))
        }
        print out
    }
    print ".TE"
}

BEGIN {
    n = split(pages, list, " ")
    for (i = 1; i <= n; i++) {
        split(list[i], pair, "=")
        page_of[pair[1]] = pair[2]
    }
    print "'\\\" t"
    print ".\\\" Made from the sources of bareking; do not edit."
    print ".TH " toupper(page) " " section " " date " \"bareking " version "\" \"bareking\""
    print ".nh\n.ad l"
    # one long page on a terminal: groff breaks no table there
    print ".if n .pl 9999v"
}

{ line[NR] = $0 }

END {
    lines = NR
    line[NR + 1] = ""
    for (at = 1; at <= lines;) {
        if (is_blank(at))
            at++
        else if (is_code(at))
            code(0)
        else if (line[at] ~ /^```/)
            code(1)
        else if (line[at] ~ /^#+ /)
            heading()
        else if (line[at] ~ /^\|/)
            table()
        else if (line[at] ~ /^(- |[0-9]+\. )/)
            item()
        else if (line[at + 1] ~ /^: /)
            definition()
        else {
            paragraph()
            fill(inline(gather(line[at])))
        }
    }
}
