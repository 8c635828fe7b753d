// SPDX-License-Identifier: BSD-3-Clause
// The one table of fields: every count a report shows, with its key in the JSON, its heading, unit and meaning. JSON,
// the tables for people and metrics read names from here and nowhere else.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "model/host_pairs.h"
#include "model/snapshot.h"
#include "model/totals.h"
#include "track/counts.h"

namespace rocetop::model {

enum class FieldKind : std::uint8_t {
  kCounter,  ///< only grows
  kGauge,    ///< may fall
  kInfo,     ///< describes, is not added up
};

/// monostate: not known.
using FieldValue = std::variant<std::monostate, std::uint64_t, double>;

/// A field of T. `key` is the path in the JSON object of T, with "." between an object and its member.
template <typename T>
struct Field {
  std::string_view key;
  std::string_view heading;  ///< for a table; short
  std::string_view unit;     ///< "packets", "bytes", "bits_per_second", "ratio", …
  std::string_view help;     ///< one sentence
  FieldKind kind = FieldKind::kCounter;
  FieldValue (*get)(const T&) = nullptr;
};

std::span<const Field<CaptureCounts>> capture_fields();
std::span<const Field<track::DirectionCounts>> direction_fields();
std::span<const Field<track::SpaceCounts>> space_fields();
std::span<const Field<ConnectionTotals>> connection_fields();
std::span<const Field<track::DirectionCounts>> delay_fields();  ///< of a direction too: times
std::span<const Field<track::MessageCounts>> message_fields();
std::span<const Field<track::CongestionCounts>> congestion_fields();
std::span<const Field<HostPair>> host_pair_fields();
std::span<const Field<track::VeroceDirection>> veroce_fields();  ///< of a direction of a veRoCE connection
std::span<const Field<track::VeroceRecovery>> recovery_fields();
std::span<const Field<track::VerocePath>> path_fields();

/// The connection field of that key; a key that does not exist is a bug.
const Field<ConnectionTotals>& connection_field(std::string_view key);
const Field<track::DirectionCounts>& delay_field(std::string_view key);

}  // namespace rocetop::model
