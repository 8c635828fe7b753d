// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: decode() on any bytes, the parsers of CM and Fast CNPs on what it finds, and veRoCE read by every
// layout. The first two bytes choose the link type.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "wire/cm.h"
#include "wire/decode.h"
#include "wire/fast_cnp.h"
#include "wire/veroce.h"

namespace {

/// By each alternative of each item, and as RoCEv2.
void read_by_every_layout(rocetop::wire::Packet packet) {
  using namespace rocetop::wire;
  for (std::size_t i = 0; i < kVeroceItems; ++i) {
    const auto item = static_cast<VeroceItem>(i);
    for (std::uint8_t a = 0; a < veroce_item(item).alternatives.size(); ++a) {
      VeroceLayout layout;
      layout.set(item, a);
      apply(read_veroce(packet, layout), layout, packet);
      ROCETOP_CHECK(packet.payload.size() <= packet.payload_bytes);
      if (packet.has(kSacketh)) {
        psn_ranges(packet.veroce.sack.bitmap, packet.veroce.sack.start, packet.veroce.sack.valid_length, true);
      }
      veroce_short_text(packet);
    }
  }
  fits_ibta(packet);
  if (read_as_rocev2(packet)) ROCETOP_CHECK(packet.payload.size() <= packet.payload_bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rocetop;
  using namespace rocetop::wire;
  constexpr LinkType kLinkTypes[] = {
      LinkType::kEthernet,  LinkType::kNull,       LinkType::kRaw,  LinkType::kLinuxSll, LinkType::kErf,
      LinkType::kLinuxSll2, LinkType::kInfiniband, LinkType::kIpv4, LinkType::kIpv6,     LinkType::kLoop};
  constexpr std::size_t kChoiceBytes = 2;
  if (size < kChoiceBytes) return 0;
  const LinkType link_type = kLinkTypes[load_be16(data) % std::size(kLinkTypes)];
  const Bytes frame(data + kChoiceBytes, size - kChoiceBytes);

  Decoded out;
  decode(link_type, frame, static_cast<std::uint32_t>(frame.size()), {}, out);
  ROCETOP_CHECK(out.packet.layer_count <= kMaxLayers);
  if (out.kind != FrameKind::kRoce) return 0;
  ROCETOP_CHECK(out.packet.payload.size() <= out.packet.payload_bytes);
  ROCETOP_CHECK(out.packet.truncated || out.packet.headers == out.packet.expected_headers);
  // Touch all of the payload: a span that is wrong must show here.
  std::uint32_t sum = 0;
  for (const std::uint8_t byte : out.packet.payload) sum += byte;
  [[maybe_unused]] static volatile std::uint32_t sink = 0;
  sink = sum;
  parse_cm(out.packet.payload);
  if (out.packet.protocol == Protocol::kVeroce) read_by_every_layout(out.packet);
  if (out.packet.is_fast_cnp()) parse_fast_cnp(out.packet);
  return 0;
}
