#include "config.h"

#include "explore/lexer.h"

#include <string.h>

typedef struct Lexer {
    const char *text;
    size_t length, at;
    bool partial;
    Line *line;
    Text word; /* scratch */
    Error *error;
} Lexer;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Inside the quote that begins at `at`; ends after the closing one. */
static bool lexer_quoted(Lexer *lexer)
{
    char quote = lexer->text[lexer->at++];
    while (lexer->at < lexer->length && lexer->text[lexer->at] != quote) {
        char c = lexer->text[lexer->at++];
        if (quote == '"' && c == '\\' && lexer->at < lexer->length &&
            (lexer->text[lexer->at] == '"' || lexer->text[lexer->at] == '\\')) {
            c = lexer->text[lexer->at++];
        }
        text_append_char(&lexer->word, c);
    }
    if (lexer->at == lexer->length) {
        lexer->line->open_quote = quote;
        return lexer->partial || error_set(lexer->error, ERROR_USAGE, "a closing %c is missing", quote);
    }
    lexer->at++;
    return true;
}

/* The word that begins at `at`, into lexer->word. */
static bool lexer_word(Lexer *lexer)
{
    text_clear(&lexer->word);
    while (lexer->at < lexer->length) {
        char c = lexer->text[lexer->at];
        if (is_blank(c) || c == '>') {
            break;
        }
        if (c == '\'' || c == '"') {
            if (!lexer_quoted(lexer)) {
                return false;
            }
        } else if (c == '\\') {
            lexer->at++;
            if (lexer->at == lexer->length) {
                lexer->line->open_quote = '\\';
                return lexer->partial ||
                       error_set(lexer->error, ERROR_USAGE, "a backslash stands at the end of the line");
            }
            text_append_char(&lexer->word, lexer->text[lexer->at++]);
        } else {
            text_append_char(&lexer->word, c);
            lexer->at++;
        }
    }
    return text_ok(&lexer->word, lexer->error);
}

static void lexer_skip_blanks(Lexer *lexer)
{
    while (lexer->at < lexer->length && is_blank(lexer->text[lexer->at])) {
        lexer->at++;
    }
}

/* `> FILE` or `>| FILE`. */
static bool lexer_redirection(Lexer *lexer)
{
    Line *line = lexer->line;
    if (line->file != NULL) {
        return error_set(lexer->error, ERROR_USAGE, "the output can go to one file only");
    }
    lexer->at++;
    if (lexer->at < lexer->length && lexer->text[lexer->at] == '|') {
        line->replace = true;
        lexer->at++;
    }
    lexer_skip_blanks(lexer);
    line->file_start = lexer->at;
    if (!lexer_word(lexer)) {
        return false;
    }
    if (lexer->at == line->file_start && !lexer->partial) {
        return error_set(lexer->error, ERROR_USAGE, "> needs a file name");
    }
    line->file = mem_copy_text(text_view(&lexer->word), lexer->word.length, lexer->error);
    return line->file != NULL;
}

static bool lexer_add_word(Lexer *lexer)
{
    Word word = {.start = lexer->at};
    if (!lexer_word(lexer)) {
        return false;
    }
    word.end = lexer->at;
    word.text = mem_copy_text(text_view(&lexer->word), lexer->word.length, lexer->error);
    if (word.text == NULL || !vec_push(&lexer->line->words, word, lexer->error)) {
        mem_free(word.text);
        return false;
    }
    return true;
}

static bool lexer_run(Lexer *lexer)
{
    lexer_skip_blanks(lexer);
    if (lexer->at < lexer->length && lexer->text[lexer->at] == '-') {
        lexer->line->tolerant = true;
        lexer->at++;
        lexer_skip_blanks(lexer);
    }
    while (lexer->at < lexer->length && lexer->text[lexer->at] != '#') {
        bool done = lexer->text[lexer->at] == '>' ? lexer_redirection(lexer) : lexer_add_word(lexer);
        if (!done) {
            return false;
        }
        lexer_skip_blanks(lexer);
    }
    return true;
}

bool line_parse(const char *text, size_t length, bool partial, Line *line, Error *error)
{
    *line = (Line){0};
    const char *nul = memchr(text, '\0', length);
    if (nul != NULL) {
        return error_set(error, ERROR_USAGE, "a NUL character stands in the line");
    }
    Lexer lexer = {.text = text, .length = length, .partial = partial, .line = line, .error = error};
    bool done = lexer_run(&lexer);
    text_free(&lexer.word);
    return done;
}

void line_free(Line *line)
{
    for (size_t i = 0; i < line->words.count; i++) {
        mem_free(line->words.items[i].text);
    }
    vec_free(&line->words);
    mem_free(line->file);
    line->file = NULL;
}

void line_append_word(Text *text, const char *word)
{
    bool plain = word[0] != '\0' && word[0] != '#' && strpbrk(word, " \t\r\n'\"\\>") == NULL;
    if (plain) {
        text_append(text, word);
        return;
    }
    text_append_char(text, '\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            text_append(text, "'\\''");
        } else {
            text_append_char(text, *word);
        }
    }
    text_append_char(text, '\'');
}
