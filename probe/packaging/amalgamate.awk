# amalgamate.awk - the files of the library as one, on stdout.
#
#     awk -f amalgamate.awk -v objects="err.o array.o ..." -v xxhash=/usr/include/xxhash.h \
#         -v version=0.2.0 -v opening=FILE UNIT...
#
# A UNIT is a FILE.c, or FILE.c:NAME:X=Y,Z=W for one that is compiled under several names with other
# macros; the lowest comes first.  Units whose object is not among `objects` are left out.  Headers of ours
# are put in once, before the first unit that wants them; those of the system stand where the opening
# says @HEADERS, and other files where it says @PUT FILE.  The public header stays a file of its own.
#
# One file has one name space, where each had its own.  So a name that two units define for themselves
# gets the unit's name before it, in the words of that unit: as a tag after `struct`, else wherever it is no
# member.  Macros of a unit end with it.  A header that asks for a unit's macros is part of the unit.
#
# What the public header does not declare is the file's own: all other functions and variables are static.

function base(path) {
    sub(/.*\//, "", path)
    sub(/\.[cho]$/, "", path)
    return path
}
function fail(text) {
    print "amalgamate: " text >"/dev/stderr"
    failed = 1
    exit 1
}

# == Reading ==

# Where an include of ours lies.
function place(include) { return include ~ /^(core|table)\// ? "src/" include : include }

function load(path,    n, s, result) {
    if (path in length_of)
        return
    n = 0
    while ((result = (getline s < path)) > 0)
        text[path, ++n] = s
    if (result < 0)
        fail("cannot read " path)
    close(path)
    length_of[path] = n
}
# "core/x.h" of a line that includes it; "" of others
function included(s) {
    if (s !~ /^#include "/ || s ~ /"probe\/bareking\.h"/)
        return ""
    sub(/^#include "/, "", s)
    sub(/".*/, "", s)
    return s
}
# Does a header ask for macros that each unit has its own of?
function is_of_unit(path,    i, m, inner) {
    if (path in of_unit)
        return of_unit[path]
    load(path)
    of_unit[path] = 0
    for (i = 1; i <= length_of[path]; i++) {
        for (m in unit_macro)
            if (index(text[path, i], m))
                of_unit[path] = 1
        inner = included(text[path, i])
        if (inner != "" && is_of_unit(place(inner)))
            of_unit[path] = 1
    }
    return of_unit[path]
}

function put_line(s) { out[++outs] = s }

# The headers that a file includes, each once: of a unit into its text, others before it.
function put_headers(path, inside,    i, inner) {
    for (i = 1; i <= length_of[path]; i++) {
        inner = included(text[path, i])
        if (inner == "")
            continue
        inner = place(inner)
        load(inner)
        if (is_of_unit(inner) == inside)
            put_header(inner, inside)
        else if (!inside)
            put_headers(inner, inside)
    }
}
function put_header(path, inside) {
    if ((inside ? unit : "", path) in done)
        return
    done[inside ? unit : "", path] = 1
    put_headers(path, inside)
    put_text(path)
}
function put_text(path,    i, s) {
    put_line("")
    put_line("/* == " path " == */")
    for (i = 1; i <= length_of[path]; i++) {
        s = text[path, i]
        if (included(s) != "")
            continue
        if (s ~ /^#include </) {
            system_header(s)
            continue
        }
        # the opening has these
        if (s ~ /^#include "probe\/bareking\.h"/ || s ~ /^# *define +XXH_/)
            continue
        if (inside_wide() && s ~ /^(INLINE|static) .*\(/) {
            # as far as its parameters go
            while (s !~ /\)/)
                s = s " " text[path, ++i]
            s = without_vectors(s)
        }
        if (wide_copies != "" && s == "{") {
            s = s wide_copies
            wide_copies = ""
        }
        put_line(s)
    }
}
# gcc has something to say, at no line that a pragma could reach, of functions that take or return vectors of
# 32 bytes by value where the machine may have no AVX.  So those that return them are made inline, and
# those that take them get their addresses, by a macro with the function's name.
function inside_wide() { return options[unit] ~ /BK_SET_BITS=256/ }
function without_vectors(s,    at, end, name, n, i, p, head, formal, actual, copies) {
    sub(/^static set /, "INLINE set ", s)
    at = index(s, "(")
    end = index(s, ")")
    n = split(substr(s, 1, at - 1), p, " ")
    name = p[n]
    n = split(substr(s, at + 1, end - at - 1), p, / *, */)
    formal = actual = copies = ""
    for (i = 1; i <= n; i++) {
        head = p[i]
        gsub(/.*[ *]|\[[^]]*\]$/, "", head)
        if (p[i] ~ /^ *set [a-z_]+$/) {
            formal = formal ", const set *" head "_at"
            actual = actual ", (set[1]){ " head " }"
            copies = copies " set " head " = *" head "_at;"
        } else {
            formal = formal ", " p[i]
            actual = actual ", " head
        }
        p[i] = head
    }
    if (copies == "")
        return s
    head = p[1]
    for (i = 2; i <= n; i++)
        head = head ", " p[i]
    put_line("#define " name "(" head ") " name "_by_address(" substr(actual, 3) ")")
    wide_copies = copies
    head = substr(s, 1, at - 1) "_by_address(" substr(formal, 3) ")"
    s = substr(s, end + 1)
    # the body begins here, or on the next line
    if (s ~ /\{/) {
        sub(/\{/, "{" copies, s)
        wide_copies = ""
    }
    return head s
}
function system_header(s) {
    if (s !~ /xxhash/ && !(s in seen)) {
        seen[s] = 1
        headers[++nheaders] = s
    }
}

# == Words of C ==
# Sets kind[], word[] for a line: "id", "space" (also comments and strings), or one character each.
function words_of(s,    n, c, rest) {
    n = 0
    while (s != "") {
        if (in_comment) {
            if (match(s, /\*\//)) {
                rest = RSTART + 1
                in_comment = 0
            } else
                rest = length(s)
            kind[++n] = "space"
        } else if (s ~ /^\/\*/) {
            in_comment = 1
            kind[++n] = "space"
            rest = 2
        } else if (match(s, /^"([^"\\]|\\.)*"/) || match(s, /^'([^'\\]|\\.)*'/) || match(s, /^[ \t]+/) ||
                   match(s, /^[0-9][0-9A-Za-z_.]*/)) {
            rest = RLENGTH
            kind[++n] = "space"
        } else if (match(s, /^[A-Za-z_][A-Za-z0-9_]*/)) {
            rest = RLENGTH
            kind[++n] = "id"
        } else {
            rest = 1
            kind[++n] = "char"
        }
        word[n] = substr(s, 1, rest)
        s = substr(s, rest + 1)
    }
    return n
}

# Notes what a unit (lines from..to of out) defines for itself: defines[unit, name] = what it is.
function note_names(unit, from, to,    i, j, n, depth, type, keyword, last, parens, all, macro) {
    in_comment = depth = parens = macro = 0
    all = last = type = keyword = ""
    for (i = from; i <= to; i++) {
        if (macro || out[i] ~ /^ *#/) {
            if (!macro && match(out[i], /^ *# *define +[A-Za-z_0-9]+/)) {
                n = split(substr(out[i], 1, RLENGTH), part, " ")
                macros[unit] = macros[unit] " " part[n]
            }
            macro = out[i] ~ /\\$/
            words_of(out[i])
            continue
        }
        n = words_of(out[i])
        for (j = 1; j <= n; j++) {
            if (kind[j] == "space")
                continue
            if (depth) {
                # of an enum's body the constants
                if (depth == 1 && type == "enum" && kind[j] == "id" && (last == "{" || last == ","))
                    defines[unit, word[j]] = "constant"
                if (word[j] == "{")
                    depth++
                if (word[j] == "}" && !--depth && type == "function")
                    all = type = ""
                if (word[j] ~ /[{},=]/ || kind[j] == "id")
                    last = word[j]
                continue
            }
            if (word[j] == "{") {
                if (all ~ /(struct|union|enum) *[A-Za-z_0-9]* *$/) {
                    keyword = all
                    sub(/ +$/, "", keyword)
                    m = split(keyword, part, " ")
                    type = part[m] ~ /^(struct|union|enum)$/ ? part[m] : part[m - 1]
                    if (part[m] != type)
                        defines[unit, part[m]] = "tag"
                } else if (all ~ /=/)
                    type = "value"
                else {
                    type = "function"
                    note_statement(unit, all)
                }
                depth = 1
                last = "{"
            } else if (word[j] == ";") {
                note_statement(unit, all)
                all = ""
            } else
                all = all " " word[j]
        }
    }
}
function without_attributes(s,    at, n, deep, c) {
    while (match(s, / __attribute__ \(/)) {
        at = RSTART
        deep = 1
        for (n = RSTART + RLENGTH; deep && n <= length(s); n++) {
            c = substr(s, n, 1)
            deep += (c == "(") - (c == ")")
        }
        s = substr(s, 1, at - 1) substr(s, n)
    }
    return s
}
# A declaration, its words with blanks between.
function note_statement(unit, s,    n) {
    sub(/=.*/, "", s)
    s = without_attributes(s)
    if (s !~ /^ (__extension__ )?(static|INLINE|typedef|_Thread_local)/)
        return
    if (s ~ /^ (__extension__ )?typedef/) {
        gsub(/\[[^]]*\]/, "", s)
        sub(/ \(.*/, "", s)
        n = split(s, part, " ")
        defines[unit, part[n]] = "type"
        return
    }
    if (s ~ /\(/)
        sub(/ \(.*/, "", s)
    sub(/ \[.*/, "", s)
    n = split(s, part, " ")
    defines[unit, part[n]] = "name"
}

# Writes lines from..to anew with the unit's own names, where others have the same.
function rename(unit, from, to,    i, j, n, before, line, deep, structs, opens) {
    in_comment = 0
    before = ""
    deep = structs = opens = 0
    for (i = from; i <= to; i++) {
        n = words_of(out[i])
        line = ""
        for (j = 1; j <= n; j++) {
            if (kind[j] == "id")
                word[j] = renamed(unit, word[j], before, structs)
            if (word[j] == "{") {
                deep++
                # the body of a struct: what is declared there is a member
                if (opens && !structs)
                    structs = deep
            }
            if (word[j] == "}") {
                if (structs == deep)
                    structs = 0
                deep--
            }
            if (kind[j] != "space") {
                opens = word[j] ~ /^(struct|union)$/ || (opens == 1 && kind[j] == "id" && before ~ /^(struct|union)$/)
                before = word[j] == ">" && before == "-" ? "->" : word[j]
            }
            line = line word[j]
        }
        out[i] = line
    }
}
function renamed(unit, name, before, member,    what) {
    if (!((unit, name) in clash))
        return name
    what = clash[unit, name]
    if (before == "." || before == "->" || (what == "tag") != (before ~ /^(struct|union|enum)$/) ||
        (what == "name" && member))
        return name
    return label[unit] "_" name
}

# == What is public ==

# Reads which functions the public header declares.
function read_public(    s, all) {
    while ((getline s < "probe/bareking.h") > 0)
        all = all " " s
    close("probe/bareking.h")
    while (match(all, /BK_API [^;()]*bk_[a-z0-9_]*\(/)) {
        s = substr(all, RSTART, RLENGTH - 1)
        sub(/.*[ *]/, "", s)
        is_public[s] = 1
        all = substr(all, RSTART + RLENGTH)
    }
}
# Makes all other functions and variables of lines from..to static.
function hide(from, to,    i, j, n, depth, all, begins, macro, parens) {
    in_comment = depth = macro = parens = 0
    all = ""
    for (i = from; i <= to; i++) {
        if (macro || out[i] ~ /^[ \n]*#/) {
            macro = out[i] ~ /\\$/
            words_of(out[i])
            continue
        }
        n = words_of(out[i])
        for (j = 1; j <= n; j++) {
            if (kind[j] == "space")
                continue
            if (!depth && all == "")
                begins = i
            if (word[j] == "{" && !depth++ && all !~ /(struct|union|enum)( [A-Za-z_0-9]+)?$/)
                hide_one(begins, all)
            if (word[j] == ";" && !depth) {
                hide_one(begins, all)
                all = ""
            } else if (word[j] == "}" && !--depth)
                all = all ~ /\) *$/ && all !~ /=/ ? "" : all " }"
            else if (!depth)
                all = all " " word[j]
        }
    }
}
# A declaration, its words with blanks between, that begins at the start of line `at`.
function hide_one(at, s,    name) {
    s = without_attributes(s)
    if (hidden[at] || s ~ /^ (__extension__ )?(static|INLINE|typedef|_Thread_local|_Static_assert|static_assert)/ ||
        s ~ /}/ || s ~ /^ (struct|union|enum)( [A-Za-z_0-9]+)?$/)
        return
    name = s
    sub(/ =.*/, "", name)
    if (name ~ /\(/)
        sub(/ \(.*/, "", name)
    sub(/ \[.*/, "", name)
    sub(/.* /, "", name)
    if (name in is_public)
        return
    hidden[at] = 1
    if (s ~ /^ extern .*\[ \]$/) # its unit comes before those that use it
        out[at] = ""
    else if (!sub(/^extern /, "static ", out[at]))
        out[at] = "static " out[at]
}

# == The whole ==

BEGIN {
    read_public()
    n = split(objects, part, " ")
    for (i = 1; i <= n; i++)
        wanted[base(part[i])] = 1
    for (i = 1; i < ARGC; i++) {
        n = split(ARGV[i], part, ":")
        name = n > 1 ? part[2] : base(part[1])
        sub(/\.o$/, "", name)
        if (!(name in wanted))
            continue
        unit_path[++units] = part[1]
        label[units] = name
        options[units] = n > 1 ? part[3] : ""
        n = split(options[units], macro, ",")
        for (j = 1; j <= n; j++)
            unit_macro[substr(macro[j], 1, index(macro[j], "=") - 1)] = 1
    }
    for (unit = 1; unit <= units; unit++) {
        load(unit_path[unit])
        put_headers(unit_path[unit], 0)
        from[unit] = outs + 1
        n = split(options[unit], macro, ",")
        for (j = 1; j <= n; j++) {
            sub(/=/, " ", macro[j])
            put_line((j == 1 ? "\n" : "") "#define " macro[j])
            sub(/ .*/, "", macro[j])
            macros[unit] = macros[unit] " " macro[j]
        }
        put_headers(unit_path[unit], 1)
        put_text(unit_path[unit])
        to[unit] = outs
        put_line("#undef_of " unit)
    }
    for (unit = 1; unit <= units; unit++)
        note_names(unit, from[unit], to[unit])
    # what headers say is everybody's
    last = 0
    for (unit = 1; unit <= units + 1; unit++) {
        note_names(0, last + 1, unit <= units ? from[unit] - 1 : outs)
        last = to[unit]
    }
    for (pair in defines) {
        split(pair, part, SUBSEP)
        owners[part[2]]++
    }
    for (pair in defines) {
        split(pair, part, SUBSEP)
        if (part[1] && owners[part[2]] > 1)
            clash[part[1], part[2]] = defines[pair]
    }
    for (unit = 1; unit <= units; unit++)
        rename(unit, from[unit], to[unit])
    hide(1, outs)

    while ((getline s < opening) > 0) {
        if (s ~ /^@PUT /) {
            path = substr(s, 6)
            path = path == "xxhash.h" ? xxhash : path
            while ((result = (getline s < path)) > 0)
                print s
            if (result < 0)
                fail("cannot read " path)
        } else if (s == "@HEADERS") {
            for (i = 1; i <= nheaders; i++)
                print headers[i]
        } else {
            sub(/@VERSION/, version, s)
            print s
        }
    }
    for (i = 1; i <= outs; i++) {
        if (out[i] !~ /^#undef_of /) {
            print out[i]
            continue
        }
        n = split(macros[substr(out[i], 11)], part, " ")
        for (j = 1; j <= n; j++)
            print "#undef " part[j]
    }
}
