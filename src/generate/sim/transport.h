// SPDX-License-Identifier: BSD-3-Clause
// Transport: what one end of a connection does by its protocol: it is asked for messages, gives packets, takes packets.
// It has no clock and no network: it is told what came and when, and gives the next packet.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "generate/sim/packet.h"

namespace rocetop::generate::sim {

enum class GoBackCause : std::uint8_t { kNak, kRnr, kTimeout, kReadRestart };
inline constexpr std::size_t kGoBackCauses = 4;

/// Why a veRoCE packet was sent again.
enum class ResendCause : std::uint8_t { kSack, kSecondRound, kDropNak, kTimeout };
inline constexpr std::size_t kResendCauses = 4;

/// What an end did that no capture says.
struct TransportDeeds {
  std::array<std::uint64_t, kGoBackCauses> go_backs{};
  // veRoCE, in packets:
  std::array<std::uint64_t, kResendCauses> resends{};
  std::uint64_t received_again = 0;
  std::uint64_t beyond_bitmap = 0;  ///< dropped: the bitmap did not go so far
};

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// For the next message of flow number `flow`.
  virtual void ask(const FlowPlan& plan, std::uint32_t flow, Time now) = 0;
  virtual void receive(const Packet& packet, Time now) = 0;
  /// The packet, which is received next, came marked CE, and it is time to say so. False: by a CNP, not by this.
  virtual bool tell_mark(const Packet& /*packet*/) { return false; }

  /// Acknowledgements and the like: those go before all data of the adapter.
  virtual bool has_answer() const = 0;
  virtual Packet next_answer(Time now) = 0;
  /// When data may be sent: `now` or earlier, later, or kNever.
  virtual Time data_at(Time now) const = 0;
  /// Only when it may.
  virtual Packet next_data(Time now) = 0;
  /// What next_data() gave leaves now, with all that the adapter adds.
  virtual void on_sent(const Packet& /*packet*/, Time /*now*/) {}

  /// When silence becomes a timeout, unless something comes; kNever while nothing is outstanding.
  virtual Time deadline() const = 0;
  virtual void on_timeout(Time now) = 0;

  /// Flows whose message is complete, since the last call.
  virtual void take_completed(std::vector<std::uint32_t>& into) = 0;
  /// After `messages` were executed, the next one is refused with a NAK of this code.
  virtual void refuse_after(std::uint64_t messages, std::uint8_t code) = 0;
  virtual TransportDeeds deeds() const = 0;
};

}  // namespace rocetop::generate::sim
