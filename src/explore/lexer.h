/* A line of the command language as words. The grammar stands in interpreter.h. */
#ifndef EXSCOPE_EXPLORE_LEXER_H
#define EXSCOPE_EXPLORE_LEXER_H

#include "base/text.h"
#include "base/vec.h"

typedef struct Word {
    char *text;        /* quotes and backslashes taken off */
    size_t start, end; /* where it stands in the line, in bytes */
} Word;

typedef struct Line {
    bool tolerant; /* a leading -: a script goes on when this line fails */
    VEC(Word) words;
    char *file; /* where the output goes, NULL: to the face */
    bool replace;
    size_t file_start; /* where that word stands */
    char open_quote;   /* of the last word: ' " \ when the line ends inside it, else 0 */
} Line;

/* The first `length` bytes of `text`. `partial` allows the line to end inside a quote or where a file name is
 * expected: for completion. Free with line_free, also after a failure. */
bool line_parse(const char *text, size_t length, bool partial, Line *line, Error *error);
void line_free(Line *line);

/* The word as the lexer reads it back: quoted where it has to be. */
void line_append_word(Text *text, const char *word);

#endif
