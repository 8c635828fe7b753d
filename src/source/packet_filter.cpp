// SPDX-License-Identifier: BSD-3-Clause
#include "source/packet_filter.h"

#include <pcap/pcap.h>

#include <optional>
#include <unordered_map>
#include <utility>

#include "source/input_name.h"
#include "source/record_reader.h"

namespace rocetop::source {
namespace {

/// libpcap's own number for a link type; the two differ only for a few old ones (LINKTYPE_ registry, "DLT_ name").
int dlt_of(LinkType type) {
  switch (type) {
    case LinkType::kRaw:
    case LinkType::kRaw12:
    case LinkType::kRaw14:
      return DLT_RAW;
    case LinkType::kLoop:
      return DLT_LOOP;
    default:
      return static_cast<int>(type);
  }
}

/// A compiled program, or why there is none.
class Program {
 public:
  Program(const std::string& expression, LinkType type) {
    const std::unique_ptr<pcap_t, decltype(&pcap_close)> handle(pcap_open_dead(dlt_of(type), kLongestFrame),
                                                                pcap_close);
    if (!handle) {
      refusal_ = "no memory to compile the filter";
    } else if (pcap_compile(handle.get(), &program_, expression.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0) {
      refusal_ = input_name(pcap_geterr(handle.get()));  // may quote the expression: never raw to a terminal
    } else {
      compiled_ = true;
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (compiled_) pcap_freecode(&program_);
  }

  bool compiled() const { return compiled_; }
  const std::string& refusal() const { return refusal_; }
  bool matches(const Frame& frame) const {
    pcap_pkthdr header{};  // the time is not looked at by any filter
    header.caplen = static_cast<bpf_u_int32>(frame.bytes.size());
    header.len = frame.wire_length;
    return pcap_offline_filter(&program_, &header, frame.bytes.data()) != 0;
  }

 private:
  bpf_program program_{};
  std::string refusal_;
  bool compiled_ = false;
};

}  // namespace

struct PacketFilter::Programs {
  std::string expression;
  std::unordered_map<std::uint16_t, Program> by_link_type;  // at most 65,536, by the key
  LinkType last_type = LinkType::kEthernet;
  const Program* last = nullptr;
  std::uint64_t frames_not_judged = 0;
  std::string refusal;

  const Program& program(LinkType type) {
    if (last != nullptr && type == last_type) return *last;
    const auto [entry, is_new] = by_link_type.try_emplace(static_cast<std::uint16_t>(type), expression, type);
    if (is_new && !entry->second.compiled() && refusal.empty()) {
      refusal = "link type " + std::to_string(static_cast<unsigned>(type)) + ": " + entry->second.refusal();
    }
    last_type = type;
    last = &entry->second;
    return *last;
  }
};

PacketFilter::PacketFilter(std::unique_ptr<Programs> programs) : programs_(std::move(programs)) {}
PacketFilter::PacketFilter(PacketFilter&&) noexcept = default;
PacketFilter& PacketFilter::operator=(PacketFilter&&) noexcept = default;
PacketFilter::~PacketFilter() = default;

Result<PacketFilter> PacketFilter::compile(const std::string& expression) {
  auto programs = std::make_unique<Programs>();
  programs->expression = expression;
  const Program& ethernet = programs->program(LinkType::kEthernet);
  if (!ethernet.compiled()) {
    return Error{"the filter expression is not valid: " + ethernet.refusal(),
                 "The syntax is tcpdump's, see pcap-filter(7): for example 'host 192.0.2.1 and udp port 4791'."};
  }
  return PacketFilter(std::move(programs));
}

bool PacketFilter::matches(const Frame& frame) {
  const Program& program = programs_->program(frame.link_type);
  if (program.compiled()) return program.matches(frame);
  ++programs_->frames_not_judged;
  return false;
}

std::uint64_t PacketFilter::frames_not_judged() const { return programs_->frames_not_judged; }
const std::string& PacketFilter::refusal() const { return programs_->refusal; }

}  // namespace rocetop::source
