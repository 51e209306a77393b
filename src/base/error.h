/* Errors: what went wrong, in one line that a person can act on.
 *
 * A function that can fail returns bool (or a pointer that is NULL on failure) and takes an Error* as its
 * last argument. The caller may pass NULL when the message does not matter. Nothing below the faces prints or
 * exits. */
#ifndef EXSCOPE_BASE_ERROR_H
#define EXSCOPE_BASE_ERROR_H

#include <stdbool.h>

typedef enum ErrorKind {
    ERROR_NONE = 0,
    ERROR_INPUT,     /* a file or a value is not what it should be */
    ERROR_REFUSED,   /* understood, but must not be done (a refused mode, an existing file, ...) */
    ERROR_MEMORY,    /* out of memory, or a bound that protects it */
    ERROR_SYSTEM,    /* the operating system said no (open, write, rename, ...) */
    ERROR_CANCELLED, /* the user stopped it */
    ERROR_USAGE      /* a command or option is malformed */
} ErrorKind;

typedef struct Error {
    ErrorKind kind;
    char message[1000]; /* one line, no trailing newline, control characters already made visible */
} Error;

/* Fills `error` (NULL is fine) and returns false, so that `return error_set(...)` reads well. The formatted
 * text is cut to the buffer; control characters and bytes that are not UTF-8 are rendered visibly, so a
 * message may quote text from a file. */
bool error_set(Error *error, ErrorKind kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* As error_set, with ": " and the text of `number` (an errno value) appended. */
bool error_set_errno(Error *error, int number, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "out of memory (N bytes wanted)" */
bool error_set_memory(Error *error, unsigned long long bytes);

/* Puts "context: " before an existing message: the caller knows the file or the phase, the callee did not. */
bool error_prefix(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
