#include "config.h"

#include "whole.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fuzz/fuzz.h"
#include "base/file.h"

enum { FILE_BYTES_MAX = 1 << 28, PATH_BYTES = 600 };

typedef struct WholeFile {
    char name[256];
    Text text;
} WholeFile;

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

static void read_file(const char *folder, const char *name, Text *text)
{
    char path[PATH_BYTES];
    Error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FUZZ_CHECK(file_read_text(path, FILE_BYTES_MAX, text, &error), "%s", error.message);
}

/* The next name but those of folders, NULL at the end. */
static const char *next_name(DIR *directory)
{
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_type != DT_DIR) {
            return entry->d_name;
        }
    }
    return NULL;
}

void whole_keep(Whole *whole, const char *folder)
{
    *whole = (Whole){0};
    DIR *directory = opendir(folder);
    FUZZ_CHECK(directory != NULL, "%s", folder);
    for (const char *name; (name = next_name(directory)) != NULL; whole->count++) {
        whole->files = realloc(whole->files, (whole->count + 1) * sizeof *whole->files);
        FUZZ_CHECK(whole->files != NULL, "memory");
        WholeFile *file = &whole->files[whole->count];
        *file = (WholeFile){0};
        FUZZ_CHECK(strlen(name) < sizeof file->name, "%s", name);
        strcpy(file->name, name);
        read_file(folder, name, &file->text);
    }
    closedir(directory);
}

void whole_free(Whole *whole)
{
    for (size_t i = 0; i < whole->count; i++) {
        text_free(&whole->files[i].text);
    }
    free(whole->files);
    *whole = (Whole){0};
}

static bool is_in(const Whole *whole, const char *name, const Text *text)
{
    for (size_t i = 0; i < whole->count; i++) {
        const WholeFile *file = &whole->files[i];
        if (strcmp(file->name, name) == 0) {
            return file->text.length == text->length &&
                   memcmp(text_view(&file->text), text_view(text), text->length) == 0;
        }
    }
    return false;
}

static void check_file(const Whole *versions, size_t count, const char *folder, const char *name)
{
    Text text = {0};
    bool found = false;
    read_file(folder, name, &text);
    if (ends_with(name, ".log")) {
        const char *last = strstr(text_view(&text), "\nmode=");
        found = last != NULL && text.bytes[text.length - 1] == '\n';
    }
    for (size_t i = 0; i < count && !found; i++) {
        found = is_in(&versions[i], name, &text);
    }
    FUZZ_CHECK(found, "%s/%s, %zu bytes, is not whole, or should not be there", folder, name, text.length);
    text_free(&text);
}

unsigned whole_check(const Whole *versions, size_t count, const char *folder, bool killed)
{
    unsigned files = 0;
    DIR *directory = opendir(folder);
    for (const char *name; directory != NULL && (name = next_name(directory)) != NULL;) {
        if (ends_with(name, ".tmp")) {
            char path[PATH_BYTES];
            FUZZ_CHECK(killed, "%s/%s was left behind", folder, name);
            snprintf(path, sizeof path, "%s/%s", folder, name);
            unlink(path);
            continue;
        }
        check_file(versions, count, folder, name);
        files += !ends_with(name, ".verdict.json") && !ends_with(name, ".log");
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return files;
}
