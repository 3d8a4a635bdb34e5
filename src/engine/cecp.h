/*
 * cecp.h - XBoard's protocol, version 2.
 */
#ifndef BE_CECP_H
#define BE_CECP_H

/* Answers `first` and the lines that follow on the standard input, until `quit` or its end.
   game: to begin with; paths: folders of tables; engine: the command of an engine behind, "": none.
   Returns the exit status. */
int be_cecp_run(char *first, const char *game, const char *paths, const char *engine);

#endif
