/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocol "veroce", UDP port 4794. Its BTH is as RoCE's, so Wireshark's own dissector of RoCEv2 shows it; the
 * headers behind it are the post-dissector's to show, which knows the layout that the connection's packets give. */
#include "plugin.h"

#define VEROCE_PORT 4794
#define ROCE_V2_PORT 4791

enum field {
  F_HEADERS,
  F_LAYOUT,
  F_CONFIDENCE,
  F_FAULT,
  F_RETRANS,
  F_TRIMMED,
  F_MSN,
  F_PO,
  F_RQMSN,
  F_SACK_START,
  F_SACK_LENGTH,
  F_SACK_RECEIVED,
  F_SACK_MISSING,
  F_RTT_CONTEXT,
  F_RTT_TX1,
  F_RTT_RX1,
  F_RTT_TX2,
  F_RTT_RX2,
  F_RTT_HOST,
  F_RTT_NETWORK,
  FIELDS
};

static int proto_veroce = -1;
static int hf[FIELDS];
static gint ett_headers = -1;
static dissector_handle_t veroce_handle;
static dissector_handle_t roce_v2_handle;

static int dissect(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data) {
  col_set_str(pinfo->cinfo, COL_PROTOCOL, "veRoCE");
  proto_item* item = proto_tree_add_item(tree, proto_veroce, tvb, 0, -1, ENC_NA);
  proto_item_append_text(item, ": the BTH is RoCE's; Wireshark may show headers behind it as what they are not");
  /* Nothing may be left to do after this call: it does not always return. */
  if (roce_v2_handle != NULL) call_dissector_with_data(roce_v2_handle, tvb, pinfo, tree, data);
  return (int)tvb_captured_length(tvb);
}

bool roce_veroce_is_wanted(void) {
  static const header_field_info* protocol;
  if (proto_veroce == -1) return false;
  if (protocol == NULL) protocol = proto_registrar_get_nth((guint)proto_veroce);
  return protocol->ref_type != HF_REF_TYPE_NONE;
}

/* --- Headers ------------------------------------------------------------------------------------------------------ */

typedef struct place {
  tvbuff_t* tvb;
  proto_tree* tree;
} place;

static void add_uint(const place* at, enum field field, uint32_t value) {
  proto_item_set_generated(proto_tree_add_uint(at->tree, hf[field], at->tvb, 0, 0, value));
}
static void add_text(const place* at, enum field field, const char* value) {
  proto_item_set_generated(proto_tree_add_string(at->tree, hf[field], at->tvb, 0, 0, value));
}
static void add_time(const place* at, enum field field, int64_t nanoseconds) {
  nstime_t time;
  time.secs = (time_t)(nanoseconds / 1000000000);
  time.nsecs = (int)(nanoseconds % 1000000000);
  proto_item_set_generated(proto_tree_add_time(at->tree, hf[field], at->tvb, 0, 0, &time));
}

static void add_sack(const place* at, const roce_veroce* v) {
  add_uint(at, F_SACK_START, v->sack_start);
  add_uint(at, F_SACK_LENGTH, v->sack_length);
  add_text(at, F_SACK_RECEIVED, v->sack_received);
  add_text(at, F_SACK_MISSING, v->sack_missing);
}

static void add_rtt(const place* at, const roce_veroce* v) {
  add_uint(at, F_RTT_CONTEXT, v->rtt_context);
  add_uint(at, F_RTT_TX1, v->rtt_tx1);
  add_uint(at, F_RTT_RX1, v->rtt_rx1);
  add_uint(at, F_RTT_TX2, v->rtt_tx2);
  add_uint(at, F_RTT_RX2, v->rtt_rx2);
  if (v->has & ROCE_HAS_HOST_DELAY) add_time(at, F_RTT_HOST, v->host_delay_ns);
  if (v->has & ROCE_HAS_NETWORK_DELAY) add_time(at, F_RTT_NETWORK, v->network_delay_ns);
}

void roce_add_veroce(tvbuff_t* tvb, packet_info* pinfo _U_, proto_tree* tree, const roce_veroce* v) {
  if (proto_veroce == -1) return;
  proto_item* item = proto_tree_add_item(tree, hf[F_HEADERS], tvb, 0, 0, ENC_NA);
  proto_item_set_generated(item);
  const place at = {tvb, proto_item_add_subtree(item, ett_headers)};
  add_text(&at, F_LAYOUT, v->layout);
  add_text(&at, F_CONFIDENCE, v->confidence);
  if (v->fault != NULL) {
    add_text(&at, F_FAULT, v->fault);
    proto_item_append_text(item, ": not read, %s", v->fault);
    return;
  }
  if (v->has & ROCE_HAS_RETRANS)
    proto_item_set_generated(proto_tree_add_boolean(at.tree, hf[F_RETRANS], tvb, 0, 0, v->retrans));
  if (v->trimmed) proto_item_set_generated(proto_tree_add_item(at.tree, hf[F_TRIMMED], tvb, 0, 0, ENC_NA));
  if (v->has & ROCE_HAS_MSNETH) add_uint(&at, F_MSN, v->msn);
  if (v->has & ROCE_HAS_POETH) add_uint(&at, F_PO, v->packet_order);
  if (v->has & ROCE_HAS_RQETH) add_uint(&at, F_RQMSN, v->rq_msn);
  if (v->has & ROCE_HAS_SACKETH) add_sack(&at, v);
  if (v->has & ROCE_HAS_RTTETH) add_rtt(&at, v);
}

static void register_fields(void) {
  static hf_register_info rows[] = {
      {&hf[F_HEADERS], {"veRoCE headers", "veroce.headers", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL}},
      {&hf[F_LAYOUT],
       {"Layout", "veroce.layout", FT_STRING, BASE_NONE, NULL, 0,
        "By which the headers were read: the default's name, and what differs from it", HFILL}},
      {&hf[F_CONFIDENCE],
       {"Confidence", "veroce.confidence", FT_STRING, BASE_NONE, NULL, 0,
        "Of the layout: assumed, supported, confirmed, failed", HFILL}},
      {&hf[F_FAULT],
       {"Not read", "veroce.not_read", FT_STRING, BASE_NONE, NULL, 0, "Why what follows the BTH could not be read",
        HFILL}},
      {&hf[F_RETRANS],
       {"Retrans", "veroce.retrans", FT_BOOLEAN, BASE_NONE, NULL, 0, "The sender says that it sent it before", HFILL}},
      {&hf[F_TRIMMED],
       {"Trimmed", "veroce.trimmed", FT_NONE, BASE_NONE, NULL, 0, "Its payload was cut off on the way", HFILL}},
      {&hf[F_MSN],
       {"MSN", "veroce.msn", FT_UINT32, BASE_DEC, NULL, 0, "MSNETH: message sequence number, from 1", HFILL}},
      {&hf[F_PO],
       {"Packet order", "veroce.po", FT_UINT32, BASE_DEC, NULL, 0,
        "POETH: place in the message, from 0; of an acknowledgement 16777215 says nothing", HFILL}},
      {&hf[F_RQMSN],
       {"RQMSN", "veroce.rqmsn", FT_UINT32, BASE_DEC, NULL, 0, "RQETH: which receive request, from 0", HFILL}},
      {&hf[F_SACK_START], {"Bitmap starting PSN", "veroce.sack.start", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL}},
      {&hf[F_SACK_LENGTH], {"Bitmap valid length", "veroce.sack.length", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL}},
      {&hf[F_SACK_RECEIVED],
       {"Received", "veroce.sack.received", FT_STRING, BASE_NONE, NULL, 0, "PSNs of the bitmap, as ranges", HFILL}},
      {&hf[F_SACK_MISSING],
       {"Missing", "veroce.sack.missing", FT_STRING, BASE_NONE, NULL, 0, "PSNs of the bitmap, as ranges", HFILL}},
      {&hf[F_RTT_CONTEXT], {"CC context ID", "veroce.rtt.context", FT_UINT32, BASE_HEX, NULL, 0, NULL, HFILL}},
      {&hf[F_RTT_TX1],
       {"TX1", "veroce.rtt.tx1", FT_UINT32, BASE_DEC, NULL, 0, "Requester sent: ns of its clock", HFILL}},
      {&hf[F_RTT_RX1],
       {"RX1", "veroce.rtt.rx1", FT_UINT32, BASE_DEC, NULL, 0, "Responder received: ns of its clock", HFILL}},
      {&hf[F_RTT_TX2],
       {"TX2", "veroce.rtt.tx2", FT_UINT32, BASE_DEC, NULL, 0, "Responder sent: ns of its clock", HFILL}},
      {&hf[F_RTT_RX2],
       {"RX2", "veroce.rtt.rx2", FT_UINT32, BASE_DEC, NULL, 0,
        "Requester received: ns of its clock; 0 where only it knows", HFILL}},
      {&hf[F_RTT_HOST],
       {"Host delay", "veroce.rtt.host_delay", FT_RELATIVE_TIME, BASE_NONE, NULL, 0, "TX2 - RX1", HFILL}},
      {&hf[F_RTT_NETWORK],
       {"Network delay", "veroce.rtt.network_delay", FT_RELATIVE_TIME, BASE_NONE, NULL, 0, "(RX2 - TX1) - (TX2 - RX1)",
        HFILL}},
  };
  static gint* trees[] = {&ett_headers};
  for (int i = 0; i < FIELDS; ++i) hf[i] = -1;
  proto_register_field_array(proto_veroce, rows, (int)G_N_ELEMENTS(rows));
  proto_register_subtree_array(trees, (int)G_N_ELEMENTS(trees));
}

void proto_register_veroce(void) {
  if (proto_get_id_by_filter_name("veroce") != -1) return; /* as in roce.c */
  proto_veroce = proto_register_protocol("veRoCE (RoCE over several paths)", "veRoCE", "veroce");
  register_fields();
  veroce_handle = register_dissector("veroce", dissect, proto_veroce);
}

void proto_reg_handoff_veroce(void) {
  if (veroce_handle == NULL) return;
  /* The one called "infiniband" is another: it begins at the LRH. This one has no name. */
  roce_v2_handle = dissector_get_default_uint_handle("udp.port", ROCE_V2_PORT);
  dissector_add_uint_with_preference("udp.port", VEROCE_PORT, veroce_handle);
}
