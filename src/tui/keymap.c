#include "config.h"

#include "tui/keymap.h"

#define BIT(context) (1u << (context))
#define PHASES BIT(CONTEXT_PHASES)
#define PHASE BIT(CONTEXT_PHASE)
#define TILE BIT(CONTEXT_TILE)
#define TAIL BIT(CONTEXT_TAIL)
#define OUTPUT BIT(CONTEXT_OUTPUT)
#define JOBS BIT(CONTEXT_JOBS)
#define MESSAGES BIT(CONTEXT_MESSAGES)
#define HELP BIT(CONTEXT_HELP)
#define PROMPT BIT(CONTEXT_PROMPT)
#define FILTER BIT(CONTEXT_FILTER)
#define MENU BIT(CONTEXT_MENU)
#define QUESTION BIT(CONTEXT_QUESTION)
#define EXPORT BIT(CONTEXT_EXPORT)

#define SCREENS (BIT(CONTEXT_SCREENS) - 1)
#define DATA (PHASES | PHASE | TILE | TAIL)
#define LISTS (SCREENS & ~PHASE)
#define TEXTS (OUTPUT | MESSAGES | HELP)
#define LINES (PROMPT | FILTER)

#define CONTROL(letter) ((letter)&0x1f)

static const KeyBinding bindings[] = {
    /* going deeper and back */
    {PHASES, KEY_RETURN, ACTION_COMMAND, "phase %p", PHASES, "open", "open the phase under the cursor", NULL},
    {PHASE, KEY_RETURN, ACTION_COMMAND, "tile %t", PHASE, "tile", "open the selected tile", NULL},
    {TILE, KEY_RETURN, ACTION_OPEN, NULL, TILE, "other end",
     "go to the tile at the other end of the transfer", NULL},
    {TAIL, KEY_RETURN, ACTION_OPEN, NULL, TAIL, "transfer", "open this transfer at its source tile", NULL},
    {JOBS, KEY_RETURN, ACTION_OPEN, NULL, 0, NULL, "tell how this job ended", NULL},
    /* modes and what is done with them */
    {PHASES | PHASE | TILE, '1', ACTION_COMMAND, "mode original", PHASE | TILE, "mode",
     "the phase as captured", "1..8"},
    {PHASES | PHASE | TILE, '2', ACTION_COMMAND, "mode coalesced", 0, NULL, "contiguous runs merged", NULL},
    {PHASES | PHASE | TILE, '3', ACTION_COMMAND, "mode source", 0, NULL, "packed at the senders", NULL},
    {PHASES | PHASE | TILE, '4', ACTION_COMMAND, "mode receiver", 0, NULL, "staged at the receivers", NULL},
    {PHASES | PHASE | TILE, '5', ACTION_COMMAND, "mode both", 0, NULL, "staged at both ends", NULL},
    {PHASES | PHASE | TILE, '6', ACTION_COMMAND, "mode coalesced-prefix", 0, NULL, "merged before the tail",
     NULL},
    {PHASES | PHASE | TILE, '7', ACTION_COMMAND, "mode coalesced-levels", 0, NULL, "merged within depths",
     NULL},
    {PHASES | PHASE | TILE, '8', ACTION_COMMAND, "mode reordered", 0, NULL, "the rejected control", NULL},
    {PHASES | PHASE | TILE, ']', ACTION_MODE_NEXT, NULL, 0, NULL, "the next mode", NULL},
    {PHASES | PHASE | TILE, '[', ACTION_MODE_PREVIOUS, NULL, 0, NULL, "the mode before", NULL},
    {PHASES | PHASE | TILE, 'R', ACTION_COMMAND, "replay --phase %p --mode %m", PHASES | PHASE | TILE,
     "replay", "replay this mode", NULL},
    {PHASES | PHASE | TILE, 'A', ACTION_COMMAND, "replay --phase %p --mode all", PHASE, "replay all",
     "replay all modes", NULL},
    {PHASES | PHASE | TILE, 'T', ACTION_COMMAND, "tail", PHASE | TILE, "tail",
     "the dependency tail of this phase", NULL},
    /* the tile map */
    {PHASE, 'w', ACTION_WORST, NULL, PHASE, "worst", "select the tile with the most of what the map shows",
     NULL},
    {PHASE, 'm', ACTION_SHADE, NULL, PHASE, "shade",
     "what the map shows: row bytes, fragments, sent, received, idle", NULL},
    {PHASE, 'z', ACTION_ZOOM, NULL, PHASE, "zoom", "the map alone, one cell a tile, and back", NULL},
    {PHASE, 'i', ACTION_NOTES, NULL, PHASE, "notes",
     "what there is to say of this mode: verdict, limits, dependencies", NULL},
    {PHASE, 'd', ACTION_DELTAS, NULL, 0, NULL, "changes against original: the usual ones, all, or none",
     NULL},
    /* panes of a tile */
    {PHASE | TILE, KEY_TAB, ACTION_PANE_NEXT, NULL, PHASE | TILE, "pane", "the next pane", NULL},
    {PHASE | TILE, KEY_BACK_TAB, ACTION_PANE_PREVIOUS, NULL, 0, NULL, "the pane before", NULL},
    {TILE, 'a', ACTION_WHOLE_PHASE, NULL, TILE, "all", "transfers of this tile, or of the whole phase", NULL},
    {TILE, 'c', ACTION_SCOPE, NULL, 0, NULL, "coverage of the whole phase, or of its independent prefix",
     NULL},
    {TILE, '+', ACTION_ZOOM_IN, NULL, TILE, "zoom", "timeline: closer", NULL},
    {TILE, '=', ACTION_ZOOM_IN, NULL, 0, NULL, NULL, NULL},
    {TILE, '-', ACTION_ZOOM_OUT, NULL, 0, NULL, "timeline: further away", NULL},
    {TILE, '0', ACTION_ZOOM_FIT, NULL, 0, NULL, "timeline: all of it", NULL},
    {PHASE, '.', ACTION_SUCCESSOR, NULL, 0, NULL, "the next phase of the list", NULL},
    {PHASE, ',', ACTION_PREDECESSOR, NULL, 0, NULL, "the phase before it in the list", NULL},
    {TILE, '.', ACTION_SUCCESSOR, NULL, 0, NULL, "the next tile that takes part", NULL},
    {TILE, ',', ACTION_PREDECESSOR, NULL, 0, NULL, "the tile before that takes part", NULL},
    /* lists */
    {PHASES | TILE, 's', ACTION_SORT, NULL, PHASES | TILE, "sort", "choose the column to sort by", NULL},
    {PHASES | TILE, 'S', ACTION_REVERSE, NULL, 0, NULL, "reverse the order", NULL},
    {PHASES, '/', ACTION_FILTER, NULL, PHASES, "filter", "show only phases whose number or label matches",
     NULL},
    {PHASE, '/', ACTION_FILTER, NULL, PHASE, "find", "select a tile by its number", NULL},
    {TILE, '/', ACTION_FILTER, NULL, TILE, "filter",
     "show only transfers that match: 12, 0x4c000, send, receive", NULL},
    {TAIL, '/', ACTION_FILTER, NULL, TAIL, "find", "find a transfer by its number", NULL},
    {TEXTS, '/', ACTION_FILTER, NULL, TEXTS, "find", "find text", NULL},
    {PHASES | TILE | TAIL | TEXTS, 'n', ACTION_NEXT, NULL, 0, NULL, "the next match", NULL},
    {PHASES | TILE | TAIL | TEXTS, 'N', ACTION_PREVIOUS, NULL, 0, NULL, "the match before", NULL},
    {PHASE, 'n', ACTION_NEXT, NULL, 0, NULL, "the tile with the next less of what the map shows", NULL},
    {PHASE, 'N', ACTION_PREVIOUS, NULL, 0, NULL, "the tile with the next more", NULL},
    {PHASES, ' ', ACTION_MARK, NULL, PHASES, "mark", "mark the phase for export, or take the mark away",
     NULL},
    {PHASES | PHASE | TILE, 'e', ACTION_EXPORT, NULL, PHASES | PHASE | TILE, "export",
     "export the marked phases, or this one", NULL},
    {JOBS, 'x', ACTION_CANCEL_JOB, NULL, JOBS, "cancel", "cancel the job under the cursor", NULL},
    /* moving */
    {SCREENS | MENU | EXPORT, KEY_ARROW_UP, ACTION_UP, NULL, 0, NULL, "up", NULL},
    {SCREENS | MENU, 'k', ACTION_UP, NULL, 0, NULL, NULL, NULL},
    {SCREENS | MENU | EXPORT, KEY_ARROW_DOWN, ACTION_DOWN, NULL, 0, NULL, "down", NULL},
    {SCREENS | MENU, 'j', ACTION_DOWN, NULL, 0, NULL, NULL, NULL},
    {SCREENS, KEY_ARROW_LEFT, ACTION_LEFT, NULL, 0, NULL, "left; in a list or text: what lies to the left",
     NULL},
    {SCREENS, 'h', ACTION_LEFT, NULL, 0, NULL, NULL, NULL},
    {SCREENS, KEY_ARROW_RIGHT, ACTION_RIGHT, NULL, 0, NULL,
     "right; in a list or text: what lies to the right", NULL},
    {SCREENS, 'l', ACTION_RIGHT, NULL, 0, NULL, NULL, NULL},
    {SCREENS, KEY_PAGE_UP, ACTION_PAGE_UP, NULL, 0, NULL, "a page up", NULL},
    {SCREENS, CONTROL('b'), ACTION_PAGE_UP, NULL, 0, NULL, NULL, NULL},
    {SCREENS, KEY_PAGE_DOWN, ACTION_PAGE_DOWN, NULL, 0, NULL, "a page down", NULL},
    {SCREENS, CONTROL('f'), ACTION_PAGE_DOWN, NULL, 0, NULL, NULL, NULL},
    {SCREENS, KEY_FIRST, ACTION_FIRST, NULL, 0, NULL, "to the beginning", NULL},
    {SCREENS, 'g', ACTION_FIRST, NULL, 0, NULL, NULL, NULL},
    {SCREENS, KEY_LAST, ACTION_LAST, NULL, 0, NULL, "to the end", NULL},
    {SCREENS, 'G', ACTION_LAST, NULL, 0, NULL, NULL, NULL},
    {SCREENS, '<', ACTION_SHIFT_LEFT, NULL, 0, NULL, "the columns of the list to the left", NULL},
    {SCREENS, '>', ACTION_SHIFT_RIGHT, NULL, 0, NULL, "the columns of the list to the right", NULL},
    /* everywhere */
    {SCREENS, ':', ACTION_PROMPT, NULL, SCREENS, "command",
     "enter a command; `> FILE` after it writes its output to a file", NULL},
    {SCREENS & ~JOBS, 'J', ACTION_JOBS, NULL, 0, NULL, "jobs: what runs, what has ended; cancel with x",
     NULL},
    {SCREENS & ~MESSAGES, 'M', ACTION_MESSAGES, NULL, 0, NULL, "messages so far", NULL},
    {SCREENS & ~OUTPUT, 'o', ACTION_OUTPUT, NULL, 0, NULL, "the output of the last command again", NULL},
    {SCREENS, CONTROL('c'), ACTION_STOP, NULL, 0, NULL, "stop the newest running job", NULL},
    {SCREENS, CONTROL('l'), ACTION_REDRAW, NULL, 0, NULL, "draw the screen anew", NULL},
    {SCREENS, CONTROL('z'), ACTION_SUSPEND, NULL, 0, NULL, "back to the shell; `fg` returns", NULL},
    {SCREENS & ~PHASES, 'q', ACTION_BACK, NULL, SCREENS & ~PHASES, "back", "back to where one came from",
     NULL},
    {SCREENS, KEY_ESCAPE, ACTION_BACK, NULL, 0, NULL, NULL, NULL},
    {PHASES, 'q', ACTION_QUIT, NULL, PHASES, "quit", "leave exscope", NULL},
    {SCREENS, 'Q', ACTION_QUIT, NULL, 0, NULL, "leave exscope", NULL},
    {SCREENS & ~HELP, '?', ACTION_HELP, NULL, SCREENS & ~HELP, "keys",
     "the keys of this screen, and what its words mean", NULL},
    {SCREENS & ~HELP, KEY_F1, ACTION_HELP, NULL, 0, NULL, NULL, NULL},
    /* lines of input */
    {PROMPT, KEY_RETURN, ACTION_ACCEPT, NULL, PROMPT, "run", "run the line", NULL},
    {FILTER, KEY_RETURN, ACTION_ACCEPT, NULL, FILTER, "keep", "keep it and go on", NULL},
    {PROMPT, KEY_TAB, ACTION_COMPLETE, NULL, PROMPT, "complete",
     "complete the word; again: the next candidate", NULL},
    {PROMPT, KEY_BACK_TAB, ACTION_COMPLETE_BACK, NULL, 0, NULL, "the candidate before", NULL},
    {LINES, KEY_ARROW_UP, ACTION_UP, NULL, PROMPT, "history", "the line entered before", NULL},
    {LINES, CONTROL('p'), ACTION_UP, NULL, 0, NULL, NULL, NULL},
    {LINES, KEY_ARROW_DOWN, ACTION_DOWN, NULL, 0, NULL, "the line entered after", NULL},
    {LINES, CONTROL('n'), ACTION_DOWN, NULL, 0, NULL, NULL, NULL},
    {LINES | EXPORT, KEY_ARROW_LEFT, ACTION_LEFT, NULL, 0, NULL, "left", NULL},
    {LINES | EXPORT, KEY_ARROW_RIGHT, ACTION_RIGHT, NULL, 0, NULL, "right", NULL},
    {LINES, KEY_FIRST, ACTION_FIRST, NULL, 0, NULL, "to the beginning", NULL},
    {LINES, CONTROL('a'), ACTION_FIRST, NULL, 0, NULL, NULL, NULL},
    {LINES, KEY_LAST, ACTION_LAST, NULL, 0, NULL, "to the end", NULL},
    {LINES, CONTROL('e'), ACTION_LAST, NULL, 0, NULL, NULL, NULL},
    {LINES | EXPORT, KEY_RUBOUT, ACTION_ERASE_BACK, NULL, 0, NULL, "erase the character before", NULL},
    {LINES | EXPORT, KEY_DELETE, ACTION_ERASE, NULL, 0, NULL, "erase the character here", NULL},
    {LINES, CONTROL('d'), ACTION_ERASE, NULL, 0, NULL, NULL, NULL},
    {LINES, CONTROL('w'), ACTION_ERASE_WORD, NULL, 0, NULL, "erase the word before", NULL},
    {LINES | EXPORT, CONTROL('u'), ACTION_ERASE_START, NULL, 0, NULL, "erase to the beginning", NULL},
    {LINES, CONTROL('k'), ACTION_ERASE_END, NULL, 0, NULL, "erase to the end", NULL},
    /* questions and dialogs */
    {MENU, KEY_RETURN, ACTION_ACCEPT, NULL, MENU, "choose", "choose this one", NULL},
    {QUESTION, 'y', ACTION_YES, NULL, QUESTION, "yes", "yes", NULL},
    {QUESTION, 'n', ACTION_NO, NULL, QUESTION, "no", "no", NULL},
    {QUESTION, KEY_ESCAPE, ACTION_NO, NULL, 0, NULL, NULL, NULL},
    {QUESTION, CONTROL('c'), ACTION_NO, NULL, 0, NULL, NULL, NULL},
    {EXPORT, ' ', ACTION_MARK, NULL, EXPORT, "choose", "choose this mode, or not", NULL},
    {EXPORT, KEY_TAB, ACTION_PANE_NEXT, NULL, EXPORT, "next field", "the next field", NULL},
    {EXPORT, KEY_BACK_TAB, ACTION_PANE_PREVIOUS, NULL, 0, NULL, "the field before", NULL},
    {EXPORT, KEY_RETURN, ACTION_ACCEPT, NULL, EXPORT, "export", "write the files", NULL},
    {LINES | MENU | EXPORT, KEY_ESCAPE, ACTION_ABANDON, NULL, LINES | MENU | EXPORT, "leave it", "leave it",
     NULL},
    {LINES | MENU | EXPORT, CONTROL('c'), ACTION_ABANDON, NULL, 0, NULL, NULL, NULL},
};

const KeyBinding *keymap_bindings(size_t *count)
{
    *count = sizeof bindings / sizeof *bindings;
    return bindings;
}

const KeyBinding *keymap_find(Context context, Key key)
{
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++) {
        if (bindings[i].key == key && (bindings[i].contexts & BIT(context)) != 0) {
            return &bindings[i];
        }
    }
    return NULL;
}

const char *context_title(Context context)
{
    static const char *const titles[CONTEXT_COUNT] = {
        [CONTEXT_PHASES] = "Phases",     [CONTEXT_PHASE] = "Phase",   [CONTEXT_TILE] = "Tile",
        [CONTEXT_TAIL] = "Tail",         [CONTEXT_OUTPUT] = "Output", [CONTEXT_JOBS] = "Jobs",
        [CONTEXT_MESSAGES] = "Messages", [CONTEXT_HELP] = "Keys",     [CONTEXT_PROMPT] = "Command line",
        [CONTEXT_FILTER] = "Filter",     [CONTEXT_MENU] = "Choice",   [CONTEXT_QUESTION] = "Question",
        [CONTEXT_EXPORT] = "Export",
    };
    return titles[context];
}
