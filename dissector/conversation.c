/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Analyze, Conversation Filter, "RoCE connection": the connection of the packet that is selected, both directions of
 * it. Wireshark's colouring of conversations takes it too. */

/* clang-format off */
#include "plugin.h"
#include <epan/conversation_filter.h>
/* clang-format on */
#include "statistics.h"

/* Newer versions hand on a pointer of the one who registered. */
#if ROCE_WIRESHARK_AT_LEAST(4, 1)
#define FOR_USER , void* user _U_
#define NO_USER , NULL
#else
#define FOR_USER
#define NO_USER
#endif

static roce_ws_bool has_connection(packet_info* pinfo FOR_USER) {
  const roce_packet* packet = roce_packet_shown(pinfo);

  return packet != NULL && (packet->known & ROCE_KNOWS_STREAM) != 0;
}

static char* filter_of_connection(packet_info* pinfo FOR_USER) {
  const roce_packet* packet = roce_packet_shown(pinfo);

  return packet == NULL ? NULL : g_strdup_printf("roce.stream == %u", packet->stream);
}

void roce_register_conversation(void) {
  register_conversation_filter("roce", "RoCE connection", has_connection, filter_of_connection NO_USER);
  add_conversation_filter_protocol("roce"); /* before UDP's, which parts the two directions */
}
