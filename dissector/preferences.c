/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preferences of the protocol "roce". Wireshark dissects everything anew when one changes, and the analysis begins anew
 * with it. */
#include "plugin.h"

#define MAX_FRAMES 10000000

roce_preferences roce_prefs = {TRUE, TRUE, TRUE, TRUE, TRUE, NULL, MAX_FRAMES, "", ""};

/* A value that is none is said to be so; the default stands. */
static void check_preferences(void) {
  char fault[200];
  if (!roce_check_thresholds(roce_prefs.thresholds, fault, sizeof fault)) {
    report_failure("Preference roce.thresholds: %s", fault);
  }
  if (!roce_check_veroce_layout(roce_prefs.veroce_layout, fault, sizeof fault)) {
    report_failure("Preference roce.veroce_layout: %s", fault);
  }
}

void roce_register_preferences(int proto) {
  module_t* module = prefs_register_protocol(proto, check_preferences);
  prefs_register_bool_preference(module, "analyze", "Analyze RoCE",
                                 "Follow every RoCE connection: retransmissions and their causes, missing packets, "
                                 "acknowledgements, round trips, congestion. Off, this protocol does nothing.",
                                 &roce_prefs.analyze);
  prefs_register_bool_preference(module, "info_column", "Repair and enrich the Info column",
                                 "Name opcodes that Wireshark does not (CNP, XRC), name those of packets cut by the "
                                 "snap length, and say what the analysis found.",
                                 &roce_prefs.info_column);
  prefs_register_bool_preference(module, "relative_psn", "Show relative PSNs in the Info column",
                                 "Besides the PSN, how far it is from the first one that was seen of its direction.",
                                 &roce_prefs.relative_psn);
  prefs_register_bool_preference(module, "claim", "Claim packets that another protocol took",
                                 "Wireshark goes by the lower one of two UDP ports, so a source port of another "
                                 "protocol hides RoCE. Show it as RoCE nevertheless.",
                                 &roce_prefs.claim);
  prefs_register_bool_preference(module, "icrc", "Check the ICRC", "Compute the ICRC of every packet and compare.",
                                 &roce_prefs.verify_icrc);
  range_convert_str(wmem_epan_scope(), &roce_prefs.ports, "", 65535);
  prefs_register_range_preference(module, "ports", "More UDP ports",
                                  "UDP destination ports that carry RoCEv2 besides 4791. (They are analysed; for "
                                  "Wireshark's own fields of them see \"Decode As\".)",
                                  &roce_prefs.ports, 65535);
  prefs_register_uint_preference(module, "max_frames", "Frames remembered at most",
                                 "RoCE frames of which the analysis is remembered, at about 200 bytes each. Later ones "
                                 "are analysed, but show no result.",
                                 10, &roce_prefs.max_frames);
  prefs_register_string_preference(module, "thresholds", "Thresholds of the report",
                                   "name=value, separated by spaces, as in \"early_wait=5ms\"; "
                                   "`rocetop rules --thresholds` lists them.",
                                   &roce_prefs.thresholds);
  prefs_register_string_preference(module, "veroce_layout", "Layout of veRoCE's headers",
                                   "key=value, separated by spaces, as in \"sack_order=psn_len\": what is not to be "
                                   "found out from the packets; docs/veroce.md lists them.",
                                   &roce_prefs.veroce_layout);
}

roce_options roce_current_options(uint16_t ports[ROCE_PORTS_MOST]) {
  roce_options options = {0};
  options.verify_icrc = roce_prefs.verify_icrc;
  options.max_frames = roce_prefs.max_frames;
  options.thresholds = roce_prefs.thresholds;
  options.veroce_layout = roce_prefs.veroce_layout;
  options.ports = ports;
  for (guint i = 0; roce_prefs.ports != NULL && i < roce_prefs.ports->nranges; ++i) {
    const range_admin_t* range = &roce_prefs.ports->ranges[i];
    for (guint port = range->low; port <= range->high && options.port_count < ROCE_PORTS_MOST; ++port) {
      ports[options.port_count++] = (uint16_t)port;
    }
  }
  return options;
}
