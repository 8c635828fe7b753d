// SPDX-License-Identifier: BSD-3-Clause
// The table of fields: what veRoCE's directions have beyond those of RoCEv2.
#include <array>

#include "model/fields.h"

namespace rocetop::model {
namespace {

using Direction = track::VeroceDirection;
using Recovery = track::VeroceRecovery;
using Path = track::VerocePath;
constexpr FieldKind kCounter = FieldKind::kCounter;
constexpr FieldKind kGauge = FieldKind::kGauge;

template <auto Member, typename T>
FieldValue member(const T& object) {
  return std::uint64_t{object.*Member};
}

constexpr std::array kDirection = {
    Field<Direction>{"trimmed_packets", "trimmed", "packets", "Packets whose payload was cut off on the way.", kCounter,
                     member<&Direction::trimmed, Direction>},
    Field<Direction>{"rtt_requests", "RTT probes", "packets", "RTT Requests sent in this direction.", kCounter,
                     member<&Direction::rtt_requests, Direction>},
    Field<Direction>{"raw_packets", "raw", "packets",
                     "Packets that fit no layout: counted as frames, followed in nothing.", kCounter,
                     member<&Direction::raw_packets, Direction>},
    Field<Direction>{"packets_on_other_paths", "on other paths", "packets",
                     "Packets over more paths than are told apart.", kCounter,
                     member<&Direction::packets_elsewhere, Direction>},
    Field<Direction>{"lost_packets_on_other_paths", "lost on other paths", "packets", "Of these, lost.", kCounter,
                     member<&Direction::lost_elsewhere, Direction>},
};

constexpr std::array kRecovery = {
    Field<Recovery>{"acks", "ACK", "packets",
                    "Acknowledgements of the other end about this space, without SACK and NAK.", kCounter,
                    member<&Recovery::acks, Recovery>},
    Field<Recovery>{"sacks", "SACK", "packets", "Selective acknowledgements of the other end about this space.",
                    kCounter, member<&Recovery::sacks, Recovery>},
    Field<Recovery>{"packet_drop_naks", "Packet Drop", "packets",
                    "Packet Drop NAKs of the other end: each asks for one packet, as of one that was trimmed.",
                    kCounter, member<&Recovery::packet_drop_naks, Recovery>},
    Field<Recovery>{"becn_replies", "BECN", "packets",
                    "ACKs, SACKs and NAKs of the other end with BECN: they answer CE marks as CNPs do.", kCounter,
                    member<&Recovery::becn_replies, Recovery>},
    Field<Recovery>{"holes_told_psns", "holes", "PSNs",
                    "PSNs that a SACK showed as not received while later ones were, each once.", kCounter,
                    member<&Recovery::holes_told, Recovery>},
    Field<Recovery>{"resent_psns", "resent PSNs", "PSNs", "PSNs sent again at least once.", kCounter,
                    member<&Recovery::resent_psns, Recovery>},
    Field<Recovery>{"second_round_packets", "second round", "packets", "Resends of what had been resent before.",
                    kCounter, member<&Recovery::second_round, Recovery>},
    Field<Recovery>{"needless_packets", "needless", "packets", "Resends of what a reply had told as received before.",
                    kCounter, member<&Recovery::needless, Recovery>},
    Field<Recovery>{"early_answer_packets", "answered early", "packets",
                    "Resends answered sooner than any round trip: the original had arrived.", kCounter,
                    member<&Recovery::early_answers, Recovery>},
    Field<Recovery>{"flagged_resend_packets", "flagged", "packets", "Packets sent again with the Retrans flag.",
                    kCounter, member<&Recovery::flagged_resends, Recovery>},
    Field<Recovery>{"unflagged_resend_packets", "unflagged", "packets",
                    "Packets sent again without the Retrans flag, which are no copies.", kCounter,
                    member<&Recovery::unflagged_resends, Recovery>},
    Field<Recovery>{"reorder_depth_psns", "reorder depth", "PSNs",
                    "The most PSNs by which a first transmission was behind the highest one.", kGauge,
                    member<&Recovery::reorder_depth, Recovery>},
    Field<Recovery>{"beyond_window_packets", "beyond bitmap", "packets",
                    "Packets more than a SACK bitmap ahead of a PSN that had not been seen.", kCounter,
                    member<&Recovery::beyond_window, Recovery>},
    Field<Recovery>{"full_sack_bitmaps", "full bitmaps", "packets", "SACKs that leave no room in their bitmap.",
                    kCounter, member<&Recovery::full_bitmaps, Recovery>},
};

constexpr std::array kPath = {
    Field<Path>{"packets", "packets", "packets", "Packets over this path that take a PSN, resends included.", kCounter,
                member<&Path::packets, Path>},
    Field<Path>{"bytes_on_wire", "bytes", "bytes", "Length of these packets on the wire.", kCounter,
                member<&Path::bytes_on_wire, Path>},
    Field<Path>{"ce_packets", "CE", "packets", "Of these, marked: congestion experienced.", kCounter,
                member<&Path::ce_packets, Path>},
    Field<Path>{"resent_packets", "resent", "packets", "Of these, resends.", kCounter, member<&Path::resent, Path>},
    Field<Path>{"trimmed_packets", "trimmed", "packets", "Of these, without their payload.", kCounter,
                member<&Path::trimmed, Path>},
    Field<Path>{"lost_packets", "lost", "packets",
                "Of these, asked for again, or run into the timer, without a sign that they had arrived.", kCounter,
                member<&Path::lost, Path>},
    Field<Path>{"asked_by_nak_packets", "NAKed", "packets",
                "Of these, whole at the tap, and asked for again by a Packet Drop NAK: trimmed behind it.", kCounter,
                member<&Path::asked_by_nak, Path>},
    Field<Path>{"late_packets", "late", "packets",
                "Of these, first transmissions that packets with higher PSNs had overtaken.", kCounter,
                member<&Path::late, Path>},
    Field<Path>{"cnps", "CNP", "packets", "CNPs that name this path.", kCounter, member<&Path::cnps, Path>},
    Field<Path>{"slow_signals", "slow", "packets", "Slow-Packet Signals that name this path.", kCounter,
                member<&Path::slow_signals, Path>},
};

}  // namespace

std::span<const Field<Direction>> veroce_fields() { return kDirection; }
std::span<const Field<Recovery>> recovery_fields() { return kRecovery; }
std::span<const Field<Path>> path_fields() { return kPath; }

}  // namespace rocetop::model
