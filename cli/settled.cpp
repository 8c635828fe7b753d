// SPDX-License-Identifier: BSD-3-Clause
#include "settled.h"

namespace rocetop::cli {

void Settled::on_resolution(const track::Resolution& resolution) {
  auto found = pages_.find(page_of(resolution.frame));
  if (found == pages_.end()) {
    if (pages_.size() >= page_limit_) {
      ++omitted_;
      return;
    }
    found = pages_.emplace(page_of(resolution.frame), std::make_unique<Page>()).first;
  }
  Entry& entry = (*found->second)[resolution.frame.number() % kPage];
  if (resolution.acked_in) entry.acked_in = resolution.acked_in;
  // A retransmission that is acknowledged afterwards stays a retransmission.
  if (resolution.fate == track::Resolution::Fate::kAcknowledged && entry.fate != kNone) return;
  entry.fate = static_cast<std::uint8_t>(resolution.fate);
  if (resolution.fate != track::Resolution::Fate::kRetransmission) return;
  entry.cause = static_cast<std::uint8_t>(resolution.cause);
  entry.trigger_frame = resolution.trigger_frame;
}

std::optional<present::Final> Settled::find(FrameId frame) const {
  const auto found = pages_.find(page_of(frame));
  if (found == pages_.end()) return std::nullopt;
  const Entry& entry = (*found->second)[frame.number() % kPage];
  if (entry.fate == kNone) return std::nullopt;
  present::Final final;
  final.fate = static_cast<track::Resolution::Fate>(entry.fate);
  if (entry.cause != kNone) final.cause = static_cast<track::Cause>(entry.cause);
  final.trigger_frame = entry.trigger_frame;
  final.acked_in = entry.acked_in;
  return final;
}

}  // namespace rocetop::cli
