/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z roce,tree and Statistics, RoCE Packets: packets by operation, what was resent and why, NAKs, congestion, ICRC.
 * It counts what each packet was known to be when it was tapped: final in tshark -2 and in Wireshark. */

/* Wireshark's headers need one another: in this order. */
/* clang-format off */
#include "plugin.h"
#include <epan/stats_tree.h>
/* clang-format on */
#include "statistics.h"

static const char* const kPackets = "RoCE packets";
static const char* const kBeyond = "Beyond roce.max_frames: not judged";
static const char* const kMissing = "PSNs missing (right before a packet)";
static const char* const kLate = "PSNs that came late";
static const char* const kNotCaptured = "PSNs acknowledged, but not captured";
static const char* const kTwice = "Captured twice: copies, not counted above";

static int operations;
static int resent;
static int other;
static int negative;
static int congestion;
static int icrc;
static int undecodable;

static void begin(stats_tree* tree) {
  const int packets = stats_tree_create_node(tree, kPackets, 0, STAT_DT_INT, TRUE);

  operations = stats_tree_create_node(tree, "Operation", packets, STAT_DT_INT, TRUE);
  resent = stats_tree_create_node(tree, "Resent", packets, STAT_DT_INT, TRUE);
  other = stats_tree_create_node(tree, "Out of order, or twice", packets, STAT_DT_INT, TRUE);
  negative = stats_tree_create_node(tree, "Negative acknowledgements", packets, STAT_DT_INT, TRUE);
  congestion = stats_tree_create_node(tree, "Congestion", packets, STAT_DT_INT, TRUE);
  icrc = stats_tree_create_node(tree, "ICRC", packets, STAT_DT_INT, TRUE);
  undecodable = stats_tree_create_node(tree, "Undecodable", packets, STAT_DT_INT, TRUE);
  stats_tree_create_node(tree, kMissing, 0, STAT_DT_INT, TRUE);
}

/* One more of `name` below `parent`, and of the parent called `group`. */
static void count(stats_tree* tree, const char* group, int parent, const char* name) {
  const int packets = stats_tree_parent_id_by_name(tree, kPackets);

  tick_stat_node(tree, group, packets, TRUE);
  tick_stat_node(tree, name, parent, FALSE);
}

/* A response has no cause of its own: it was asked for again. */
static const char* why_resent(const roce_packet* packet) {
  if (packet->space == ROCE_SPACE_RESPONSES) return "responses, asked for again";
  return roce_cause_word(packet->known & ROCE_KNOWS_CAUSE ? packet->cause : ROCE_CAUSE_UNKNOWN);
}

static void count_analysis(stats_tree* tree, const roce_packet* packet) {
  if (packet->settled_kind == ROCE_RETRANSMISSION) count(tree, "Resent", resent, why_resent(packet));
  if (packet->settled_kind == ROCE_REORDERED || packet->settled_kind == ROCE_DUPLICATE)
    count(tree, "Out of order, or twice", other, roce_kind_word(packet->settled_kind));
  if (packet->still_missing != 0) increase_stat_node(tree, kMissing, 0, TRUE, (int)packet->still_missing);
  if (packet->came_late != 0) increase_stat_node(tree, kLate, 0, TRUE, (int)packet->came_late);
  if (packet->not_captured != 0) increase_stat_node(tree, kNotCaptured, 0, TRUE, (int)packet->not_captured);
}

static tap_packet_status tap(stats_tree* tree, packet_info* pinfo _U_, epan_dissect_t* edt _U_, const void* data,
                             tap_flags_t flags _U_) {
  static const char* const icrc_words[] = {"bad", "good", "not verified"};
  const roce_packet* packet = (const roce_packet*)data;

  if (packet->captured_twice) {
    tick_stat_node(tree, kTwice, 0, TRUE);
    return TAP_PACKET_REDRAW;
  }
  tick_stat_node(tree, kPackets, 0, TRUE);
  if (packet->kind_of_frame == ROCE_FRAME_UNDECODABLE) {
    count(tree, "Undecodable", undecodable, packet->undecodable_words);
    return TAP_PACKET_REDRAW;
  }
  count(tree, "Operation", operations, packet->opcode_name);
  if (packet->is_reply_negative) count(tree, "Negative acknowledgements", negative, packet->syndrome_text);
  if (packet->ecn == 3) count(tree, "Congestion", congestion, "CE mark");
  if (packet->is_cnp) count(tree, "Congestion", congestion, "CNP");
  if (packet->fecn) count(tree, "Congestion", congestion, "FECN");
  if (packet->becn) count(tree, "Congestion", congestion, "BECN");
  count(tree, "ICRC", icrc, icrc_words[packet->icrc]);
  if (packet->known & ROCE_KNOWS_ANALYSIS) {
    count_analysis(tree, packet);
  } else {
    tick_stat_node(tree, kBeyond, 0, TRUE);
  }
  return TAP_PACKET_REDRAW;
}

void roce_register_tree(void) {
  /* Only trees of plugins come into the menu by themselves. */
  stats_tree_register_plugin("roce", "roce", "RoCE Packets", 0, tap, begin, NULL);
}
