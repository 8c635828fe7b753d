// SPDX-License-Identifier: BSD-3-Clause
// FrameSource: where frames come from. A file, a pipe, several files merged, an interface or memory look the same.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "base/frame_id.h"
#include "base/link_type.h"
#include "base/nanos.h"
#include "base/result.h"

namespace rocetop::source {

/// One interface of a capture file section (pcap files have exactly one), or of this machine.
struct InterfaceFacts {
  std::uint32_t file = 0;  ///< index of the file it was described in
  std::string name;        ///< may be empty; untrusted text
  LinkType link_type = LinkType::kEthernet;
  std::uint32_t snap_length = 0;               ///< bytes; 0 = no limit given
  std::uint64_t ticks_per_second = 1'000'000;  ///< timestamp resolution
  std::optional<std::uint64_t> speed_bits_per_second;
  std::optional<std::uint8_t> fcs_bytes;        ///< of the frame check sequence at the end of frames, if stated
  std::optional<std::uint64_t> frames_dropped;  ///< as the capture itself reports it (pcapng ISB, kernel counters)
};

/// A captured frame. `bytes` stay valid until the next call of next_batch().
struct Frame {
  FrameId id;
  std::uint32_t interface = 0;  ///< index into interfaces()
  LinkType link_type = LinkType::kEthernet;
  Nanos time;
  std::uint32_t wire_length = 0;  ///< length on the wire; at least bytes.size()
  bool has_time =
      true;  ///< false for a pcapng Simple Packet Block, which carries no stamp: `time` repeats the last one
  Bytes bytes;
};

/// Something wrong with an input, in words: "FILE: at byte OFFSET: REASON".
struct Problem {
  std::string message;
  std::string hint;
  bool fatal = true;   ///< false: a cut-off last record; everything before it was delivered
  bool limit = false;  ///< not a fault of the input: a limit of rocetop
};

class FrameSource {
 public:
  FrameSource() = default;
  FrameSource(const FrameSource&) = delete;
  FrameSource& operator=(const FrameSource&) = delete;
  virtual ~FrameSource() = default;

  /// Clears `batch` and fills it with what can be had without waiting for more than one frame (a pipe delivers what it
  /// holds). False at the end of the input or after a problem; frames before a problem are always delivered first. Who
  /// has a clock() may deliver nothing now and then: time went by.
  virtual bool next_batch(std::vector<Frame>& batch) = 0;

  /// Of a source that follows time: the time on the packets' clock when next_batch() returned last, the last packet's
  /// stamp plus what went by since. Nothing where only packets tell the time, as in files.
  virtual std::optional<Nanos> clock() const { return std::nullopt; }

  /// Up to when nothing can be missing that passed: who is silent until then, was. A pipe is filled in lumps by whoever
  /// captures, so only its packets tell.
  virtual std::optional<Nanos> known_until() const { return clock(); }

  /// Takes what has come meanwhile off a buffer that would overflow, to be delivered later; does not wait. For who does
  /// something long between two batches.
  virtual void keep_up() {}

  /// From another thread: next_batch() waits no more and ends the source. Files do not wait, and ignore it.
  virtual void wake() {}

  /// Interfaces described so far; grows while reading (pcapng).
  virtual const std::vector<InterfaceFacts>& interfaces() const = 0;

  /// Problems met so far, in order.
  virtual const std::vector<Problem>& problems() const = 0;

  /// For a progress bar: bytes consumed of the (compressed) input, and its size when it is known.
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::optional<std::uint64_t> bytes_total() const = 0;
};

/// Opens one capture: pcap or pcapng, plain, gzip or zstd; `path` "-" is standard input. A pipe is waited for, here and
/// in every next_batch(), until the descriptor `stop` has something to read (-1: for ever); that ends the source.
/// Errors: not readable, a directory, empty, not a capture, a format that is refused (each with a hint), stopped.
Result<std::unique_ptr<FrameSource>> open_capture(const std::string& path, int stop = -1);

/// Opens several captures as one, in order of time: files whose times do not overlap follow each other, overlapping
/// ones are merged frame by frame. Errors as above, for the first file that has one.
Result<std::unique_ptr<FrameSource>> open_captures(const std::vector<std::string>& paths, int stop = -1);

}  // namespace rocetop::source
