/* From a key to its frame on a phase of 1.2 million transfers, while a replay runs on another thread all the
 * time.
 *
 *     bench_frame                    source:each=816 (1,201,152 unicast transfers) and hub (200,000 at one
 * tile) bench_frame SHAPE[:KEY=N,..]   a shape of mkcapture
 *
 * A frame is everything between reading a key and having written the picture to the terminal: what the key
 * does, drawing the grid, and curses bringing a terminal (a pseudo-terminal of 200x60 whose output is read
 * and thrown away) up to it. Before the first key of a screen its figures are there; while keys are typed,
 * nothing is waited for: some frames show "computing". */
#include "config.h"

#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"
#include "tui/app.h"
#include "tui/terminal.h"

enum { ROWS = 60, COLUMNS = 200, ROUNDS = 12, FRAMES_MAX = 20000 };

static FILE *report; /* standard output is the pseudo-terminal's */

static void stop(const char *message, const char *detail)
{
    fprintf(report, "bench_frame: %s: %s\n", message, detail);
    exit(1);
}

/* ---- the pseudo-terminal ---- */

static void *swallow(void *argument)
{
    char bytes[65536];
    int master = *(const int *)argument;
    while (read(master, bytes, sizeof bytes) > 0) {
    }
    return NULL;
}

static void open_pseudo_terminal(void)
{
    static int master;
    pthread_t reader;
    struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
    master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
        stop("no pseudo-terminal", "posix_openpt");
    }
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (slave < 0 || ioctl(slave, TIOCSWINSZ, &size) != 0 || dup2(slave, STDIN_FILENO) < 0 ||
        dup2(slave, STDOUT_FILENO) < 0 || pthread_create(&reader, NULL, swallow, &master) != 0) {
        stop("no pseudo-terminal", "slave");
    }
    setenv("TERM", "xterm-256color", 1);
}

/* ---- the session ---- */

static void generate(const char *shape, const char *path)
{
    const char *folder = getenv("EXSCOPE_BUILD_DIR");
    char program[4096];
    int status;
    snprintf(program, sizeof program, "%s/tests/tools/mkcapture", folder == NULL ? "." : folder);
    pid_t child = fork();
    if (child == 0) {
        execl(program, program, "-o", path, shape, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        stop("cannot generate a capture with", program);
    }
}

/* Replays the first phase again and again, each time with other options, until it is cancelled. */
static bool replay_on_and_on(Session *session, void *context, Progress *progress, Error *error)
{
    _Atomic(unsigned) *replays = context;
    View *view = view_new(session, error);
    for (uint32_t words = 256; view != NULL; words++) {
        ReplayOptions options = {.stream_words = words, .balance = true};
        if (view_need_replay_figures(view, view_phase_at(view, 0), MODE_ORIGINAL, &options, progress,
                                     error) == NULL) {
            break;
        }
        atomic_fetch_add(replays, 1);
    }
    view_free(view);
    return false;
}

/* ---- frames ---- */

typedef struct Frames {
    double seconds[FRAMES_MAX];   /* as a person waits */
    double processor[FRAMES_MAX]; /* of this thread: what is left where other programs take the cores away */
    size_t count;
} Frames;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void frame(Tui *tui, const Event *event, Frames *frames)
{
    double start = thread_seconds(), processor = processor_seconds();
    if (event != NULL) {
        tui_handle(tui, event);
    }
    tui_update(tui);
    terminal_present(&tui->grid);
    if (event != NULL && frames->count < FRAMES_MAX) {
        frames->processor[frames->count] = processor_seconds() - processor;
        frames->seconds[frames->count++] = thread_seconds() - start;
    }
}

/* Until everything that the screen wants is there; the replay goes on. */
static void let_settle(Tui *tui)
{
    struct timespec pause = {.tv_nsec = 2000000};
    do {
        frame(tui, NULL, NULL);
        nanosleep(&pause, NULL);
    } while (tui_runs_pending(tui) || !fetch_idle(tui->fetch));
    frame(tui, NULL, NULL);
}

static void type(Tui *tui, const char *keys, Frames *frames)
{
    Event event;
    struct timespec pause = {.tv_nsec = 3000000}; /* as fast as nobody types */
    while (input_next(&keys, &event)) {
        frame(tui, &event, frames);
        nanosleep(&pause, NULL);
    }
}

static int compare_seconds(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static void print_frames(const char *name, Frames *frames)
{
    size_t count = frames->count, p99 = count * 99 / 100;
    qsort(frames->seconds, count, sizeof *frames->seconds, compare_seconds);
    qsort(frames->processor, count, sizeof *frames->processor, compare_seconds);
    fprintf(report,
            "  %-34s %5zu keys  p50 %6.2f ms  p99 %6.2f ms  most %6.2f ms  (processor p99 %6.2f ms  most "
            "%6.2f ms)\n",
            name, count, frames->seconds[count / 2] * 1e3, frames->seconds[p99] * 1e3,
            frames->seconds[count - 1] * 1e3, frames->processor[p99] * 1e3,
            frames->processor[count - 1] * 1e3);
    fflush(report);
}

static void append(Frames *all, const Frames *some)
{
    for (size_t i = 0; i < some->count && all->count < FRAMES_MAX; i++) {
        all->processor[all->count] = some->processor[i];
        all->seconds[all->count++] = some->seconds[i];
    }
}

static void bench(const char *shape)
{
    static const struct {
        const char *name, *enter, *keys;
    } parts[] = {
        {"phases: cursor, sort, mark", "", "jkjk s<Down><Enter>S  12"},
        {"phase: modes, map, shades", "<Enter>", "12345678]][[mmmmm<Tab>hjklhjklwnnN<Tab>dddzhjklz."},
        {"tile: transfers, panes, timeline", "<Enter>",
         "jjkk<PgDn><PgDn>G g<Tab>jj<Tab>jj<Tab>lh++--0<Tab>124.,"},
        {"tile: all transfers of the phase", "a", "jjjj<PgDn><PgDn><PgDn>GkkgS<PgDn>S<Right><Left>12"},
        {"tile: sort and filter them", "",
         "s<Down><Enter><PgDn>s<Down><Enter>/7<Enter>jj/<BS><Enter>s<Up><Up><Enter>"},
    };
    static Frames all, part;
    char path[64];
    Error error = {0};
    _Atomic(unsigned) replays = 0;
    snprintf(path, sizeof path, "/tmp/exscope-bench-frame-%ld.json", (long)getpid());
    generate(shape, path);
    Session *session = session_new(2, &error);
    Tui *tui = session == NULL ? NULL : tui_new(session, &error);
    if (tui == NULL || !session_load(session, path, NULL, &error) || !terminal_open(true, true, &error)) {
        stop("cannot begin", error.message);
    }
    unlink(path);
    tui->terminal = true;
    tui->colors = terminal_colors();
    tui_resize(tui, ROWS, COLUMNS, NULL);
    let_settle(tui);
    fprintf(report, "%s: %u transfers\n", shape, (unsigned)view_phase_at(tui->view, 0)->phase->transfers);
    tui_run_line(tui, "replay", true); /* for rows and timelines */
    let_settle(tui);
    session_run(session, "replay on and on", replay_on_and_on, &replays, NULL, NULL, &error);
    all.count = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        part.count = 0;
        type(tui, parts[i].enter, &part);
        part.count = 0;
        let_settle(tui);
        for (int round = 0; round < ROUNDS; round++) {
            type(tui, parts[i].keys, &part);
        }
        append(&all, &part);
        print_frames(parts[i].name, &part);
    }
    print_frames("all of them", &all);
    fprintf(report, "  %u replays of the phase ran meanwhile\n", atomic_load(&replays) + 1);
    session_cancel_all(session);
    terminal_close();
    tui_free(tui);
    session_free(session);
}

int main(int argc, char **argv)
{
    setlocale(LC_ALL, "C.UTF-8");
    report = fdopen(dup(STDOUT_FILENO), "w");
    if (report == NULL) {
        return 1;
    }
    open_pseudo_terminal();
    if (argc < 2) {
        bench("source:each=816");
        bench("hub");
    }
    for (int i = 1; i < argc; i++) {
        bench(argv[i]);
    }
    fclose(report);
    return 0;
}
