// SPDX-License-Identifier: BSD-3-Clause
// The words reports use for the enums of the layers below. `word` is a name: one spelling for JSON, CSV and metrics,
// never changed. `in_words` is what people read instead. Not sentences; those are present's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/ledger_amounts.h"
#include "model/traffic_mix.h"
#include "track/counts.h"
#include "track/observation.h"
#include "verdict/finding.h"
#include "wire/decode.h"
#include "wire/packet.h"

namespace rocetop::model {

std::string_view word(wire::Protocol protocol);        ///< "RoCEv2"
std::string_view word(wire::Transport transport);      ///< "RC"
std::string_view word(wire::Ecn ecn);                  ///< "not_ect"
std::string_view word(wire::IcrcStatus status);        ///< "unchecked"
std::string_view word(track::Outcome outcome);         ///< "capture_missed"
std::string_view word(track::Cause cause);             ///< "read_restart"
std::string_view word(track::Tap tap);                 ///< "near_source"
std::string_view word(track::TapEvidence::Sure sure);  ///< "inferred"
std::string_view word(track::Operation operation);     ///< "write"
std::string_view word(track::PairedBy paired_by);      ///< "cm"; empty for none
std::string_view word(track::SpaceName space);         ///< "requests"; empty for none
std::string_view word(track::Kind kind);               ///< "rnr_nak"
std::string_view word(track::Resolution::Fate fate);
std::string_view word(verdict::Severity severity);
std::string_view word(verdict::Confidence confidence);

std::string_view word(track::Loop loop);  ///< "notification_missing"
std::string_view word(Carrier carrier);   ///< "other_ip"
std::string_view word(TimeState state);   ///< "moving"
std::string_view word(PauseKind kind);    ///< "xoff"

std::string_view in_words(wire::Undecodable reason);   ///< "the BTH version is not 0"
std::string_view in_words(wire::Ecn ecn);              ///< "Not-ECT"
std::string_view in_words(track::Cause cause);         ///< "RNR NAK"
std::string_view in_words(track::Outcome outcome);     ///< "not captured"
std::string_view in_words(track::Kind kind);           ///< "RNR NAK"
std::string_view in_words(track::Tap tap);             ///< "near the source"
std::string_view in_words(track::PairedBy paired_by);  ///< "CM messages"; empty for none
std::string_view in_words(track::Loop loop);           ///< "notification missing"

/// What the gaps between a host's CNPs imply: "queue_pair", "ip_pair", "destination" or "port"; where the capture does
/// not tell two apart, both: "queue_pair or ip_pair". Empty where gaps tell nothing.
std::string pacing_text(const track::CnpPacing& pacing);

/// The reverse, for --fail-on.
std::optional<verdict::Severity> severity_from(std::string_view text);

}  // namespace rocetop::model
