/* Linked before the C library's own, these let the n-th allocation or system call of a whole program fail,
 * whoever makes it: also those of the decompressors, of cJSON and of the C library. Only calls that the C
 * library makes to itself by another name (the reads of stdio) are out of reach.
 *
 *     EXSCOPE_FAIL_ALLOCATION=N    the N-th malloc, calloc or realloc of the run gives NULL
 *     EXSCOPE_FAIL_CALL=N          the N-th open, read, write, fsync, rename, mkdir or pthread_create fails
 *     EXSCOPE_FAIL_REPORT=FD       at exit a line is written there: calls that failed (0 or 1), blocks of
 * memory that were not given back
 *
 * Uses what glibc promises to those who replace malloc; elsewhere, and beside a sanitizer, which does the
 * same, FAILING_WORKS is 0 and nothing fails. */
#undef _FORTIFY_SOURCE /* its versions of read and open cannot be replaced by the same name */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "failing.h"

#if FAILING_WORKS

/* These are names of the library, or take the place of them. NOLINTBEGIN */

static atomic_long allocation_countdown, call_countdown;
static atomic_long fired, blocks;

static bool fails(atomic_long *countdown)
{
    if (atomic_load_explicit(countdown, memory_order_relaxed) <= 0 || atomic_fetch_sub(countdown, 1) != 1) {
        return false;
    }
    atomic_store(&fired, 1);
    return true;
}

/* ---- memory ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static bool allocation_fails(void)
{
    bool failed = fails(&allocation_countdown);
    if (failed) {
        errno = ENOMEM;
    }
    return failed;
}

static void *counted(void *block)
{
    atomic_fetch_add_explicit(&blocks, block != NULL, memory_order_relaxed);
    return block;
}

void *malloc(size_t size)
{
    return allocation_fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return allocation_fails() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    if (block == NULL) {
        return malloc(size);
    }
    if (size == 0) {
        free(block);
        return NULL;
    }
    return allocation_fails() ? NULL : __libc_realloc(block, size);
}

void free(void *block)
{
    atomic_fetch_sub_explicit(&blocks, block != NULL, memory_order_relaxed);
    __libc_free(block);
}

/* ---- system calls ---- */

static bool call_fails(int number)
{
    bool failed = fails(&call_countdown);
    if (failed) {
        errno = number;
    }
    return failed;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = (flags & O_CREAT) != 0 ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    return call_fails(EMFILE) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

ssize_t read(int descriptor, void *buffer, size_t length)
{
    return call_fails(EIO) ? -1 : syscall(SYS_read, descriptor, buffer, length);
}

ssize_t write(int descriptor, const void *buffer, size_t length)
{
    return call_fails(ENOSPC) ? -1 : syscall(SYS_write, descriptor, buffer, length);
}

int fsync(int descriptor)
{
    return call_fails(EIO) ? -1 : (int)syscall(SYS_fsync, descriptor);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    return call_fails(ENOSPC) ? -1 : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int rename(const char *from, const char *to)
{
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int mkdir(const char *path, mode_t mode)
{
    return call_fails(ENOSPC) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    typedef int Create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    static Create *create;
    if (create == NULL) { /* the first is made by the only thread */
        *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    }
    return fails(&call_countdown) ? EAGAIN : create(thread, attributes, start, argument);
}

/* NOLINTEND */

/* ---- the run ---- */

static long number_in(const char *variable)
{
    const char *text = getenv(variable);
    return text == NULL ? 0 : strtol(text, NULL, 10);
}

__attribute__((constructor)) static void failing_start(void)
{
    atomic_store(&allocation_countdown, number_in("EXSCOPE_FAIL_ALLOCATION"));
    atomic_store(&call_countdown, number_in("EXSCOPE_FAIL_CALL"));
}

__attribute__((destructor)) static void failing_end(void)
{
    int descriptor = (int)number_in("EXSCOPE_FAIL_REPORT");
    if (descriptor > 0) {
        atomic_store(&call_countdown, 0);
        dprintf(descriptor, "%ld %ld\n", atomic_load(&fired), atomic_load(&blocks));
    }
}

#else

int failing_works_not; /* a file has at least one declaration */

#endif
