/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Info column: repaired where Wireshark's RoCE dissector gives up (CNP, XRC, newer opcodes; packets cut by the snap
 * length, which it calls malformed), and enriched by the analysis. What dissectors of the payload wrote stays. */
#include "plugin.h"

/* What the stock dissector leaves of a packet that it does not understand. */
static bool needs_repair(const char* info) {
  return strstr(info, "Unknown OpCode") != NULL || strstr(info, "Invalid Packet Length from LRH") != NULL;
}

/* "RC RDMA WRITE First QP=0x000026", as the stock dissector writes it of what it understands. */
static void repair(packet_info* pinfo, const roce_packet* p) {
  col_clear_fence(pinfo->cinfo, COL_INFO);
  col_clear(pinfo->cinfo, COL_INFO);
  col_add_fstr(pinfo->cinfo, COL_INFO, "%s QP=0x%06x", p->opcode_name, p->dst_qpn);
  if (p->is_reply_negative) col_append_fstr(pinfo->cinfo, COL_INFO, " [%s]", p->syndrome_text);
}

/* The stock dissector leaves a blank at the end. */
static const char* blank_after(const char* info) {
  const size_t length = info == NULL ? 0 : strlen(info);
  return length == 0 || info[length - 1] == ' ' ? "" : " ";
}

static void append_psn(packet_info* pinfo, const roce_packet* p) {
  if (p->is_cnp) return;
  col_append_fstr(pinfo->cinfo, COL_INFO, "%sPSN=%u", blank_after(col_get_text(pinfo->cinfo, COL_INFO)), p->psn);
  if (roce_prefs.relative_psn && (p->known & ROCE_KNOWS_RELATIVE_PSN)) {
    col_append_fstr(pinfo->cinfo, COL_INFO, " (+%u)", p->relative_psn);
  }
  if (p->payload_bytes != 0) col_append_fstr(pinfo->cinfo, COL_INFO, " Len=%u", p->payload_bytes);
}

void roce_set_info(packet_info* pinfo, const roce_packet* p) {
  if (pinfo->cinfo == NULL || !roce_prefs.info_column) return;
  const gchar* info = col_get_text(pinfo->cinfo, COL_INFO);
  if (p->kind_of_frame == ROCE_FRAME_UNDECODABLE) {
    col_append_fstr(pinfo->cinfo, COL_INFO, " [RoCE, not decodable: %s]", p->undecodable_words);
    return;
  }
  if (p->protocol == ROCE_VEROCE) col_set_str(pinfo->cinfo, COL_PROTOCOL, "veRoCE");
  if (info != NULL && needs_repair(info)) {
    repair(pinfo, p);
  } else if (p->settled_kind == ROCE_RNR_NAK) {
    col_append_fstr(pinfo->cinfo, COL_INFO, "%s[%s]", blank_after(info), p->syndrome_text);
  }
  append_psn(pinfo, p);
  const char* marks = roce_marks(pinfo->pool, p, info == NULL || strstr(info, "Packet size limited") == NULL);
  if (*marks != '\0') col_append_fstr(pinfo->cinfo, COL_INFO, " [%s]", marks);
}
