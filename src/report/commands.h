/* The commands of this folder: `export` and `report`. */
#ifndef EXSCOPE_REPORT_COMMANDS_H
#define EXSCOPE_REPORT_COMMANDS_H

#include "explore/session.h"

bool report_commands_add(Session *session, Error *error);

#endif
