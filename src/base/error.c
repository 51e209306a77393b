#include "config.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void error_store(Error *error, ErrorKind kind, const char *raw)
{
    error->kind = kind;
    text_copy_visible(error->message, sizeof error->message, raw, strlen(raw));
}

bool error_set(Error *error, ErrorKind kind, const char *format, ...)
{
    if (error != NULL) {
        char raw[sizeof error->message];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(raw, sizeof raw, format, arguments);
        va_end(arguments);
        error_store(error, kind, raw);
    }
    return false;
}

bool error_set_errno(Error *error, int number, const char *format, ...)
{
    if (error != NULL) {
        char raw[sizeof error->message];
        char reason[128];
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(raw, sizeof raw, format, arguments);
        va_end(arguments);
        if (length >= 0 && (size_t)length < sizeof raw) {
            snprintf(raw + length, sizeof raw - (size_t)length, ": %s",
                     strerror_r(number, reason, sizeof reason));
        }
        error_store(error, ERROR_SYSTEM, raw);
    }
    return false;
}

bool error_set_memory(Error *error, unsigned long long bytes)
{
    return error_set(error, ERROR_MEMORY, "out of memory (%llu bytes wanted)", bytes);
}

bool error_prefix(Error *error, const char *format, ...)
{
    if (error != NULL) {
        char raw[2 * sizeof error->message];
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(raw, sizeof raw, format, arguments);
        va_end(arguments);
        if (length >= 0 && (size_t)length < sizeof error->message) {
            snprintf(raw + length, sizeof raw - (size_t)length, ": %s", error->message);
        }
        error_store(error, error->kind, raw);
    }
    return false;
}
