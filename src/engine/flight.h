// SPDX-License-Identifier: BSD-3-Clause
// Flight: what one direction has sent and nobody has acknowledged, packet by packet. Before the first acknowledgement
// nothing is known: the capture may have begun later than the connection. Bounded, with all others of its kind, by a
// FlightBudget; beyond it nothing is said until what is not remembered is acknowledged.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/psn.h"

namespace rocetop::engine {

struct FlightBudget {
  std::size_t left = 2'000'000;  ///< packets remembered: 32 MB
};

class Flight {
 public:
  /// PSNs first..last are sent for the first time. `skipped`: PSNs before them that the capture does not show.
  void send(Sequence first, Sequence last, std::uint32_t payload_bytes, bool skipped, FlightBudget& budget);
  /// The newest packet is a READ, and how many PSNs it takes is not known until the next one comes.
  void leave_open() { open_ = true; }
  /// … which are those up to `last`.
  void close(Sequence last);
  /// Everything up to `last` is acknowledged.
  void acknowledge(Sequence last, FlightBudget& budget);

  bool started() const { return started_; }
  bool is_open() const { return open_; }
  Sequence highest() const { return highest_; }
  std::optional<std::uint32_t> psns() const;
  std::optional<std::uint64_t> bytes() const;

 private:
  struct Sent {
    Sequence last = 0;
    std::uint32_t bytes = 0;
  };

  Sent& sent(std::size_t i) { return ring_[(oldest_ + i) & (ring_.size() - 1)]; }
  void push(const Sent& sent);

  std::vector<Sent> ring_;  // a power of two: not acknowledged, oldest first; from the first acknowledgement on
  std::size_t oldest_ = 0;
  std::size_t size_ = 0;
  Sequence highest_ = 0;
  Sequence acknowledged_ = 0;
  Sequence unknown_until_ = 0;  // of PSNs up to here the bytes are not known
  std::uint64_t bytes_ = 0;
  bool started_ = false;
  bool open_ = false;
  bool answered_ = false;
};

}  // namespace rocetop::engine
