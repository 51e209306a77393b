/* Folders that a test writes into, and what it finds there. */
#ifndef EXSCOPE_TESTS_REPORT_FOLDER_H
#define EXSCOPE_TESTS_REPORT_FOLDER_H

#include <cjson/cJSON.h>

/* A new empty folder; folder_free removes it with the files in it. */
char *folder_new(void);
void folder_free(char *folder);

/* Removes the files in it. */
void folder_clear(const char *folder);

/* The names in it, sorted, separated by blanks; to be freed with free(). */
char *folder_names(const char *folder);

/* A file of it, as text (free()) or as JSON (cJSON_Delete); a test failure when it cannot be read. */
char *folder_text(const char *folder, const char *name, size_t limit);
cJSON *folder_json(const char *folder, const char *name, size_t limit);

#endif
