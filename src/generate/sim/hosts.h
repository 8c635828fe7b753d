// SPDX-License-Identifier: BSD-3-Clause
// Hosts: the adapters of a simulation. Each sends, one packet at a time, CNPs before acknowledgements before data, data
// of its queue pairs in turn, each at the rate that congestion control allows; it answers CE marks by CNPs; its
// applications (flows) ask for messages and wait for them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "generate/sim/agenda.h"
#include "generate/sim/dcqcn.h"
#include "generate/sim/frame_writer.h"
#include "generate/sim/network.h"
#include "generate/sim/transport.h"

namespace rocetop::generate::sim {

/// One end of a connection: number 2 * connection, or 2 * connection + 1 for its B.
struct QueuePair {
  QueuePair(const ConnectionPlan& connection, std::uint32_t number, std::unique_ptr<Transport> protocol,
            Sequence answers_from, double line)
      : plan(&connection),
        host(number % 2 == 0 ? connection.a : connection.b),
        transport(std::move(protocol)),
        control(line),
        dscp(connection.dscp),
        udp_src(FrameWriter::port_of(connection)),
        wants(answers_from),
        established(connection.set_up == SetUp::kSilent),
        set_up(established) {}

  /// By one rate for the queue pair; veRoCE has one for each path.
  bool is_paced() const { return plan->control == CongestionControl::kDcqcn && !plan->is_veroce(); }

  const ConnectionPlan* plan;
  std::size_t host;
  std::unique_ptr<Transport> transport;
  Dcqcn control;
  std::uint8_t dscp;
  std::uint16_t udp_src;  ///< of what has no path of its own
  Sequence wants;         ///< the first PSN that it answers
  bool established;
  bool set_up;  ///< nothing of CM is waited for any more
  std::uint32_t cm_messages = 0;
  Time paced_until = 0;                  ///< congestion control lets nothing go before
  std::map<std::uint16_t, Time> cnp_at;  ///< when it sent the last CNP, by the UDP source port of the marked packets
  Time wake_at = kNever;
  Time timer_at = kNever;   ///< the next timeout that the agenda has
  bool in_answers = false;  ///< listed in its adapter
  bool in_data = false;
};

class Hosts {
 public:
  Hosts(const Plan& plan, std::uint64_t seed, Agenda& agenda);

  /// Before anything else. The network is made with its user, which needs this.
  void connect(Network& network);

  std::optional<Packet> next_packet(std::size_t host, bool paused);
  void deliver(std::size_t host, const Packet& packet);
  void handle(const Event& event);
  /// From here on: applications ask for nothing more.
  void stop_asking() { asking_ = false; }

  const std::vector<QueuePair>& queue_pairs() const { return pairs_; }

 private:
  struct DueCnp {
    std::uint32_t queue_pair = 0;
    std::uint16_t udp_src = 0;  ///< of the marked packet: of veRoCE it names the path
  };
  struct Adapter {
    std::deque<Packet> management;
    std::deque<DueCnp> cnps;
    std::deque<std::uint32_t> answers;  ///< … that have an acknowledgement or NAK
    std::deque<std::uint32_t> data;     ///< … that may have data
    std::uint16_t ip_id = 1;
  };
  struct Flow {
    std::uint64_t asked = 0;
    std::uint64_t under_way = 0;
  };

  std::optional<Packet> next_data(std::size_t host);
  /// When the queue pair may send data: now or earlier, later, or never.
  Time data_at(const QueuePair& pair) const;
  Packet finish(Packet packet, std::uint32_t number);
  bool owes_cnp(QueuePair& pair, const Packet& packet) const;
  void list(std::uint32_t number);
  void settle(std::uint32_t number);
  void post(std::uint32_t flow);
  void send_cm(std::uint32_t number, CmType type);
  void set_up(std::uint32_t number);
  void establish(std::uint32_t number);
  void on_cm(std::uint32_t number, CmType type);
  void trouble(std::uint32_t number, bool begins);

  const Plan& plan_;
  Agenda& agenda_;
  Network* network_ = nullptr;
  std::vector<QueuePair> pairs_;
  std::vector<Adapter> adapters_;  ///< by node
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> completed_;
  bool asking_ = true;
};

}  // namespace rocetop::generate::sim
