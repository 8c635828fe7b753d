// SPDX-License-Identifier: BSD-3-Clause
// Network: links with rate and delay, switches that store and forward with a queue at each port (two classes: CNPs in
// a class of their own go first), ECN marks by queue length, PFC by what a link's packets hold of the receiver's
// memory, faults on the wire. What hosts send and do with what they get is their own affair (hosts.h).
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "generate/sim/agenda.h"
#include "generate/sim/faults.h"
#include "generate/sim/packet.h"

namespace rocetop::generate::sim {

/// Who sends, receives and watches. Packets are given by their number in the pool.
class NetworkUser {
 public:
  NetworkUser() = default;
  NetworkUser(const NetworkUser&) = delete;
  NetworkUser& operator=(const NetworkUser&) = delete;
  virtual ~NetworkUser() = default;

  /// What the host's adapter sends next; nothing if it has nothing. `paused`: the data class may not send.
  virtual std::optional<std::uint32_t> next_packet(std::size_t host, bool paused) = 0;
  virtual void deliver(std::size_t host, const Packet& packet) = 0;
  /// The packet passes the tap.
  virtual void seen(Packet& packet) = 0;
  /// Its way is over, wherever that was.
  virtual void gone(const Packet& packet) = 0;
  /// By addresses and ports: equal for all packets of a flow.
  virtual std::uint64_t flow_hash(const Packet& packet) const = 0;
  virtual std::size_t destination(std::uint32_t queue_pair) const = 0;
};

/// One direction of a link, seen from the node that sends into it.
struct Port {
  std::size_t link = 0;
  std::size_t node = 0;
  std::size_t peer = 0;
  std::uint32_t reverse = 0;
  Time byte_time = 0;  ///< picoseconds
  Time delay = 0;
  std::deque<std::uint32_t> pauses;
  std::deque<std::uint32_t> control;
  std::deque<std::uint32_t> data;
  std::uint64_t queued = 0;  ///< bytes
  bool busy = false;
  Time paused_until = 0;
  std::uint64_t held = 0;    ///< bytes that `peer` holds of what came by here
  bool pausing = false;      ///< `peer` has paused this port
  bool storming = false;     ///< … and will not let it go
  Time refresh_at = kNever;  ///< when it pauses it again
  bool tap_sent = false;     ///< the tap sees what leaves here
  bool tap_arrived = false;  ///< … what comes out at `peer`
  std::vector<std::size_t> faults;
};

class Network {
 public:
  Network(const Plan& plan, std::uint64_t seed, Agenda& agenda, PacketPool& packets, NetworkUser& user);

  /// The host has something to send.
  void kick(std::size_t host) { start(port_of_[host]); }
  void handle(const Event& event);
  /// Its adapter pauses what is sent to it, without end, or ends that.
  void storm(std::size_t host, bool on);
  /// It takes nothing in any more, or does again.
  void hang(std::size_t host, bool on) { hung_[host] = on; }
  bool hung(std::size_t host) const { return hung_[host]; }

  const Port& port(std::size_t index) const { return ports_[index]; }
  std::uint64_t rate_of(std::size_t host) const { return plan_.links[ports_[port_of_[host]].link].rate; }

 private:
  void set_tap();
  void set_routes();
  void start(std::uint32_t index);
  std::optional<std::uint32_t> choose(Port& port);
  void transmit(std::uint32_t index, std::uint32_t packet);
  /// Faults of the wire; nothing if the packet is lost, else the further delay.
  std::optional<Time> suffer(std::uint32_t index, std::uint32_t packet);
  void copy(std::uint32_t index, std::uint32_t packet, Time arrives);
  void arrive(std::uint32_t index, std::uint32_t packet);
  void forward(std::uint32_t in_port, std::uint32_t packet);
  std::uint32_t route(std::size_t node, const Packet& packet);
  void mark(const Port& port, std::uint32_t index, Packet& packet);
  void take_in(std::uint32_t in_port, std::uint32_t packet);
  void drained(std::size_t host);
  void hand_over(std::size_t host, std::uint32_t packet);
  void deliver(std::size_t host, std::uint32_t packet);
  void hold(std::uint32_t in_port, std::uint32_t bytes);
  void release(std::uint32_t in_port, std::uint32_t bytes);
  void send_pause(std::uint32_t in_port, std::uint16_t quanta);
  void refresh(std::uint32_t in_port);
  void lose(DeedKind why, std::uint32_t port, std::uint32_t packet);

  const Plan& plan_;
  Agenda& agenda_;
  PacketPool& packets_;
  NetworkUser& user_;
  Random marks_;
  Random spray_;
  std::vector<Port> ports_;
  std::vector<WireFault> faults_;
  std::vector<std::uint32_t> port_of_;                           ///< of hosts
  std::vector<std::vector<std::vector<std::uint32_t>>> routes_;  ///< by node and destination
  std::vector<std::deque<std::uint32_t>> inbox_;                 ///< of hosts that are slow
  std::vector<bool> hung_;
};

}  // namespace rocetop::generate::sim
