/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z roce,report[,filter] and -z roce,conv[,filter]: what `rocetop triage` would say, as text in tshark, as a window in
 * Wireshark (Statistics, RoCE Report). A filter chooses connections: those with a packet that matches. What is said of
 * them is the same as without it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Wireshark's headers need one another: in this order. */
/* clang-format off */
#include "plugin.h"
#include <epan/funnel.h>
#include <epan/stat_tap_ui.h>
/* clang-format on */
#include "report.h"
#include "statistics.h"

enum { kWindowWidth = 72, kUsualWidth = 80, kNarrowest = 20 };

static const char* const kTitles[] = {"RoCE Report", "RoCE Connections"}; /* by enum roce_report_what */
static const char* const kNames[] = {"roce,report", "roce,conv"};         /* likewise */

typedef struct report {
  enum roce_report_what what;
  char* filter;                 /* NULL: everything */
  GHashTable* streams;          /* numbers of the connections that match */
  funnel_text_window_t* window; /* in Wireshark: where it is shown; NULL when that was closed */
  gboolean closed;              /* by the user: not opened again */
} report;

static report* new_report(enum roce_report_what what, const char* filter) {
  report* self = g_new0(report, 1);

  self->what = what;
  self->filter = filter == NULL || *filter == '\0' ? NULL : g_strdup(filter);
  self->streams = g_hash_table_new(NULL, NULL);
  return self;
}

static void free_report(void* data) {
  report* self = (report*)data;

  g_hash_table_destroy(self->streams);
  g_free(self->filter);
  g_free(self);
}

/* --- Listening ---------------------------------------------------------------------------------------------------- */

static void reset(void* data) { g_hash_table_remove_all(((report*)data)->streams); }

static tap_packet_status tap(void* data, packet_info* pinfo _U_, epan_dissect_t* edt _U_, const void* tapped,
                             tap_flags_t flags _U_) {
  const roce_packet* packet = (const roce_packet*)tapped;
  report* self = (report*)data;

  if (self->filter != NULL && (packet->known & ROCE_KNOWS_STREAM))
    g_hash_table_add(self->streams, GUINT_TO_POINTER(packet->stream));
  return TAP_PACKET_REDRAW;
}

/* --- Text --------------------------------------------------------------------------------------------------------- */

/* As rocetop has it: COLUMNS, else the terminal's, else 80. */
static uint32_t width_of_terminal(void) {
  const char* columns = g_getenv("COLUMNS");
  struct winsize size;

  if (columns != NULL && atoi(columns) >= kNarrowest) return (uint32_t)atoi(columns);
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= kNarrowest) return size.ws_col;
  return kUsualWidth;
}

/* To be freed with roce_free_text(); NULL: out of memory. */
static char* text_of(const report* self, uint32_t width, gboolean unicode) {
  roce_report_options options;
  uint32_t* streams = g_new(uint32_t, g_hash_table_size(self->streams) + 1);
  GHashTableIter iterator;
  gpointer stream;
  char* text;

  memset(&options, 0, sizeof options);
  options.what = self->what;
  options.selection = self->filter;
  options.streams = streams;
  options.width = width;
  options.unicode = unicode;
  g_hash_table_iter_init(&iterator, self->streams);
  while (g_hash_table_iter_next(&iterator, &stream, NULL)) streams[options.stream_count++] = GPOINTER_TO_UINT(stream);
  text = roce_report(roce_current_analysis(), &options);
  g_free(streams);
  return text;
}

/* Wireshark's windows. NULL in tshark, which has text windows too (it prints them), but nobody who closes them. */
static const funnel_ops_t* windows(void) {
  const funnel_ops_t* ops = funnel_get_funnel_ops();

  if (ops == NULL || ops->new_text_window == NULL || ops->set_text == NULL) return NULL;
  return ops->set_close_cb != NULL && ops->retap_packets != NULL ? ops : NULL;
}

/* tshark draws once, when it has read everything; in one pass nothing else says that no more frames come. */
static void print(const report* self) {
  char* text;

  if (roce_current_analysis() != NULL) roce_end(roce_current_analysis());
  text = text_of(self, width_of_terminal(), g_get_charset(NULL));

  if (text != NULL)
    fputs(text, stdout);
  else
    fputs("rocetop: no memory for the report\n", stderr);
  roce_free_text(text);
}

/* The window takes HTML for what looks like it, so that HTML is what it gets. */
static void fill(const funnel_ops_t* ops, funnel_text_window_t* window, const report* self) {
  char* text = text_of(self, kWindowWidth, TRUE);
  char* escaped = g_markup_escape_text(text != NULL ? text : "no memory for the report", -1);
  char* html = g_strdup_printf("<pre>%s</pre>", escaped);

  ops->set_text(window, html);
  g_free(html);
  g_free(escaped);
  roce_free_text(text);
}

static void window_closed(void* data) {
  report* self = (report*)data;

  self->window = NULL;
  self->closed = TRUE;
}

/* -z was given to Wireshark: one window, filled again as packets come. */
static void show(const funnel_ops_t* ops, report* self) {
  if (self->closed) return;
  if (self->window == NULL) {
    self->window = ops->new_text_window(ops->ops_id, kTitles[self->what]);
    ops->set_close_cb(self->window, window_closed, self);
  }
  fill(ops, self->window, self);
}

static void draw(void* data) {
  const funnel_ops_t* ops = windows();

  if (ops != NULL)
    show(ops, (report*)data);
  else
    print((const report*)data);
}

/* --- -z ----------------------------------------------------------------------------------------------------------- */

/* "roce,report,FILTER" -> "FILTER"; NULL without one. */
static const char* filter_in(const char* argument) {
  const char* comma = argument == NULL ? NULL : strchr(argument, ',');

  comma = comma == NULL ? NULL : strchr(comma + 1, ',');
  return comma == NULL ? NULL : comma + 1;
}

/* Wireshark asks for no more than that the argument begins with the name. */
static bool is_named(const char* argument, enum roce_report_what what) {
  const size_t length = strlen(kNames[what]);

  if (argument == NULL || argument[length] == '\0' || argument[length] == ',') return true;
  fprintf(stderr, "rocetop: -z %s: there is no such statistic; %s is one\n", argument, kNames[what]);
  return false;
}

/* True if it listens. */
static bool listen_to(enum roce_report_what what, const char* filter) {
  report* self = new_report(what, filter);
  GString* fault = register_tap_listener("roce", self, self->filter, 0, reset, tap, draw, free_report);

  if (fault == NULL) return true;
  fprintf(stderr, "rocetop: %s\n", fault->str);
  g_string_free(fault, TRUE);
  free_report(self);
  return false;
}

#if ROCE_WIRESHARK_AT_LEAST(4, 5)
static bool begin(const char* argument, void* what) {
  const enum roce_report_what chosen = (enum roce_report_what)GPOINTER_TO_INT(what);

  return is_named(argument, chosen) && listen_to(chosen, filter_in(argument));
}
#else
static void begin(const char* argument, void* what) {
  const enum roce_report_what chosen = (enum roce_report_what)GPOINTER_TO_INT(what);

  /* As their own statistics do for a filter that does not compile. */
  if (!is_named(argument, chosen) || !listen_to(chosen, filter_in(argument))) exit(1);
}
#endif

/* --- The menu ----------------------------------------------------------------------------------------------------- */

/* The display filter that is in effect chooses the connections, as in Wireshark's own statistics. */
static void chosen_in_menu(gpointer data _U_) {
  const funnel_ops_t* ops = windows();
  const char* filter;
  GString* fault;
  report* self;

  if (ops == NULL) return;
  filter = ops->get_filter != NULL ? ops->get_filter(ops->ops_id) : NULL;
  self = new_report(ROCE_REPORT_TEXT, filter);
  if (self->filter != NULL) {
    fault = register_tap_listener("roce", self, self->filter, 0, reset, tap, NULL, NULL);
    if (fault == NULL) {
      ops->retap_packets(ops->ops_id);
      remove_tap_listener(self);
    } else {
      /* What is being typed there is no filter yet. */
      g_string_free(fault, TRUE);
      g_free(self->filter);
      self->filter = NULL;
    }
  }
  fill(ops, ops->new_text_window(ops->ops_id, kTitles[self->what]), self);
  free_report(self);
}

void roce_register_report(void) {
  static tap_param parameters[] = {{PARAM_FILTER, "filter", "Filter", NULL, TRUE}};
  static stat_tap_ui as_report = {REGISTER_PACKET_STAT_GROUP_UNSORTED,
                                  "RoCE Report",
                                  kNames[ROCE_REPORT_TEXT],
                                  begin,
                                  G_N_ELEMENTS(parameters),
                                  parameters};
  static stat_tap_ui as_table = {REGISTER_PACKET_STAT_GROUP_UNSORTED,
                                 "RoCE Connections",
                                 kNames[ROCE_REPORT_TABLE],
                                 begin,
                                 G_N_ELEMENTS(parameters),
                                 parameters};

  register_stat_tap_ui(&as_report, GINT_TO_POINTER(ROCE_REPORT_TEXT));
  register_stat_tap_ui(&as_table, GINT_TO_POINTER(ROCE_REPORT_TABLE));
  funnel_register_menu(kTitles[ROCE_REPORT_TEXT], REGISTER_PACKET_STAT_GROUP_UNSORTED, chosen_in_menu, NULL, NULL,
                       FALSE);
}
