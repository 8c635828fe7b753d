/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the C files of the plugin share. All of them call Wireshark, so all of them are C: such a call may longjmp, past
 * whatever frames there are. */
#pragma once

#include "bridge.h"
#include "wireshark.h"

typedef struct roce_preferences {
  roce_ws_bool analyze;
  roce_ws_bool info_column;
  roce_ws_bool relative_psn;
  roce_ws_bool claim;
  roce_ws_bool verify_icrc;
  range_t* ports;
  guint max_frames;
  const char* thresholds;
  const char* veroce_layout;
} roce_preferences;

extern roce_preferences roce_prefs;
void roce_register_preferences(int proto);

/* The frame as the bridge takes it. False for what is no packet, or of a link type that carries no RoCE. */
bool roce_frame_of(tvbuff_t* tvb, packet_info* pinfo, roce_frame* frame);

/* Fields and expert infos of protocol "roce". */
void roce_register_fields(int proto);
bool roce_fields_are_wanted(proto_tree* tree);
void roce_add_fields(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const roce_packet* packet);
void roce_register_experts(int proto);
void roce_add_experts(packet_info* pinfo, proto_item* item, const roce_packet* packet);

/* Whether something is wrong, or unusual, about a packet: tcp.analysis.flags. */
bool roce_is_unusual(const roce_packet* packet);

/* "Retransmission of #41, NAK #40": what is unusual about a packet, or acknowledges another one. Empty, if nothing. */
const char* roce_marks(wmem_allocator_t* pool, const roce_packet* packet, bool say_cut);

/* Repairs and enriches the Info column. */
void roce_set_info(packet_info* pinfo, const roce_packet* packet);

/* Wireshark's own dissector for a RoCEv2 packet that it gave to another one. */
void roce_find_stock_dissector(void);
bool roce_is_stolen(packet_info* pinfo);
void roce_claim(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const roce_packet* packet);

/* The protocol "roce", its analysis and its tap; see bridge.h for what the tap gives. */
void proto_register_roce(void);
void proto_reg_handoff_roce(void);
/* What is shown of the packet that Wireshark dissected for its window; NULL if it is no RoCE. */
const roce_packet* roce_packet_shown(packet_info* pinfo);
/* Of the capture that is open; NULL if there is none, or nothing was looked at. */
roce_analysis* roce_current_analysis(void);
/* The options that the preferences make. `ports` has room for ROCE_PORTS_MOST. */
#define ROCE_PORTS_MOST 64
roce_options roce_current_options(uint16_t ports[ROCE_PORTS_MOST]);

/* The protocol "veroce": UDP port 4794. */
void proto_register_veroce(void);
void proto_reg_handoff_veroce(void);
/* Whether a field of it may be wanted; its headers, of a packet that is veRoCE. */
bool roce_veroce_is_wanted(void);
void roce_add_veroce(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, const roce_veroce* veroce);
