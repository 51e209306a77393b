#include "config.h"

#include "tui/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include <curses.h>

#include "base/memory.h"
#include "base/thread.h"
#include "tui/terminfo.h"

enum {
    ESCAPE_WAIT_MILLISECONDS = 25, /* how long the rest of a key's sequence may take */
    DOUBLE_CLICK_MILLISECONDS = 400,
    PASTE_SILENCE_MILLISECONDS = 1000, /* a paste that pauses so long is over, though its end never came */
    KEY_PASTE_BEGIN = KEY_MAX + 1,     /* codes of our own for curses' define_key() */
    KEY_PASTE_END,
    STYLE_COUNT = STYLE_SHADES + SHADES * SHADES
};

static const int handled_signals[] = {SIGWINCH, SIGINT, SIGTSTP, SIGCONT, SIGTERM, SIGHUP};
static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGSYS};

enum {
    HANDLED_COUNT = sizeof handled_signals / sizeof *handled_signals,
    CRASH_COUNT = sizeof crash_signals / sizeof *crash_signals
};

/* The one open terminal. Handlers may only touch what is marked so. */
static struct {
    SCREEN *screen;
    bool utf8;
    int colors;
    Grid shown; /* what curses was last given */
    bool shown_valid;
    attr_t attributes[STYLE_COUNT];
    short pairs[STYLE_COUNT];
    bool pasting, paste_silent;   /* silent: nothing was left to read, */
    double paste_silence_seconds; /* since then */
    Event click;                  /* the last one, for double clicks */
    double click_seconds;
    struct sigaction before[HANDLED_COUNT];
    stack_t stack_before;
    void *stack;

    /* for handlers */
    int wake_read, wake_write;
    atomic_uint pending;
    atomic_int end_signal;
    struct sigaction crash_before[CRASH_COUNT];
    struct termios modes_before;
    bool modes_known;
    char restore[256]; /* the bytes that leave the screen as it was */
    size_t restore_length;
} terminal = {.wake_read = -1, .wake_write = -1};

/* ---- signals ---- */

void terminal_wake(void)
{
    int saved = errno;
    ssize_t written = write(terminal.wake_write, "", 1);
    (void)written; /* a full pipe wakes as well */
    errno = saved;
}

/* Async-signal-safe: what terminal_close() does to the terminal, without curses. */
static void restore_terminal_now(void)
{
    ssize_t written = write(STDOUT_FILENO, terminal.restore, terminal.restore_length);
    (void)written;
    if (terminal.modes_known) {
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal.modes_before);
    }
}

static void handle_crash(int number)
{
    restore_terminal_now();
    for (int i = 0; i < CRASH_COUNT; i++) {
        if (crash_signals[i] == number) {
            sigaction(number, &terminal.crash_before[i], NULL);
        }
    }
    raise(number); /* blocked until this handler returns: then the one before, or the default, acts */
}

static void handle_signal(int number)
{
    unsigned bit = number == SIGWINCH  ? TERMINAL_RESIZED
                   : number == SIGINT  ? TERMINAL_INTERRUPTED
                   : number == SIGTSTP ? TERMINAL_SUSPEND
                   : number == SIGCONT ? TERMINAL_CONTINUED
                                       : TERMINAL_END;
    unsigned before = atomic_fetch_or(&terminal.pending, bit);
    if (bit == TERMINAL_END) {
        atomic_store(&terminal.end_signal, number);
        if (before & TERMINAL_END) { /* asked twice and nobody listened */
            restore_terminal_now();
            _exit(128 + number);
        }
    }
    terminal_wake();
}

static bool install_signals(Error *error)
{
    struct sigaction action = {.sa_handler = handle_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < HANDLED_COUNT; i++) {
        sigaction(handled_signals[i], &action, &terminal.before[i]);
    }
    /* A stack of its own, so that a stack overflow restores the terminal too. */
    size_t stack_bytes = (size_t)SIGSTKSZ > 65536 ? (size_t)SIGSTKSZ : 65536;
    terminal.stack = mem_new(stack_bytes, 1, error);
    if (terminal.stack == NULL) {
        return false;
    }
    stack_t stack = {.ss_sp = terminal.stack, .ss_size = stack_bytes};
    sigaltstack(&stack, &terminal.stack_before);
    action = (struct sigaction){.sa_handler = handle_crash, .sa_flags = SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < CRASH_COUNT; i++) {
        sigaction(crash_signals[i], &action, &terminal.crash_before[i]);
    }
    return true;
}

static void remove_signals(void)
{
    for (int i = 0; i < CRASH_COUNT; i++) {
        sigaction(crash_signals[i], &terminal.crash_before[i], NULL);
    }
    for (int i = 0; i < HANDLED_COUNT; i++) {
        sigaction(handled_signals[i], &terminal.before[i], NULL);
    }
    terminal.stack_before.ss_flags &= SS_DISABLE;
    sigaltstack(&terminal.stack_before, NULL);
    mem_free(terminal.stack);
    terminal.stack = NULL;
}

unsigned terminal_signals(void)
{
    /* The end stays pending: a second signal while the program is ending must end it at once. */
    return atomic_fetch_and(&terminal.pending, TERMINAL_END);
}

int terminal_end_signal(void)
{
    int number = atomic_load(&terminal.end_signal);
    return number != 0 ? number : SIGHUP;
}

/* ---- looks ---- */

typedef struct LookStyle {
    short fore, back; /* -1: the terminal's own */
    attr_t attributes;
} LookStyle;

static const LookStyle looks_256[LOOK_COUNT] = {
    [LOOK_NORMAL] = {-1, -1, A_NORMAL},   [LOOK_TITLE] = {231, 24, A_BOLD},
    [LOOK_HEADING] = {67, -1, A_BOLD},    [LOOK_CURSOR] = {231, 31, A_BOLD},
    [LOOK_MARKED] = {231, 239, A_NORMAL}, [LOOK_DIM] = {244, -1, A_NORMAL},
    [LOOK_STRONG] = {-1, -1, A_BOLD},     [LOOK_BEST] = {38, -1, A_BOLD},
    [LOOK_BETTER] = {38, -1, A_NORMAL},   [LOOK_WORSE] = {172, -1, A_NORMAL},
    [LOOK_INVALID] = {16, 214, A_BOLD},   [LOOK_WARNING] = {172, -1, A_BOLD},
    [LOOK_KEY] = {231, 24, A_BOLD},       [LOOK_KEY_TEXT] = {-1, -1, A_NORMAL},
    [LOOK_BORDER] = {242, -1, A_NORMAL},  [LOOK_SEND] = {38, -1, A_NORMAL},
    [LOOK_RECEIVE] = {214, -1, A_NORMAL}, [LOOK_GAP] = {172, -1, A_BOLD},
};

static const LookStyle looks_8[LOOK_COUNT] = {
    [LOOK_NORMAL] = {-1, -1, A_NORMAL},
    [LOOK_TITLE] = {COLOR_WHITE, COLOR_BLUE, A_BOLD},
    [LOOK_HEADING] = {COLOR_CYAN, -1, A_BOLD},
    [LOOK_CURSOR] = {-1, -1, A_REVERSE},
    [LOOK_MARKED] = {-1, -1, A_BOLD | A_UNDERLINE},
    [LOOK_DIM] = {-1, -1, A_DIM},
    [LOOK_STRONG] = {-1, -1, A_BOLD},
    [LOOK_BEST] = {COLOR_CYAN, -1, A_BOLD},
    [LOOK_BETTER] = {COLOR_CYAN, -1, A_NORMAL},
    [LOOK_WORSE] = {COLOR_YELLOW, -1, A_NORMAL},
    [LOOK_INVALID] = {COLOR_BLACK, COLOR_YELLOW, A_NORMAL},
    [LOOK_WARNING] = {COLOR_YELLOW, -1, A_BOLD},
    [LOOK_KEY] = {COLOR_WHITE, COLOR_BLUE, A_BOLD},
    [LOOK_KEY_TEXT] = {-1, -1, A_NORMAL},
    [LOOK_BORDER] = {-1, -1, A_DIM},
    [LOOK_SEND] = {COLOR_CYAN, -1, A_NORMAL},
    [LOOK_RECEIVE] = {COLOR_YELLOW, -1, A_NORMAL},
    [LOOK_GAP] = {COLOR_YELLOW, -1, A_BOLD},
};

static const LookStyle looks_plain[LOOK_COUNT] = {
    [LOOK_NORMAL] = {-1, -1, A_NORMAL},
    [LOOK_TITLE] = {-1, -1, A_REVERSE},
    [LOOK_HEADING] = {-1, -1, A_BOLD},
    [LOOK_CURSOR] = {-1, -1, A_REVERSE},
    [LOOK_MARKED] = {-1, -1, A_UNDERLINE},
    [LOOK_DIM] = {-1, -1, A_DIM},
    [LOOK_STRONG] = {-1, -1, A_BOLD},
    [LOOK_BEST] = {-1, -1, A_BOLD},
    [LOOK_BETTER] = {-1, -1, A_NORMAL},
    [LOOK_WORSE] = {-1, -1, A_NORMAL},
    [LOOK_INVALID] = {-1, -1, A_REVERSE | A_BOLD},
    [LOOK_WARNING] = {-1, -1, A_BOLD},
    [LOOK_KEY] = {-1, -1, A_REVERSE},
    [LOOK_KEY_TEXT] = {-1, -1, A_NORMAL},
    [LOOK_BORDER] = {-1, -1, A_DIM},
    [LOOK_SEND] = {-1, -1, A_NORMAL},
    [LOOK_RECEIVE] = {-1, -1, A_BOLD},
    [LOOK_GAP] = {-1, -1, A_BOLD},
};

/* From dark blue over grey to yellow: lighter is more, for every kind of colour vision and for none. */
static const short shades_256[SHADES] = {-1, 24, 61, 67, 109, 145, 187, 221, 227, 199};
static const short shades_8[SHADES] = {-1,           COLOR_BLUE,   COLOR_BLUE,  COLOR_CYAN,  COLOR_CYAN,
                                       COLOR_YELLOW, COLOR_YELLOW, COLOR_WHITE, COLOR_WHITE, COLOR_MAGENTA};

static LookStyle look_of(Style style)
{
    if (style < STYLE_SHADES) {
        const LookStyle *looks = terminal.colors >= 256 ? looks_256
                                 : terminal.colors >= 8 ? looks_8
                                                        : looks_plain;
        return looks[style < LOOK_COUNT ? style : LOOK_NORMAL];
    }
    if (terminal.colors == 0) {
        return (LookStyle){-1, -1, A_NORMAL};
    }
    const short *shades = terminal.colors >= 256 ? shades_256 : shades_8;
    unsigned upper = (unsigned)(style - STYLE_SHADES) / SHADES,
             lower = (unsigned)(style - STYLE_SHADES) % SHADES;
    return (LookStyle){shades[upper], shades[lower], A_NORMAL};
}

static void prepare_colors(bool wanted)
{
    terminal.colors = 0;
    if (wanted && has_colors() && start_color() == OK) {
        bool own = use_default_colors() == OK;
        terminal.colors = COLORS >= 256 && COLOR_PAIRS >= 256 ? 256 : COLORS >= 8 ? 8 : 0;
        if (!own) {
            assume_default_colors(COLOR_WHITE, COLOR_BLACK);
        }
    }
    short pairs = 0;
    LookStyle made[STYLE_COUNT];
    for (Style style = 0; style < STYLE_COUNT; style++) {
        LookStyle look = look_of(style);
        short pair = 0;
        if (look.fore != -1 || look.back != -1) {
            while (pair < pairs && (made[pair].fore != look.fore || made[pair].back != look.back)) {
                pair++;
            }
            if (pair == pairs && pairs + 1 < COLOR_PAIRS) {
                made[pairs++] = look;
                init_pair(pairs, look.fore, look.back);
            }
            pair = pair < pairs ? (short)(pair + 1) : 0;
        }
        terminal.attributes[style] = look.attributes;
        terminal.pairs[style] = pair;
    }
}

/* ---- open and close ---- */

static bool open_wake_pipe(Error *error)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return error_set_errno(error, errno, "cannot make a pipe");
    }
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    terminal.wake_read = ends[0];
    terminal.wake_write = ends[1];
    return true;
}

static void close_wake_pipe(void)
{
    close(terminal.wake_read);
    close(terminal.wake_write);
    terminal.wake_read = terminal.wake_write = -1;
}

static void use_mouse(bool mouse)
{
    mousemask(mouse ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
    mouseinterval(0); /* no waiting for a second click: read_mouse() finds those */
}

static void prepare_input(bool mouse)
{
    raw(); /* Ctrl-C and Ctrl-Z come as keys, in order with the others */
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(ESCAPE_WAIT_MILLISECONDS);
    use_mouse(mouse);
    define_key("\033[200~", KEY_PASTE_BEGIN);
    define_key("\033[201~", KEY_PASTE_END);
    terminfo_bracketed_paste(true);
}

void terminal_use(bool color, bool mouse)
{
    prepare_colors(color);
    use_mouse(mouse);
    terminal_redraw();
}

bool terminal_open(bool color, bool mouse, Error *error)
{
    const char *type = getenv("TERM");
    if (!open_wake_pipe(error)) {
        return false;
    }
    atomic_store(&terminal.pending, 0);
    atomic_store(&terminal.end_signal, 0);
    terminal.modes_known = tcgetattr(STDIN_FILENO, &terminal.modes_before) == 0;
    terminal.restore_length = 0;
    if (!install_signals(error)) { /* before curses, so that it installs none of its own */
        remove_signals();
        close_wake_pipe();
        return false;
    }
    terminal.screen = newterm(NULL, stdout, stdin);
    if (terminal.screen == NULL || !terminfo_moves_cursor()) {
        if (terminal.screen != NULL) {
            endwin();
            delscreen(terminal.screen);
        }
        remove_signals();
        close_wake_pipe();
        return error_set(error, ERROR_SYSTEM,
                         "the explorer cannot draw on a terminal of type '%s'; set TERM, or use -i",
                         type == NULL ? "" : type);
    }
    terminal.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    prepare_colors(color);
    terminal.restore_length = terminfo_restore_bytes(terminal.restore, sizeof terminal.restore);
    prepare_input(mouse);
    terminal.shown_valid = false;
    terminal.pasting = false;
    return true;
}

void terminal_close(void)
{
    terminfo_bracketed_paste(false);
    curs_set(1);
    endwin();
    delscreen(terminal.screen);
    terminal.screen = NULL;
    if (terminal.modes_known) {
        tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.modes_before);
    }
    remove_signals();
    close_wake_pipe();
    grid_free(&terminal.shown);
}

void terminal_continue(void)
{
    reset_prog_mode();
    terminfo_bracketed_paste(true);
    terminal_redraw();
}

void terminal_suspend(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL}, before;
    sigemptyset(&action.sa_mask);
    terminfo_bracketed_paste(false);
    endwin();
    sigaction(SIGTSTP, &action, &before);
    kill(0, SIGTSTP); /* the whole job, as the key does */
    sigaction(SIGTSTP, &before, NULL);
    terminal_continue();
}

/* ---- output ---- */

void terminal_size(int *rows, int *columns)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        if (size.ws_row != LINES || size.ws_col != COLS) {
            resizeterm(size.ws_row, size.ws_col);
        }
    }
    *rows = LINES;
    *columns = COLS;
}

bool terminal_utf8(void)
{
    return terminal.utf8;
}

int terminal_colors(void)
{
    return terminal.colors;
}

void terminal_redraw(void)
{
    terminal.shown_valid = false;
}

/* The cell's characters for curses. A character that the C library measures differently would shift the rest
 * of the line: it is shown as a question mark. */
static void put_cell(int row, int column, const GridCell *cell)
{
    wchar_t characters[CCHARW_MAX + 1];
    cchar_t curses_cell;
    int count = 0;
    for (const char *at = cell->text; *at != '\0' && count < CCHARW_MAX;) {
        uint32_t c = 0;
        at += text_decode_utf8(at, strlen(at), &c);
        characters[count++] = (wchar_t)c;
    }
    characters[count] = L'\0';
    attr_t attributes = terminal.attributes[cell->style];
    short pair = terminal.pairs[cell->style];
    bool fits = wcwidth(characters[0]) == cell->width;
    for (int i = 1; i < count; i++) {
        fits = fits && wcwidth(characters[i]) == 0;
    }
    for (int i = 0; i < (fits ? 1 : cell->width); i++) {
        setcchar(&curses_cell, fits ? characters : L"?", attributes, pair, NULL);
        mvadd_wch(row, column + i, &curses_cell);
    }
}

static void present_row(const Grid *grid, int row)
{
    size_t start = (size_t)row * (size_t)grid->columns, bytes = (size_t)grid->columns * sizeof(GridCell);
    const GridCell *now = grid->cells + start, *old = terminal.shown.cells + start;
    if (terminal.shown_valid && memcmp(now, old, bytes) == 0) {
        return;
    }
    bool whole = !terminal.shown_valid;
    for (int column = 0; column < grid->columns && !whole; column++) {
        whole = now[column].width != 1 || old[column].width != 1;
    }
    for (int column = 0; column < grid->columns; column++) {
        if (now[column].width > 0 && (whole || memcmp(&now[column], &old[column], sizeof(GridCell)) != 0)) {
            put_cell(row, column, &now[column]);
        }
    }
    memcpy(terminal.shown.cells + start, now, bytes);
}

void terminal_present(const Grid *grid)
{
    Grid *shown = &terminal.shown;
    if (shown->rows != grid->rows || shown->columns != grid->columns) {
        terminal.shown_valid = false;
        if (!grid_resize(shown, grid->rows, grid->columns, NULL)) {
            return; /* out of memory: the old picture stays */
        }
    }
    if (!terminal.shown_valid) {
        erase();
        clearok(curscr, TRUE);
    }
    for (int row = 0; row < grid->rows && row < LINES; row++) {
        present_row(grid, row);
    }
    terminal.shown_valid = true;
    if (grid->cursor_row >= 0) {
        move(grid->cursor_row, grid->cursor_column);
    }
    curs_set(grid->cursor_row >= 0);
    refresh();
}

/* ---- input ---- */

void terminal_wait(int milliseconds)
{
    struct pollfd files[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                              {.fd = terminal.wake_read, .events = POLLIN}};
    if (poll(files, 2, milliseconds) <= 0) {
        return;
    }
    char bytes[64];
    while (read(terminal.wake_read, bytes, sizeof bytes) == (ssize_t)sizeof bytes) {
    }
    /* The terminal is gone. Whether POLLIN is set beside it depends on who has hung up. */
    if ((files[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
        atomic_fetch_or(&terminal.pending, TERMINAL_END);
    }
}

static bool read_mouse(Event *event)
{
    MEVENT mouse;
    if (getmouse(&mouse) != OK) {
        return false;
    }
    *event = (Event){.row = mouse.y, .column = mouse.x};
    if (mouse.bstate & BUTTON4_PRESSED) {
        event->kind = EVENT_WHEEL_UP;
    } else if (mouse.bstate & BUTTON5_PRESSED) {
        event->kind = EVENT_WHEEL_DOWN;
    } else if (mouse.bstate & BUTTON1_PRESSED) {
        double now = thread_seconds();
        bool twice = terminal.click.kind == EVENT_CLICK && terminal.click.row == mouse.y &&
                     terminal.click.column == mouse.x &&
                     (now - terminal.click_seconds) * 1000 < DOUBLE_CLICK_MILLISECONDS;
        event->kind = twice ? EVENT_DOUBLE_CLICK : EVENT_CLICK;
        terminal.click = *event;
        terminal.click_seconds = now;
    } else {
        return false;
    }
    return true;
}

static Key key_of_curses(wint_t code)
{
    static const struct {
        wint_t curses;
        Key key;
    } table[] = {
        {KEY_UP, KEY_ARROW_UP},       {KEY_DOWN, KEY_ARROW_DOWN}, {KEY_LEFT, KEY_ARROW_LEFT},
        {KEY_RIGHT, KEY_ARROW_RIGHT}, {KEY_PPAGE, KEY_PAGE_UP},   {KEY_NPAGE, KEY_PAGE_DOWN},
        {KEY_HOME, KEY_FIRST},        {KEY_FIND, KEY_FIRST},      {KEY_END, KEY_LAST},
        {KEY_SELECT, KEY_LAST},       {KEY_BTAB, KEY_BACK_TAB},   {KEY_DC, KEY_DELETE},
        {KEY_BACKSPACE, KEY_RUBOUT},  {KEY_ENTER, KEY_RETURN},    {KEY_F(1), KEY_F1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].curses == code) {
            return table[i].key;
        }
    }
    return KEY_UNKNOWN;
}

/* After an escape: a sequence that terminfo does not know ("ESC [ 1 5 ~") is one unknown key, not Esc and
 * four commands. Anything else that follows at once is a key of its own. */
static Key finish_escape(void)
{
    wint_t next;
    int kind = get_wch(&next);
    if (kind == ERR) {
        return KEY_ESCAPE;
    }
    if (kind != OK || (next != '[' && next != 'O')) {
        if (kind == OK) {
            unget_wch((wchar_t)next);
        } else {
            ungetch((int)next);
        }
        return KEY_ESCAPE;
    }
    do {
        kind = get_wch(&next);
    } while (kind == OK && next >= 0x20 && next < 0x40);
    return KEY_UNKNOWN;
}

/* The end of a paste can be lost on its way. What is typed later must not be taken for text for ever. */
static void paste_note_silence(bool silent)
{
    double now = thread_seconds();
    if (silent && !terminal.paste_silent) {
        terminal.paste_silence_seconds = now;
    } else if (!silent && terminal.paste_silent &&
               (now - terminal.paste_silence_seconds) * 1000 > PASTE_SILENCE_MILLISECONDS) {
        terminal.pasting = false;
    }
    terminal.paste_silent = silent;
}

bool terminal_event(Event *event)
{
    wint_t code;
    for (;;) {
        int kind = get_wch(&code);
        paste_note_silence(kind == ERR);
        if (kind == ERR) {
            return false;
        }
        *event = (Event){.kind = EVENT_KEY, .pasted = terminal.pasting};
        if (kind == OK) {
            event->key = code == 27   ? finish_escape()
                         : code == 8  ? KEY_RUBOUT
                         : code == 10 ? KEY_RETURN
                                      : (Key)code;
            return true;
        }
        if (code == KEY_PASTE_BEGIN || code == KEY_PASTE_END) {
            terminal.pasting = code == KEY_PASTE_BEGIN;
        } else if (code == KEY_MOUSE) {
            if (read_mouse(event)) {
                return true;
            }
        } else if (code != KEY_RESIZE) {
            event->key = key_of_curses(code);
            return true;
        }
    }
}
