/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From Wireshark's view of a frame to the bridge's. */
#include "plugin.h"

enum {
  LINK_NULL = 0,
  LINK_ETHERNET = 1,
  LINK_RAW = 101,
  LINK_LOOP = 108,
  LINK_LINUX_SLL = 113,
  LINK_IPV4 = 228,
  LINK_IPV6 = 229,
  LINK_INFINIBAND = 247,
  LINK_LINUX_SLL2 = 276,
  LINK_NONE = 0xFFFF
};

/* Wireshark keeps an ERF record's header apart; what is left begins with what the record's type says. */
static uint16_t erf_link_type(uint8_t type) {
  switch (type & 0x7F) {
    case 2:  /* ETH */
    case 11: /* COLOR_ETH */
    case 16: /* DSM_COLOR_ETH */
    case 20: /* COLOR_HASH_ETH */
      return LINK_ETHERNET;
    case 21: /* INFINIBAND */
      return LINK_INFINIBAND;
    case 22: /* IPV4 */
      return LINK_IPV4;
    case 23: /* IPV6 */
      return LINK_IPV6;
    default:
      return LINK_NONE;
  }
}

static uint16_t link_type_of(const wtap_rec* rec) {
  switch (rec->rec_header.packet_header.pkt_encap) {
    case WTAP_ENCAP_ETHERNET:
      return LINK_ETHERNET;
    case WTAP_ENCAP_NULL:
      return LINK_NULL;
    case WTAP_ENCAP_LOOP:
      return LINK_LOOP;
    case WTAP_ENCAP_RAW_IP:
      return LINK_RAW;
    case WTAP_ENCAP_RAW_IP4:
      return LINK_IPV4;
    case WTAP_ENCAP_RAW_IP6:
      return LINK_IPV6;
    case WTAP_ENCAP_SLL:
      return LINK_LINUX_SLL;
    case WTAP_ENCAP_SLL2:
      return LINK_LINUX_SLL2;
    case WTAP_ENCAP_INFINIBAND:
      return LINK_INFINIBAND;
    case WTAP_ENCAP_ERF:
      return erf_link_type(rec->rec_header.packet_header.pseudo_header.erf.phdr.type);
    default:
      return LINK_NONE;
  }
}

/* Stamps come from files and may be absurd: what does not fit in nanoseconds since the epoch is none. */
static bool fits(const nstime_t* time) {
  const int64_t most = INT64_MAX / 1000000000 - 1;
  return time->secs <= most && time->secs >= -most;
}

bool roce_frame_of(tvbuff_t* tvb, packet_info* pinfo, roce_frame* frame) {
  const wtap_rec* rec = pinfo->rec;
  if (rec == NULL || rec->rec_type != REC_TYPE_PACKET) return false;
  memset(frame, 0, sizeof *frame);
  frame->link_type = link_type_of(rec);
  if (frame->link_type == LINK_NONE) return false;
  frame->captured_length = (uint32_t)tvb_captured_length(tvb);
  frame->wire_length = (uint32_t)tvb_reported_length(tvb);
  frame->bytes = frame->captured_length == 0 ? NULL : tvb_get_ptr(tvb, 0, (int)frame->captured_length);
  frame->number = pinfo->num;
  frame->has_interface = (rec->presence_flags & WTAP_HAS_INTERFACE_ID) != 0;
  if (frame->has_interface) frame->interface_id = rec->rec_header.packet_header.interface_id;
  if (rec->presence_flags & WTAP_HAS_SECTION_NUMBER) frame->section = rec->section_number;
  frame->has_time = (pinfo->presence_flags & PINFO_HAS_TS) != 0 && fits(&pinfo->abs_ts);
  if (frame->has_time) frame->time_ns = (int64_t)pinfo->abs_ts.secs * 1000000000 + pinfo->abs_ts.nsecs;
  return true;
}
