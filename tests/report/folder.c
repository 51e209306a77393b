#include "config.h"

#include "folder.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

enum { PATH_BYTES = 4096, NAMES_BYTES = 1 << 16 };

char *folder_new(void)
{
    /* In memory where there is such a place: a sync of each of a thousand files takes its time elsewhere. */
    const char *base = getenv("TMPDIR");
    char path[PATH_BYTES];
    if (base == NULL) {
        base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    }
    snprintf(path, sizeof path, "%s/exscope-test-XXXXXX", base);
    assert_non_null(mkdtemp(path));
    return strdup(path);
}

static int is_no_dot(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

char *folder_names(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_no_dot, alphasort);
    assert_true(count >= 0);
    char *names = calloc(1, NAMES_BYTES);
    assert_non_null(names);
    for (int i = 0; i < count; i++) {
        size_t length = strlen(names);
        snprintf(names + length, NAMES_BYTES - length, "%s%s", i == 0 ? "" : " ", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return names;
}

void folder_clear(const char *folder)
{
    char *names = folder_names(folder), *rest = names, path[PATH_BYTES];
    for (char *name = strtok_r(rest, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        snprintf(path, sizeof path, "%s/%s", folder, name);
        assert_int_equal(unlink(path), 0);
    }
    free(names);
}

void folder_free(char *folder)
{
    folder_clear(folder);
    assert_int_equal(rmdir(folder), 0);
    free(folder);
}

char *folder_text(const char *folder, const char *name, size_t limit)
{
    char path[PATH_BYTES];
    Text text = {0};
    Error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!file_read_text(path, limit, &text, &error)) {
        print_error("%s\n", error.message);
        fail();
    }
    char *copy = strdup(text_view(&text));
    text_free(&text);
    return copy;
}

cJSON *folder_json(const char *folder, const char *name, size_t limit)
{
    char *text = folder_text(folder, name, limit);
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    free(text);
    return json;
}
