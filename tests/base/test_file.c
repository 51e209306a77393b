/* Files: every kind of input, damaged ones, and outputs that appear whole or not at all. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "base/file.h"
#include "base/memory.h"

enum { CONTENT_BYTES = 1000000 };

static char folder[] = "/tmp/exscope-file-XXXXXX";
static char content[CONTENT_BYTES];

static const char *in_folder(const char *name)
{
    static char path[4][300];
    static unsigned turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void put(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* Reads all of `path` in pieces of `piece` bytes into a new block. */
static char *get(const char *path, size_t piece, size_t *length, Error *error)
{
    Input *input = input_open(path, error);
    if (input == NULL) {
        return NULL;
    }
    char *bytes = malloc(CONTENT_BYTES + piece);
    assert_non_null(bytes);
    size_t got;
    *length = 0;
    do {
        if (!input_read(input, bytes + *length, piece, &got, error)) {
            free(bytes);
            bytes = NULL;
            break;
        }
        *length += got;
        assert_true(*length <= CONTENT_BYTES);
    } while (got > 0);
    input_close(input);
    return bytes;
}

static void assert_reads(const char *path, const void *expected, size_t expected_length)
{
    static const size_t pieces[] = {CONTENT_BYTES, 4096, 777};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        Error error = {0};
        size_t length;
        char *bytes = get(path, pieces[i], &length, &error);
        assert_string_equal(error.message, "");
        assert_non_null(bytes);
        assert_int_equal(length, expected_length);
        assert_memory_equal(bytes, expected, expected_length);
        free(bytes);
    }
}

static void assert_fails(const char *path, const char *part)
{
    static const size_t pieces[] = {4096, 16};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        Error error = {0};
        size_t length;
        assert_null(get(path, pieces[i], &length, &error));
        if (strstr(error.message, part) == NULL || strncmp(error.message, path, strlen(path)) != 0) {
            fail_msg("message '%s' lacks '%s' or the path", error.message, part);
        }
    }
}

static size_t gzip_bytes(unsigned char *out, size_t capacity, const void *bytes, size_t length)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (z_const unsigned char *)bytes;
    stream.avail_in = (unsigned)length;
    stream.next_out = out;
    stream.avail_out = (unsigned)capacity;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t size = stream.total_out;
    deflateEnd(&stream);
    return size;
}

static size_t zstd_bytes(unsigned char *out, size_t capacity, const void *bytes, size_t length)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert_non_null(context);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    size_t size = ZSTD_compress2(context, out, capacity, bytes, length);
    assert_false(ZSTD_isError(size));
    ZSTD_freeCCtx(context);
    return size;
}

static void plain_files_are_read(void **state)
{
    (void)state;
    put(in_folder("plain"), content, sizeof content);
    assert_reads(in_folder("plain"), content, sizeof content);
    for (size_t length = 0; length < 6; length++) {
        put(in_folder("short"), content, length);
        assert_reads(in_folder("short"), content, length);
    }
    Input *input = input_open(in_folder("plain"), NULL);
    assert_int_equal(input_size(input), sizeof content);
    assert_int_equal(input_consumed(input), 0);
    char bytes[10];
    size_t got;
    assert_true(input_read(input, bytes, sizeof bytes, &got, NULL));
    assert_true(input_consumed(input) >= got);
    input_close(input);
}

typedef size_t (*Compress)(unsigned char *, size_t, const void *, size_t);

/* Two members in a row, the second one empty or not; cut at many places; followed by garbage; damaged. */
static void check_compression(Compress compress, const char *kind)
{
    size_t capacity = 2 * CONTENT_BYTES;
    unsigned char *packed = malloc(capacity);
    assert_non_null(packed);
    size_t first = compress(packed, capacity, content, CONTENT_BYTES / 3);
    size_t second = compress(packed + first, capacity - first, content + CONTENT_BYTES / 3,
                             CONTENT_BYTES - CONTENT_BYTES / 3);
    size_t size = first + second;
    put(in_folder("packed"), packed, first);
    assert_reads(in_folder("packed"), content, CONTENT_BYTES / 3);
    put(in_folder("packed"), packed, size);
    assert_reads(in_folder("packed"), content, CONTENT_BYTES);
    size_t empty = compress(packed + size, capacity - size, content, 0);
    put(in_folder("packed"), packed, size + empty);
    assert_reads(in_folder("packed"), content, CONTENT_BYTES);
    put(in_folder("packed"), packed + size, empty);
    assert_reads(in_folder("packed"), content, 0);

    for (size_t cut = 4; cut < size; cut += cut < 40 ? 1 : size / 37) {
        if (cut != first) {
            put(in_folder("packed"), packed, cut);
            assert_fails(in_folder("packed"), "cut off");
        }
    }
    memcpy(packed + size, "tail", 5);
    put(in_folder("packed"), packed, size + 5);
    assert_fails(in_folder("packed"), kind);
    packed[first / 2] ^= 0x40;
    packed[first / 2 + 1] ^= 0x15;
    put(in_folder("packed"), packed, size);
    assert_fails(in_folder("packed"), kind);
    free(packed);
}

static void gzip_is_read_and_checked(void **state)
{
    (void)state;
    check_compression(gzip_bytes, "gzip");
}

static void zstd_is_read_and_checked(void **state)
{
    (void)state;
    check_compression(zstd_bytes, "zstd");
    static const unsigned char skippable[] = {0x52, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
    unsigned char packed[200];
    memcpy(packed, skippable, sizeof skippable);
    size_t size = zstd_bytes(packed + sizeof skippable, sizeof packed - sizeof skippable, "hello", 5);
    put(in_folder("packed"), packed, sizeof skippable + size);
    assert_reads(in_folder("packed"), "hello", 5);

    /* A frame of 123 bytes, says the header; then its last block, which is empty. */
    static const unsigned char early[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 123, 1, 0, 0};
    put(in_folder("packed"), early, sizeof early);
    assert_fails(in_folder("packed"), "damaged zstd data");
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    assert_fails(in_folder("absent"), "No such file");
    assert_fails(folder, "directory");
}

static void *feed_fifo(void *argument)
{
    const char *path = argument;
    int descriptor = open(path, O_WRONLY);
    for (size_t sent = 0; descriptor >= 0 && sent < CONTENT_BYTES;) {
        size_t length = sent < 10 ? 1 : CONTENT_BYTES - sent < 30000 ? CONTENT_BYTES - sent : 30000;
        ssize_t written = write(descriptor, content + sent, length);
        if (written < 0) {
            break;
        }
        sent += (size_t)written;
    }
    close(descriptor);
    return NULL;
}

static void a_fifo_is_read(void **state)
{
    (void)state;
    char *path = strdup(in_folder("fifo"));
    assert_int_equal(mkfifo(path, 0600), 0);
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, feed_fifo, path), 0);
    size_t length;
    Error error = {0};
    char *bytes = get(path, 4096, &length, &error);
    assert_string_equal(error.message, "");
    pthread_join(writer, NULL);
    assert_int_equal(length, CONTENT_BYTES);
    assert_memory_equal(bytes, content, CONTENT_BYTES);
    free(bytes);
    unlink(path);
    free(path);
}

static void *cancel_soon(void *argument)
{
    Progress *progress = argument;
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    atomic_store(&progress->cancel, true);
    return NULL;
}

static void a_fifo_without_a_writer_can_be_cancelled(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(in_folder("silent"), 0600), 0);
    Progress progress = {0};
    Input *input = input_open(in_folder("silent"), NULL);
    assert_non_null(input);
    input_watch(input, &progress);
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, cancel_soon, &progress), 0);
    char bytes[10];
    size_t got;
    Error error = {0};
    assert_false(input_read(input, bytes, sizeof bytes, &got, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
    pthread_join(other, NULL);
    input_close(input);
}

static void standard_input_is_read(void **state)
{
    (void)state;
    put(in_folder("plain"), content, sizeof content);
    int before = dup(STDIN_FILENO), descriptor = open(in_folder("plain"), O_RDONLY);
    assert_true(descriptor >= 0 && dup2(descriptor, STDIN_FILENO) == STDIN_FILENO);
    size_t length;
    char *bytes = get("-", 4096, &length, NULL);
    assert_non_null(bytes);
    assert_int_equal(length, sizeof content);
    free(bytes);
    close(descriptor);
    if (before >= 0) {
        dup2(before, STDIN_FILENO);
        close(before);
    }
}

static void whole_texts_are_read_up_to_a_limit(void **state)
{
    (void)state;
    put(in_folder("plain"), content, 10000);
    Text text = {0};
    assert_true(file_read_text(in_folder("plain"), 10000, &text, NULL));
    assert_int_equal(text.length, 10000);
    assert_memory_equal(text.bytes, content, 10000);
    text_clear(&text);
    Error error = {0};
    assert_false(file_read_text(in_folder("plain"), 9999, &text, &error));
    assert_non_null(strstr(error.message, "more than 9999 bytes"));
    text_free(&text);
}

/* The files in the folder, fifos aside; what is left behind would show here. */
static int count_files(const char *path)
{
    DIR *directory = opendir(path);
    assert_non_null(directory);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(directory);
    return count;
}

static void an_output_appears_whole_or_not_at_all(void **state)
{
    (void)state;
    assert_true(file_make_folder(in_folder("out"), NULL));
    char *path = strdup(in_folder("out/file"));
    Output *output = output_open(path, NULL);
    assert_non_null(output);
    for (size_t sent = 0; sent < CONTENT_BYTES; sent += 10000) {
        assert_true(output_write(output, content + sent, 10000, NULL));
    }
    assert_false(file_exists(path));
    assert_true(output_commit(output, false, NULL));
    assert_reads(path, content, CONTENT_BYTES);
    assert_int_equal(count_files(in_folder("out")), 1);

    mode_t mask = umask(0);
    umask(mask);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0666 & ~mask);

    output = output_open(path, NULL);
    assert_true(output_write(output, content, CONTENT_BYTES / 2, NULL));
    output_discard(output);
    assert_reads(path, content, CONTENT_BYTES);
    assert_int_equal(count_files(in_folder("out")), 1);

    Error error = {0};
    assert_false(file_write_text(path, "new", 3, false, &error));
    assert_int_equal(error.kind, ERROR_REFUSED);
    assert_non_null(strstr(error.message, "exists already"));
    assert_reads(path, content, CONTENT_BYTES);
    assert_int_equal(count_files(in_folder("out")), 1);

    assert_true(file_write_text(path, "new", 3, true, NULL));
    assert_reads(path, "new", 3);
    assert_int_equal(unlink(path), 0);
    free(path);
}

static void outputs_that_cannot_be_are_refused(void **state)
{
    (void)state;
    Error error = {0};
    assert_null(output_open(in_folder("absent/file"), &error));
    assert_int_equal(error.kind, ERROR_SYSTEM);
    assert_null(output_open(folder, &error));
    assert_int_equal(error.kind, ERROR_REFUSED);
    assert_null(output_open("/dev/null", &error));
    assert_non_null(strstr(error.message, "not a regular file"));
}

static void folders_are_made(void **state)
{
    (void)state;
    assert_true(file_make_folder(in_folder("a//b/c/"), NULL));
    assert_true(file_make_folder(in_folder("a/b"), NULL));
    assert_true(file_make_folder("/", NULL));
    struct stat status;
    assert_true(stat(in_folder("a/b/c"), &status) == 0 && S_ISDIR(status.st_mode));
    put(in_folder("a/file"), "x", 1);
    Error error = {0};
    assert_false(file_make_folder(in_folder("a/file/d"), &error));
    assert_non_null(strstr(error.message, "Not a directory"));
    assert_false(file_make_folder("", NULL));
}

/* Every system call of a write fails in turn: an error each time, the old file intact, nothing left behind;
 * only a fault after the rename finds the new file in place. */
static void a_fault_at_any_call_leaves_the_old_file(void **state)
{
    (void)state;
    assert_true(file_make_folder(in_folder("faults"), NULL));
    char *path = strdup(in_folder("faults/file"));
    long nth = 0;
    for (bool injected = true; injected;) {
        assert_true(file_write_text(path, "old", 3, true, NULL));
        file_fault_set(++nth);
        Error error = {0};
        bool good = file_write_text(path, content, CONTENT_BYTES, true, &error);
        injected = file_fault_left() <= 0;
        file_fault_set(0);
        assert_true(good == !injected);
        if (injected) {
            assert_int_equal(error.kind, ERROR_SYSTEM);
            assert_non_null(strstr(error.message, path));
        }
        struct stat status;
        assert_int_equal(stat(path, &status), 0);
        bool synced_folder = strstr(error.message, "folder cannot be synced") != NULL;
        assert_int_equal(status.st_size, injected && !synced_folder ? 3 : CONTENT_BYTES);
        assert_int_equal(count_files(in_folder("faults")), 1);
    }
    assert_true(nth >= 6);

    for (nth = 1;; nth++) {
        file_fault_set(nth);
        size_t length;
        Error error = {0};
        char *bytes = get(path, 100000, &length, &error);
        bool injected_read = file_fault_left() <= 0;
        file_fault_set(0);
        assert_true((bytes == NULL) == injected_read);
        free(bytes);
        if (!injected_read) {
            break;
        }
        assert_non_null(strstr(error.message, "Input/output error"));
    }
    assert_true(nth >= 3);
    free(path);
}

static void an_allocation_fault_is_an_error(void **state)
{
    (void)state;
    unsigned char packed[200];
    put(in_folder("packed"), packed, gzip_bytes(packed, sizeof packed, "hello", 5));
    long nth = 0;
    for (bool injected = true; injected;) {
        mem_fault_set(++nth);
        size_t length = 0;
        Error error = {0};
        char *bytes = get(in_folder("packed"), 100, &length, &error);
        bool written = bytes != NULL && file_write_text(in_folder("copy"), bytes, length, true, &error);
        injected = mem_fault_left() <= 0;
        mem_fault_set(0);
        assert_true(written == !injected);
        assert_int_equal(error.kind, injected ? ERROR_MEMORY : ERROR_NONE);
        free(bytes);
    }
    assert_true(nth > 5);
    assert_reads(in_folder("copy"), "hello", 5);
}

static int make_folder(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (size_t i = 0; i < sizeof content; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        content[i] = (char)('a' + (random >> 60));
    }
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_files_are_read),
        cmocka_unit_test(gzip_is_read_and_checked),
        cmocka_unit_test(zstd_is_read_and_checked),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(a_fifo_is_read),
        cmocka_unit_test(a_fifo_without_a_writer_can_be_cancelled),
        cmocka_unit_test(standard_input_is_read),
        cmocka_unit_test(whole_texts_are_read_up_to_a_limit),
        cmocka_unit_test(an_output_appears_whole_or_not_at_all),
        cmocka_unit_test(outputs_that_cannot_be_are_refused),
        cmocka_unit_test(folders_are_made),
        cmocka_unit_test(a_fault_at_any_call_leaves_the_old_file),
        cmocka_unit_test(an_allocation_fault_is_an_error),
    };
    return cmocka_run_group_tests_name("base/file", tests, make_folder, remove_folder);
}
