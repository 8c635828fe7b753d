// SPDX-License-Identifier: BSD-3-Clause
// Linux cooked captures (what `tcpdump -i any` writes): LINKTYPE_LINUX_SLL and LINKTYPE_LINUX_SLL2.
//
//   SLL   0       2        4        6          14        16
//        +-------+--------+--------+----------+----------+----
//        | packet| ARPHRD | address| address  | protocol | …
//        | type  |        | length |          |          |
//        +-------+--------+--------+----------+----------+----
//
//   SLL2  0         2         4           8        10     11       12         20
//        +---------+---------+-----------+--------+------+--------+----------+----
//        | protocol| reserved| interface | ARPHRD |packet| address| address  | …
//        |         |         | index     |        |type  | length |          |
//        +---------+---------+-----------+--------+------+--------+----------+----
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kSllAddress = 6;
constexpr std::size_t kSllProtocol = 14;
constexpr std::size_t kSllBytes = 16;
constexpr std::size_t kSll2Protocol = 0;
constexpr std::size_t kSll2Address = 12;
constexpr std::size_t kSll2Bytes = 20;

}  // namespace

Next linux_sll(Walk& walk) {
  const std::uint8_t* header = walk.peek(kSllBytes);
  if (!header || !walk.enter(Layer::Kind::kLinuxSll, kSllBytes)) return Next::kOther;
  walk.src_mac = header + kSllAddress;
  return ethertype_step(load_be16(header + kSllProtocol));
}

Next linux_sll2(Walk& walk) {
  const std::uint8_t* header = walk.peek(kSll2Bytes);
  if (!header || !walk.enter(Layer::Kind::kLinuxSll2, kSll2Bytes)) return Next::kOther;
  walk.src_mac = header + kSll2Address;
  return ethertype_step(load_be16(header + kSll2Protocol));
}

}  // namespace rocetop::wire
