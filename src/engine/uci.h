/*
 * uci.h - the Universal Chess Interface, with UCI_Variant.
 */
#ifndef BE_UCI_H
#define BE_UCI_H

/* Answers `first` and the lines that follow on the standard input, until `quit` or its end.
   paths: folders of tables, engine: the command of an engine behind ("": none), to begin with.
   Returns the exit status. */
int be_uci_run(char *first, const char *game, const char *paths, const char *engine);

#endif
