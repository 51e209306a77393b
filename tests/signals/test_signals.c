/* Signals at random moments. The program runs on a terminal of its own (a pseudo terminal) as a shell would
 * start it, in a process group of its own; whatever ends or stops it, the terminal's modes must be as they
 * were, its screen given back, and every file that was being written must be whole.
 *
 *     test_signals [RUNS]      of each kind (default 3); needs EXSCOPE_PROGRAM, EXSCOPE_BUILD_DIR */
#include "config.h"

#include <cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "../fuzz/fuzz.h"
#include "base/file.h"
#include "base/thread.h"

enum { ARGUMENTS_MAX = 16, PATIENCE_SECONDS = 60, KEPT_BYTES = 8192 };

static uint64_t random_state = 88172645463325252u;

static uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static double random_below(double limit)
{
    return limit * (double)(random_next() >> 11) / 9007199254740992.0;
}

/* ---- a program on a terminal ---- */

/* The shell's part is played by a process between the terminal and the program: it has the terminal, waits
 * for the program, and tells what it hears. */
typedef struct Terminal {
    int master;
    pid_t keeper, program;
    int news; /* wait statuses of the program */
    struct termios before;
    char kept[KEPT_BYTES]; /* the end of what was written */
    size_t kept_length;
} Terminal;

static void keeper_run(char *const *arguments, int news)
{
    signal(SIGTTOU, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nothing is left when a check fails */
    pid_t program = fork();
    if (program == 0) {
        setpgid(0, 0);
        tcsetpgrp(STDIN_FILENO, getpid());
        signal(SIGTTOU, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        close(news);
        execv(arguments[0], arguments);
        _exit(127);
    }
    setpgid(program, program);
    int status = program;
    bool told = write(news, &status, sizeof status) == sizeof status;
    while (told && waitpid(program, &status, WUNTRACED) == program) {
        told = write(news, &status, sizeof status) == sizeof status;
        if (!WIFSTOPPED(status)) {
            break;
        }
    }
    pause(); /* the terminal lives until it has been looked at */
    _exit(0);
}

static void terminal_drain(Terminal *terminal)
{
    struct pollfd wanted = {terminal->master, POLLIN, 0};
    char buffer[4096];
    while (poll(&wanted, 1, 0) > 0 && (wanted.revents & POLLIN) != 0) {
        ssize_t got = read(terminal->master, buffer, sizeof buffer);
        if (got <= 0) {
            return;
        }
        size_t length = (size_t)got, room = KEPT_BYTES - 1;
        size_t old = terminal->kept_length + length > room ? room - length : terminal->kept_length;
        memmove(terminal->kept, terminal->kept + terminal->kept_length - old, old);
        memcpy(terminal->kept + old, buffer, length);
        terminal->kept_length = old + length;
        terminal->kept[terminal->kept_length] = '\0';
    }
}

/* Whether the program had news within the time. */
static bool terminal_news(Terminal *terminal, double seconds, int *status)
{
    double end = thread_seconds() + seconds;
    do {
        struct pollfd wanted[2] = {{terminal->news, POLLIN, 0}, {terminal->master, POLLIN, 0}};
        double left = end - thread_seconds();
        poll(wanted, 2, left < 0 ? 0 : (int)(left * 1000) + 1);
        terminal_drain(terminal);
        if ((wanted[0].revents & POLLIN) != 0) {
            return read(terminal->news, status, sizeof *status) == sizeof *status;
        }
    } while (thread_seconds() < end);
    return false;
}

static void terminal_start(Terminal *terminal, char *const *arguments)
{
    struct winsize size = {.ws_row = 30, .ws_col = 100};
    int news[2], go[2];
    *terminal = (Terminal){0};
    FUZZ_CHECK(pipe2(news, O_CLOEXEC) == 0 && pipe2(go, O_CLOEXEC) == 0, "pipe");
    terminal->keeper = forkpty(&terminal->master, NULL, NULL, &size);
    FUZZ_CHECK(terminal->keeper >= 0, "forkpty");
    if (terminal->keeper == 0) {
        /* not before the modes were looked at: the program changes them, on a busy machine sooner */
        char byte;
        close(go[1]);
        while (read(go[0], &byte, 1) > 0) {
        }
        keeper_run(arguments, news[1]);
    }
    close(news[1]);
    close(go[0]);
    terminal->news = news[0];
    FUZZ_CHECK(tcgetattr(terminal->master, &terminal->before) == 0, "tcgetattr");
    close(go[1]);
    FUZZ_CHECK(terminal_news(terminal, PATIENCE_SECONDS, &terminal->program), "the program did not start");
}

static bool same_modes(const struct termios *one, const struct termios *other)
{
    return one->c_iflag == other->c_iflag && one->c_oflag == other->c_oflag &&
           one->c_cflag == other->c_cflag && one->c_lflag == other->c_lflag &&
           memcmp(one->c_cc, other->c_cc, sizeof one->c_cc) == 0;
}

/* The last place at which `text` stands in what was written, or -1. */
static long last_place(const Terminal *terminal, const char *text)
{
    long place = -1;
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= terminal->kept_length; i++) {
        if (memcmp(terminal->kept + i, text, length) == 0) {
            place = (long)i;
        }
    }
    return place;
}

static void terminal_check(Terminal *terminal, const char *when)
{
    struct termios now;
    terminal_drain(terminal);
    FUZZ_CHECK(tcgetattr(terminal->master, &now) == 0, "tcgetattr");
    FUZZ_CHECK(same_modes(&terminal->before, &now), "%s: the terminal's modes are not as they were", when);
    FUZZ_CHECK(last_place(terminal, "\33[?1049h") <= last_place(terminal, "\33[?1049l"),
               "%s: the screen was not given back", when);
    FUZZ_CHECK(last_place(terminal, "\33[?25l") <= last_place(terminal, "\33[?25h") ||
                   last_place(terminal, "\33[?25l") <= last_place(terminal, "\33[?12l\33[?25h"),
               "%s: the cursor stays hidden", when);
    FUZZ_CHECK(last_place(terminal, "\33[?1000h") <= last_place(terminal, "\33[?1000l"),
               "%s: the mouse was not given back", when);
}

static void terminal_end(Terminal *terminal)
{
    kill(terminal->keeper, SIGKILL);
    waitpid(terminal->keeper, NULL, 0);
    close(terminal->master);
    close(terminal->news);
}

/* ---- files ---- */

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

/* Every file of the folder is whole; `killed` allows temporary ones to be left. */
static unsigned check_folder(const char *path, bool killed)
{
    unsigned files = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char inside[600];
        Text text = {0};
        Error error = {0};
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        bool temporary = strstr(entry->d_name, ".tmp") != NULL;
        FUZZ_CHECK(killed || !temporary, "%s was left behind", inside);
        if (temporary) {
            unlink(inside);
        } else if (ends_with(entry->d_name, ".json")) {
            FUZZ_CHECK(file_read_text(inside, 1 << 28, &text, &error), "%s", error.message);
            cJSON *tree = cJSON_ParseWithLength(text_view(&text), text.length);
            FUZZ_CHECK(tree != NULL, "%s is not whole", inside);
            cJSON_Delete(tree);
            /* a verdict goes before the fixture that it was about is replaced */
            files += !ends_with(entry->d_name, ".verdict.json");
        }
        text_free(&text);
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return files;
}

/* ---- kinds of runs ---- */

typedef struct Run {
    const char *title;
    const char *arguments[ARGUMENTS_MAX]; /* of the program */
    int signals[4];                       /* one of them is sent; ended by 0 */
    const char *leave;                    /* typed to end it; NULL: it ends by itself */
} Run;

static const Run runs[] = {
    {"a load", {"c.json", "-e", "info"}, {SIGINT, SIGTERM, SIGHUP}, NULL},
    {"replays in a script",
     {"c.json", "-e", "replay --mode all --phase all"},
     {SIGINT, SIGTERM, SIGHUP},
     NULL},
    {"an export", {"c.json", "-e", "export out --mode all --force"}, {SIGINT, SIGTERM, SIGHUP}, NULL},
    {"analyze", {"analyze", "c.json", "out", "--top", "2"}, {SIGINT, SIGTERM, SIGHUP}, NULL},
    {"a REPL", {"-i", "c.json", "-e", "modes"}, {SIGTERM, SIGHUP}, "quit\r"},
    {"an explorer that is loading", {"c.json"}, {SIGTERM, SIGHUP}, ":quit\r"},
};

enum { RUN_KINDS = sizeof runs / sizeof *runs };

static void start_program(Terminal *terminal, const char *const *arguments)
{
    char *list[ARGUMENTS_MAX + 1] = {getenv("EXSCOPE_PROGRAM")};
    for (size_t i = 0; i + 2 < ARGUMENTS_MAX && arguments[i] != NULL; i++) {
        list[i + 1] = (char *)(uintptr_t)arguments[i];
    }
    terminal_start(terminal, list);
}

static void type(Terminal *terminal, const char *keys)
{
    FUZZ_CHECK(write(terminal->master, keys, strlen(keys)) == (ssize_t)strlen(keys), "write");
}

/* How long the run takes when it is left alone; an explorer: until it is told to quit. */
static double duration(const Run *run)
{
    Terminal terminal;
    int status;
    double begin = thread_seconds();
    start_program(&terminal, run->arguments);
    if (run->leave != NULL) {
        FUZZ_CHECK(!terminal_news(&terminal, 1, &status), "%s ended", run->title);
        type(&terminal, run->leave);
    }
    FUZZ_CHECK(terminal_news(&terminal, PATIENCE_SECONDS, &status), "%s does not end", run->title);
    FUZZ_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: status %x\n%s", run->title, status,
               terminal.kept);
    terminal_check(&terminal, run->title);
    terminal_end(&terminal);
    return thread_seconds() - begin;
}

/* Ended by the signal itself, or with the status that shells give it; or it was done already. */
static bool status_fits(int status, int number, bool explorer)
{
    return (WIFSIGNALED(status) && WTERMSIG(status) == number) ||
           (WIFEXITED(status) &&
            (WEXITSTATUS(status) == 128 + number || (WEXITSTATUS(status) == 0 && !explorer)));
}

static void interrupt_once(const Run *run, double longest, unsigned *ended)
{
    Terminal terminal;
    int status = 0, number = 0, kinds = 0;
    while (kinds < 4 && run->signals[kinds] != 0) {
        kinds++;
    }
    number = run->signals[random_next() % (unsigned)kinds];
    start_program(&terminal, run->arguments);
    if (!terminal_news(&terminal, random_below(longest), &status)) {
        kill(terminal.program, number);
        FUZZ_CHECK(terminal_news(&terminal, PATIENCE_SECONDS, &status), "%s does not end on signal %d",
                   run->title, number);
        (*ended)++;
        FUZZ_CHECK(status_fits(status, number, run->leave != NULL), "%s, signal %d: status %x\n%s",
                   run->title, number, status, terminal.kept);
    }
    terminal_check(&terminal, run->title);
    terminal_end(&terminal);
    check_folder("out", false);
}

static unsigned ended_by_signal(const Run *run, unsigned times)
{
    unsigned ended = 0;
    for (double longest = duration(run); times > 0; times--) {
        interrupt_once(run, longest, &ended);
    }
    return ended;
}

/* Stop and go, another size, Ctrl-C, keys; then an end. */
static void explorer_once(unsigned *stopped)
{
    static const char *const arguments[] = {"c.json", NULL};
    static const char *const keys[] = {"\r", "R", "j", "\33", "T", "\t", "1",
                                       "5",  "m", "w", "?",   "q", "A",  "/x\r"};
    static const int ends[] = {SIGTERM, SIGHUP, SIGTERM};
    Terminal terminal;
    int status;
    start_program(&terminal, arguments);
    bool alive = !terminal_news(&terminal, 0.1 + random_below(0.3), &status);
    for (unsigned step = 0; alive && step < 6; step++) {
        struct winsize size = {.ws_row = (unsigned short)(5 + random_next() % 60),
                               .ws_col = (unsigned short)(10 + random_next() % 200)};
        switch (random_next() % 4) {
        case 0:
            kill(terminal.program, SIGTSTP);
            alive = terminal_news(&terminal, PATIENCE_SECONDS, &status) && WIFSTOPPED(status);
            FUZZ_CHECK(alive, "SIGTSTP does not stop it");
            terminal_check(&terminal, "stopped");
            (*stopped)++;
            kill(terminal.program, SIGCONT);
            break;
        case 1:
            ioctl(terminal.master, TIOCSWINSZ, &size); /* sends SIGWINCH */
            break;
        case 2:
            kill(terminal.program, SIGINT);
            break;
        default:
            type(&terminal, keys[random_next() % (sizeof keys / sizeof *keys)]);
        }
        alive = alive && !terminal_news(&terminal, random_below(0.1), &status);
    }
    if (alive) {
        int number = ends[random_next() % 3];
        kill(terminal.program, number);
        FUZZ_CHECK(terminal_news(&terminal, PATIENCE_SECONDS, &status), "the explorer does not end on %d",
                   number);
        FUZZ_CHECK(status_fits(status, number, true), "signal %d: status %x", number, status);
    } else {
        FUZZ_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status); /* q */
    }
    terminal_check(&terminal, "the explorer");
    terminal_end(&terminal);
}

/* kill -9: nothing can be cleaned up, but what has a name is whole, old or new, and no fixture is lost. */
static unsigned killed_while_writing(unsigned times)
{
    static const Run run = {"analyze", {"analyze", "c.json", "out", "--top", "2"}, {0}, NULL};
    unsigned killed = 0, files = 0;
    for (double longest = duration(&run); times > 0; times--) {
        Terminal terminal;
        int status;
        start_program(&terminal, run.arguments);
        if (!terminal_news(&terminal, random_below(longest), &status)) {
            kill(terminal.program, SIGKILL);
            FUZZ_CHECK(terminal_news(&terminal, PATIENCE_SECONDS, &status), "kill");
            killed++;
        }
        terminal_end(&terminal);
        unsigned now = check_folder("out", true);
        FUZZ_CHECK(now >= files, "%u files, there were %u", now, files);
        files = now;
    }
    return killed;
}

/* The reader of a pipe goes away. */
static void pipe_closes(unsigned times)
{
    for (; times > 0; times--) {
        char command[300];
        snprintf(
            command, sizeof command,
            "\"$EXSCOPE_PROGRAM\" c.json -e 'phase worst' -e 'rows --all' -e 'transfers' 2>err | head -c %u "
            ">/dev/null",
            (unsigned)(random_next() % 100000));
        FUZZ_CHECK(system(command) == 0, "%s", command);
        Text text = {0};
        FUZZ_CHECK(file_read_text("err", 1 << 20, &text, NULL) && text.length == 0, "%s", text_view(&text));
        text_free(&text);
    }
}

static void make_capture(void)
{
    char command[600];
    snprintf(command, sizeof command,
             "'%s/tests/tools/mkcapture' --tiles 64 capture:phases=4,largest=4000 -o c.json",
             getenv("EXSCOPE_BUILD_DIR"));
    FUZZ_CHECK(system(command) == 0, "%s", command);
}

int main(int count, char **arguments)
{
    unsigned times = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 3;
    if (getenv("EXSCOPE_PROGRAM") == NULL || getenv("EXSCOPE_BUILD_DIR") == NULL) {
        printf("1..0 # SKIP EXSCOPE_PROGRAM and EXSCOPE_BUILD_DIR are not set\n");
        return 0;
    }
    setenv("TERM", "xterm-256color", 1);
    setenv("XDG_STATE_HOME", fuzz_folder(), 1);
    setenv("XDG_CONFIG_HOME", fuzz_folder(), 1);
    make_capture();
    printf("1..%d\n", RUN_KINDS + 3);
    int number = 1;
    for (; number <= RUN_KINDS; number++) {
        const Run *run = &runs[number - 1];
        unsigned ended = ended_by_signal(run, times);
        printf("ok %d - %s: %u runs, %u ended by a signal\n", number, run->title, times, ended);
        fflush(stdout);
    }
    unsigned stopped = 0;
    for (unsigned i = 0; i < times; i++) {
        explorer_once(&stopped);
    }
    printf("ok %d - the explorer: %u runs of stops, sizes, interrupts and keys, %u stops\n", number++, times,
           stopped);
    fflush(stdout);
    unsigned killed = killed_while_writing(times);
    printf("ok %d - kill -9 while files are replaced: %u runs, %u killed\n", number++, times, killed);
    fflush(stdout);
    pipe_closes(times);
    printf("ok %d - a pipe that closes: %u runs\n", number, times);
    return 0;
}
