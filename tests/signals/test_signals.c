/* Signals at random moments. The program runs on a terminal of its own (a pseudo terminal) as a shell would
 * start it, in a process group of its own; whatever ends or stops it, the terminal's modes must be as they
 * were, its screen given back, and every file that was being written must be whole.
 *
 *     test_signals [RUNS]      of each kind (default 3); needs EXSCOPE_PROGRAM, EXSCOPE_BUILD_DIR */
#include "config.h"

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

#include "../faults/whole.h"
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
    if (terminal->master >= 0) {
        close(terminal->master);
    }
    close(terminal->news);
}

/* ---- files ---- */

/* Two captures take turns as c.json, so that a folder of output has old files and new ones that differ. */
enum { CAPTURES = 2, SIGNALS_MAX = 6 };

static void use_capture(unsigned which)
{
    char name[20];
    snprintf(name, sizeof name, "capture-%u", which % CAPTURES);
    unlink("c.json");
    FUZZ_CHECK(symlink(name, "c.json") == 0, "%s", name);
}

static void clear_output(void)
{
    FUZZ_CHECK(system("rm -rf out") == 0, "rm");
}

/* ---- kinds of runs ---- */

typedef struct Run {
    const char *title;
    const char *arguments[ARGUMENTS_MAX]; /* of the program */
    int signals[SIGNALS_MAX + 1];         /* one of them is sent; ended by 0 */
    bool writes;                          /* files, into out */
    const char *leave;                    /* typed to end it; NULL: it ends by itself */
} Run;

#define EVERY_SIGNAL                                                                                         \
    {                                                                                                        \
        SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP, SIGWINCH                                                  \
    }

static const Run runs[] = {
    {"a load", {"c.json", "-e", "info"}, EVERY_SIGNAL, false, NULL},
    {"replays in a script", {"c.json", "-e", "replay --mode all --phase all"}, EVERY_SIGNAL, false, NULL},
    {"why a phase takes as long",
     {"c.json", "-e", "critical --phase worst --mode original", "-e", "critical --mode both"},
     EVERY_SIGNAL,
     false,
     NULL},
    {"an export", {"c.json", "-e", "export out --mode all --force"}, EVERY_SIGNAL, true, NULL},
    {"analyze", {"analyze", "c.json", "out", "--top", "2"}, EVERY_SIGNAL, true, NULL},
    {"analyze of a bundled capture",
     {"analyze", "showcase.json", "out", "--top", "11"},
     EVERY_SIGNAL,
     true,
     NULL},
    {"a REPL", {"-i", "c.json", "-e", "modes"}, {SIGTERM, SIGHUP}, false, "quit\r"},
    {"an explorer that is loading", {"c.json"}, {SIGTERM, SIGHUP}, false, ":quit\r"},
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

/* What the run leaves in out, for each capture. */
static void keep_output(const Run *run, Whole versions[CAPTURES])
{
    for (unsigned i = 0; i < CAPTURES; i++) {
        clear_output();
        use_capture(i);
        duration(run);
        whole_keep(&versions[i], "out");
    }
}

static void forget_output(Whole versions[CAPTURES])
{
    for (unsigned i = 0; i < CAPTURES; i++) {
        whole_free(&versions[i]);
    }
}

/* Ended by the signal itself, or with the status that shells give it; or it was done already. */
static bool status_fits(int status, int number, bool explorer)
{
    return (WIFSIGNALED(status) && WTERMSIG(status) == number) ||
           (WIFEXITED(status) &&
            (WEXITSTATUS(status) == 128 + number || (WEXITSTATUS(status) == 0 && !explorer)));
}

static int choose_signal(const Run *run)
{
    unsigned kinds = 0;
    while (run->signals[kinds] != 0) {
        kinds++;
    }
    return run->signals[random_next() % kinds];
}

/* Sends it. What is stopped must have left the terminal as it was, and is let go on. */
static void interrupt(Terminal *terminal, const Run *run, int number, int *status)
{
    kill(terminal->program, number);
    FUZZ_CHECK(terminal_news(terminal, PATIENCE_SECONDS, status), "%s does not end on signal %d", run->title,
               number);
    if (WIFSTOPPED(*status)) {
        FUZZ_CHECK(number == SIGTSTP, "%s is stopped by signal %d", run->title, number);
        terminal_check(terminal, "stopped");
        kill(terminal->program, SIGCONT);
        FUZZ_CHECK(terminal_news(terminal, PATIENCE_SECONDS, status), "%s does not end after a stop",
                   run->title);
    }
}

static void interrupt_once(const Run *run, double longest, unsigned *ended)
{
    Terminal terminal;
    int status = 0, number = choose_signal(run);
    start_program(&terminal, run->arguments);
    if (!terminal_news(&terminal, random_below(longest), &status)) {
        interrupt(&terminal, run, number, &status);
        *ended += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
        FUZZ_CHECK(status_fits(status, number, run->leave != NULL), "%s, signal %d: status %x\n%s",
                   run->title, number, status, terminal.kept);
    }
    terminal_check(&terminal, run->title);
    terminal_end(&terminal);
}

static unsigned ended_by_signal(const Run *run, unsigned times)
{
    Whole versions[CAPTURES] = {{0}};
    unsigned ended = 0, files = 0;
    if (run->writes) {
        keep_output(run, versions);
        files = whole_check(versions, CAPTURES, "out", false);
    }
    double longest = duration(run);
    for (unsigned i = 0; i < times; i++) {
        use_capture(i);
        interrupt_once(run, longest, &ended);
        if (run->writes) {
            unsigned now = whole_check(versions, CAPTURES, "out", false);
            FUZZ_CHECK(now >= files, "%s: %u files, there were %u", run->title, now, files);
            files = now;
        }
    }
    forget_output(versions);
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

/* A line is typed, and interrupted or stopped, or the window changes; the next line is taken as before. */
static void repl_once(unsigned *stopped)
{
    static const char *const arguments[] = {"-i", "c.json", NULL};
    static const char *const lines[] = {"critical --phase worst\r", "replay --mode all\r", "phases",
                                        "export out --mode original --force\r", "\33[A"};
    Terminal terminal;
    int status;
    start_program(&terminal, arguments);
    FUZZ_CHECK(!terminal_news(&terminal, 0.1 + random_below(0.2), &status), "the REPL ended: %x\n%s", status,
               terminal.kept);
    for (unsigned step = 0; step < 4; step++) {
        struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)(10 + random_next() % 200)};
        type(&terminal, lines[random_next() % (sizeof lines / sizeof *lines)]);
        FUZZ_CHECK(!terminal_news(&terminal, random_below(0.1), &status), "the REPL ended: %x\n%s", status,
                   terminal.kept);
        switch (random_next() % 3) {
        case 0:
            kill(terminal.program, SIGTSTP);
            FUZZ_CHECK(terminal_news(&terminal, PATIENCE_SECONDS, &status) && WIFSTOPPED(status),
                       "SIGTSTP does not stop the REPL");
            terminal_check(&terminal, "the REPL, stopped");
            (*stopped)++;
            kill(terminal.program, SIGCONT);
            break;
        case 1:
            ioctl(terminal.master, TIOCSWINSZ, &size);
            break;
        default:
            kill(terminal.program, SIGINT);
        }
        FUZZ_CHECK(!terminal_news(&terminal, random_below(0.1), &status), "the REPL ended: %x\n%s", status,
                   terminal.kept);
    }
    kill(terminal.program, SIGINT); /* what has been typed of a line, or runs */
    bool over = false;
    for (int i = 0; i < PATIENCE_SECONDS && !over; i++) {
        type(&terminal, "\rquit\r");
        over = terminal_news(&terminal, 1, &status);
    }
    FUZZ_CHECK(over && WIFEXITED(status) && WEXITSTATUS(status) == 0, "the REPL: status %x\n%s", status,
               terminal.kept);
    terminal_check(&terminal, "the REPL");
    terminal_end(&terminal);
}

/* kill -9: nothing can be cleaned up, but what has a name is whole, old or new, and no fixture is lost. */
static unsigned killed_while_writing(const Run *run, unsigned times)
{
    Whole versions[CAPTURES];
    keep_output(run, versions);
    unsigned killed = 0, files = whole_check(versions, CAPTURES, "out", true);
    double longest = duration(run);
    for (unsigned i = 0; i < times; i++) {
        Terminal terminal;
        int status;
        use_capture(i);
        start_program(&terminal, run->arguments);
        if (!terminal_news(&terminal, random_below(longest), &status)) {
            kill(terminal.program, SIGKILL);
            FUZZ_CHECK(terminal_news(&terminal, PATIENCE_SECONDS, &status), "kill");
            killed++;
        }
        terminal_end(&terminal);
        unsigned now = whole_check(versions, CAPTURES, "out", true);
        FUZZ_CHECK(now >= files, "%u files, there were %u", now, files);
        files = now;
    }
    forget_output(versions);
    return killed;
}

/* The window is closed, or the connection is lost. Only the session's leader, the shell, is sent a signal;
 * the program must see for itself that nobody is there. */
static unsigned terminal_vanishes(unsigned times)
{
    static const Run kinds[] = {
        {"analyze", {"analyze", "c.json", "out", "--top", "2"}, {0}, true, NULL},
        {"a REPL", {"-i", "c.json", "-e", "replay --mode all --phase all"}, {0}, false, "quit\r"},
        {"an explorer", {"c.json"}, {0}, false, ":quit\r"},
    };
    Whole versions[CAPTURES];
    unsigned ended = 0;
    keep_output(&kinds[0], versions);
    for (unsigned i = 0; i < times; i++) {
        const Run *run = &kinds[i % (sizeof kinds / sizeof *kinds)];
        Terminal terminal;
        int status;
        use_capture((unsigned)(random_next() % CAPTURES));
        start_program(&terminal, run->arguments);
        if (!terminal_news(&terminal, random_below(0.3), &status)) {
            close(terminal.master);
            terminal.master = -1;
            FUZZ_CHECK(terminal_news(&terminal, PATIENCE_SECONDS, &status), "%s outlives its terminal",
                       run->title);
            FUZZ_CHECK(WIFEXITED(status) && (WEXITSTATUS(status) <= 1 || WEXITSTATUS(status) == 128 + SIGHUP),
                       "%s without a terminal: status %x", run->title, status);
            ended++;
        }
        terminal_end(&terminal);
        whole_check(versions, CAPTURES, "out", false);
    }
    forget_output(versions);
    return ended;
}

/* The reader of a pipe goes away: no complaint, and no file suffers. */
static void pipe_closes(unsigned times)
{
    static const char *const commands[] = {"c.json -e 'phase worst' -e 'rows --all' -e 'transfers'",
                                           "c.json -e 'critical --phase worst --top 100000'",
                                           "analyze c.json out --top 2 --format csv"};
    static const Run analyze = {.arguments = {"analyze", "c.json", "out", "--top", "2"}};
    Whole versions[CAPTURES];
    keep_output(&analyze, versions);
    for (unsigned i = 0; i < times; i++) {
        char command[300];
        unsigned kind = i % (sizeof commands / sizeof *commands);
        use_capture((unsigned)(random_next() % CAPTURES));
        snprintf(command, sizeof command, "\"$EXSCOPE_PROGRAM\" %s 2>err | head -c %u >/dev/null",
                 commands[kind], (unsigned)(random_next() % (kind == 0 ? 100000 : 500)));
        FUZZ_CHECK(system(command) == 0, "%s", command);
        Text text = {0};
        FUZZ_CHECK(file_read_text("err", 1 << 20, &text, NULL) && text.length == 0, "%s", text_view(&text));
        text_free(&text);
        whole_check(versions, CAPTURES, "out", false);
    }
    forget_output(versions);
}

static void make_captures(void)
{
    char command[600];
    for (unsigned i = 0; i < CAPTURES; i++) {
        snprintf(command, sizeof command,
                 "'%s/tests/tools/mkcapture' --tiles 64 capture:phases=4,largest=%u -o capture-%u",
                 getenv("EXSCOPE_BUILD_DIR"), 4000 - 100 * i, i);
        FUZZ_CHECK(system(command) == 0, "%s", command);
    }
    FUZZ_CHECK(system("! cmp -s capture-0 capture-1") == 0, "the captures are the same");
    snprintf(command, sizeof command, "%s/data/showcase.json", getenv("EXSCOPE_SOURCE_DIR"));
    FUZZ_CHECK(symlink(command, "showcase.json") == 0, "symlink");
    use_capture(0);
}

static void tell(int number, const char *title, unsigned times, unsigned count, const char *what)
{
    printf("ok %d - %s: %u runs, %u %s\n", number, title, times, count, what);
    fflush(stdout);
}

int main(int count, char **arguments)
{
    static const Run killed[] = {
        {"kill -9 in analyze", {"analyze", "c.json", "out", "--top", "2"}, {0}, true, NULL},
        {"kill -9 in export", {"c.json", "-e", "export out --mode all --force"}, {0}, true, NULL},
    };
    enum { KILLED_KINDS = sizeof killed / sizeof *killed };
    unsigned times = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 3, stopped = 0;
    if (getenv("EXSCOPE_PROGRAM") == NULL || getenv("EXSCOPE_BUILD_DIR") == NULL ||
        getenv("EXSCOPE_SOURCE_DIR") == NULL) {
        printf("1..0 # SKIP EXSCOPE_PROGRAM, EXSCOPE_BUILD_DIR and EXSCOPE_SOURCE_DIR are not set\n");
        return 0;
    }
    setenv("TERM", "xterm-256color", 1);
    setenv("XDG_STATE_HOME", fuzz_folder(), 1);
    setenv("XDG_CONFIG_HOME", fuzz_folder(), 1);
    make_captures();
    printf("1..%d\n", RUN_KINDS + KILLED_KINDS + 4);
    int number = 1;
    for (int i = 0; i < RUN_KINDS; i++) {
        tell(number++, runs[i].title, times, ended_by_signal(&runs[i], times), "ended by a signal");
    }
    clear_output();
    for (unsigned i = 0; i < times; i++) {
        explorer_once(&stopped);
    }
    tell(number++, "stops, sizes, interrupts and keys in the explorer", times, stopped, "stops");
    stopped = 0;
    for (unsigned i = 0; i < times; i++) {
        repl_once(&stopped);
    }
    tell(number++, "stops, sizes, interrupts and lines in the REPL", times, stopped, "stops");
    for (int i = 0; i < KILLED_KINDS; i++) {
        tell(number++, killed[i].title, times, killed_while_writing(&killed[i], times), "killed");
    }
    tell(number++, "the terminal goes away", times, terminal_vanishes(times), "ended by it");
    pipe_closes(times);
    printf("ok %d - a pipe that closes: %u runs\n", number, times);
    return 0;
}
