/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocol "veroce", UDP port 4794. Its BTH is as RoCE's, so Wireshark's own dissector of RoCEv2 shows it; the
 * headers behind it are not decoded. What the analysis says of it is the post-dissector's. */
#include "plugin.h"

#define VEROCE_PORT 4794
#define ROCE_V2_PORT 4791

static int proto_veroce = -1;
static dissector_handle_t veroce_handle;
static dissector_handle_t roce_v2_handle;

static int dissect(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data) {
  col_set_str(pinfo->cinfo, COL_PROTOCOL, "veRoCE");
  proto_item* item = proto_tree_add_item(tree, proto_veroce, tvb, 0, -1, ENC_NA);
  proto_item_append_text(item, ": the BTH is RoCE's; headers behind it may be shown as what they are not");
  /* Nothing may be left to do after this call: it does not always return. */
  if (roce_v2_handle != NULL) call_dissector_with_data(roce_v2_handle, tvb, pinfo, tree, data);
  return (int)tvb_captured_length(tvb);
}

void proto_register_veroce(void) {
  if (proto_get_id_by_filter_name("veroce") != -1) return; /* as in roce.c */
  proto_veroce = proto_register_protocol("veRoCE (RoCE over several paths)", "veRoCE", "veroce");
  veroce_handle = register_dissector("veroce", dissect, proto_veroce);
}

void proto_reg_handoff_veroce(void) {
  if (veroce_handle == NULL) return;
  /* The one called "infiniband" is another: it begins at the LRH. This one has no name. */
  roce_v2_handle = dissector_get_default_uint_handle("udp.port", ROCE_V2_PORT);
  dissector_add_uint_with_preference("udp.port", VEROCE_PORT, veroce_handle);
}
