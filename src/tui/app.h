/* The inside of the explorer, for the files that make it up. One thread at a time owns all of it; others
 * may only leave a request (requests.c). */
#ifndef EXSCOPE_TUI_APP_H
#define EXSCOPE_TUI_APP_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/vec.h"
#include "explore/ranking.h"
#include "explore/session.h"
#include "tui/fetch.h"
#include "tui/figure.h"
#include "tui/grid.h"
#include "tui/keymap.h"
#include "tui/prompt.h"
#include "tui/tui.h"

enum {
    SCREEN_ROWS_MIN = 24,
    SCREEN_COLUMNS_MIN = 80,
    SCREEN_DEPTH_MAX = 16,
    WANTS_MAX = FETCH_WANTS_MAX,
    JOBS_SHOWN = 200
};

/* ---- what is remembered between runs (preferences.c) ---- */

typedef enum Shade { SHADE_ROW, SHADE_FRAGMENTS, SHADE_SENT, SHADE_RECEIVED, SHADE_IDLE, SHADE_COUNT } Shade;
typedef enum Deltas { DELTAS_USUAL, DELTAS_ALL, DELTAS_NONE, DELTAS_COUNT } Deltas;
typedef enum TilePane { TILE_TRANSFERS, TILE_COVERAGE, TILE_ROW, TILE_TIMELINE, TILE_PANES } TilePane;
typedef enum TransferSort {
    TRANSFER_SORT_ORDER,
    TRANSFER_SORT_WORDS,
    TRANSFER_SORT_PEER,
    TRANSFER_SORT_SOURCE_ADDRESS,
    TRANSFER_SORT_ADDRESS,
    TRANSFER_SORT_START,
    TRANSFER_SORT_COUNT
} TransferSort;

typedef struct Preferences {
    PhaseSort phase_sort;
    bool phase_reverse;
    Shade shade;
    Deltas deltas;
    TilePane tile_pane;
    TransferSort transfer_sort;
    bool transfer_reverse;
} Preferences;

void preferences_default(Preferences *preferences);

/* Reads and writes $XDG_STATE_HOME/exscope/state.json. A damaged file is an error and changes nothing. */
bool preferences_load(Preferences *preferences, Error *error);
bool preferences_save(const Preferences *preferences, Error *error);

/* ---- screens ---- */

enum { FOUND_BYTES = 80 }; /* two figures and a few words */

/* The operations of a screen. Those that it does not need are NULL. `state` is zeroed before the first call
 * and after close. */
typedef struct ScreenOps {
    size_t state_size;
    void (*open)(Tui *tui, void *state);              /* it comes to the front */
    void (*layout)(Tui *tui, void *state, Rect area); /* where its panes go; before each draw */
    void (*draw)(Tui *tui, void *state);
    bool (*act)(Tui *tui, void *state, Action action);        /* false: it has no such action now */
    bool (*mouse)(Tui *tui, void *state, const Event *event); /* false: nothing was hit */
    /* as it is typed, and once more when it is `kept`: only then is it worth a complaint */
    void (*filter)(Tui *tui, void *state, const char *text, bool kept);
    /* what is filtered by now, to begin with and to go back to; without it, nothing */
    const char *(*filtered)(Tui *tui, void *state);
    /* in a few words what `text` finds so far, while it is typed; "" when there is nothing to say. `size` is
     * FOUND_BYTES */
    void (*found)(Tui *tui, void *state, const char *text, char *words, size_t size);
    void (*close)(Tui *tui, void *state); /* gives everything back: another capture, or the end */
} ScreenOps;

extern const ScreenOps screen_phases, screen_phase, screen_tile, screen_tail, screen_output, screen_jobs,
    screen_messages, screen_help;

/* ---- what lies over a screen ---- */

typedef enum Overlay {
    OVERLAY_NONE,
    OVERLAY_PROMPT,
    OVERLAY_FILTER,
    OVERLAY_MENU,
    OVERLAY_QUESTION,
    OVERLAY_EXPORT
} Overlay;

enum { MENU_ITEMS_MAX = 24 };

typedef struct Menu {
    const char *title;
    const char *items[MENU_ITEMS_MAX];
    int count, cursor;
    Rect area; /* as drawn */
    void (*chosen)(Tui *tui, int index);
} Menu;

typedef struct Question {
    char text[300];
    void (*answered)(Tui *tui, bool yes);
} Question;

typedef enum ExportField { EXPORT_PHASES, EXPORT_FOLDER, EXPORT_MODES } ExportField;

typedef struct ExportDialog {
    bool marked; /* the marked phases, else the selected one */
    bool modes[MODE_COUNT];
    Prompt folder;
    ExportField field;
    int mode;                    /* the one under the cursor */
    char line[PROMPT_BYTES * 2]; /* the command that was run, for another try with --force */
} ExportDialog;

void export_open(Tui *tui);
void export_draw(Tui *tui);
void export_act(Tui *tui, Action action);
void export_type(Tui *tui, Key key);

/* Called when an export command of the dialog ended. */
void export_ended(Tui *tui, const char *line, const Error *failure);

/* ---- the key bar ---- */

enum { BAR_KEYS_MAX = 32 };

typedef struct BarKey {
    int start, end; /* columns */
    Key key;
} BarKey;

/* ---- messages ---- */

typedef struct Message {
    char text[480];
    char clock[12]; /* 12:34:56 */
    bool failure;
} Message;

enum { MESSAGES_KEPT = 500 };

/* ---- commands that run in the background ---- */

typedef struct Run Run;

/* ---- all of it ---- */

struct Tui {
    Session *session;
    View *view; /* NULL: nothing is open */
    Fetch *fetch;
    Preferences preferences;

    atomic_bool terminal; /* tui_run() has one; the fetching thread asks */
    bool utf8;            /* the terminal has it; whether it is used is a setting */
    Settings settings;    /* as they were when last looked at */
    int colors;
    Grid grid;
    bool dirty;
    uint64_t drawn; /* frames */
    bool quitting;
    bool suspend;
    uint64_t seen_changes, seen_finished; /* of the session, of `fetch` */

    void *states[CONTEXT_SCREENS];
    Context stack[SCREEN_DEPTH_MAX];
    int depth; /* the screen in front is stack[depth - 1] */

    BarKey bar[BAR_KEYS_MAX]; /* the key bar as drawn */
    int bar_count;

    Overlay overlay;
    Prompt prompt;           /* of OVERLAY_PROMPT and OVERLAY_FILTER */
    char filter_before[200]; /* what an abandoned filter goes back to */
    Menu menu;
    Question question;
    ExportDialog export_dialog;

    Message *messages; /* ring: the newest is at (message_count - 1) % MESSAGES_KEPT */
    uint64_t message_count;
    bool message_shown;
    Message shown_message, news;
    bool has_news; /* that wait for their turn */
    double shown_seconds;

    JobInfo *jobs; /* as last looked at, newest first */
    size_t job_count;
    size_t active_jobs;
    uint32_t newest_job;        /* that was seen */
    VEC(uint32_t) watched_jobs; /* whose end is still to be told */

    Want wants[WANTS_MAX];
    size_t want_count;
    const PhaseEntry *pinned_entry; /* what the pins of `view` belong to */
    Mode pinned_mode;
    Context pinned_context;

    /* the list of the Phases screen, which other screens step through */
    RankedPhase *ranked;
    size_t ranked_count;
    uint64_t ranked_changes;
    double ranked_seconds;
    bool ranked_valid;
    char phase_filter[200];
    VEC(uint32_t) marks; /* phase numbers, ascending */

    Run *runs;   /* those that have not been collected */
    Text output; /* of the last command with any */
    char output_title[200];
    uint64_t output_version;

    Text typed; /* keys that wait to be handled */
    size_t typed_start;
    bool handling; /* inside tui_handle() */

    /* what other threads want of this one (requests.c) */
    pthread_mutex_t request_lock;
    pthread_cond_t request_done;
    struct Request *request;
    bool owned; /* by `owner`, who serves the requests of others */
    pthread_t owner;
};

/* ---- tui.c ---- */

void tui_show(Tui *tui,
              Context context); /* brings a screen to the front; one that is open already is gone back to */
void tui_back(Tui *tui);
Context tui_context(const Tui *tui); /* who has the keys */
Context tui_screen(const Tui *tui);  /* the screen in front */
void *tui_state(Tui *tui, Context screen);
const ScreenOps *tui_operations(Context screen);

void tui_handle(Tui *tui, const Event *event);

/* Looks at the session, collects what ended, draws if anything changed, and asks for what the screen lacks.
 */
void tui_update(Tui *tui);

/* No job, no computation, nothing typed is left. */
bool tui_settled(Tui *tui);

/* Ends the owner's wait, from any thread. */
void tui_wake(Tui *tui);

/* Handles the next key that `keys` left in `typed`; false when there is none. */
bool tui_take_typed(Tui *tui);

bool tui_resize(Tui *tui, int rows, int columns, Error *error);

/* ---- messages.c ---- */

void tui_say(Tui *tui, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tui_fail(Tui *tui, const Error *error);
const Message *tui_message(const Tui *tui, uint64_t index); /* 0: the oldest that is kept */
size_t tui_messages_kept(const Tui *tui);

/* Shows what waited for its turn, when that has come. */
void tui_show_news(Tui *tui);

/* Copies the jobs, and tells of those that ended since. */
void tui_look_at_jobs(Tui *tui);

/* Somebody else tells how this job ended. */
void tui_forget_job(Tui *tui, uint32_t id);

/* ---- results.c: for drawing; NULL when not known yet, and then asked for ---- */

enum { SOON = 0, USUAL = 10, LATER = 20 }; /* priorities */

const void *tui_result(Tui *tui, const ResultKey *key, int priority);
const Dependencies *tui_dependencies(Tui *tui, const PhaseEntry *entry, Mode mode, int priority);
const ModeSummary *tui_figures(Tui *tui, const PhaseEntry *entry, Mode mode, int priority);
const Equivalence *tui_equivalence(Tui *tui, const PhaseEntry *entry, Mode mode, int priority);
const TileFigures *tui_tiles(Tui *tui, const PhaseEntry *entry, Mode mode, int priority);
const Counterfactual *tui_counterfactual(Tui *tui, const PhaseEntry *entry, Mode mode, int priority);

/* A replay that was asked for before: figures never start one; the whole is computed again if it was given
 * back. */
const ReplaySummary *tui_replay_figures(Tui *tui, const PhaseEntry *entry, Mode mode);
const Replay *tui_replay(Tui *tui, const PhaseEntry *entry, Mode mode);

/* Those of the settings, which the three functions above use too. */
ReplayOptions tui_replay_options(const Tui *tui);
bool replay_options_equal(ReplayOptions a, ReplayOptions b);

/* Is the replay of a mode running? *percent is -1 where that is not known. */
bool tui_replaying(Tui *tui, const PhaseEntry *entry, Mode mode, int *percent);

/* Why a result will not come; false when it is ready or still to come. */
bool tui_failed(Tui *tui, const ResultKey *key, Error *error);

/* Is the mode known not to be valid, or not to be proved? Every figure of it is then marked. Asks for the
 * proof. */
bool tui_distrusted(Tui *tui, const PhaseEntry *entry, Mode mode, int priority);

/* What is being computed for the screen now, and how far it is; false: nothing. */
bool tui_computing(Tui *tui, char *text, size_t size, uint64_t *done, uint64_t *total);

/* Asks for a task about a phase. */
void tui_want_task(Tui *tui, Task *task, const PhaseEntry *entry, int priority);

/* What is selected; entry NULL when no phase is known. The tile is resolved: -1 only in an empty phase or
 * while it is not known yet. */
Selection tui_selection(Tui *tui);

/* The label, made visible, "" without one. */
void tui_label(Tui *tui, const PhaseEntry *entry, char *label, size_t size);

/* ---- phase list (phase_list.c) ---- */

void phase_list_update(Tui *tui);
void phase_list_forget(Tui *tui);
bool phase_list_find(const Tui *tui, const PhaseEntry *entry, size_t *index);
bool phase_marked(const Tui *tui, uint32_t number);
void phase_toggle_mark(Tui *tui, uint32_t number);

/* Selects the phase `step` places further in the list; false at its ends. */
bool phase_list_step(Tui *tui, int step);

/* ---- commands (run.c) ---- */

/* Runs a line of the command language, on this thread when it is instant, else as a job. Output goes to the
 * pager unless `quiet`. Commands that name what a screen shows bring that screen to the front. */
void tui_run_line(Tui *tui, const char *line, bool quiet);
void tui_collect_runs(Tui *tui);
bool tui_runs_pending(const Tui *tui);
bool tui_run_owns_job(const Tui *tui, uint32_t job);
void tui_free_runs(Tui *tui);

/* ---- the rest of the picture (chrome.c) ---- */

void chrome_draw(Tui *tui, const ScreenOps *screen);

/* The window shows one line that says the size needed: keys are not for what nobody can see. */
bool chrome_too_small(const Tui *tui);

/* The key of the key bar at a place of the screen; KEY_NONE where there is none. */
Key chrome_key_at(const Tui *tui, int row, int column);

/* ---- `keys` and `screen` (requests.c) ---- */

bool requests_add_commands(Tui *tui, Error *error);

/* Between open and close this thread owns the explorer, and serves the requests of others. */
void requests_open(Tui *tui);
void requests_serve(Tui *tui);
void requests_close(Tui *tui);

/* ---- overlays (overlay.c) ---- */

void overlay_prompt(Tui *tui, const char *text);
void overlay_filter(Tui *tui, const char *label, const char *text);

/* Asks for what the screen can find: `/`. */
void overlay_find(Tui *tui);
void overlay_menu(Tui *tui, const char *title, const char *const *items, int count, int cursor,
                  void (*chosen)(Tui *tui, int index));
void overlay_ask(Tui *tui, void (*answered)(Tui *tui, bool yes), const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void overlay_act(Tui *tui, Action action);
void overlay_type(Tui *tui, Key key);
void overlay_mouse(Tui *tui, const Event *event);
void overlay_draw(Tui *tui);
void overlay_close(Tui *tui);

/* ---- opened with something selected ---- */

void screen_tile_show_transfer(Tui *tui, uint32_t transfer);

#endif
