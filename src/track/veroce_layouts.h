// SPDX-License-Identifier: BSD-3-Clause
// VeroceLayouts: which layout a veRoCE packet is read by. Every packet is read by each alternative that its headers can
// tell apart; what fits is counted for its flow (one direction of a connection) and for its two hosts. A flow is read
// by what its own packets say; where they say nothing by what others between the hosts say; else by the layout that was
// asked for. What fits no reading stays raw. Works with one direction alone, and needs no tracking.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/lazy.h"
#include "base/nanos.h"
#include "track/copy_log.h"
#include "track/flow_key.h"
#include "track/veroce_context.h"
#include "track/veroce_evidence.h"
#include "wire/packet.h"

namespace rocetop::track {

/// What was found out about layouts, for a report.
struct VeroceReport {
  struct Item {
    wire::VeroceItem item;
    LayoutChoice choice;  ///< by all packets together
  };
  struct Use {
    std::string layout;  ///< differences from the default, or wire::kPlainLayout
    wire::LayoutConfidence confidence = wire::LayoutConfidence::kAssumed;
    std::uint64_t flows = 0;
  };
  std::vector<Item> items;  ///< all
  std::vector<Use> uses;    ///< the most frequent first, at most kUses
  std::uint64_t flows = 0;
  std::uint64_t evicted_flows = 0;  ///< forgotten at the limit: judged anew when they come again

  static constexpr std::size_t kUses = 8;
};

class VeroceLayouts {
 public:
  static constexpr std::size_t kFlows = 16'384;  ///< about 1.6 KB each
  static constexpr std::size_t kHosts = 4'096;   ///< pairs, about 0.8 KB each

  /// `base`: what is assumed. `known`: from an earlier pass over the same packets, whose choices then hold from the
  /// first packet on; or null.
  explicit VeroceLayouts(const wire::VeroceLayout& base, std::shared_ptr<const VeroceLayouts> known = nullptr,
                         std::size_t flow_limit = kFlows)
      : base_(base), known_(std::move(known)), flow_limit_(flow_limit) {}

  /// Reads a veRoCE packet by the layout that is known of its connection by now, this packet included. Plain RoCEv2 on
  /// veRoCE's port becomes a RoCEv2 packet. Other protocols are left alone.
  void settle(wire::Packet& packet, std::optional<Nanos> time);
  /// The same for a copy that the capture made: nothing is learnt of it.
  void settle_copy(wire::Packet& packet);

  VeroceReport report() const;

 private:
  struct Flow {
    LayoutEvidence evidence;
    VeroceContext context;
    std::uint64_t used = 0;
  };
  struct RttRequest {
    IpAddress from;
    std::uint32_t context = 0;
    std::uint32_t tx1 = 0;
    std::uint16_t udp_src = 0;
    std::optional<Nanos> time;
  };
  struct Hosts {
    static constexpr std::size_t kRttRequests = 8;
    LayoutEvidence evidence;
    std::array<RttRequest, kRttRequests> requests;
    std::uint8_t next_request = 0;
    std::uint64_t used = 0;
  };
  struct Chosen;

  static FlowKey flow_key(const wire::Packet& packet);
  static HostPair hosts_key(const wire::Packet& packet);
  Flow& flow_of(const wire::Packet& packet);
  Hosts& hosts_of(const wire::Packet& packet);
  bool is_copy(const wire::Packet& packet, Nanos time);
  void learn(const wire::Packet& packet, Flow& flow, Hosts& hosts);
  void learn_icrc(const wire::Packet& packet, Flow& flow, Hosts& hosts);
  void learn_item(wire::VeroceItem item, std::uint32_t fitting, std::uint32_t possible, Flow& flow, Hosts& hosts);
  void remember(const wire::Packet& packet, const wire::VeroceReading& reading, Flow& flow, Hosts& hosts);
  Chosen choose(const FlowKey& key, const LayoutEvidence& flow, const LayoutEvidence& hosts) const;
  void judge_icrc(wire::Packet& packet, const Flow& flow, const Hosts& hosts) const;
  void conclude(wire::Packet& packet, Flow& flow, Hosts& hosts, bool learns);
  void settle_rtt(wire::Packet& packet, Hosts& hosts, std::optional<Nanos> time);

  wire::VeroceLayout base_;
  std::shared_ptr<const VeroceLayouts> known_;
  std::size_t flow_limit_;
  tsl::robin_map<FlowKey, std::unique_ptr<Flow>, FlowKeyHash> flows_;
  tsl::robin_map<HostPair, std::unique_ptr<Hosts>, HostPairHash> hosts_;
  LayoutEvidence all_;
  Lazy<CopyLog> copies_;
  std::uint64_t clock_ = 0;  // counts packets
  std::uint64_t evicted_flows_ = 0;
};

}  // namespace rocetop::track
