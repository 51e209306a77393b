#include "config.h"

#include "repl/repl.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

enum { LISTED_MAX = 200 }; /* candidates that TAB lists */

/* What readline's callbacks need: they take no argument. Set while repl_run() is. */
static struct Repl {
    Face *face;
    char *line; /* entered, to be run; of malloc */
    bool ended; /* end of input */
    Text prompt;
} repl;

static volatile sig_atomic_t window_changed, suspend_asked;

static void on_window_change(int number)
{
    (void)number;
    window_changed = 1;
}

static void on_suspend(int number)
{
    (void)number;
    suspend_asked = 1;
}

/* ---- prompt ---- */

static bool only_ascii(void)
{
    return session_settings(repl.face->interpreter.session).ascii;
}

/* The file's name without folder and usual endings. */
static void append_capture_name(Text *text, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    size_t length = strlen(name);
    static const char *const endings[] = {".gz", ".zst", ".json"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t cut = strlen(endings[i]);
        if (length > cut && strncmp(name + length - cut, endings[i], cut) == 0) {
            length -= cut;
        }
    }
    (only_ascii() ? text_append_ascii : text_append_visible)(text, name, length);
}

static const char *make_prompt(void)
{
    Text *prompt = &repl.prompt;
    View *view = view_new(repl.face->interpreter.session, NULL);
    text_clear(prompt);
    if (view == NULL) {
        text_append(prompt, "exscope");
    } else {
        Selection selection = view_selection(view);
        append_capture_name(prompt, view_path(view));
        if (selection.entry != NULL) {
            const Dependencies *dependencies = view_peek_dependencies(view, selection.entry, MODE_ORIGINAL);
            bool refused = dependencies != NULL && mode_refusal(selection.mode, dependencies) != NULL;
            text_printf(prompt, " %u %s%s", (unsigned)selection.entry->phase->number,
                        mode_name(selection.mode), refused ? " (refused)" : "");
        }
    }
    text_append(prompt, "> ");
    view_free(view);
    return text_view(prompt);
}

/* ---- what readline may show ---- */

/* readline shows the controls of ASCII as ^X, and anything beyond as it is: whether it may show this line. */
static bool readline_may_show(const char *line)
{
    size_t length = strlen(line);
    Text visible = {0};
    bool may = true;
    for (size_t at = 0, used; may && at < length; at += used) {
        uint32_t point = 0;
        used = text_decode_utf8(line + at, length - at, &point);
        text_clear(&visible);
        text_append_visible(&visible, line + at, used);
        may = used == 1 || (used > 1 && !only_ascii() && visible.length == used &&
                            memcmp(text_view(&visible), line + at, used) == 0);
    }
    text_free(&visible);
    return may;
}

/* ---- completion ---- */

/* Leaves out what cannot be shown as it would have to be typed. */
static void drop_unshown(Completion *completion)
{
    size_t kept = 0;
    for (size_t i = 0; i < completion->count; i++) {
        char *word = completion->words[i];
        if (readline_may_show(word)) {
            completion->words[i] = completion->words[kept];
            completion->words[kept++] = word;
        }
    }
    for (size_t i = kept; i < completion->count; i++) {
        mem_free(completion->words[i]);
    }
    completion->count = kept;
}

static size_t common_length(const Completion *completion)
{
    size_t length = strlen(completion->words[0]);
    for (size_t i = 1; i < completion->count; i++) {
        size_t same = 0;
        while (same < length && completion->words[i][same] == completion->words[0][same]) {
            same++;
        }
        length = same;
    }
    while ((completion->words[0][length] & 0xc0) == 0x80) { /* not inside a character */
        length--;
    }
    return length;
}

static void list_candidates(Completion *completion)
{
    if (completion->count > LISTED_MAX) {
        printf("\n%zu possibilities\n", completion->count);
    } else {
        /* readline counts its list from 1 */
        char **list = mem_new(completion->count + 2, sizeof *list, NULL);
        size_t widest = 0;
        if (list == NULL) {
            return;
        }
        list[0] = completion->words[0];
        for (size_t i = 0; i < completion->count; i++) {
            size_t width = strlen(completion->words[i]);
            list[i + 1] = completion->words[i];
            widest = width > widest ? width : widest;
        }
        list[completion->count + 1] = NULL;
        rl_display_match_list(list, (int)completion->count, (int)widest);
        mem_free(list);
    }
    rl_on_new_line();
    rl_forced_update_display();
}

/* Puts `length` bytes of `word` in place of what stands before the cursor from `start` on. */
static void insert_completion(size_t start, const char *word, size_t length, bool whole)
{
    char *text = mem_copy_text(word, length + 1, NULL); /* with room for the blank */
    if (text == NULL) {
        return;
    }
    bool folder = length > 0 && (word[length - 1] == '/' || (length > 1 && word[length - 2] == '/'));
    text[length] = whole && !folder ? ' ' : '\0';
    rl_begin_undo_group();
    rl_delete_text((int)start, rl_point);
    rl_point = (int)start;
    rl_insert_text(text);
    rl_end_undo_group();
    mem_free(text);
}

static int on_tab(int count, int key)
{
    (void)count;
    (void)key;
    Completion completion;
    if (!complete_line(repl.face->interpreter.session, rl_line_buffer, (size_t)rl_point, &completion, NULL)) {
        rl_ding();
        return 0;
    }
    drop_unshown(&completion);
    if (completion.count == 0) {
        rl_ding();
        completion_free(&completion);
        return 0;
    }
    size_t length = common_length(&completion);
    if (completion.count == 1 || length > (size_t)rl_point - completion.start) {
        insert_completion(completion.start, completion.words[0], length, completion.count == 1);
    } else {
        list_candidates(&completion);
    }
    completion_free(&completion);
    return 0;
}

/* ---- lines ---- */

static bool is_blank_line(const char *line)
{
    return line[strspn(line, " \t\r")] == '\0';
}

static void remember(const char *line)
{
    HIST_ENTRY *last = history_length == 0 ? NULL : history_get(history_base + history_length - 1);
    if (last == NULL || strcmp(last->line, line) != 0) {
        add_history(line);
        session_history_add(repl.face->interpreter.session, line, NULL); /* lost when memory is out */
    }
}

static void run_line(const char *line)
{
    if (!is_blank_line(line)) {
        interpreter_line(&repl.face->interpreter, line, NULL);
    }
    if (face_signal() == SIGINT) {
        face_rearm(repl.face);
    }
}

static bool repl_over(void)
{
    int number = face_signal();
    return repl.ended || session_quitting(repl.face->interpreter.session) ||
           repl.face->interpreter.output_failed || number == SIGTERM || number == SIGHUP;
}

/* ---- on a terminal ---- */

/* The signal handler removes itself from readline before the line runs, so that the terminal is as usual. */
static void on_line(char *line)
{
    rl_callback_handler_remove();
    if (line == NULL) {
        repl.ended = true;
        fputs("\n", stdout);
        return;
    }
    repl.line = line;
}

/* Ctrl-C at the prompt: a new line. */
static void drop_line(void)
{
    face_rearm(repl.face);
    rl_callback_sigcleanup();
    rl_replace_line("", 0);
    fputs("^C\n", stdout);
    rl_on_new_line();
    rl_redisplay();
}

/* Who started us may have wished that nothing stops us. */
static void take_suspend(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler}, before;
    sigemptyset(&action.sa_mask);
    sigaction(SIGTSTP, NULL, &before);
    if (before.sa_handler != SIG_IGN) {
        sigaction(SIGTSTP, &action, NULL);
    }
}

/* Stops, as Ctrl-Z asks, with the terminal as it was before readline had it. */
static void stop_at_prompt(void)
{
    sigset_t stopping;
    suspend_asked = 0;
    rl_deprep_term_function();
    take_suspend(SIG_DFL);
    sigemptyset(&stopping);
    sigaddset(&stopping, SIGTSTP);
    kill(getpid(), SIGTSTP); /* is pending until it is let through: here */
    pthread_sigmask(SIG_UNBLOCK, &stopping, NULL);
    pthread_sigmask(SIG_BLOCK, &stopping, NULL);
    take_suspend(on_suspend);
    rl_prep_term_function(1);
    rl_resize_terminal(); /* it may have another size now */
    rl_forced_update_display();
}

/* Waits for a key or a signal. Signals are blocked at the prompt but for this wait, so that none slips in
 * between a look at it and the wait. */
static void read_key(const sigset_t *while_waiting)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready = ppoll(&input, 1, NULL, while_waiting);
    bool broken = ready < 0 && errno != EINTR;
    if (window_changed) {
        window_changed = 0;
        rl_resize_terminal();
    }
    if (suspend_asked) {
        stop_at_prompt();
    }
    if (face_signal() == SIGINT) {
        drop_line();
    } else if (ready > 0) {
        rl_callback_read_char();
    } else if (broken) {
        repl.ended = true;
    }
}

static void start_readline(void)
{
    struct sigaction action = {.sa_handler = on_window_change};
    sigemptyset(&action.sa_mask);
    sigaction(SIGWINCH, &action, NULL);
    rl_readline_name = "exscope";
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_initialize();
    rl_bind_key('\t', on_tab);
    using_history();
    Session *session = repl.face->interpreter.session;
    Text line = {0};
    for (size_t i = 0; i < session_history_count(session); i++) {
        text_clear(&line);
        if (session_history_line(session, i, &line) && readline_may_show(text_view(&line))) {
            add_history(text_view(&line));
        }
    }
    text_free(&line);
}

/* The next line, of malloc; NULL when the REPL is over. */
static char *read_line(void)
{
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGHUP);
    sigaddset(&blocked, SIGWINCH);
    sigaddset(&blocked, SIGTSTP);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    take_suspend(on_suspend);
    repl.line = NULL;
    rl_callback_handler_install(make_prompt(), on_line);
    while (repl.line == NULL && !repl_over()) {
        read_key(&before);
    }
    if (repl.line == NULL) {
        rl_callback_handler_remove();
    }
    take_suspend(SIG_DFL); /* a command that runs has not changed the terminal */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return repl.line;
}

static void run_on_terminal(void)
{
    start_readline();
    for (char *line; !repl_over() && (line = read_line()) != NULL;) {
        if (!is_blank_line(line)) {
            remember(line);
            run_line(line);
        }
        free(line);
    }
    clear_history();
}

/* ---- elsewhere ---- */

static void run_plainly(void)
{
    char *line = NULL;
    size_t capacity = 0;
    while (!repl_over()) {
        ssize_t length = getline(&line, &capacity, stdin);
        if (length < 0) {
            repl.ended = feof(stdin) != 0 || errno != EINTR;
            clearerr(stdin);
            face_rearm(repl.face);
            continue;
        }
        if (length > 0 && line[length - 1] == '\n') {
            line[length - 1] = '\0';
        }
        run_line(line);
    }
    free(line);
}

int repl_run(Face *face)
{
    repl = (struct Repl){.face = face};
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
        run_on_terminal();
    } else {
        run_plainly();
    }
    text_free(&repl.prompt);
    int number = face_signal();
    if (number == SIGTERM || number == SIGHUP) {
        return 128 + number;
    }
    return face->interpreter.output_failed ? 1 : 0;
}
