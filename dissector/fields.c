/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of protocol "roce", and a packet's subtree of them. What is not known is not there: no field stands for
 * "none" with a 0. */
#include "plugin.h"

enum field {
  F_STREAM,
  F_QP,
  F_QP_DST,
  F_QP_PEER,
  F_OPCODE,
  F_PSN,
  F_PSN_RELATIVE,
  F_PAYLOAD_BYTES,
  F_FECN,
  F_BECN,
  F_ECN,
  F_CE,
  F_DSCP,
  F_CNP,
  F_CNP_DELAY,
  F_CNP_MARK,
  F_ICRC,
  F_TRUNCATED,
  F_UNDECODABLE,
  F_ANALYSIS,
  F_FLAGS,
  F_KIND,
  F_SPACE,
  F_RETRANSMISSION,
  F_CAUSE,
  F_CAUSE_NAK,
  F_CAUSE_RNR,
  F_CAUSE_TIMEOUT,
  F_CAUSE_READ_RESTART,
  F_CAUSE_SPURIOUS,
  F_CAUSE_SACK,
  F_CAUSE_UNKNOWN,
  F_ORIGINAL_FRAME,
  F_TRIGGER_FRAME,
  F_WAIT,
  F_MISSING_BEFORE,
  F_MISSING_PSNS,
  F_STILL_MISSING,
  F_CAME_LATE,
  F_NOT_CAPTURED,
  F_REORDERED,
  F_DUPLICATE,
  F_CAPTURED_TWICE,
  F_ACKED_UNSEEN,
  F_NAK,
  F_RNR_NAK,
  F_ACKS_FRAME,
  F_NAMES_FRAME,
  F_ACKED_IN,
  F_ACK_RTT,
  F_READ_RTT,
  F_PSNS_IN_FLIGHT,
  F_BYTES_IN_FLIGHT,
  F_FINAL,
  F_QP_REUSE,
  F_MESSAGE,
  F_MSG_ID,
  F_MSG_OPERATION,
  F_MSG_FIRST,
  F_MSG_LAST,
  F_MSG_LENGTH,
  F_MSG_COMPLETED_IN,
  F_MSG_TIME,
  FIELDS
};

static int hf[FIELDS];
static gint ett_roce = -1;
static gint ett_analysis = -1;
static gint ett_message = -1;
static int proto_roce = -1;

static const value_string ecn_names[] = {{0, "Not-ECT"}, {1, "ECT(1)"}, {2, "ECT(0)"}, {3, "CE"}, {0, NULL}};

/* A subtree under construction. */
typedef struct place {
  tvbuff_t* tvb;
  packet_info* pinfo;
  proto_tree* tree;
} place;

static void generated(proto_item* item) { proto_item_set_generated(item); }

static void add_uint(const place* at, enum field field, uint32_t value) {
  generated(proto_tree_add_uint(at->tree, hf[field], at->tvb, 0, 0, value));
}
static void add_uint64(const place* at, enum field field, uint64_t value) {
  generated(proto_tree_add_uint64(at->tree, hf[field], at->tvb, 0, 0, value));
}
static void add_bool(const place* at, enum field field, bool value) {
  generated(proto_tree_add_boolean(at->tree, hf[field], at->tvb, 0, 0, value));
}
static void add_text(const place* at, enum field field, const char* value) {
  generated(proto_tree_add_string(at->tree, hf[field], at->tvb, 0, 0, value));
}
static proto_item* add_none(const place* at, enum field field) {
  proto_item* item = proto_tree_add_item(at->tree, hf[field], at->tvb, 0, 0, ENC_NA);
  generated(item);
  return item;
}
/* Of no frame, nothing. */
static void add_frame(const place* at, enum field field, uint32_t frame) {
  if (frame != 0) add_uint(at, field, frame);
}
static void add_time(const place* at, enum field field, int64_t nanoseconds) {
  nstime_t time;
  time.secs = (time_t)(nanoseconds / 1000000000);
  time.nsecs = (int)(nanoseconds % 1000000000);
  generated(proto_tree_add_time(at->tree, hf[field], at->tvb, 0, 0, &time));
}

static void add_queue_pairs(const place* at, const roce_packet* p) {
  add_uint(at, F_QP, p->dst_qpn);
  if ((p->known & ROCE_KNOWS_PEER_QPN) && p->peer_qpn != p->dst_qpn) add_uint(at, F_QP, p->peer_qpn);
  const bool is_new =
      p->spelled_qpn != p->dst_qpn && (!(p->known & ROCE_KNOWS_PEER_QPN) || p->spelled_qpn != p->peer_qpn);
  if ((p->known & ROCE_KNOWS_SPELLED_QPN) && is_new) add_uint(at, F_QP, p->spelled_qpn);
  add_uint(at, F_QP_DST, p->dst_qpn);
  if (p->known & ROCE_KNOWS_PEER_QPN) add_uint(at, F_QP_PEER, p->peer_qpn);
}

static void add_header_fields(const place* at, const roce_packet* p) {
  add_text(at, F_OPCODE, p->opcode_name);
  add_uint(at, F_PSN, p->psn);
  if (p->known & ROCE_KNOWS_RELATIVE_PSN) add_uint(at, F_PSN_RELATIVE, p->relative_psn);
  if (p->known & ROCE_KNOWS_PAYLOAD) add_uint(at, F_PAYLOAD_BYTES, p->payload_bytes);
  add_bool(at, F_FECN, p->fecn);
  add_bool(at, F_BECN, p->becn);
  if (p->has_ip) {
    add_uint(at, F_ECN, p->ecn);
    add_bool(at, F_CE, p->ecn == 3);
    add_uint(at, F_DSCP, p->dscp);
  }
  add_bool(at, F_CNP, p->is_cnp);
  if (p->known & ROCE_KNOWS_CNP_DELAY) {
    add_time(at, F_CNP_DELAY, p->cnp_delay_ns);
    add_frame(at, F_CNP_MARK, p->cnp_mark_frame);
  }
  add_uint(at, F_ICRC, (uint32_t)p->icrc);
  if (p->truncated) add_none(at, F_TRUNCATED);
}

static void add_retransmission(const place* at, const roce_packet* p) {
  static const enum field of_cause[] = {F_CAUSE_NAK,      F_CAUSE_RNR,  F_CAUSE_TIMEOUT, F_CAUSE_READ_RESTART,
                                        F_CAUSE_SPURIOUS, F_CAUSE_SACK, F_CAUSE_UNKNOWN};
  add_none(at, F_RETRANSMISSION);
  if (p->known & ROCE_KNOWS_CAUSE) add_none(at, of_cause[p->cause]);
  if (p->known & ROCE_KNOWS_WAIT) add_time(at, F_WAIT, p->wait_ns);
}

static void add_missing(const place* at, const roce_packet* p) {
  const uint32_t first = (p->psn - p->missing_before) & 0xFFFFFF;
  const uint32_t last = (p->psn - 1) & 0xFFFFFF;
  add_uint(at, F_MISSING_BEFORE, p->missing_before);
  add_text(at, F_MISSING_PSNS,
           first == last ? wmem_strdup_printf(at->pinfo->pool, "%u", first)
                         : wmem_strdup_printf(at->pinfo->pool, "%u-%u", first, last));
  add_uint(at, F_STILL_MISSING, p->still_missing);
  if (p->came_late != 0) add_uint(at, F_CAME_LATE, p->came_late);
  if (p->not_captured != 0) add_uint(at, F_NOT_CAPTURED, p->not_captured);
}

static void add_verdict(const place* at, const roce_packet* p) {
  add_text(at, F_KIND, roce_kind_word(p->kind));
  if (p->space != ROCE_SPACE_NONE) add_text(at, F_SPACE, roce_space_word(p->space));
  if (roce_is_unusual(p)) add_none(at, F_FLAGS);
  if (p->settled_kind == ROCE_RETRANSMISSION) add_retransmission(at, p);
  if (p->settled_kind == ROCE_REORDERED) add_none(at, F_REORDERED);
  if (p->settled_kind == ROCE_DUPLICATE) add_none(at, p->captured_twice ? F_CAPTURED_TWICE : F_DUPLICATE);
  if (p->settled_kind == ROCE_NAK) add_none(at, F_NAK);
  if (p->settled_kind == ROCE_RNR_NAK) add_none(at, F_RNR_NAK);
  if (p->known & ROCE_KNOWS_CAUSE) add_text(at, F_CAUSE, roce_cause_word(p->cause));
  add_frame(at, F_ORIGINAL_FRAME, p->original_frame);
  add_frame(at, F_TRIGGER_FRAME, p->trigger_frame);
  if (p->missing_before != 0) add_missing(at, p);
  if (p->acked_unseen) add_none(at, F_ACKED_UNSEEN);
  if (p->qp_reuse) add_none(at, F_QP_REUSE);
  add_frame(at, F_ACKS_FRAME, p->acks_frame);
  add_frame(at, F_NAMES_FRAME, p->names_frame);
  if (p->known & ROCE_KNOWS_RTT) add_time(at, p->space == ROCE_SPACE_RESPONSES ? F_READ_RTT : F_ACK_RTT, p->rtt_ns);
  if (p->known & ROCE_KNOWS_PSNS_IN_FLIGHT) add_uint(at, F_PSNS_IN_FLIGHT, p->psns_in_flight);
  if (p->known & ROCE_KNOWS_BYTES_IN_FLIGHT) add_uint64(at, F_BYTES_IN_FLIGHT, p->bytes_in_flight);
  if (p->known & ROCE_KNOWS_FATE) add_text(at, F_FINAL, roce_fate_word(p->fate));
  add_frame(at, F_ACKED_IN, p->acked_in);
}

static void add_message(const place* at, const roce_packet* p) {
  add_uint(at, F_MSG_ID, p->message);
  add_text(at, F_MSG_OPERATION, p->message_operation);
  add_frame(at, F_MSG_FIRST, p->message_first_frame);
  add_frame(at, F_MSG_LAST, p->message_last_frame);
  if (p->known & ROCE_KNOWS_MESSAGE_LENGTH) add_uint64(at, F_MSG_LENGTH, p->message_length);
  add_frame(at, F_MSG_COMPLETED_IN, p->message_completed_in);
  if (p->known & ROCE_KNOWS_COMPLETION_TIME) add_time(at, F_MSG_TIME, p->completion_time_ns);
}

static place inside(const place* at, enum field field, gint ett) {
  place sub = *at;
  sub.tree = proto_item_add_subtree(add_none(at, field), ett);
  return sub;
}

/* proto_field_is_referenced() is of no use for a protocol: tshark -T fields wants all protocols. But a tree that is to
 * be seen wants every field, and a protocol of which a field is wanted is marked. */
bool roce_fields_are_wanted(proto_tree* tree) {
  static const header_field_info* protocols[2]; /* and that of expert infos: these are items below ours */
  if (protocols[0] == NULL) {
    protocols[0] = proto_registrar_get_nth((guint)proto_roce);
    protocols[1] = proto_registrar_get_nth((guint)proto_expert);
  }
  return protocols[0]->ref_type != HF_REF_TYPE_NONE || protocols[1]->ref_type != HF_REF_TYPE_NONE ||
         roce_veroce_is_wanted() || proto_field_is_referenced(tree, hf[F_STREAM]);
}

void roce_add_fields(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const roce_packet* p) {
  proto_item* item = proto_tree_add_item(tree, proto_roce, tvb, 0, 0, ENC_NA);
  generated(item);
  const place at = {tvb, pinfo, proto_item_add_subtree(item, ett_roce)};
  if (p->kind_of_frame == ROCE_FRAME_UNDECODABLE) {
    add_text(&at, F_UNDECODABLE, p->undecodable);
    proto_item_append_text(item, ": not decodable: %s", p->undecodable_words);
    roce_add_experts(pinfo, item, p);
    return;
  }
  if (p->known & ROCE_KNOWS_STREAM) add_uint(&at, F_STREAM, p->stream);
  const char* marks = roce_marks(pinfo->pool, p, true);
  if (*marks != '\0') proto_item_append_text(item, " [%s]", marks);
  add_queue_pairs(&at, p);
  add_header_fields(&at, p);
  if (p->known & ROCE_KNOWS_ANALYSIS) {
    const place analysis = inside(&at, F_ANALYSIS, ett_analysis);
    add_verdict(&analysis, p);
  }
  if (p->known & ROCE_KNOWS_MESSAGE) {
    const place message = inside(&at, F_MESSAGE, ett_message);
    add_message(&message, p);
  }
  roce_add_experts(pinfo, item, p);
}

void roce_register_fields(int proto) {
  static hf_register_info rows[] = {
      {&hf[F_STREAM],
       {"Stream", "roce.stream", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of the connection, from 1: both directions, as rocetop packets counts them", HFILL}},
      {&hf[F_QP],
       {"Queue pair", "roce.qp", FT_UINT24, BASE_DEC, NULL, 0,
        "Number of a queue pair of this packet's connection, whichever end it is at", HFILL}},
      {&hf[F_QP_DST],
       {"Destination queue pair", "roce.qp.dst", FT_UINT24, BASE_DEC, NULL, 0,
        "Number of the queue pair the packet goes to", HFILL}},
      {&hf[F_QP_PEER],
       {"Peer queue pair", "roce.qp.peer", FT_UINT24, BASE_DEC, NULL, 0,
        "Number of the queue pair the packet comes from, as known from the other direction", HFILL}},
      {&hf[F_OPCODE], {"Opcode", "roce.opcode", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
      {&hf[F_PSN], {"PSN", "roce.psn", FT_UINT24, BASE_DEC, NULL, 0, NULL, HFILL}},
      {&hf[F_PSN_RELATIVE],
       {"PSN, relative", "roce.psn.relative", FT_UINT24, BASE_DEC, NULL, 0,
        "Counted from the first request that was seen of this direction; of a reply, of the other one", HFILL}},
      {&hf[F_PAYLOAD_BYTES],
       {"Payload length", "roce.payload_bytes", FT_UINT32, BASE_DEC | BASE_UNIT_STRING, &units_byte_bytes, 0, NULL,
        HFILL}},
      {&hf[F_FECN],
       {"FECN", "roce.fecn", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "Forward explicit congestion notification, a bit of the BTH", HFILL}},
      {&hf[F_BECN],
       {"BECN", "roce.becn", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "Backward explicit congestion notification, a bit of the BTH", HFILL}},
      {&hf[F_ECN],
       {"ECN", "roce.ecn", FT_UINT8, BASE_DEC, VALS(ecn_names), 0, "Of the IP header nearest to the BTH", HFILL}},
      {&hf[F_CE],
       {"CE mark", "roce.ce", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "Congestion experienced, by the IP header nearest to the BTH", HFILL}},
      {&hf[F_DSCP], {"DSCP", "roce.dscp", FT_UINT8, BASE_DEC, NULL, 0, "Of the IP header nearest to the BTH", HFILL}},
      {&hf[F_CNP], {"CNP", "roce.cnp", FT_BOOLEAN, BASE_NONE, NULL, 0, "Congestion notification packet", HFILL}},
      {&hf[F_CNP_DELAY],
       {"CNP delay", "roce.cnp.delay", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Since the latest CE mark that the CNP may answer", HFILL}},
      {&hf[F_CNP_MARK],
       {"CE mark answered", "roce.cnp.mark_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The latest CE mark that the CNP may answer", HFILL}},
      {&hf[F_ICRC],
       {"ICRC status", "roce.icrc.status", FT_UINT8, BASE_NONE, VALS(proto_checksum_vals), 0, NULL, HFILL}},
      {&hf[F_TRUNCATED], {"Cut by the snap length", "roce.truncated", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL}},
      {&hf[F_UNDECODABLE],
       {"Not decodable", "roce.undecodable", FT_STRING, BASE_NONE, NULL, 0,
        "RoCE by port or EtherType, and why it could not be decoded", HFILL}},
      {&hf[F_ANALYSIS], {"Analysis", "roce.analysis", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL}},
      {&hf[F_FLAGS],
       {"Analysis flags", "roce.analysis.flags", FT_NONE, BASE_NONE, NULL, 0, "Something is unusual about this packet",
        HFILL}},
      {&hf[F_KIND],
       {"Kind", "roce.analysis.kind", FT_STRING, BASE_NONE, NULL, 0, "As it was known when the packet came", HFILL}},
      {&hf[F_SPACE], {"PSN space", "roce.analysis.space", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
      {&hf[F_RETRANSMISSION],
       {"Retransmission", "roce.analysis.retransmission", FT_NONE, BASE_NONE, NULL, 0, "The sender went back", HFILL}},
      {&hf[F_CAUSE],
       {"Cause", "roce.analysis.cause", FT_STRING, BASE_NONE, NULL, 0,
        "Why the sender went back: nak, rnr, timeout, read_restart, spurious, sack, unknown", HFILL}},
      {&hf[F_CAUSE_NAK],
       {"Retransmission after a NAK", "roce.analysis.retransmission.nak", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL}},
      {&hf[F_CAUSE_RNR],
       {"Retransmission after an RNR NAK", "roce.analysis.retransmission.rnr", FT_NONE, BASE_NONE, NULL, 0, NULL,
        HFILL}},
      {&hf[F_CAUSE_TIMEOUT],
       {"Retransmission after a timeout", "roce.analysis.retransmission.timeout", FT_NONE, BASE_NONE, NULL, 0, NULL,
        HFILL}},
      {&hf[F_CAUSE_READ_RESTART],
       {"READ asked again", "roce.analysis.retransmission.read_restart", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL}},
      {&hf[F_CAUSE_SPURIOUS],
       {"Needless retransmission", "roce.analysis.retransmission.spurious", FT_NONE, BASE_NONE, NULL, 0,
        "All of it had been acknowledged", HFILL}},
      {&hf[F_CAUSE_SACK],
       {"Retransmission after a SACK", "roce.analysis.retransmission.sack", FT_NONE, BASE_NONE, NULL, 0,
        "veRoCE: it was shown as not received", HFILL}},
      {&hf[F_CAUSE_UNKNOWN],
       {"Retransmission, cause unknown", "roce.analysis.retransmission.unknown", FT_NONE, BASE_NONE, NULL, 0, NULL,
        HFILL}},
      {&hf[F_ORIGINAL_FRAME],
       {"Original", "roce.analysis.original_frame", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_RETRANS_PREV), 0,
        "Where its PSN was first seen", HFILL}},
      {&hf[F_TRIGGER_FRAME],
       {"Trigger", "roce.analysis.trigger_frame", FT_FRAMENUM, BASE_NONE, NULL, 0, "What made the sender go back",
        HFILL}},
      {&hf[F_WAIT],
       {"Wait", "roce.analysis.wait", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Of a retransmission: since its trigger, else since the original", HFILL}},
      {&hf[F_MISSING_BEFORE],
       {"Missing before", "roce.analysis.missing_before", FT_UINT32, BASE_DEC, NULL, 0,
        "PSNs skipped right before this packet", HFILL}},
      {&hf[F_MISSING_PSNS], {"Missing PSNs", "roce.analysis.missing_psns", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
      {&hf[F_STILL_MISSING],
       {"Missing, as it is known now", "roce.analysis.missing_final", FT_UINT32, BASE_DEC, NULL, 0,
        "Of the PSNs missing before: sent again, or never seen. Final with tshark -2", HFILL}},
      {&hf[F_CAME_LATE],
       {"Came late", "roce.analysis.missing_late", FT_UINT32, BASE_DEC, NULL, 0,
        "Of the PSNs missing before: they came after all, and their sender had not gone back", HFILL}},
      {&hf[F_NOT_CAPTURED],
       {"Not captured", "roce.analysis.missing_not_captured", FT_UINT32, BASE_DEC, NULL, 0,
        "Of the PSNs missing before: acknowledged, so that the capture alone missed them", HFILL}},
      {&hf[F_REORDERED],
       {"Reordered", "roce.analysis.reordered", FT_NONE, BASE_NONE, NULL, 0,
        "Came late, and its sender had not gone back", HFILL}},
      {&hf[F_DUPLICATE],
       {"Duplicate", "roce.analysis.duplicate", FT_NONE, BASE_NONE, NULL, 0, "A copy: its sender had not gone back",
        HFILL}},
      {&hf[F_CAPTURED_TWICE],
       {"Captured twice", "roce.analysis.captured_twice", FT_NONE, BASE_NONE, NULL, 0,
        "A copy of the original, as another interface saw it: it counts for nothing", HFILL}},
      {&hf[F_ACKED_UNSEEN],
       {"Acknowledges what was not seen", "roce.analysis.acked_unseen", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL}},
      {&hf[F_NAK], {"NAK", "roce.analysis.nak", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL}},
      {&hf[F_RNR_NAK], {"RNR NAK", "roce.analysis.rnr_nak", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL}},
      {&hf[F_ACKS_FRAME],
       {"Acknowledges", "roce.analysis.acks_frame", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_ACK), 0,
        "The newest packet that it acknowledges", HFILL}},
      {&hf[F_NAMES_FRAME],
       {"Names", "roce.analysis.names_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The packet that the NAK or RNR NAK is about", HFILL}},
      {&hf[F_ACKED_IN],
       {"Acknowledged in", "roce.analysis.acked_in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_ACK), 0,
        "Known once the capture was read: tshark -2", HFILL}},
      {&hf[F_ACK_RTT],
       {"Round trip", "roce.analysis.ack_rtt", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "From a packet sent once to its acknowledgement", HFILL}},
      {&hf[F_READ_RTT],
       {"Round trip of a READ", "roce.analysis.read_rtt", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "From a READ or atomic asked once to its response", HFILL}},
      {&hf[F_PSNS_IN_FLIGHT],
       {"PSNs in flight", "roce.analysis.psns_in_flight", FT_UINT32, BASE_DEC, NULL, 0,
        "Requests of this direction sent and not acknowledged, this one included", HFILL}},
      {&hf[F_BYTES_IN_FLIGHT],
       {"Bytes in flight", "roce.analysis.bytes_in_flight", FT_UINT64, BASE_DEC, NULL, 0,
        "Payload bytes of this direction sent and not acknowledged, this packet included", HFILL}},
      {&hf[F_FINAL],
       {"Settled as", "roce.analysis.final", FT_STRING, BASE_NONE, NULL, 0,
        "What later packets made of it: acknowledged, retransmission, reordered, duplicate; tshark -2", HFILL}},
      {&hf[F_QP_REUSE],
       {"Queue pair used again", "roce.analysis.qp_reuse", FT_NONE, BASE_NONE, NULL, 0,
        "Another connection had this queue pair before", HFILL}},
      {&hf[F_MESSAGE], {"Message", "roce.msg", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL}},
      {&hf[F_MSG_ID],
       {"Number", "roce.msg.id", FT_UINT32, BASE_DEC, NULL, 0, "Among all messages of the capture, from 1", HFILL}},
      {&hf[F_MSG_OPERATION],
       {"Operation", "roce.msg.operation", FT_STRING, BASE_NONE, NULL, 0, "write, send, read or atomic", HFILL}},
      {&hf[F_MSG_FIRST], {"First packet", "roce.msg.first_frame", FT_FRAMENUM, BASE_NONE, NULL, 0, NULL, HFILL}},
      {&hf[F_MSG_LAST],
       {"Last packet", "roce.msg.last_frame", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "Beforehand only once the capture was read: tshark -2", HFILL}},
      {&hf[F_MSG_LENGTH],
       {"Length", "roce.msg.length", FT_UINT64, BASE_DEC | BASE_UNIT_STRING, &units_byte_bytes, 0, NULL, HFILL}},
      {&hf[F_MSG_COMPLETED_IN],
       {"Completed in", "roce.msg.completed_in", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The reply that completes it: tshark -2", HFILL}},
      {&hf[F_MSG_TIME],
       {"Completion time", "roce.msg.completion_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "From its first packet to the reply that completes it, on its last packet: tshark -2", HFILL}},
  };
  static gint* trees[] = {&ett_roce, &ett_analysis, &ett_message};
  for (int i = 0; i < FIELDS; ++i) hf[i] = -1;
  proto_roce = proto;
  proto_register_field_array(proto, rows, (int)G_N_ELEMENTS(rows));
  proto_register_subtree_array(trees, (int)G_N_ELEMENTS(trees));
}
