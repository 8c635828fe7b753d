// SPDX-License-Identifier: BSD-3-Clause
// bench_send_frames FILE INTERFACE [options]: sends the frames of a pcap file (nanoseconds, little-endian, as
// capture_maker.h writes it) into an interface as fast as the kernel takes them, or at a rate. AF_PACKET with
// sendmmsg(), past the queueing discipline: no frame is dropped before it is on the link. Prints what it did as JSON.
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFileHeader = 24;
constexpr std::size_t kRecordHeader = 16;
constexpr std::size_t kCapturedAt = 8;  // in a record's header
constexpr std::size_t kTogether = 64;

std::vector<iovec> frames_in(const char* path, std::size_t most) {
  std::vector<iovec> frames;
  const int fd = ::open(path, O_RDONLY);
  struct stat facts{};
  if (fd < 0 || ::fstat(fd, &facts) != 0) return frames;
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* const map = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
  ::close(fd);
  if (map == MAP_FAILED) return frames;
  auto* const bytes = static_cast<std::uint8_t*>(map);
  for (std::size_t at = kFileHeader; at + kRecordHeader <= size && frames.size() < most;) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes + at + kCapturedAt, sizeof length);
    at += kRecordHeader;
    if (length > size - at) break;
    frames.push_back({bytes + at, length});
    at += length;
  }
  return frames;
}

int open_interface(const std::string& name) {
  const int fd = ::socket(AF_PACKET, SOCK_RAW, 0);  // 0: receives nothing
  if (fd < 0) return fd;
  const int on = 1;
  ::setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof on);
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_ifindex = static_cast<int>(if_nametoindex(name.c_str()));
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  ::close(fd);
  return -1;
}

/// Sends frames[from] and some behind it; how many were sent.
std::size_t send_some(int fd, std::vector<iovec>& frames, std::size_t from) {
  std::array<mmsghdr, kTogether> messages{};
  const std::size_t count = std::min(kTogether, frames.size() - from);
  for (std::size_t i = 0; i < count; ++i) {
    messages[i].msg_hdr.msg_iov = &frames[from + i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  const int sent = ::sendmmsg(fd, messages.data(), static_cast<unsigned>(count), 0);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (errno != ENOBUFS && errno != EINTR && errno != EAGAIN) {
    std::perror("sendmmsg");
    std::exit(1);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Sends the frames of a made capture into an interface");
  std::string path;
  std::string interface;
  std::size_t packets = 1'000'000;
  double rate = 0;
  app.add_option("FILE", path, "pcap file of bench_make_capture")->required();
  app.add_option("INTERFACE", interface, "where to")->required();
  app.add_option("--packets", packets, "how many at most")->capture_default_str();
  app.add_option("--rate", rate, "packets a second; 0: as fast as it goes");
  CLI11_PARSE(app, argc, argv);
  std::vector<iovec> frames = frames_in(path.c_str(), packets);
  const int fd = open_interface(interface);
  if (frames.empty() || fd < 0) {
    std::fprintf(stderr, "%s or %s: %s\n", path.c_str(), interface.c_str(), std::strerror(errno));
    return 1;
  }
  const Clock::time_point begin = Clock::now();
  const auto seconds_since = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  for (std::size_t next = 0; next < frames.size();) {
    if (rate > 0) {
      const double ahead = static_cast<double>(next) / rate - seconds_since();
      if (ahead > 0) std::this_thread::sleep_for(std::chrono::duration<double>(ahead));
    }
    next += send_some(fd, frames, next);
  }
  std::printf("{\"sent\": %zu, \"seconds\": %.6f}\n", frames.size(), seconds_since());
  return 0;
}
