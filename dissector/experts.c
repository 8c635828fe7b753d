/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expert infos: what the analysis found, at the severity that it has for whoever looks for trouble. A packet that shows
 * what happened to another one is a note; what the network or a host did wrong is a warning; what ends a connection, or
 * damages data, is an error. */
#include "plugin.h"

/* clang-format off */
#define EXPERTS(row) \
  row(RETRANSMISSION, "retransmission", PI_SEQUENCE, PI_NOTE,\
      "Retransmission") \
  row(TIMEOUT, "timeout", PI_SEQUENCE, PI_WARN,\
      "Retransmission after a timeout") \
  row(SPURIOUS, "spurious", PI_SEQUENCE, PI_NOTE,\
      "Needless retransmission: all of it had been acknowledged") \
  row(READ_RESTART, "read_restart", PI_SEQUENCE, PI_NOTE,\
      "READ asked again") \
  row(MISSING, "missing", PI_SEQUENCE, PI_WARN,\
      "PSNs missing before this packet") \
  row(LATE, "late", PI_SEQUENCE, PI_NOTE,\
      "PSNs before this packet came late") \
  row(NOT_CAPTURED, "not_captured", PI_SEQUENCE, PI_NOTE,\
      "PSNs before this packet are not in the capture, but were acknowledged") \
  row(REORDERED, "reordered", PI_SEQUENCE, PI_NOTE,\
      "Reordered: came late, and its sender had not gone back") \
  row(DUPLICATE, "duplicate", PI_SEQUENCE, PI_NOTE,\
      "Duplicate: a copy, and its sender had not gone back") \
  row(CAPTURED_TWICE, "captured_twice", PI_SEQUENCE, PI_CHAT,\
      "Captured twice: a copy that another interface saw") \
  row(NAK, "nak", PI_RESPONSE_CODE, PI_WARN,\
      "NAK") \
  row(FATAL_NAK, "fatal_nak", PI_RESPONSE_CODE, PI_ERROR,\
      "NAK that ends the connection") \
  row(RNR_NAK, "rnr_nak", PI_RESPONSE_CODE, PI_NOTE,\
      "RNR NAK: the receiver was not ready") \
  row(ACKED_UNSEEN, "acked_unseen", PI_SEQUENCE, PI_WARN,\
      "Acknowledges a packet that is not in the capture") \
  row(QP_REUSE, "qp_reuse", PI_SEQUENCE, PI_CHAT,\
      "Queue pair used again by another connection") \
  row(ICRC_BAD, "icrc_bad", PI_CHECKSUM, PI_ERROR,\
      "ICRC bad") \
  row(CE, "ce", PI_SEQUENCE, PI_CHAT,\
      "Congestion experienced (CE)") \
  row(CNP, "cnp", PI_SEQUENCE, PI_NOTE,\
      "Congestion notification (CNP)") \
  row(BROKEN, "broken", PI_UNDECODED, PI_ERROR,\
      "The analysis broke down: out of memory, or a fault of rocetop") \
  row(NOT_REMEMBERED, "not_remembered", PI_UNDECODED, PI_NOTE,\
      "Not remembered: beyond the frames of preference roce.max_frames") \
  row(UNDECODABLE, "undecodable", PI_UNDECODED, PI_WARN,\
      "RoCE that could not be decoded")
/* clang-format on */

#define EXPERT_ID(id, name, group, severity, text) E_##id,
enum expert { EXPERTS(EXPERT_ID) EXPERT_COUNT };

static expert_field ei[EXPERT_COUNT];

#define EXPERT_ROW(id, name, group, severity, text) \
  {&ei[E_##id], {"roce.expert." name, group, severity, text, EXPFILL}},

void roce_register_experts(int proto) {
  static ei_register_info rows[] = {EXPERTS(EXPERT_ROW)};
  for (int i = 0; i < EXPERT_COUNT; ++i) ei[i].ei = ei[i].hf = -1;
  expert_register_field_array(expert_register_protocol(proto), rows, (int)G_N_ELEMENTS(rows));
}

static void add(packet_info* pinfo, proto_item* item, enum expert expert) { expert_add_info(pinfo, item, &ei[expert]); }

static void add_repeat(packet_info* pinfo, proto_item* item, const roce_packet* p) {
  enum expert expert = E_RETRANSMISSION;
  if (p->known & ROCE_KNOWS_CAUSE) {
    if (p->cause == ROCE_CAUSE_TIMEOUT) expert = E_TIMEOUT;
    if (p->cause == ROCE_CAUSE_SPURIOUS) expert = E_SPURIOUS;
    if (p->cause == ROCE_CAUSE_READ_RESTART) expert = E_READ_RESTART;
  }
  if (expert == E_RETRANSMISSION && (p->known & ROCE_KNOWS_CAUSE)) {
    /* Equal texts are grouped: which NAK it was is in roce.analysis.trigger_frame. */
    expert_add_info_format(pinfo, item, &ei[expert], "Retransmission%s",
                           p->cause == ROCE_CAUSE_RNR    ? " after an RNR NAK"
                           : p->cause == ROCE_CAUSE_NAK  ? " after a NAK"
                           : p->cause == ROCE_CAUSE_SACK ? " after a SACK"
                                                         : ", cause unknown");
  } else {
    add(pinfo, item, expert);
  }
}

static void add_nak(packet_info* pinfo, proto_item* item, const roce_packet* p) {
  const bool sequence_error = (p->syndrome & 0x1F) == 0;
  expert_add_info_format(pinfo, item, &ei[sequence_error ? E_NAK : E_FATAL_NAK], "%s", p->syndrome_text);
}

static void add_verdict(packet_info* pinfo, proto_item* item, const roce_packet* p) {
  switch (p->settled_kind) {
    case ROCE_RETRANSMISSION:
      add_repeat(pinfo, item, p);
      break;
    case ROCE_REORDERED:
      add(pinfo, item, E_REORDERED);
      break;
    case ROCE_DUPLICATE:
      add(pinfo, item, p->captured_twice ? E_CAPTURED_TWICE : E_DUPLICATE);
      break;
    case ROCE_NAK:
      add_nak(pinfo, item, p);
      break;
    case ROCE_RNR_NAK:
      expert_add_info_format(pinfo, item, &ei[E_RNR_NAK], "%s", p->syndrome_text);
      break;
    case ROCE_CNP:
      add(pinfo, item, E_CNP);
      break;
    default:
      break;
  }
  if (p->still_missing != 0) add(pinfo, item, E_MISSING);
  if (p->came_late != 0) add(pinfo, item, E_LATE);
  if (p->not_captured != 0) add(pinfo, item, E_NOT_CAPTURED);
  if (p->acked_unseen) add(pinfo, item, E_ACKED_UNSEEN);
  if (p->qp_reuse) add(pinfo, item, E_QP_REUSE);
}

void roce_add_experts(packet_info* pinfo, proto_item* item, const roce_packet* p) {
  if (p->kind_of_frame == ROCE_FRAME_UNDECODABLE) {
    expert_add_info_format(pinfo, item, &ei[E_UNDECODABLE], "Not decodable: %s", p->undecodable_words);
    return;
  }
  if (p->known & ROCE_KNOWS_ANALYSIS) {
    add_verdict(pinfo, item, p);
  } else if (roce_current_analysis() != NULL && roce_failed(roce_current_analysis())) {
    add(pinfo, item, E_BROKEN);
  } else {
    add(pinfo, item, E_NOT_REMEMBERED);
  }
  if (p->icrc == ROCE_ICRC_BAD) add(pinfo, item, E_ICRC_BAD);
  if (p->ecn == 3 && p->is_data) add(pinfo, item, E_CE);
}
