/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocol "roce": a post-dissector. It sees every whole frame after Wireshark is done with it, so neither what
 * other dissectors make of a packet nor their exceptions keep anything from the analysis. A frame is analysed when it
 * is visited first; whenever it is shown, what is known of it by then is added. */
#include "plugin.h"
#include "statistics.h"

static int proto_roce = -1;
static int roce_tap = -1;
static roce_analysis* analysis;

roce_analysis* roce_current_analysis(void) { return analysis; }

static void begin_capture(void) {
  roce_free(analysis);
  analysis = NULL;
}

static void end_first_pass(void) {
  if (analysis != NULL) roce_end(analysis);
}

/* Whether it holds RoCE. */
static bool analyse(const roce_frame* frame) {
  if (analysis == NULL) {
    uint16_t ports[ROCE_PORTS_MOST];
    const roce_options options = roce_current_options(ports);
    analysis = roce_begin(&options);
    if (analysis == NULL) return false;
  }
  return roce_feed(analysis, frame) != ROCE_NOTHING;
}

/* Expert infos are a tap too: `-z expert` asks for no tree. */
static bool experts_are_looked_at(void) {
  static int expert_tap;
  if (expert_tap == 0) expert_tap = find_tap_id("expert"); /* 0 until it is registered, which is late */
  return expert_tap != 0 && have_tap_listener(expert_tap);
}

/* Whether somebody looks at what this packet shows. */
static bool is_looked_at(packet_info* pinfo, proto_tree* tree) {
  return (pinfo->cinfo != NULL && roce_prefs.info_column) || (tree != NULL && roce_fields_are_wanted(tree)) ||
         have_tap_listener(roce_tap) || experts_are_looked_at();
}

const roce_packet* roce_packet_shown(packet_info* pinfo) {
  return (const roce_packet*)p_get_proto_data(pinfo->pool, pinfo, proto_roce, 0);
}

/* As described by the packet and by the analysis; NULL for what is no RoCE. */
static roce_packet* describe(packet_info* pinfo, const roce_frame* frame) {
  if (analysis == NULL) return NULL;
  roce_packet* packet = wmem_new(pinfo->pool, roce_packet);
  return roce_describe(analysis, frame, PINFO_FD_VISITED(pinfo), packet) ? packet : NULL;
}

/* Its own headers follow the BTH. */
static void add_veroce(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const roce_packet* packet,
                       const roce_frame* frame) {
  if (packet->kind_of_frame != ROCE_FRAME_PACKET || packet->protocol != ROCE_VEROCE) return;
  roce_veroce* veroce = wmem_new(pinfo->pool, roce_veroce);
  if (roce_describe_veroce(analysis, frame, veroce)) roce_add_veroce(tvb, pinfo, tree, veroce);
}

static int dissect(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data _U_) {
  roce_frame frame;
  if (!roce_prefs.analyze || !roce_frame_of(tvb, pinfo, &frame)) return 0;
  const bool first_seen = !PINFO_FD_VISITED(pinfo) && analyse(&frame);
  /* On the first visit also where nobody looks: dissectors of the payload build on what they saw then. */
  const bool stolen = roce_prefs.claim && (first_seen || tree != NULL || pinfo->cinfo != NULL) && roce_is_stolen(pinfo);
  if (!stolen && !is_looked_at(pinfo, tree)) return 0;
  roce_packet* packet = describe(pinfo, &frame);
  if (packet == NULL) return 0;
  if (stolen) roce_claim(tvb, pinfo, tree, packet);
  if (tree != NULL && roce_fields_are_wanted(tree)) {
    roce_add_fields(tvb, pinfo, tree, packet);
    add_veroce(tvb, pinfo, tree, packet, &frame);
  } else {
    roce_add_experts(pinfo, NULL, packet);
  }
  roce_set_info(pinfo, packet);
  p_add_proto_data(pinfo->pool, pinfo, proto_roce, 0, packet);
  if (have_tap_listener(roce_tap)) tap_queue_packet(roce_tap, pinfo, packet);
  return (int)frame.captured_length;
}

void proto_register_roce(void) {
  /* Two protocols of one name end Wireshark: who has the name already, keeps it. */
  if (proto_get_id_by_filter_name("roce") != -1) return;
  proto_roce = proto_register_protocol("RoCE analysis", "RoCE analysis", "roce");
  roce_register_fields(proto_roce);
  roce_register_experts(proto_roce);
  roce_register_preferences(proto_roce);
  roce_tap = register_tap("roce");
  roce_register_report();
  roce_register_connections();
  roce_register_tree();
  roce_register_conversation();
  register_init_routine(begin_capture);
  register_cleanup_routine(begin_capture);
  register_postseq_cleanup_routine(end_first_pass);
  register_postdissector(register_dissector("roce", dissect, proto_roce));
}

void proto_reg_handoff_roce(void) { roce_find_stock_dissector(); }
