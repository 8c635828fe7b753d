// SPDX-License-Identifier: BSD-3-Clause
// CM exchanges: repeats, copies, and communication IDs that are used again.
#include "track/management.h"

#include <gtest/gtest.h>

#include "track/pairing.h"

namespace rocetop::track {
namespace {

const IpAddress kClient = *IpAddress::parse("192.0.2.1");
const IpAddress kServer = *IpAddress::parse("192.0.2.2");

HostPair to_server() { return {kClient, kServer, {}, wire::Protocol::kRoceV2}; }

class Exchanges : public testing::Test {
 protected:
  std::optional<Announcement> say(wire::CmMessage message, Nanos time, std::uint32_t comm_id, std::uint32_t qpn) {
    const bool request = message == wire::CmMessage::kReq;
    wire::Cm cm;
    cm.message = message;
    cm.transaction_id = 7;
    (request ? cm.local_comm_id : cm.remote_comm_id) = comm_id;
    cm.qpn = Qpn{qpn};
    cm.ece_vendor = qpn << 4;
    cm.complete = true;
    return management.on_message(request ? to_server() : to_server().reversed(), cm, FrameId(0, ++frame), time);
  }

  Management management{4};
  std::uint64_t frame = 0;
};

TEST_F(Exchanges, CountARepeatedReplyOnceWhateverItsCopies) {
  say(wire::CmMessage::kReq, milliseconds(0), 1, 17);
  EXPECT_TRUE(say(wire::CmMessage::kRep, milliseconds(1), 1, 18));
  EXPECT_FALSE(say(wire::CmMessage::kRep, milliseconds(1) + microseconds(5), 1, 18));    // a mirror's copy
  EXPECT_FALSE(say(wire::CmMessage::kRep, milliseconds(900), 1, 18));                    // repeated …
  EXPECT_FALSE(say(wire::CmMessage::kRep, milliseconds(900) + microseconds(5), 1, 18));  // … and copied
  ASSERT_EQ(management.set_ups().size(), 1U);
  EXPECT_EQ(management.set_ups()[0].reply_repeats, 1U);
}

TEST_F(Exchanges, KeepTheEarlierSetUpWhenItsIdIsUsedAgain) {
  say(wire::CmMessage::kReq, seconds(0), 1, 17);
  EXPECT_TRUE(say(wire::CmMessage::kRep, seconds(1), 1, 18));
  say(wire::CmMessage::kReq, seconds(100), 1, 27);  // the same transaction ID too, as after a restart
  EXPECT_TRUE(say(wire::CmMessage::kRep, seconds(103), 1, 28));
  const auto set_ups = management.set_ups();
  ASSERT_EQ(set_ups.size(), 2U);
  EXPECT_EQ(set_ups[0].reply_time, seconds(1));
  EXPECT_EQ(set_ups[0].request_repeats, 0U);
  EXPECT_EQ(set_ups[1].reply_time, seconds(103));
  EXPECT_EQ(set_ups[1].request_qpn, Qpn{27});
  EXPECT_EQ(set_ups[1].reply_qpn, Qpn{28});
  EXPECT_EQ(set_ups[1].request_ece, 27U << 4);
  EXPECT_EQ(set_ups[1].reply_ece, 28U << 4);
}

TEST_F(Exchanges, AreForgottenOldestFirstAndCounted) {
  for (std::uint32_t id = 1; id <= 6; ++id) say(wire::CmMessage::kReq, seconds(id), id, 100 + id);
  EXPECT_EQ(management.set_ups().size(), 4U);
  EXPECT_EQ(management.set_ups_omitted(), 2U);
  EXPECT_FALSE(say(wire::CmMessage::kRep, seconds(9), 1, 18));
  EXPECT_TRUE(say(wire::CmMessage::kRep, seconds(9), 6, 18));
}

TEST_F(Exchanges, CountACopiedRejectionOnce) {
  say(wire::CmMessage::kReq, milliseconds(0), 1, 17);
  say(wire::CmMessage::kRej, milliseconds(1), 1, 0);
  say(wire::CmMessage::kRej, milliseconds(1) + microseconds(5), 1, 0);
  EXPECT_EQ(management.rejections().size(), 1U);
  say(wire::CmMessage::kRej, milliseconds(50), 1, 0);
  EXPECT_EQ(management.rejections().size(), 2U);
}

TEST(PairingLimits, ForgetThePlacesOfThoseThatWaitNoMoreFirst) {
  Pairing pairing(100, 10);
  for (ConnectionIndex i = 0; i < 100; ++i) {
    pairing.note_requests(to_server(), i, Psn{i << 12}, Psn{i << 12}, [](ConnectionIndex) { return true; });
  }
  pairing.note_requests(to_server(), 100, Psn{7}, Psn{7}, [](ConnectionIndex i) { return i >= 90; });
  EXPECT_EQ(pairing.forgotten(), 0U);
  for (ConnectionIndex i = 101; i < 250; ++i) {
    pairing.note_requests(to_server(), i, Psn{i << 12}, Psn{i << 12}, [](ConnectionIndex) { return true; });
  }
  EXPECT_EQ(pairing.forgotten(), 100U);
}

TEST(PairingLimits, BoundTheHostPairs) {
  Pairing pairing(1'000, 10);
  for (std::uint32_t i = 0; i < 15; ++i) {
    HostPair hosts = to_server();
    hosts.network.vni = i;
    pairing.note_requests(hosts, i, Psn{7}, Psn{7}, [](ConnectionIndex) { return true; });
  }
  EXPECT_EQ(pairing.forgotten(), 5U);
}

}  // namespace
}  // namespace rocetop::track
