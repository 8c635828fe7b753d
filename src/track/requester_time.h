// SPDX-License-Identifier: BSD-3-Clause
// RequesterTime: what the time of a veRoCE direction's requests went into (TimeSplit), from its first request on. By
// MessageBook's rules, as far as they hold where packets come in any order and single ones are resent while others go
// on: recovery is time only where nothing else was being sent.
//   host      from a reply that leaves nothing outstanding to the next request
//   moving    while the newest message is being sent, or READ responses flow
//   network   gaps of MessageBook::kStall and more in mid-message, with no PSN missing; and, with all sent, from the
//   last thing that
//             happened before a resend to the reply or new request behind it
//   peer      all was sent, and a reply comes next; RNR waits
#pragma once

#include <array>
#include <optional>

#include "track/counts.h"
#include "track/delays.h"

namespace rocetop::track {

class RequesterTime {
 public:
  /// A request that is new. `sending`: its sender is in mid-message; `behind_gap`: others were sent before it that did
  /// not pass. How long nothing was asked of the wire before it, if that was so.
  std::optional<Nanos> on_request(Nanos time, bool sending, bool behind_gap);
  void on_resend(Nanos time, Cause cause);
  /// A reply, after which `idle`: nothing is outstanding; `flowing`: more of a READ's responses are to come.
  void on_reply(Nanos time, bool idle, bool flowing);

  TimeSplit split() const;

 private:
  enum class Stage : std::uint8_t { kHost, kMoving, kWaiting, kRecovering };
  void spend(Stage on, Nanos until);

  Stage stage_ = Stage::kHost;
  bool started_ = false;
  bool sending_ = false;
  bool answered_ = false;  // a reply was seen
  Nanos start_;
  Nanos mark_;  // until here time is accounted for
  Nanos last_request_;
  std::array<Nanos, 4> spent_{};  // by Stage
};

}  // namespace rocetop::track
