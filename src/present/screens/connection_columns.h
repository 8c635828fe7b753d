// SPDX-License-Identifier: BSD-3-Clause
// The columns of the connections on a screen: what each shows, and what it is sorted by.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/trouble.h"
#include "present/screens/drawing.h"

namespace rocetop::present {

/// One connection of a snapshot.
struct ConnectionRow {
  const Drawing& d;
  const track::ConnectionCounts& c;
  const model::Trouble& trouble;
  const model::ConnectionTotals& all;     ///< since the start, or the reset
  const model::ConnectionTotals& recent;  ///< of the last interval
};

struct ConnectionColumn {
  std::string_view heading;
  std::string_view help;
  std::size_t width;
  int importance;  ///< 0 always; else the lower the longer it stays
  Piece (*cell)(const ConnectionRow&, std::size_t room);
  double (*value)(const ConnectionRow&);  ///< larger ones come first
};

inline constexpr std::size_t kTroubleColumn = 0;
inline constexpr std::size_t kPeersColumn = 1;
std::span<const ConnectionColumn> connection_columns();
/// The column with that heading, in whatever case.
std::optional<std::size_t> connection_column(std::string_view heading);

/// "active", "idle", "ended", "resends", …: what a connection does now, as far as the capture shows.
std::string_view state_word(const ConnectionRow& row);

/// Whether the words of a filter all fit: ip:, qp:, state:, or any part of what is shown of it; "!" in front turns one
/// round.
bool matches(std::string_view filter, const ConnectionRow& row);
/// The first word of a filter that nothing can ever fit (a key or a state that does not exist, a QPN that is no
/// number), as it was written; empty if there is none.
std::string_view impossible_word(std::string_view filter);

/// The direction that tells most of the round trips; null if there is none.
const track::RoundTripCounts* round_trips(const track::ConnectionCounts& c);
/// The messages of the commonest kind; null if none was completed.
const track::MessageCounts* messages(const track::ConnectionCounts& c);

}  // namespace rocetop::present
