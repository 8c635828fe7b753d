// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: the bridge of the Wireshark plugin on any sequence of frames. Each frame has a head of four bytes: how
// its time, number, link type and lengths are, and its length. Room for a few frames only, so that the limit is common.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "bridge.h"

namespace {

constexpr std::size_t kHeadBytes = 4;
constexpr std::uint32_t kRoom = 24;
constexpr std::int64_t kTimeStep_ns = 20'000;
constexpr std::array<std::uint16_t, 8> kLinkTypes = {1, 1, 1, 101, 113, 197, 247, 276};

void check_text(const char* text) { ROCETOP_CHECK(text != nullptr && std::strlen(text) < 100); }

/// What is said of a frame is about frames that have been.
void check(const roce_packet& p, std::uint32_t newest) {
  for (const std::uint32_t frame :
       {p.original_frame, p.trigger_frame, p.acks_frame, p.names_frame, p.acked_in, p.cnp_mark_frame,
        p.message_first_frame, p.message_last_frame, p.message_completed_in}) {
    ROCETOP_CHECK(frame <= newest);
  }
  if (p.kind_of_frame == ROCE_FRAME_UNDECODABLE) return check_text(p.undecodable);
  check_text(p.opcode_name);
  check_text(p.opcode_short_name);
  check_text(p.syndrome_text);
  check_text(roce_kind_word(p.kind));
  check_text(roce_kind_word(p.settled_kind));
  check_text(roce_space_word(p.space));
  if (p.known & ROCE_KNOWS_CAUSE) check_text(roce_cause_word(p.cause));
  if (p.known & ROCE_KNOWS_FATE) check_text(roce_fate_word(p.fate));
  if (p.known & ROCE_KNOWS_MESSAGE) check_text(p.message_operation);
  char text[64];
  roce_address_text(p.src, text, sizeof text);
  check_text(text);
}

class Capture {
 public:
  Capture() {
    roce_options options = {};
    options.verify_icrc = true;
    options.max_frames = kRoom;
    analysis_ = roce_begin(&options);
  }
  ~Capture() { roce_free(analysis_); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  void feed(const std::uint8_t* head, const std::uint8_t* bytes, std::uint32_t length) {
    roce_frame frame = {};
    frame.bytes = bytes;
    frame.captured_length = length;
    frame.wire_length = length + (head[0] & 0x01 ? head[2] : 0);
    number_ += head[0] & 0x02 ? 0 : 1;  // else the one before was not kept
    frame.number = std::max(number_, 1u);
    number_ = frame.number;
    time_ns_ += (head[0] & 0x04 ? -1 : 1) * head[1] * kTimeStep_ns;
    frame.time_ns = time_ns_;
    frame.has_time = (head[0] & 0x08) == 0;
    frame.has_interface = (head[0] & 0x10) != 0;
    frame.interface_id = head[1] & 3;
    frame.link_type = kLinkTypes[head[0] >> 5];
    const roce_status status = roce_feed(analysis_, &frame);
    ROCETOP_CHECK(status != ROCE_FAILED && status != ROCE_AFTERWARDS);
    fed_.push_back(frame);
    describe(frame, false);
  }

  void end() {
    roce_end(analysis_);
    for (const roce_frame& frame : fed_) describe(frame, true);
    ROCETOP_CHECK(!roce_failed(analysis_));
  }

 private:
  void describe(const roce_frame& frame, bool settled) const {
    roce_packet packet;
    if (roce_describe(analysis_, &frame, settled, &packet)) check(packet, number_);
  }

  roce_analysis* analysis_;
  std::vector<roce_frame> fed_;
  std::uint32_t number_ = 0;
  std::int64_t time_ns_ = 1'700'000'000'000'000'000;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Capture capture;
  while (size >= kHeadBytes) {
    const std::uint8_t* head = data;
    data += kHeadBytes;
    size -= kHeadBytes;
    const auto length = static_cast<std::uint32_t>(std::min<std::size_t>(head[3], size));
    capture.feed(head, data, length);
    data += length;
    size -= length;
  }
  capture.end();
  return 0;
}
