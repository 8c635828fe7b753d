/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets that Wireshark gives to another dissector although they are RoCEv2: it goes by the lower one of the two UDP
 * ports, and senders choose their source ports at random. Also those whose encapsulation only rocetop knows. */
#include "plugin.h"

#define ROCE_V2_PORT 4791

static dissector_handle_t roce_v2_handle;
static int proto_infiniband = -1;

void roce_find_stock_dissector(void) {
  /* The one called "infiniband" is another: it begins at the LRH. This one has no name. */
  roce_v2_handle = dissector_get_default_uint_handle("udp.port", ROCE_V2_PORT);
  proto_infiniband = proto_get_id_by_filter_name("infiniband");
}

bool roce_is_stolen(packet_info* pinfo) {
  return roce_v2_handle != NULL && proto_infiniband != -1 &&
         proto_is_protocol_enabled(find_protocol_by_id(proto_infiniband)) &&
         !proto_is_frame_protocol(pinfo->layers, "infiniband");
}

void roce_claim(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const roce_packet* p) {
  if (p->kind_of_frame != ROCE_FRAME_PACKET || p->protocol != ROCE_V2 || p->fragment || p->bth_offset == 0) return;
  col_clear_fence(pinfo->cinfo, COL_INFO);
  /* What dissectors of the payload throw is shown, as Wireshark does it, and must not keep anything from what is left
   * to do here. */
  TRY { call_dissector(roce_v2_handle, tvb_new_subset_remaining(tvb, (gint)p->bth_offset), pinfo, tree); }
  CATCH_ALL { show_exception(tvb, pinfo, tree, EXCEPT_CODE, GET_MESSAGE); }
  ENDTRY;
}
