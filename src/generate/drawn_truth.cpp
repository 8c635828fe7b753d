// SPDX-License-Identifier: BSD-3-Clause
// The truth about a drawn scenario: what its edits did. Who meant what by which packet, only its author knows.
#include <algorithm>
#include <utility>

#include "generate/scenario.h"

namespace rocetop::generate {
namespace {

std::string event_text(const DrawnEdit& edit, bool seen) {
  std::string out = "\n  {\"time_ns\": " + std::to_string(edit.time.count);
  out += ", \"what\": \"" + std::string(edit.what) + "\"";
  out += ", \"src\": \"" + edit.packet.src.to_string() + "\", \"dst\": \"" + edit.packet.dst.to_string() + "\"";
  out += ", \"dst_qpn\": " + std::to_string(edit.packet.dest_qp.value);
  out += ", \"psn\": " + std::to_string(edit.packet.psn.value);
  return out + ", \"frame\": " + (seen ? std::to_string(edit.frame) : "null") + "}";
}

}  // namespace

std::string drawn_truth(const DrawnScenario& drawn, std::string_view name, std::uint64_t frames) {
  std::string out = "{\"schema\": \"rocetop.truth/1\", \"scenario\": \"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  out += "\", \"seed\": null, \"tap\": null,\n\"events\": [";
  constexpr std::string_view kWords[] = {"lost", "marked", "delayed", "copied", "damaged"};
  std::size_t counts[std::size(kWords)] = {};
  bool any = false;
  for (const DrawnEdit& edit : drawn.edits) {
    if (std::exchange(any, true)) out += ",";
    out += event_text(edit, edit.frame != 0 && edit.frame <= frames);
    ++counts[std::find(std::begin(kWords), std::end(kWords), edit.what) - std::begin(kWords)];
  }
  out += "],\n\"totals\": {\"frames\": " + std::to_string(frames);
  for (std::size_t i = 0; i < std::size(kWords); ++i) {
    out += ", \"" + std::string(kWords[i]) + "\": " + std::to_string(counts[i]);
  }
  return out + "}}\n";
}

}  // namespace rocetop::generate
