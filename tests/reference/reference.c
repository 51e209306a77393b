#include "config.h"

#include "reference.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"

enum { FILES_MAX = 200, FILE_BYTES_MAX = 64 << 20 };

const char *reference_folder(void)
{
    static char folder[4096];
    const char *given = getenv("EXSCOPE_REFERENCE_DIR"), *source = getenv("EXSCOPE_SOURCE_DIR");
    if (given != NULL) {
        snprintf(folder, sizeof folder, "%s", given);
    } else {
        snprintf(folder, sizeof folder, "%s/../shared/reference", source != NULL ? source : ".");
    }
    return file_exists(folder) ? folder : NULL;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

char **reference_names(const char *suffix)
{
    const char *folder = reference_folder();
    if (folder == NULL) {
        skip();
    }
    char **names = calloc(FILES_MAX + 1, sizeof *names);
    DIR *directory = opendir(folder);
    assert_true(names != NULL && directory != NULL);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        size_t length = strlen(entry->d_name), cut = strlen(suffix);
        if (length > cut && strcmp(entry->d_name + length - cut, suffix) == 0) {
            assert_true(count < FILES_MAX);
            names[count] = strndup(entry->d_name, length - cut);
            assert_non_null(names[count++]);
        }
    }
    closedir(directory);
    qsort(names, count, sizeof *names, compare_names);
    return names;
}

void reference_names_free(char **names)
{
    for (char **name = names; *name != NULL; name++) {
        free(*name);
    }
    free(names);
}

char *reference_path(const char *name, const char *suffix)
{
    const char *folder = reference_folder();
    assert_non_null(folder);
    size_t size = strlen(folder) + strlen(name) + strlen(suffix) + 2;
    char *path = malloc(size);
    assert_non_null(path);
    snprintf(path, size, "%s/%s%s", folder, name, suffix);
    return path;
}

cJSON *reference_json(const char *name, const char *suffix)
{
    char *path = reference_path(name, suffix);
    Text text = {0};
    Error error = {0};
    if (!file_read_text(path, FILE_BYTES_MAX, &text, &error)) {
        fail_msg("%s", error.message);
    }
    cJSON *json = cJSON_ParseWithLength(text_view(&text), text.length);
    if (json == NULL) {
        fail_msg("%s is not JSON", path);
    }
    text_free(&text);
    free(path);
    return json;
}
