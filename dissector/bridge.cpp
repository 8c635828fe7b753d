// SPDX-License-Identifier: GPL-2.0-or-later
// The bridge's functions: each catches everything and hands on; what they do is Session's.
#include "bridge.h"

#include <cstring>
#include <memory>
#include <string>

#include "analysis_state.h"
#include "model/words.h"
#include "session.h"

namespace {

void copy_text(const std::string& from, char* to, std::size_t size) {
  if (size == 0) return;
  const std::size_t length = std::min(from.size(), size - 1);
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

}  // namespace

extern "C" {

roce_analysis* roce_begin(const roce_options* options) noexcept {
  try {
    return new roce_analysis(*options);
  } catch (...) {
    return nullptr;
  }
}

void roce_free(roce_analysis* analysis) noexcept { delete analysis; }  // destructors throw nothing

roce_status roce_feed(roce_analysis* analysis, const roce_frame* frame) noexcept {
  if (analysis->failed) return ROCE_FAILED;
  try {
    return analysis->session.feed(*frame);
  } catch (...) {
    analysis->failed = true;
    return ROCE_FAILED;
  }
}

void roce_end(roce_analysis* analysis) noexcept {
  if (analysis->failed) return;
  try {
    analysis->session.end();
  } catch (...) {
    analysis->failed = true;
  }
}

bool roce_describe(const roce_analysis* analysis, const roce_frame* frame, bool settled, roce_packet* packet) noexcept {
  try {
    return analysis->session.describe(*frame, settled, *packet);
  } catch (...) {
    return false;
  }
}

uint64_t roce_frames_omitted(const roce_analysis* analysis) noexcept { return analysis->session.omitted(); }

bool roce_failed(const roce_analysis* analysis) noexcept { return analysis->failed; }

bool roce_check_thresholds(const char* thresholds, char* fault, size_t fault_size) noexcept {
  try {
    rocetop::verdict::Thresholds ignored;
    const std::string problem = rocetop::dissector::apply_thresholds(thresholds, ignored);
    copy_text(problem, fault, fault_size);
    return problem.empty();
  } catch (...) {
    return false;
  }
}

bool roce_check_veroce_layout(const char* layout, char* fault, size_t fault_size) noexcept {
  try {
    rocetop::wire::VeroceLayout ignored;
    const std::string problem = rocetop::dissector::apply_veroce_layout(layout, ignored);
    copy_text(problem, fault, fault_size);
    return problem.empty();
  } catch (...) {
    return false;
  }
}

bool roce_describe_veroce(const roce_analysis* analysis, const roce_frame* frame, roce_veroce* veroce) noexcept {
  try {
    return analysis->session.describe_veroce(*frame, *veroce);
  } catch (...) {
    return false;
  }
}

void roce_address_text(const uint8_t address[16], char* text, size_t size) noexcept {
  try {
    copy_text(rocetop::IpAddress::v6(address).to_string(), text, size);
  } catch (...) {
    if (size != 0) text[0] = '\0';
  }
}

const char* roce_kind_word(roce_kind kind) noexcept {
  return rocetop::model::word(static_cast<rocetop::track::Kind>(kind)).data();
}

const char* roce_cause_word(roce_cause cause) noexcept {
  return rocetop::model::word(static_cast<rocetop::track::Cause>(cause)).data();
}

const char* roce_space_word(roce_space space) noexcept {
  return rocetop::model::word(static_cast<rocetop::track::SpaceName>(space)).data();
}

const char* roce_fate_word(roce_kind fate) noexcept { return fate == ROCE_ACK ? "acknowledged" : roce_kind_word(fate); }

const char* roce_ecn_words(uint8_t ecn) noexcept {
  return rocetop::model::in_words(static_cast<rocetop::wire::Ecn>(ecn & 3)).data();
}

}  // extern "C"
