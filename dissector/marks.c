/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A packet's verdict in a few words, for the list and the first line of the details. */
#include "plugin.h"

bool roce_is_unusual(const roce_packet* p) {
  switch (p->settled_kind) {
    case ROCE_RETRANSMISSION:
    case ROCE_REORDERED:
    case ROCE_DUPLICATE:
    case ROCE_NAK:
    case ROCE_RNR_NAK:
      return !p->captured_twice && (p->known & ROCE_KNOWS_ANALYSIS) != 0;
    default:
      return p->still_missing != 0 || p->acked_unseen || p->qp_reuse ||
             (p->icrc == ROCE_ICRC_BAD && p->kind_of_frame == ROCE_FRAME_PACKET);
  }
}

static void add(wmem_strbuf_t* marks, const char* text) {
  if (wmem_strbuf_get_len(marks) != 0) wmem_strbuf_append(marks, ", ");
  wmem_strbuf_append(marks, text);
}

static void add_trigger(wmem_strbuf_t* marks, const roce_packet* p) {
  static const char* const words[] = {"NAK",      "RNR NAK", "timeout",      "READ asked again",
                                      "needless", "SACK",    "cause unknown"};
  if (!(p->known & ROCE_KNOWS_CAUSE)) return;
  add(marks, words[p->cause]);
  if (p->trigger_frame != 0) wmem_strbuf_append_printf(marks, " #%u", p->trigger_frame);
}

static void add_repeat(wmem_strbuf_t* marks, const roce_packet* p) {
  switch (p->settled_kind) {
    case ROCE_RETRANSMISSION:
      add(marks, "Retransmission");
      if (p->original_frame != 0) wmem_strbuf_append_printf(marks, " of #%u", p->original_frame);
      if (p->original_frame == 0 && !p->original_hidden) wmem_strbuf_append(marks, ", first one not seen");
      add_trigger(marks, p);
      break;
    case ROCE_REORDERED:
      add(marks, "Reordered");
      break;
    case ROCE_DUPLICATE:
      add(marks, p->captured_twice ? "Captured twice, copy" : "Duplicate");
      if (p->original_frame != 0) wmem_strbuf_append_printf(marks, " of #%u", p->original_frame);
      break;
    default:
      break;
  }
}

/* Most packets: nothing to say, and nothing spent on it. */
static bool has_marks(const roce_packet* p) {
  return roce_is_unusual(p) || p->captured_twice || p->missing_before != 0 || p->names_frame != 0 || p->ecn == 3 ||
         p->cnp_mark_frame != 0 || p->truncated;
}

static void add_count(wmem_strbuf_t* marks, uint32_t psns, const char* what) {
  if (psns == 0) return;
  if (wmem_strbuf_get_len(marks) != 0) wmem_strbuf_append(marks, ", ");
  wmem_strbuf_append_printf(marks, "%u %s", psns, what);
}

static void add_gap(wmem_strbuf_t* marks, const roce_packet* p) {
  add_count(marks, p->still_missing, "missing before");
  add_count(marks, p->came_late, "before came late");
  add_count(marks, p->not_captured, "before not captured");
}

const char* roce_marks(wmem_allocator_t* pool, const roce_packet* p, bool say_cut) {
  if (!has_marks(p)) return "";
  wmem_strbuf_t* marks = wmem_strbuf_new(pool, "");
  if (p->known & ROCE_KNOWS_ANALYSIS) add_repeat(marks, p);
  add_gap(marks, p);
  if (p->acked_unseen) add(marks, "acknowledges what was not seen");
  if (p->qp_reuse) add(marks, "queue pair used again");
  if (p->kind_of_frame == ROCE_FRAME_PACKET && p->icrc == ROCE_ICRC_BAD) add(marks, "ICRC bad");
  if (p->names_frame != 0) add(marks, wmem_strdup_printf(pool, "names #%u", p->names_frame));
  if (p->ecn == 3) add(marks, "CE");
  if (p->cnp_mark_frame != 0) add(marks, wmem_strdup_printf(pool, "answers CE #%u", p->cnp_mark_frame));
  if (p->truncated && say_cut) add(marks, "cut by the snap length");
  return wmem_strbuf_get_str(marks);
}
