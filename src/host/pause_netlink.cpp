// SPDX-License-Identifier: BSD-3-Clause
#include "host/pause_netlink.h"

#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace rocetop::host {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kAnswerBytes = 16'384;
constexpr timeval kTimeout{1, 0};
constexpr int kTries = 16;
constexpr std::uint16_t kTypeMask = static_cast<std::uint16_t>(~(NLA_F_NESTED | NLA_F_NET_BYTEORDER));

/// A netlink message as it grows: header, generic header, attributes, each padded to four bytes.
class Message {
 public:
  Message(std::uint16_t type, std::uint8_t command, std::uint8_t version, std::uint32_t sequence) {
    nlmsghdr head{};
    head.nlmsg_type = type;
    head.nlmsg_flags = NLM_F_REQUEST;
    head.nlmsg_seq = sequence;
    genlmsghdr generic{};
    generic.cmd = command;
    generic.version = version;
    put(&head, sizeof head);
    put(&generic, sizeof generic);
  }

  void attribute(std::uint16_t type, const void* data, std::size_t length) {
    const nlattr head{static_cast<std::uint16_t>(sizeof(nlattr) + length), type};
    put(&head, sizeof head);
    put(data, length);
  }
  void text(std::uint16_t type, const std::string& text) { attribute(type, text.c_str(), text.size() + 1); }

  /// Attributes put until `end_nest` are inside.
  std::size_t begin_nest(std::uint16_t type) {
    const std::size_t at = bytes_.size();
    attribute(static_cast<std::uint16_t>(type | NLA_F_NESTED), nullptr, 0);
    return at;
  }
  void end_nest(std::size_t at) {
    const auto length = static_cast<std::uint16_t>(bytes_.size() - at);
    std::memcpy(bytes_.data() + at, &length, sizeof length);
  }

  std::vector<std::byte> take() {
    const auto length = static_cast<std::uint32_t>(bytes_.size());
    std::memcpy(bytes_.data(), &length, sizeof length);
    return std::move(bytes_);
  }

 private:
  void put(const void* data, std::size_t length) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + NLMSG_ALIGN(length));
    if (length > 0) std::memcpy(bytes_.data() + at, data, length);
  }

  std::vector<std::byte> bytes_;
};

template <typename T>
std::optional<T> read_at(Bytes bytes, std::size_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// The payload of the first attribute of that type; nothing if there is none or lengths lie.
std::optional<Bytes> find_attribute(Bytes bytes, std::uint16_t type) {
  while (const auto head = read_at<nlattr>(bytes, 0)) {
    if (head->nla_len < sizeof(nlattr) || head->nla_len > bytes.size()) return std::nullopt;
    if ((head->nla_type & kTypeMask) == type) return bytes.subspan(sizeof(nlattr), head->nla_len - sizeof(nlattr));
    bytes = bytes.subspan(std::min<std::size_t>(NLA_ALIGN(head->nla_len), bytes.size()));
  }
  return std::nullopt;
}

/// What the kernel answered: the attributes of a message of that type, or its error.
struct Answer {
  int error = EBADMSG;
  Bytes attributes;
};

Answer read_answer(Bytes answer, std::uint16_t type, std::uint32_t sequence) {
  const auto head = read_at<nlmsghdr>(answer, 0);
  if (!head || head->nlmsg_len < sizeof(nlmsghdr) || head->nlmsg_len > answer.size()) return {};
  if (head->nlmsg_seq != sequence) return {};
  const Bytes body = answer.subspan(sizeof(nlmsghdr), head->nlmsg_len - sizeof(nlmsghdr));
  if (head->nlmsg_type == NLMSG_ERROR) {
    const auto error = read_at<std::int32_t>(body, 0);
    return {error && *error < 0 && *error > -4096 ? -*error : EBADMSG, {}};
  }
  if (head->nlmsg_type != type || body.size() < sizeof(genlmsghdr)) return {};
  return {0, body.subspan(sizeof(genlmsghdr))};
}

std::optional<std::uint64_t> frames(Bytes statistics, std::uint16_t type) {
  const auto value = find_attribute(statistics, type);
  return value ? read_at<std::uint64_t>(*value, 0) : std::nullopt;
}

}  // namespace

std::vector<std::byte> pause_request(const std::string& interface, std::uint16_t family, std::uint32_t sequence) {
  Message message(family, ETHTOOL_MSG_PAUSE_GET, ETHTOOL_GENL_VERSION, sequence);
  const std::size_t header = message.begin_nest(ETHTOOL_A_PAUSE_HEADER);
  message.text(ETHTOOL_A_HEADER_DEV_NAME, interface);
  const std::uint32_t flags = ETHTOOL_FLAG_STATS;
  message.attribute(ETHTOOL_A_HEADER_FLAGS, &flags, sizeof flags);
  message.end_nest(header);
  return message.take();
}

EthtoolAnswer<PauseStatistics> parse_pause_answer(Bytes answer, std::uint16_t family, std::uint32_t sequence) {
  const Answer read = read_answer(answer, family, sequence);
  if (read.error != 0) return {{}, read.error != EOPNOTSUPP && read.error != ENODEV};
  const auto statistics = find_attribute(read.attributes, ETHTOOL_A_PAUSE_STATS);
  if (!statistics) return {};
  return {{frames(*statistics, ETHTOOL_A_PAUSE_STAT_RX_FRAMES), frames(*statistics, ETHTOOL_A_PAUSE_STAT_TX_FRAMES)},
          false};
}

PauseNetlink::~PauseNetlink() {
  if (socket_ >= 0) close(socket_);
}

/// Asks for the number of the family "ethtool"; a kernel before 5.6 has none.
void PauseNetlink::begin() {
  state_ = State::kFailed;
  socket_ = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
  if (socket_ < 0) return;
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kTimeout, sizeof kTimeout);
  Message message(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, ++sequence_);
  message.text(CTRL_ATTR_FAMILY_NAME, ETHTOOL_GENL_NAME);
  const std::vector<std::byte> answer = exchange(message.take());
  const Answer read = read_answer(answer, GENL_ID_CTRL, sequence_);
  if (read.error == ENOENT) state_ = State::kUnsupported;
  if (read.error != 0) return;
  const auto number = find_attribute(read.attributes, CTRL_ATTR_FAMILY_ID);
  const auto family = number ? read_at<std::uint16_t>(*number, 0) : std::nullopt;
  if (!family) return;
  family_ = *family;
  state_ = State::kReady;
}

std::vector<std::byte> PauseNetlink::exchange(Bytes request) {
  if (send(socket_, request.data(), request.size(), 0) != static_cast<ssize_t>(request.size())) return {};
  for (int tries = 0; tries < kTries; ++tries) {
    std::vector<std::byte> answer(kAnswerBytes);
    const ssize_t got = recv(socket_, answer.data(), answer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    answer.resize(static_cast<std::size_t>(got));
    const auto head = read_at<nlmsghdr>(answer, 0);
    if (head && head->nlmsg_seq == sequence_) return answer;  // else: late, to a question that was given up
  }
  return {};
}

EthtoolAnswer<PauseStatistics> PauseNetlink::ask(const std::string& interface) {
  if (state_ == State::kNew) begin();
  if (state_ == State::kUnsupported) return {};
  if (state_ == State::kFailed) return {{}, true};
  if (interface.empty() || interface.size() >= 16) return {};  // IFNAMSIZ, with its end
  const std::vector<std::byte> answer = exchange(pause_request(interface, family_, ++sequence_));
  return parse_pause_answer(answer, family_, sequence_);
}

}  // namespace rocetop::host
