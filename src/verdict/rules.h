// SPDX-License-Identifier: BSD-3-Clause
// The rules, one function a theme. Each looks at the evidence and adds what it can prove to the docket.
#pragma once

#include "verdict/docket.h"

namespace rocetop::verdict {

void judge_capture(Docket& docket);          ///< capture.incomplete, .one_way, .truncated, .duplicated
void judge_loss(Docket& docket);             ///< loss.before_tap, .after_tap, .uc, .burst
void judge_retransmissions(Docket& docket);  ///< retransmit.nak, .timeout, .early, .read_restart, .spurious, .waste
void judge_receivers(Docket& docket);        ///< rnr.stall, rnr.timer_zero, nak.fatal
void judge_peers(Docket& docket);            ///< peer.silent, peer.unreachable
void judge_order(Docket& docket);            ///< order.reordered
void judge_integrity(Docket& docket);        ///< icrc.bad, ip.fragments
void judge_management(Docket& docket);       ///< cm.rejected
void judge_congestion(Docket& docket);       ///< ecn.*, cnp.unmatched
void judge_classes(Docket& docket);          ///< dscp.asymmetric, .changed
void judge_pauses(Docket& docket);           ///< pfc.paused, .storm
void judge_sharing(Docket& docket);          ///< incast, unfair, ecmp.low_entropy
void judge_expectations(Docket& docket);     ///< expect.violated
void judge_hosts(Docket& docket);            ///< host.limited
void judge_stragglers(Docket& docket);       ///< straggler
void judge_mtu(Docket& docket);              ///< mtu.small, mtu.mismatch
void judge_set_ups(Docket& docket);          ///< cm.slow
void judge_veroce_paths(Docket& docket);     ///< veroce.path_lossy, .path_slow, .spray_imbalance
void judge_veroce_recovery(Docket& docket);  ///< veroce.timeout_recovery, .spurious, .reorder_window, .trimmed
void judge_veroce_profiles(Docket& docket);  ///< veroce.fallback, .unknown_layout

}  // namespace rocetop::verdict
