// SPDX-License-Identifier: BSD-3-Clause
// Series: what one kind of packet did over time, for plots. As long as there is room each packet is a cell of its own;
// then neighbours in time are drawn together, in bins that double in width. A series never empties and never counts
// wrong: only the resolution falls. No counts of a report are taken from here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/frame_id.h"
#include "base/nanos.h"

namespace rocetop::model {

/// One packet, or several neighbours in time.
struct Cell {
  Nanos first_time;
  Nanos last_time;
  std::int64_t low = 0;  ///< PSN extended to 64 bits (or what else the series plots), lowest and highest
  std::int64_t high = 0;
  FrameId frame;            ///< of the first packet
  std::uint64_t bytes = 0;  ///< on the wire
  std::uint64_t packets = 1;
};

class Series {
 public:
  /// `limit`: cells, at least 2.
  explicit Series(std::size_t limit) : limit_(limit < 2 ? 2 : limit) {}
  Series() : Series(2) {}

  void add(const Cell& cell);
  /// Keeps no more than `limit` cells from now on.
  void restrict_to(std::size_t limit);
  /// Adds `shift` to what is plotted.
  void move(std::int64_t shift);
  /// Takes over the cells of `other`.
  void absorb(const Series& other, std::size_t limit);
  void absorb(const Series& other) { absorb(other, limit_ > other.limit_ ? limit_ : other.limit_); }
  /// In order of time. Packets may be added late: what they are is settled by later ones.
  void sort();

  /// An empty series with the same limit and bins.
  Series without_cells() const;

  const std::vector<Cell>& cells() const { return cells_; }
  std::uint64_t packets() const { return packets_; }
  /// Width of a bin, 0: each packet is a cell of its own.
  Nanos bin() const { return binned() ? Nanos{std::int64_t{1} << bin_shift_} : Nanos{}; }
  bool binned() const { return bin_shift_ >= 0; }

 private:
  void coarsen(std::size_t most);
  std::size_t cells_at(int shift) const;
  void merge_at(int shift);
  bool same_bin(const Cell& a, const Cell& b, int shift) const {
    return a.first_time.count >> shift == b.first_time.count >> shift;
  }

  std::vector<Cell> cells_;
  std::size_t limit_;
  std::uint64_t packets_ = 0;
  int bin_shift_ = -1;  // bins are 2^n ns wide
};

}  // namespace rocetop::model
