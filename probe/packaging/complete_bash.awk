# complete_bash.awk - complete.sh's description of the command as a completion for bash.
BEGIN { FS = "\t" }
$1 == "command" { commands = commands " " $2; order[++n] = $2 }
$1 == "arguments" { first[$2] = $3; later[$2] = $4 }
$1 == "game" { games = games " " $2 }
$1 == "option" {
    options[$2] = options[$2] " " $3
    if ($4 == "DIR")
        folders = folders (folders ~ "(^| )" $3 "( |$)" ? "" : " " $3)
    else if ($4 == "VARIANT")
        variants = variants " " $3
    else if ($4 == "FILE")
        files = files (files ~ "(^| )" $3 "( |$)" ? "" : " " $3)
    else if ($4 == "HOW")
        words[$3] = words_of($5)
    else if ($4 != "")
        others = others (others ~ "(^| )" $3 "( |$)" ? "" : " " $3)
}

# "fast, normal (default) or best: more time" -> "fast normal best"
function words_of(s) {
    sub(/:.*/, "", s)
    gsub(/\([^)]*\)|,| or /, " ", s)
    gsub(/ +/, " ", s)
    return s
}
function pattern(list) {
    sub(/^ /, "", list)
    gsub(/ /, " | ", list)
    return list
}

END {
    print "# completion of bareking(1) for bash; made from the command's own help"
    print "# all that compgen finds, a line a name: names may have blanks"
    print "_bareking_offer() { mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen \"$@\"); }"
    print "_bareking()"
    print "{"
    print "    local cur prev command options= first= later= i nth=0"
    print "    local games='" substr(games, 2) "'"
    print ""
    print "    COMPREPLY=()"
    print "    cur=${COMP_WORDS[COMP_CWORD]}"
    print "    prev=${COMP_WORDS[COMP_CWORD - 1]}"
    print "    command=${COMP_WORDS[1]}"
    print "    if ((COMP_CWORD == 1)); then"
    print "        _bareking_offer -W '" substr(commands, 2) " --version' -- \"$cur\""
    print "        return"
    print "    fi"
    print "    case $command in"
    for (i = 1; i <= n; i++)
        if (order[i] == "help")
            print "    help) _bareking_offer -W '" substr(commands, 2) "' -- \"$cur\"; return ;;"
        else
            print "    " order[i] ") options='" substr(options[order[i]], 2) "' first=" \
                  first[order[i]] " later=" later[order[i]] " ;;"
    print "    esac"
    print "    case $prev in"
    print "    " pattern(folders) ")"
    print "        compopt -o filenames 2>/dev/null"
    print "        _bareking_offer -d -- \"$cur\"; return ;;"
    print "    " pattern(files " -o") ")"
    print "        compopt -o filenames 2>/dev/null"
    print "        _bareking_offer -f -- \"$cur\"; return ;;"
    print "    " pattern(variants) ") _bareking_offer -W \"$games\" -- \"$cur\"; return ;;"
    for (o in words)
        print "    " o ") _bareking_offer -W '" words[o] "' -- \"$cur\"; return ;;"
    print "    " pattern(others) ") return ;;"
    print "    esac"
    print "    if [[ $cur == -* ]]; then"
    print "        _bareking_offer -W \"$options\" -- \"$cur\""
    print "        return"
    print "    fi"
    print "    # which argument is it, options and their values left out?"
    print "    for ((i = 2; i < COMP_CWORD; i++)); do"
    print "        case ${COMP_WORDS[i]} in"
    values = pattern(folders files " -o" variants others)
    for (o in words)
        values = values " | " o
    print "        " values ") i=$((i + 1)) ;;"
    print "        -*) ;;"
    print "        *) nth=$((nth + 1)) ;;"
    print "        esac"
    print "    done"
    print "    ((nth == 0)) || first=$later"
    print "    compopt -o filenames 2>/dev/null"
    print "    case $first in"
    print "    DIR) _bareking_offer -d -- \"$cur\" ;;"
    print "    VARIANT)"
    print "        _bareking_offer -W \"$games\" -- \"$cur\""
    print "        _bareking_offer -f -X '!*.ini' -- \"$cur\""
    print "        [[ $cur != */* ]] || _bareking_offer -d -- \"$cur\" ;;"
    print "    FILE) _bareking_offer -f -- \"$cur\" ;;"
    print "    esac"
    print "}"
    print "complete -F _bareking bareking"
}
