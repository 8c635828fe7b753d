/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics, RoCE Connections (and -z roce,table): a row a connection, counted from the tap, so that a display filter
 * counts what matches it, and a live capture is counted as it goes. Final in tshark -2 and in Wireshark; the table of
 * -z roce,conv is the report's. */

/* Wireshark's headers need one another: in this order. */
/* clang-format off */
#include "plugin.h"
#include <epan/stat_tap_ui.h>
/* clang-format on */
#include "statistics.h"

enum column {
  COLUMN_STREAM,
  COLUMN_A,
  COLUMN_B,
  COLUMN_PACKETS,
  COLUMN_KILOBYTES,
  COLUMN_FROM_A,
  COLUMN_FROM_B,
  COLUMN_RESENT,
  COLUMN_MISSING,
  COLUMN_LATE,
  COLUMN_TWICE,
  COLUMN_NAKS,
  COLUMN_RNR_NAKS,
  COLUMN_CE,
  COLUMN_CNPS,
  COLUMN_BAD_ICRC,
  COLUMNS
};

static stat_tap_table_item columns[COLUMNS] = {
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Connection", "%10u"}, {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "A", "%-28s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "B", "%-28s"},        {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Packets", "%9u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "kB", "%9u"},          {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "A to B", "%9u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "B to A", "%9u"},      {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Resent", "%7u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Missing", "%7u"},     {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Late", "%5u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Twice", "%5u"},       {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "NAK", "%5u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "RNR NAK", "%7u"},     {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "CE", "%7u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "CNP", "%7u"},         {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Bad ICRC", "%8u"},
};

/* Rows at most: what comes then is counted in the last one, "others". */
enum { kMostRows = 10000 };

static const char* const kTitle = "RoCE connections";

/* Of each table: connection -> its row + 1. */
static GHashTable* rows_of_tables;

static GHashTable* rows_of(stat_tap_table* table) {
  GHashTable* rows;

  if (rows_of_tables == NULL)
    rows_of_tables = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_hash_table_destroy);
  rows = (GHashTable*)g_hash_table_lookup(rows_of_tables, table);
  if (rows == NULL) {
    rows = g_hash_table_new(NULL, NULL);
    g_hash_table_insert(rows_of_tables, table, rows);
  }
  return rows;
}

static char* end_point(const uint8_t* address, gboolean known, uint32_t qpn) {
  char text[64];

  roce_address_text(address, text, sizeof text);
  return known ? g_strdup_printf("%s qp %u", text, qpn) : g_strdup(text);
}

static void set_label(stat_tap_table* table, guint row, guint column, char* text) {
  stat_tap_table_item_type* item = stat_tap_get_field_data(table, row, column);

  g_free(item->user_data.ptr_value);
  item->user_data.ptr_value = text;
  item->value.string_value = text;
  stat_tap_set_field_data(table, row, column, item);
}

enum { kLabelledA = 1, kLabelledB = 2 };

/* Who A and B are: each packet knows its receiver's queue pair, and often its sender's. What is known of a row is in
 * the scratch space of its first cell. */
static void label(stat_tap_table* table, guint row, const roce_packet* packet) {
  const gboolean from_a = packet->direction == 0;
  const gboolean sender_known = (packet->known & ROCE_KNOWS_PEER_QPN) != 0;
  stat_tap_table_item_type* first = stat_tap_get_field_data(table, row, COLUMN_STREAM);
  const guint labelled = first->user_data.uint_value;
  const guint sender = from_a ? kLabelledA : kLabelledB;
  const guint receiver = from_a ? kLabelledB : kLabelledA;

  if (labelled == (kLabelledA | kLabelledB)) return;
  if (!(labelled & receiver))
    set_label(table, row, from_a ? COLUMN_B : COLUMN_A, end_point(packet->dst, TRUE, packet->dst_qpn));
  if (!(labelled & sender))
    set_label(table, row, from_a ? COLUMN_A : COLUMN_B, end_point(packet->src, sender_known, packet->peer_qpn));
  first->user_data.uint_value = labelled | receiver | (sender_known ? sender : 0);
  stat_tap_set_field_data(table, row, COLUMN_STREAM, first);
}

static void add_row(stat_tap_table* table, guint row, uint32_t stream) {
  stat_tap_table_item_type items[COLUMNS];
  guint i;

  memset(items, 0, sizeof items);
  for (i = 0; i < COLUMNS; i++) items[i].type = columns[i].type;
  items[COLUMN_STREAM].value.uint_value = stream;
  items[COLUMN_A].value.string_value = "";
  items[COLUMN_B].value.string_value = "";
  stat_tap_init_table_row(table, row, COLUMNS, items);
}

static guint row_of(stat_tap_table* table, uint32_t stream) {
  GHashTable* rows = rows_of(table);
  guint row = GPOINTER_TO_UINT(g_hash_table_lookup(rows, GUINT_TO_POINTER(stream)));

  if (row != 0) return row - 1;
  row = table->num_elements;
  if (row >= kMostRows) return kMostRows - 1;
  add_row(table, row, row == kMostRows - 1 ? 0 : stream);
  if (row == kMostRows - 1) set_label(table, row, COLUMN_A, g_strdup("others"));
  g_hash_table_insert(rows, GUINT_TO_POINTER(stream), GUINT_TO_POINTER(row + 1));
  return row;
}

static void add(stat_tap_table* table, guint row, guint column, guint amount) {
  stat_tap_table_item_type* item = stat_tap_get_field_data(table, row, column);

  item->value.uint_value += amount;
  stat_tap_set_field_data(table, row, column, item);
}

/* Bytes would not fit a number of a table. They are kept in its scratch space, and shown in kilobytes. */
static void add_bytes(stat_tap_table* table, guint row, guint bytes) {
  stat_tap_table_item_type* item = stat_tap_get_field_data(table, row, COLUMN_KILOBYTES);

  item->user_data.float_value += bytes;
  item->value.uint_value = (guint)((item->user_data.float_value + 999) / 1000);
  stat_tap_set_field_data(table, row, COLUMN_KILOBYTES, item);
}

static tap_packet_status tap(void* data, packet_info* pinfo _U_, epan_dissect_t* edt _U_, const void* tapped,
                             tap_flags_t flags _U_) {
  const roce_packet* packet = (const roce_packet*)tapped;
  stat_tap_table* table = g_array_index(((stat_data_t*)data)->stat_tap_data->tables, stat_tap_table*, 0);
  guint row;

  if (!(packet->known & ROCE_KNOWS_STREAM) || packet->captured_twice) return TAP_PACKET_DONT_REDRAW;
  row = row_of(table, packet->stream);
  if (row != kMostRows - 1) label(table, row, packet);
  add(table, row, COLUMN_PACKETS, 1);
  add_bytes(table, row, packet->wire_bytes);
  add(table, row, packet->direction == 0 ? COLUMN_FROM_A : COLUMN_FROM_B, 1);
  add(table, row, COLUMN_MISSING, packet->still_missing);
  add(table, row, COLUMN_RESENT, packet->settled_kind == ROCE_RETRANSMISSION);
  add(table, row, COLUMN_LATE, packet->settled_kind == ROCE_REORDERED);
  add(table, row, COLUMN_TWICE, packet->settled_kind == ROCE_DUPLICATE);
  add(table, row, COLUMN_NAKS, packet->kind == ROCE_NAK);
  add(table, row, COLUMN_RNR_NAKS, packet->kind == ROCE_RNR_NAK);
  add(table, row, COLUMN_CE, packet->ecn == 3);
  add(table, row, COLUMN_CNPS, packet->is_cnp);
  add(table, row, COLUMN_BAD_ICRC, packet->icrc == ROCE_ICRC_BAD);
  return TAP_PACKET_REDRAW;
}

static void reset(stat_tap_table* table) {
  guint row;
  guint column;

  for (row = 0; row < table->num_elements; row++) {
    stat_tap_table_item_type* first = stat_tap_get_field_data(table, row, COLUMN_STREAM);

    first->user_data.uint_value = 0; /* another analysis may number connections in another way */
    stat_tap_set_field_data(table, row, COLUMN_STREAM, first);
    for (column = COLUMN_PACKETS; column < COLUMNS; column++) {
      stat_tap_table_item_type* item = stat_tap_get_field_data(table, row, column);

      item->value.uint_value = 0;
      item->user_data.float_value = 0;
      stat_tap_set_field_data(table, row, column, item);
    }
  }
}

static void begin(stat_tap_table_ui* ui) {
  stat_tap_table* table = stat_tap_find_table(ui, kTitle);

  if (table != NULL)
    reset(table);
  else
    stat_tap_add_table(ui, stat_tap_init_table(kTitle, COLUMNS, 0, NULL));
}

static void free_item(stat_tap_table* table, guint row, guint column, stat_tap_table_item_type* item) {
  if (column == COLUMN_A || column == COLUMN_B) g_free(item->user_data.ptr_value);
  if (row == 0 && column == 0 && rows_of_tables != NULL) g_hash_table_remove(rows_of_tables, table);
}

void roce_register_connections(void) {
  static tap_param parameters[] = {{PARAM_FILTER, "filter", "Filter", NULL, TRUE}};
  static stat_tap_table_ui ui;

  ui.group = REGISTER_PACKET_STAT_GROUP_UNSORTED;
  ui.title = "RoCE Connections";
  ui.tap_name = "roce";
  ui.cli_string = "roce,table";
  ui.stat_tap_init_cb = begin;
  ui.packet_func = tap;
  ui.stat_tap_reset_table_cb = reset;
  ui.stat_tap_free_table_item_cb = free_item;
  ui.nfields = COLUMNS;
  ui.fields = columns;
  ui.nparams = G_N_ELEMENTS(parameters);
  ui.params = parameters;
  register_stat_tap_table_ui(&ui);
}
