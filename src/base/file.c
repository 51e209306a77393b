#include "config.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"

enum {
    INPUT_BUFFER_BYTES = 128 << 10,
    OUTPUT_BUFFER_BYTES = 128 << 10,
    MAGIC_BYTES = 4,
    FRAME_HEADER_BYTES = 18, /* of a zstd frame, at most */
    CANCEL_POLL_MILLISECONDS = 50,
    TEMPORARY_NAMES_TRIED = 100
};

/* ---- faults on request ---- */

static atomic_long fault_countdown;

void file_fault_set(long nth)
{
    atomic_store(&fault_countdown, nth);
}

long file_fault_left(void)
{
    return atomic_load(&fault_countdown);
}

/* Stands before every system call that a disk can refuse. */
static bool file_fault_now(int number)
{
    if (atomic_load_explicit(&fault_countdown, memory_order_relaxed) <= 0 ||
        atomic_fetch_sub(&fault_countdown, 1) != 1) {
        return false;
    }
    errno = number;
    return true;
}

static int file_open(const char *path, int flags)
{
    return file_fault_now(EIO) ? -1 : open(path, flags | O_CLOEXEC | O_NOCTTY, 0666);
}

/* ---- reading ---- */

typedef enum InputKind { INPUT_UNKNOWN, INPUT_PLAIN, INPUT_GZIP, INPUT_ZSTD } InputKind;

struct Input {
    char *name; /* for messages */
    int descriptor;
    bool owned; /* not standard input */
    bool regular;
    InputKind kind;
    const Progress *progress;
    uint64_t consumed, size;

    unsigned char *buffer; /* bytes of the file that are not handed on yet: [next, end) */
    size_t next, end;
    bool ended; /* nothing more to come from the file */

    bool whole; /* compressed data stands at the end of a member or frame */
    z_stream gzip;
    ZSTD_DStream *zstd;
    uint64_t frame_bytes,
        frame_got; /* of a zstd frame: what its header says, and what came out of it so far */
};

Input *input_open(const char *path, Error *error)
{
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    Input *input = mem_zero(1, sizeof *input, error);
    if (input == NULL) {
        return NULL;
    }
    input->descriptor = -1;
    input->name = mem_copy_text(name, strlen(name), error);
    input->buffer = mem_new(INPUT_BUFFER_BYTES, 1, error);
    if (input->name == NULL || input->buffer == NULL) {
        input_close(input);
        return NULL;
    }
    /* Not blocking, so that a fifo without a writer can be waited for with an eye on the cancel flag. */
    input->owned = !standard;
    input->descriptor = standard ? STDIN_FILENO : file_open(path, O_RDONLY | O_NONBLOCK);
    struct stat status;
    if (input->descriptor < 0 || fstat(input->descriptor, &status) != 0) {
        error_set_errno(error, errno, "%s: cannot be opened", name);
        input_close(input);
        return NULL;
    }
    if (S_ISDIR(status.st_mode)) {
        error_set(error, ERROR_INPUT, "%s: is a directory, expected a file", name);
        input_close(input);
        return NULL;
    }
    input->regular = S_ISREG(status.st_mode);
    input->size = input->regular && status.st_size > 0 ? (uint64_t)status.st_size : 0;
    return input;
}

void input_watch(Input *input, const Progress *progress)
{
    input->progress = progress;
}

/* Waits until a pipe or a terminal has something to say; a regular file always has. */
static bool input_wait(Input *input, Error *error)
{
    struct pollfd wanted = {.fd = input->descriptor, .events = POLLIN};
    while (!input->regular) {
        if (!progress_go_on(input->progress, error)) {
            return false;
        }
        int ready = poll(&wanted, 1, CANCEL_POLL_MILLISECONDS);
        if (ready > 0 || (ready < 0 && errno != EINTR)) {
            break;
        }
    }
    return true;
}

/* Up to `capacity` bytes as they stand in the file. */
static bool input_read_raw(Input *input, void *buffer, size_t capacity, size_t *got, Error *error)
{
    *got = 0;
    while (!input->ended) {
        if (!input_wait(input, error)) {
            return false;
        }
        ssize_t length = file_fault_now(EIO) ? -1 : read(input->descriptor, buffer, capacity);
        if (length >= 0) {
            input->ended = length == 0;
            *got = (size_t)length;
            input->consumed += (uint64_t)length;
            return true;
        }
        if (errno != EINTR && errno != EAGAIN) {
            return error_set_errno(error, errno, "%s: cannot be read", input->name);
        }
    }
    return true;
}

static bool input_fill(Input *input, Error *error)
{
    size_t got;
    if (input->next == input->end) {
        input->next = input->end = 0;
    }
    if (!input_read_raw(input, input->buffer + input->end, INPUT_BUFFER_BYTES - input->end, &got, error)) {
        return false;
    }
    input->end += got;
    return true;
}

/* Has `bytes` at least in the buffer, unless the file ends before. */
static bool input_gather(Input *input, size_t bytes, Error *error)
{
    size_t buffered = input->end - input->next;
    if (buffered >= bytes || input->ended) {
        return true;
    }
    memmove(input->buffer, input->buffer + input->next, buffered);
    input->next = 0;
    input->end = buffered;
    while (input->end < bytes && !input->ended) {
        if (!input_fill(input, error)) {
            return false;
        }
    }
    return true;
}

static void *input_zlib_new(void *context, unsigned count, unsigned size)
{
    (void)context;
    return mem_new(count, size, NULL);
}

static void input_zlib_free(void *context, void *block)
{
    (void)context;
    mem_free(block);
}

static bool input_start_gzip(Input *input, Error *error)
{
    input->gzip.zalloc = input_zlib_new;
    input->gzip.zfree = input_zlib_free;
    if (inflateInit2(&input->gzip, 16 + MAX_WBITS) != Z_OK) {
        return error_set(error, ERROR_MEMORY, "%s: no memory to decompress gzip data", input->name);
    }
    input->kind = INPUT_GZIP;
    return true;
}

static bool input_start_zstd(Input *input, Error *error)
{
    input->zstd = ZSTD_createDStream();
    if (input->zstd == NULL) {
        return error_set(error, ERROR_MEMORY, "%s: no memory to decompress zstd data", input->name);
    }
    input->whole = true;
    input->kind = INPUT_ZSTD;
    return true;
}

/* Looks at the first bytes: what kind of data is it? */
static bool input_recognise(Input *input, Error *error)
{
    if (!input_gather(input, MAGIC_BYTES, error)) {
        return false;
    }
    const unsigned char *magic = input->buffer;
    if (input->end >= 2 && magic[0] == 0x1f && magic[1] == 0x8b) {
        return input_start_gzip(input, error);
    }
    bool enough = input->end >= MAGIC_BYTES;
    bool frame = enough && memcmp(magic, "\x28\xb5\x2f\xfd", MAGIC_BYTES) == 0;
    bool skippable =
        enough && (magic[0] & 0xf0) == 0x50 && memcmp(magic + 1, "\x2a\x4d\x18", MAGIC_BYTES - 1) == 0;
    if (frame || skippable) {
        return input_start_zstd(input, error);
    }
    input->kind = INPUT_PLAIN;
    return true;
}

static bool input_read_plain(Input *input, void *buffer, size_t capacity, size_t *got, Error *error)
{
    size_t buffered = input->end - input->next;
    if (buffered == 0) {
        return input_read_raw(input, buffer, capacity, got, error);
    }
    *got = buffered < capacity ? buffered : capacity;
    memcpy(buffer, input->buffer + input->next, *got);
    input->next += *got;
    return true;
}

/* One step of decompression each: takes from the buffer, adds to *got. */
static bool input_step_gzip(Input *input, unsigned char *buffer, size_t capacity, size_t *got, Error *error)
{
    z_stream *gzip = &input->gzip;
    if (input->whole && inflateReset(gzip) != Z_OK) {
        return error_set(error, ERROR_INPUT, "%s: gzip data cannot be continued", input->name);
    }
    unsigned room = capacity - *got > INPUT_BUFFER_BYTES ? INPUT_BUFFER_BYTES : (unsigned)(capacity - *got);
    gzip->next_in = input->buffer + input->next;
    gzip->avail_in = (unsigned)(input->end - input->next);
    gzip->next_out = buffer + *got;
    gzip->avail_out = room;
    int result = inflate(gzip, Z_NO_FLUSH);
    input->next = input->end - gzip->avail_in;
    *got += room - gzip->avail_out;
    input->whole = result == Z_STREAM_END;
    if (result == Z_MEM_ERROR) {
        return error_set(error, ERROR_MEMORY, "%s: no memory to decompress gzip data", input->name);
    }
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
        return error_set(error, ERROR_INPUT, "%s: damaged gzip data before compressed byte %llu: %s",
                         input->name, (unsigned long long)(input->consumed - gzip->avail_in),
                         gzip->msg != NULL ? gzip->msg : "unknown fault");
    }
    return true;
}

static bool input_step_zstd(Input *input, unsigned char *buffer, size_t capacity, size_t *got, Error *error)
{
    ZSTD_inBuffer from = {input->buffer + input->next, input->end - input->next, 0};
    ZSTD_outBuffer to = {buffer, capacity, *got};
    if (input->whole) {
        input->frame_bytes = ZSTD_getFrameContentSize(from.src, from.size);
        input->frame_got = 0;
    }
    size_t result = ZSTD_decompressStream(input->zstd, &to, &from);
    input->next += from.pos;
    input->frame_got += to.pos - *got;
    *got = to.pos;
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) {
        return error_set(error, ERROR_MEMORY, "%s: no memory to decompress zstd data", input->name);
    }
    if (ZSTD_isError(result)) {
        return error_set(error, ERROR_INPUT, "%s: damaged zstd data before compressed byte %llu: %s",
                         input->name, (unsigned long long)input->consumed, ZSTD_getErrorName(result));
    }
    input->whole = result == 0;
    /* The library itself misses a frame that ends early in an empty block, unless it has the whole of it. */
    if (input->whole && input->frame_bytes != ZSTD_CONTENTSIZE_UNKNOWN &&
        input->frame_bytes != input->frame_got) {
        return error_set(error, ERROR_INPUT,
                         "%s: damaged zstd data before compressed byte %llu: a frame of %llu bytes has %llu",
                         input->name, (unsigned long long)input->consumed,
                         (unsigned long long)input->frame_bytes, (unsigned long long)input->frame_got);
    }
    return true;
}

static bool input_read_compressed(Input *input, void *buffer, size_t capacity, size_t *got, Error *error)
{
    const char *kind = input->kind == INPUT_GZIP ? "gzip" : "zstd";
    while (*got == 0) {
        if (input->whole && !input_gather(input, FRAME_HEADER_BYTES, error)) {
            return false;
        }
        size_t next = input->next;
        /* Data may be left inside the decompressor when the buffer is empty: ask it before the file. */
        if ((input->next < input->end || !input->whole) &&
            !(input->kind == INPUT_GZIP ? input_step_gzip : input_step_zstd)(input, buffer, capacity, got,
                                                                             error)) {
            return false;
        }
        if (*got > 0 || input->next > next) {
            continue;
        }
        if (!input->ended) {
            if (!input_fill(input, error)) {
                return false;
            }
        } else if (input->next < input->end || !input->whole) {
            return error_set(error, ERROR_INPUT, "%s: the %s data is cut off after compressed byte %llu",
                             input->name, kind, (unsigned long long)input->consumed);
        } else {
            break;
        }
    }
    return true;
}

bool input_read(Input *input, void *buffer, size_t capacity, size_t *got, Error *error)
{
    *got = 0;
    if (input->kind == INPUT_UNKNOWN && !input_recognise(input, error)) {
        return false;
    }
    return (input->kind == INPUT_PLAIN ? input_read_plain : input_read_compressed)(input, buffer, capacity,
                                                                                   got, error);
}

uint64_t input_consumed(const Input *input)
{
    return input->consumed;
}

uint64_t input_size(const Input *input)
{
    return input->size;
}

void input_close(Input *input)
{
    if (input == NULL) {
        return;
    }
    if (input->kind == INPUT_GZIP) {
        inflateEnd(&input->gzip);
    }
    ZSTD_freeDStream(input->zstd);
    if (input->owned && input->descriptor >= 0) {
        close(input->descriptor);
    }
    mem_free(input->buffer);
    mem_free(input->name);
    mem_free(input);
}

bool file_read_text(const char *path, size_t limit, Text *text, Error *error)
{
    Input *input = input_open(path, error);
    if (input == NULL) {
        return false;
    }
    char buffer[4096];
    size_t got = 0, total = 0;
    bool good;
    do {
        good = input_read(input, buffer, sizeof buffer, &got, error);
        total += got;
        if (good && total > limit) {
            good = error_set(error, ERROR_INPUT, "%s: more than %zu bytes, expected a smaller file",
                             input->name, limit);
        }
        if (good) {
            text_append_bytes(text, buffer, got);
        }
    } while (good && got > 0);
    input_close(input);
    return good && text_ok(text, error);
}

/* ---- writing ---- */

struct Output {
    char *path;
    char *folder;
    char *temporary; /* NULL until the file exists */
    int descriptor;
    char *buffer;
    size_t filled;
    Error failure; /* the first one */
};

/* The folder part of `path`. */
static char *file_folder(const char *path, Error *error)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? mem_copy_text("./", 2, error)
                         : mem_copy_text(path, (size_t)(slash - path) + 1, error);
}

/* A file that nobody else has, ".exscope-PID-N.tmp" beside `path`: with the permissions that the user's
 * umask gives, which mkstemp would not. */
static bool output_create(Output *output, Error *error)
{
    static atomic_uint serial;
    for (int tried = 0; tried < TEMPORARY_NAMES_TRIED; tried++) {
        Text name = {0};
        text_printf(&name, "%s.exscope-%ld-%u.tmp", output->folder, (long)getpid(),
                    atomic_fetch_add(&serial, 1));
        if (!text_ok(&name, error)) {
            text_free(&name);
            return false;
        }
        output->descriptor = file_open(name.bytes, O_WRONLY | O_CREAT | O_EXCL);
        if (output->descriptor >= 0) {
            output->temporary = name.bytes;
            return true;
        }
        text_free(&name);
        if (errno != EEXIST) {
            break;
        }
    }
    return error_set_errno(error, errno, "%s: cannot be created", output->path);
}

Output *output_open(const char *path, Error *error)
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        error_set(error, ERROR_REFUSED, "%s: exists and is not a regular file", path);
        return NULL;
    }
    Output *output = mem_zero(1, sizeof *output, error);
    if (output == NULL) {
        return NULL;
    }
    output->descriptor = -1;
    output->path = mem_copy_text(path, strlen(path), error);
    output->folder = file_folder(path, error);
    output->buffer = mem_new(OUTPUT_BUFFER_BYTES, 1, error);
    if (output->path == NULL || output->folder == NULL || output->buffer == NULL ||
        !output_create(output, error)) {
        output_discard(output);
        return NULL;
    }
    return output;
}

static bool output_fail(Output *output, int number)
{
    return error_set_errno(&output->failure, number, "%s: cannot be written", output->path);
}

static bool output_write_raw(Output *output, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = file_fault_now(ENOSPC) ? -1 : write(output->descriptor, bytes, length);
        if (written < 0 && errno != EINTR) {
            return output_fail(output, errno);
        }
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return true;
}

static bool output_flush(Output *output)
{
    size_t filled = output->filled;
    output->filled = 0;
    return output_write_raw(output, output->buffer, filled);
}

static bool output_tell(const Output *output, Error *error)
{
    if (error != NULL) {
        *error = output->failure;
    }
    return false;
}

bool output_write(Output *output, const void *bytes, size_t length, Error *error)
{
    if (output->failure.kind != ERROR_NONE) {
        return output_tell(output, error);
    }
    if (length > OUTPUT_BUFFER_BYTES - output->filled && !output_flush(output)) {
        return output_tell(output, error);
    }
    if (length > OUTPUT_BUFFER_BYTES) {
        return output_write_raw(output, bytes, length) || output_tell(output, error);
    }
    memcpy(output->buffer + output->filled, bytes, length);
    output->filled += length;
    return true;
}

/* Renames without ever replacing. Where the file system knows no such rename, a hard link does the same. */
static int file_rename_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if ((errno != EINVAL && errno != ENOSYS) || link(from, to) != 0) {
        return -1;
    }
    unlink(from);
    return 0;
}

/* Makes a new name in a folder durable. Some file systems cannot sync a folder and say EINVAL: then there is
 * nothing to do. */
static bool file_sync_folder(const char *folder)
{
    int descriptor = file_open(folder, O_RDONLY | O_DIRECTORY);
    bool good = descriptor >= 0 &&
                ((!file_fault_now(EIO) && fsync(descriptor) == 0) || errno == EINVAL || errno == ENOTSUP);
    int number = errno;
    if (descriptor >= 0) {
        close(descriptor);
    }
    errno = number;
    return good;
}

static bool output_sync_folder(Output *output)
{
    return file_sync_folder(output->folder) ||
           error_set_errno(&output->failure, errno, "%s: its folder cannot be synced", output->path);
}

static bool output_finish(Output *output)
{
    if (output->failure.kind != ERROR_NONE || !output_flush(output)) {
        return false;
    }
    if (file_fault_now(EIO) || fsync(output->descriptor) != 0) {
        return output_fail(output, errno);
    }
    int descriptor = output->descriptor;
    output->descriptor = -1;
    return close(descriptor) == 0 || output_fail(output, errno);
}

static bool output_place(Output *output, bool replace)
{
    if (file_fault_now(EIO) || (replace ? rename : file_rename_new)(output->temporary, output->path) != 0) {
        if (errno == EEXIST) {
            return error_set(&output->failure, ERROR_REFUSED, "%s: exists already", output->path);
        }
        return output_fail(output, errno);
    }
    mem_free(output->temporary);
    output->temporary = NULL;
    return output_sync_folder(output);
}

bool output_commit(Output *output, bool replace, Error *error)
{
    bool good = output_finish(output) && output_place(output, replace);
    if (!good) {
        output_tell(output, error);
    }
    output_discard(output);
    return good;
}

void output_discard(Output *output)
{
    if (output == NULL) {
        return;
    }
    if (output->descriptor >= 0) {
        close(output->descriptor);
    }
    if (output->temporary != NULL) {
        unlink(output->temporary);
    }
    mem_free(output->temporary);
    mem_free(output->path);
    mem_free(output->folder);
    mem_free(output->buffer);
    mem_free(output);
}

bool file_write_text(const char *path, const char *bytes, size_t length, bool replace, Error *error)
{
    Output *output = output_open(path, error);
    if (output == NULL) {
        return false;
    }
    output_write(output, bytes, length, NULL); /* a failure comes back at commit */
    return output_commit(output, replace, error);
}

static bool file_make_one_folder(const char *path)
{
    struct stat status;
    if (!file_fault_now(EIO) && mkdir(path, 0777) == 0) {
        return true;
    }
    int number = errno;
    if (number == EEXIST && stat(path, &status) == 0) {
        number = ENOTDIR;
        if (S_ISDIR(status.st_mode)) {
            return true;
        }
    }
    errno = number;
    return false;
}

bool file_make_folder(const char *path, Error *error)
{
    char *prefix = mem_copy_text(path, strlen(path), error);
    if (prefix == NULL) {
        return false;
    }
    bool good = true;
    for (char *slash = prefix + strspn(prefix, "/"); good && slash != NULL;) {
        slash = strchr(slash, '/');
        if (slash != NULL) {
            *slash = '\0';
        }
        good = file_make_one_folder(prefix) ||
               error_set_errno(error, errno, "%s: the folder cannot be made", prefix);
        if (slash != NULL) {
            *slash++ = '/';
        }
    }
    mem_free(prefix);
    return good;
}

bool file_exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

bool file_rename(const char *from, const char *to, Error *error)
{
    char *folder = file_folder(to, error);
    if (folder == NULL) {
        return false;
    }
    bool good = (!file_fault_now(EIO) && rename(from, to) == 0 && file_sync_folder(folder)) ||
                error_set_errno(error, errno, "%s: cannot be written", to);
    mem_free(folder);
    return good;
}
