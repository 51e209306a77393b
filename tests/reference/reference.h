/* The reference captures and their expected figures, for the tests of every folder. They lie in
 * $EXSCOPE_REFERENCE_DIR, else in ../shared/reference beside the source tree, and may be absent: then a test
 * skips. */
#ifndef EXSCOPE_TESTS_REFERENCE_H
#define EXSCOPE_TESTS_REFERENCE_H

#include <cjson/cJSON.h>

/* The folder, NULL when it is not there. */
const char *reference_folder(void);

/* The names in it that end in `suffix` (".rows.json"), sorted, the suffix cut off; NULL-terminated. Skips
 * the running test when the folder is not there. Free with reference_names_free. */
char **reference_names(const char *suffix);
void reference_names_free(char **names);

/* The path of "NAME" "SUFFIX"; to be freed with free(). */
char *reference_path(const char *name, const char *suffix);

/* That file as JSON; a test failure when it cannot be read. Free with cJSON_Delete. */
cJSON *reference_json(const char *name, const char *suffix);

#endif
