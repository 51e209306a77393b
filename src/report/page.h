/* index.html: the whole report as one page that needs nothing else, no network either. */
#ifndef EXSCOPE_REPORT_PAGE_H
#define EXSCOPE_REPORT_PAGE_H

#include "report/model.h"

/* Appends the document. Look at text_ok(). */
void page_append(const Report *report, Text *text);

extern const char page_style[], page_script[]; /* page_assets.c */

#endif
