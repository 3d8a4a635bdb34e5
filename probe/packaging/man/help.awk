# help.awk - the text of `bareking COMMAND --help`, of `bareking help`, or of `bareking-engine --help`, as
# Markdown for to_man.awk.
#
#     bareking build --help | awk -f help.awk -v what="make tables, and those they need"
#
# The text has, in this order: a line for people (`bareking help` alone), usage, sentences, options or
# commands, sentences, exit status.

function section(name) {
    if (name != now)
        print "\n# " name "\n"
    now = name
}

NR == 1 { print "# Name\n\n" page " - " what }
/^bareking - / { next }
/^usage: / {
    section("Synopsis")
    sub(/^usage: /, "")
    match($0, page ~ /^bareking(-engine)?$/ ? "^[a-z-]+" : "^bareking [^ ]+")
    print "**" substr($0, 1, RLENGTH) "**" substr($0, RLENGTH + 1)
    next
}
# the first sentence is `what` again
/^[A-Z]/ && now == "Synopsis" && page != "bareking" { section("Description") }
/^Exit status: / {
    section("Exit status")
    sub(/^Exit status: +/, "")
    statuses = 1
}
statuses {
    sub(/^ +/, "")
    all = all " " $0
    next
}
/^ +-/ {
    section("Options")
    sub(/^ +/, "")
    option($0)
    next
}
/^  [^ ]/ {
    section("Commands")
    sub(/^ +/, "")
    name = $1
    sub(/^[^ ]+ +/, "")
    print (name ~ /^-/ || name == "help" ? "**" name "**" : "**bareking-" name "**(1)") "\n: " $0 "\n"
    next
}
/^[A-Z]/ && (now == "Commands" || now == "Options") { section("Names") }
{
    gsub(/[*\\]/, "\\\\&")
    print
}

# `-h, --help   this text`, `--dir DIR   folder ...`: two blanks or the column end the name.
function option(s,    names, i, n, word) {
    names = ""
    n = split(s, word, " ")
    for (i = 1; i <= n && word[i] ~ /^(-|[A-Z]+$)/; i++) {
        names = names (i > 1 ? " " : "") (word[i] ~ /^-/ ? "**" word[i] "**" : "*" word[i] "*")
        s = substr(s, index(s, word[i]) + length(word[i]))
    }
    sub(/^ +/, "", s)
    print names "\n: " s "\n"
}

END {
    n = split(all, status, /[,.] +|\.$/)
    word = ""
    for (i = 1; i <= n; i++) {
        sub(/^ +/, "", status[i])
        if (status[i] ~ /^[0-9]/) {
            if (word != "")
                print_status(word)
            word = status[i]
        } else if (status[i] != "")
            word = word ", " status[i]
    }
    print_status(word)
}
function print_status(s) { print "**" substr(s, 1, index(s, " ") - 1) "**\n: " substr(s, index(s, " ") + 1) "\n" }
