# header.awk - bareking.h as Markdown for to_man.awk: its comments are the text, its declarations code.
#
# The comment at the top opens the page.  What lies between `extern "C"` and its end is cut into
# declarations, each shown before the comment that stands above it; comments within a declaration
# stay there.  Lines for the preprocessor alone are left out.

# A line of a comment in which a star is a star; in `code` it is one anyway.
function plain(s,    out, part, n, i) {
    n = split(s, part, "`")
    out = ""
    for (i = 1; i <= n; i++) {
        if (i % 2)
            gsub(/[*\\]/, "\\\\&", part[i])
        out = out (i > 1 ? "`" : "") part[i]
    }
    return out
}

# The text of a comment, without its stars.
function text_of(s) {
    sub(/^ *\/\*+ ?/, "", s)
    sub(/ *\*+\/ *$/, "", s)
    sub(/^ \* ?/, "", s)
    return s
}

# The lines of a comment; a line `name  what it is` (or `name, name  ...`) begins a definition, which
# goes on while indented; `== Title ==` begins a section of its own.
function prose(    i, s, deep) {
    deep = 0
    for (i = 1; i <= notes; i++) {
        s = note[i]
        if (s ~ /^== .* ==$/) {
            print "### " substr(s, 4, length(s) - 6) "\n"
            continue
        }
        if (s ~ /^[a-z_*]+(, [a-z_*]+)*  +[^ ]/ ) {
            print "\n**" substr(s, 1, index(s, "  ") - 1) "**"
            s = substr(s, index(s, "  "))
            sub(/^ +/, "", s)
            print ": " plain(s)
            deep = 1
            continue
        }
        if (deep && s !~ /^ /) {
            deep = 0
            print ""
        }
        if (deep || (s ~ /^ / && s !~ /^    /))
            sub(/^ +/, "", s)
        print s ~ /^    / ? s : plain(s)
    }
    print ""
    notes = 0
}
function declaration(    i) {
    while (codes && code[codes] ~ /^ *$/)
        codes--
    if (codes) {
        print "```"
        for (i = 1; i <= codes; i++)
            print code[i]
        print "```\n"
    }
    codes = 0
}
function finish() {
    declaration()
    prose()
}

BEGIN { print "# Name\n\nlibbareking - " what "\n" }
NR == 1 { next }
!opened {
    if (/^ \*\//) {
        opened = 1
        # how it is called comes first, as everywhere
        print "# Synopsis\n\n```\n#include <bareking.h>\n\ncc app.c $(pkg-config --cflags --libs bareking)\n```\n"
        print "# Description\n"
        prose()
        print "# Interface\n"
        next
    }
    if (NR > 2)
        note[++notes] = text_of($0)
    next
}
/^extern "C"/ {
    inside = skipping = 1
    next
}
!inside { next }
/^#(ifdef|ifndef|if|else|elif|endif|undef)/ {
    skipping = /^#if/ ? skipping + 1 : /^#endif/ ? skipping - 1 : skipping
    next
}
skipping > 0 && !/BK_LIB_/ { next }
in_note {
    note[++notes] = text_of($0)
    if (/\*\//)
        in_note = 0
    next
}
/^\/\*/ {
    finish()
    note[++notes] = text_of($0)
    in_note = !/\*\//
    next
}
/^ *$/ {
    finish()
    next
}
{
    # a declaration that goes on moves with its beginning
    if (sub(/^BK_API /, ""))
        moved = $0 !~ /;/
    else if (moved) {
        sub(/^       /, "")
        moved = $0 !~ /;/
    }
    code[++codes] = $0
}
END { finish() }
