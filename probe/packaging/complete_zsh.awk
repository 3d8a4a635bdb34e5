# complete_zsh.awk - complete.sh's description of the command as a completion for zsh.
BEGIN { FS = "\t" }
$1 == "command" { commands = commands "        " quoted($2 ":" $3) "\n"; order[++n] = $2 }
$1 == "arguments" { first[$2] = $3; later[$2] = $4 }
$1 == "game" {
    title = $3
    gsub(/:/, "\\:", title)
    games = games "        " quoted($2 ":" title) "\n"
}
$1 == "option" {
    text = $5
    gsub(/[\\\[\]:]/, "\\\\&", text)
    short = $3 == "--help" ? "-h" : $3 == "--output" ? "-o" : ""
    line = quoted("[" text "]" action($4, $5))
    line = short != "" ? "'(" short " " $3 ")'{" short "," $3 "}" line : quoted($3 "[" text "]" action($4, $5))
    options[$2] = options[$2] "            " line " \\\n"
}

function quoted(s) {
    gsub(/'/, "'\\''", s)
    return "'" s "'"
}
function argument(kind) {
    if (kind == "VARIANT")
        return ":game:_bareking_games"
    return kind == "DIR" ? ":folder:_files -/" : kind == "FILE" ? ":file:_files" : ": :"
}
function action(value, text) {
    if (value == "")
        return ""
    if (value == "DIR")
        return ":folder:_files -/"
    if (value == "FILE")
        return ":file:_files"
    if (value == "VARIANT")
        return ":game:_bareking_games"
    if (value == "HOW") {
        sub(/:.*/, "", text)
        gsub(/\([^)]*\)|,| or /, " ", text)
        gsub(/ +/, " ", text)
        return ":how:(" text ")"
    }
    return ":" value ":"
}

END {
    print "#compdef bareking"
    print "# completion of bareking(1) for zsh; made from the command's own help"
    print "_bareking_games() {"
    print "    local -a games=("
    printf "%s", games
    print "    )"
    print "    _describe -t games game games"
    print "    _files -g '*.ini'"
    print "}"
    print "_bareking_commands() {"
    print "    local -a commands=("
    printf "%s", commands
    print "    )"
    print "    _describe -t commands command commands"
    print "}"
    print "_bareking() {"
    print "    local context state state_descr line"
    print "    typeset -A opt_args"
    print "    _arguments -C '--version[the version]' '1:command:_bareking_commands' '*::argument:->arguments'"
    print "    [[ $state == arguments ]] || return"
    print "    case $words[1] in"
    for (i = 1; i <= n; i++) {
        print "    " order[i] ")"
        if (order[i] == "help")
            print "        _arguments '1:command:_bareking_commands' ;;"
        else {
            print "        _arguments \\"
            printf "%s", options[order[i]]
            print "            '1" argument(first[order[i]]) "' '*" argument(later[order[i]]) "' ;;"
        }
    }
    print "    esac"
    print "}"
    print "_bareking \"$@\""
}
