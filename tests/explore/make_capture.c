#include "config.h"

#include "make_capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

const char capture_head[] = "{\"schema_version\":4,\"tile_count\":4,\"phase_labels\":{\"0\":\"first\",\"1\":"
                            "\"Second <one>\"},\"phases\":[";
const char capture_end[] = "]}";

const char dependent_phase[] =
    "{\"phase\":90,\"transfers\":["
    "{\"source\":0,\"source_addresses\":[327680],\"destinations\":[[1,393216]],\"words\":2},"
    "{\"source\":1,\"source_addresses\":[393216],\"destinations\":[[2,393216]],\"words\":2}]}";

static char *temporary_name(void)
{
    const char *folder = getenv("TMPDIR");
    char name[600];
    snprintf(name, sizeof name, "%s/exscope-test-XXXXXX", folder != NULL ? folder : "/tmp");
    int file = mkstemp(name);
    assert_true(file >= 0);
    close(file);
    char *copy = strdup(name);
    assert_non_null(copy);
    return copy;
}

char *temporary_file(const char *text)
{
    char *path = temporary_name();
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    return path;
}

char *temporary_fifo(void)
{
    char *path = temporary_name();
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    return path;
}

void temporary_remove(char *path)
{
    unlink(path);
    free(path);
}

char *make_phase(unsigned number, unsigned transfers)
{
    size_t size = 100 + (size_t)transfers * 120, length = 0;
    char *text = malloc(size);
    assert_non_null(text);
    length += (size_t)snprintf(text, size, "{\"phase\":%u,\"transfers\":[", number);
    for (unsigned i = 0; i < transfers; i++) {
        unsigned place = transfers - 1 - i;
        length += (size_t)snprintf(
            text + length, size - length,
            "%s{\"source\":0,\"source_addresses\":[%u],\"destinations\":[[1,%u]],\"words\":2}",
            i == 0 ? "" : ",", 327680 + 8 * place, 589824 + 8 * place);
    }
    snprintf(text + length, size - length, "]}");
    return text;
}

char *capture_file(const unsigned *transfers, size_t phases)
{
    char *path = temporary_name();
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(capture_head, file);
    for (unsigned i = 0; i < phases; i++) {
        char *phase = make_phase(i, transfers[i]);
        fprintf(file, "%s%s", i == 0 ? "" : ",", phase);
        free(phase);
    }
    fputs(capture_end, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

void pause_milliseconds(long milliseconds)
{
    struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}
