/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of `rocetop triage` about what the plugin analysed, as text: findings, or the table of connections alone.
 * Plain C, like bridge.h: no function throws, prints, exits or jumps. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bridge.h"

#ifdef __cplusplus
extern "C" {
#endif

enum roce_report_what {
  ROCE_REPORT_TEXT, /* what the capture is worth, findings, connections */
  ROCE_REPORT_TABLE /* all connections, worst first */
};

typedef struct roce_report_options {
  enum roce_report_what what;
  const char* selection;   /* the display filter that chose `streams`; NULL: everything is shown */
  const uint32_t* streams; /* numbers of connections; without `selection` not looked at */
  size_t stream_count;
  uint32_t width; /* cells */
  bool unicode;
} roce_report_options;

/* As of now, or final after roce_end(). To be freed with roce_free_text(). NULL: out of memory, or a fault of ours.
 * `analysis` may be NULL: a sentence says that there is none. */
char* roce_report(roce_analysis* analysis, const roce_report_options* options) ROCE_NOEXCEPT;
void roce_free_text(char* text) ROCE_NOEXCEPT;

#ifdef __cplusplus
}
#endif
