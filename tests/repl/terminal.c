#include "config.h"

#include "terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_SECONDS = 10 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void run_child(int slave, const char *folder, const char *const *arguments)
{
    const char *program = getenv("EXSCOPE_PROGRAM");
    const char *list[20] = {program};
    for (size_t i = 0; arguments[i] != NULL && i + 2 < sizeof list / sizeof *list; i++) {
        list[i + 1] = arguments[i];
    }
    setsid();
    ioctl(slave, TIOCSCTTY, 0);
    dup2(slave, 0);
    dup2(slave, 1);
    dup2(slave, 2);
    setenv("HOME", folder, 1);
    setenv("TERM", "xterm", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("NO_COLOR", "1", 1);
    unsetenv("XDG_STATE_HOME");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("INPUTRC");
    if (program != NULL && chdir(folder) == 0) {
        execv(program, (char *const *)list);
    }
    _exit(99);
}

void terminal_start(Terminal *terminal, const char *folder, const char *const *arguments)
{
    *terminal = (Terminal){.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
    assert_true(terminal->master >= 0 && grantpt(terminal->master) == 0 && unlockpt(terminal->master) == 0);
    int slave = open(ptsname(terminal->master), O_RDWR | O_NOCTTY);
    struct winsize size = {.ws_row = 24, .ws_col = 100};
    assert_true(slave >= 0 && ioctl(slave, TIOCSWINSZ, &size) == 0);
    terminal->child = fork();
    assert_true(terminal->child >= 0);
    if (terminal->child == 0) {
        run_child(slave, folder, arguments);
    }
    close(slave);
}

void terminal_type(Terminal *terminal, const char *keys)
{
    assert_int_equal(write(terminal->master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

/* Takes in what was written; false when nothing comes for a while, or the program has ended. */
static bool terminal_read(Terminal *terminal, int milliseconds)
{
    struct pollfd input = {.fd = terminal->master, .events = POLLIN};
    if (poll(&input, 1, milliseconds) <= 0) {
        return false;
    }
    if (terminal->capacity - terminal->length < 4097) {
        terminal->capacity = terminal->capacity * 2 + 8192;
        terminal->output = realloc(terminal->output, terminal->capacity);
        assert_non_null(terminal->output);
    }
    ssize_t got = read(terminal->master, terminal->output + terminal->length, 4096);
    terminal->length += got > 0 ? (size_t)got : 0;
    terminal->output[terminal->length] = '\0';
    return got > 0;
}

void terminal_expect(Terminal *terminal, const char *text)
{
    double start = now();
    for (;;) {
        const char *found = terminal->output == NULL ? NULL : strstr(terminal->output + terminal->seen, text);
        if (found != NULL) {
            terminal->seen = (size_t)(found - terminal->output) + strlen(text);
            return;
        }
        if (now() - start > PATIENCE_SECONDS) {
            fail_msg("'%s' does not come; what came: %s", text,
                     terminal->output == NULL ? "nothing" : terminal->output + terminal->seen);
        }
        terminal_read(terminal, 100);
    }
}

void terminal_signal(Terminal *terminal, int number)
{
    assert_int_equal(kill(terminal->child, number), 0);
}

int terminal_end(Terminal *terminal)
{
    int status = 0;
    double start = now();
    while (waitpid(terminal->child, &status, WNOHANG) == 0) {
        terminal_read(terminal, 20);
        if (now() - start > PATIENCE_SECONDS) {
            kill(terminal->child, SIGKILL);
            fail_msg("the program does not end; what came last: %s",
                     terminal->output == NULL ? "nothing" : terminal->output + terminal->seen);
        }
    }
    close(terminal->master);
    free(terminal->output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void terminal_pause(long milliseconds)
{
    struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}
