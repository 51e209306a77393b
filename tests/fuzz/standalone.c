/* Runs a fuzz target over files and folders once, without libFuzzer, as a TAP program: one test a folder or
 * file. Without arguments: the corpus of the target, tests/fuzz/corpus/NAME below EXSCOPE_SOURCE_DIR, where
 * NAME is the program's name without "fuzz_". */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "fuzz.h"

static void run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    FUZZ_CHECK(file != NULL && fstat(fileno(file), &status) == 0, "%s", path);
    size_t size = (size_t)status.st_size;
    uint8_t *bytes = mem_new(size, 1, NULL); /* exact, so that a byte too far is seen */
    FUZZ_CHECK(bytes != NULL && fread(bytes, 1, size, file) == size, "%s", path);
    fclose(file);
    if (getenv("FUZZ_VERBOSE") != NULL) {
        fprintf(stderr, "%s\n", path);
    }
    LLVMFuzzerTestOneInput(bytes, size);
    mem_free(bytes);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

typedef VEC(char *) Paths;

static void add(Paths *paths, const char *path)
{
    char *copy = mem_copy_text(path, strlen(path), NULL);
    FUZZ_CHECK(copy != NULL && vec_push(paths, copy, NULL), "memory");
}

/* The paths of a folder in order of name, or the file itself. */
static Paths list(const char *path)
{
    Paths paths = {0};
    char whole[4096]; /* a target may change the working folder */
    DIR *directory = opendir(path = realpath(path, whole) == NULL ? path : whole);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        char inside[5000];
        if (entry->d_name[0] != '.') {
            snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
            add(&paths, inside);
        }
    }
    if (directory == NULL) {
        add(&paths, path);
    } else {
        closedir(directory);
        qsort(paths.items, paths.count, sizeof *paths.items, by_name);
    }
    return paths;
}

int main(int count, char **arguments)
{
    char corpus[1000];
    const char *base = getenv("EXSCOPE_SOURCE_DIR");
    const char *name = strrchr(arguments[0], '/');
    name = name == NULL ? arguments[0] : name + 1;
    name = strncmp(name, "lt-", 3) == 0 ? name + 3 : name;
    snprintf(corpus, sizeof corpus, "%s/tests/fuzz/corpus/%s", base == NULL ? "." : base,
             strncmp(name, "fuzz_", 5) == 0 ? name + 5 : name);
    char *own[] = {corpus};
    char **roots = count > 1 ? arguments + 1 : own;
    int root_count = count > 1 ? count - 1 : 1;

    /* every list before the first input */
    Paths *lists = mem_zero((size_t)root_count, sizeof *lists, NULL);
    FUZZ_CHECK(lists != NULL, "memory");
    for (int i = 0; i < root_count; i++) {
        lists[i] = list(roots[i]);
    }
    printf("1..%d\n", root_count);
    int status = 0;
    for (int i = 0; i < root_count; i++) {
        for (size_t k = 0; k < lists[i].count; k++) {
            run_file(lists[i].items[k]);
            mem_free(lists[i].items[k]);
        }
        bool some = lists[i].count > 0;
        status |= !some;
        printf("%sok %d - %s: %zu inputs\n", some ? "" : "not ", i + 1, name, lists[i].count);
        vec_free(&lists[i]);
    }
    mem_free(lists);
    return status;
}
