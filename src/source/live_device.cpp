// SPDX-License-Identifier: BSD-3-Clause
#include "source/live_device.h"

#include <net/if.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <utility>

#include "source/input_name.h"
#include "source/live_filter.h"

namespace rocetop::source {
namespace {

using PcapHandle = std::unique_ptr<pcap_t, decltype(&pcap_close)>;

/// As capture files number what libpcap calls by a number of its own.
LinkType link_type_of(int dlt) {
  return dlt == DLT_RAW ? LinkType::kRaw : static_cast<LinkType>(static_cast<std::uint16_t>(dlt));
}

struct Reading {
  std::uint32_t interface;
  LinkType link_type;
  std::int64_t fraction_ns;
  FrameChunk* chunk;
};

extern "C" void take_frame(u_char* user, const pcap_pkthdr* header, const u_char* bytes) {
  const auto& reading = *reinterpret_cast<const Reading*>(user);
  Frame frame;
  frame.interface = reading.interface;
  frame.link_type = reading.link_type;
  frame.time = {std::int64_t{header->ts.tv_sec} * 1'000'000'000 + header->ts.tv_usec * reading.fraction_ns};
  frame.wire_length = std::max(header->len, header->caplen);
  frame.bytes = {bytes, header->caplen};
  reading.chunk->add(frame);
}

/// The kernel's counters have 32 bits and go on after they are full.
void add_growth(std::uint64_t& sum, std::uint64_t& last, std::uint32_t now) {
  sum += static_cast<std::uint32_t>(now - static_cast<std::uint32_t>(last));
  last = now;
}

}  // namespace

struct LiveDevice::Handle {
  PcapHandle pcap{nullptr, pcap_close};
  int descriptor = -1;
};

LiveDevice::LiveDevice(DeviceSettings settings) : settings_(std::move(settings)) {}
LiveDevice::LiveDevice(LiveDevice&&) noexcept = default;
LiveDevice& LiveDevice::operator=(LiveDevice&&) noexcept = default;
LiveDevice::~LiveDevice() = default;

bool LiveDevice::is_open() const { return handle_ != nullptr; }
int LiveDevice::descriptor() const { return handle_ ? handle_->descriptor : -1; }

OpenFailure LiveDevice::open(Error& error) {
  close();
  const OpenFailure failure = activate(error);
  if (failure != OpenFailure::kNone) handle_.reset();
  return failure;
}

OpenFailure LiveDevice::activate(Error& error) {
  const std::string shown = input_name(settings_.name);
  std::array<char, PCAP_ERRBUF_SIZE> text{};
  handle_ = std::make_unique<Handle>();
  handle_->pcap.reset(pcap_create(settings_.name.c_str(), text.data()));
  pcap_t* pcap = handle_->pcap.get();
  if (pcap == nullptr) {
    error = {shown + ": cannot be captured: " + input_name(text.data()), ""};
    return OpenFailure::kOther;
  }
  pcap_set_snaplen(pcap, static_cast<int>(settings_.snap_length));
  pcap_set_promisc(pcap, settings_.name == "any" ? 0 : 1);
  pcap_set_timeout(pcap, static_cast<int>(settings_.block_timeout_ms));
  pcap_set_buffer_size(pcap, static_cast<int>(settings_.buffer_bytes));
  nanoseconds_ = pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO) == 0;
  const int status = pcap_activate(pcap);
  if (status < 0) {
    const std::string words = input_name(pcap_geterr(pcap));
    error = {shown + ": cannot be captured: " + pcap_statustostr(status) + (words.empty() ? "" : ": " + words), ""};
    switch (status) {
      case PCAP_ERROR_PERM_DENIED:
      case PCAP_ERROR_PROMISC_PERM_DENIED:
        return OpenFailure::kPermission;
      case PCAP_ERROR_NO_SUCH_DEVICE:
        error = {shown + ": there is no such interface", ""};
        if (const std::string names = capturable_interfaces(); !names.empty()) error.hint = "There are: " + names + ".";
        return OpenFailure::kNoDevice;
      case PCAP_ERROR_IFACE_NOT_UP:
        return OpenFailure::kNotUp;
      default:
        return OpenFailure::kOther;
    }
  }
  if (pcap_setnonblock(pcap, 1, text.data()) != 0) {
    error = {shown + ": cannot be captured: " + input_name(text.data()), ""};
    return OpenFailure::kOther;
  }
  nanoseconds_ = pcap_get_tstamp_precision(pcap) == PCAP_TSTAMP_PRECISION_NANO;
  // Of "any", cooked frames that say by which interface they came, where libpcap can.
  if (pcap_datalink(pcap) == DLT_LINUX_SLL) static_cast<void>(pcap_set_datalink(pcap, DLT_LINUX_SLL2));
  link_type_ = link_type_of(pcap_datalink(pcap));
  if (!set_filter(error)) return OpenFailure::kOther;
  handle_->descriptor = pcap_get_selectable_fd(pcap);
  index_ = settings_.name == "any" ? 0 : if_nametoindex(settings_.name.c_str());
  last_ = {};
  return OpenFailure::kNone;
}

bool LiveDevice::set_filter(Error& error) {
  pcap_t* pcap = handle_->pcap.get();
  const std::string expression = kernel_filter(link_type_, settings_.roce_ports, settings_.filter);
  bpf_program program{};
  const bool compiled = pcap_compile(pcap, &program, expression.c_str(), 1, PCAP_NETMASK_UNKNOWN) == 0;
  const bool set = compiled && pcap_setfilter(pcap, &program) == 0;
  if (!set) {
    error = {
        input_name(settings_.name) + ": the filter cannot be used on this interface: " + input_name(pcap_geterr(pcap)),
        "The syntax is tcpdump's, see pcap-filter(7)."};
  }
  if (compiled) pcap_freecode(&program);
  return set;
}

void LiveDevice::close() {
  if (!handle_) return;
  take_counts();
  handle_.reset();
}

bool LiveDevice::read(std::uint32_t interface, std::size_t most, FrameChunk& chunk) {
  if (!handle_) return false;
  Reading reading{interface, link_type_, nanoseconds_ ? 1 : 1'000, &chunk};
  const int got =
      pcap_dispatch(handle_->pcap.get(), static_cast<int>(most), take_frame, reinterpret_cast<u_char*>(&reading));
  chunk.settle();
  if (got >= 0) return true;
  error_ = input_name(pcap_geterr(handle_->pcap.get()));
  return false;
}

void LiveDevice::take_counts() {
  pcap_stat statistics{};
  if (pcap_stats(handle_->pcap.get(), &statistics) != 0) return;
  add_growth(counts_.received, last_.received, statistics.ps_recv);
  add_growth(counts_.dropped, last_.dropped, statistics.ps_drop);
  add_growth(counts_.dropped_by_interface, last_.dropped_by_interface, statistics.ps_ifdrop);
}

const DeviceCounts& LiveDevice::counts() {
  if (handle_) take_counts();
  return counts_;
}

std::string capturable_interfaces() {
  std::string out;
  struct if_nameindex* list = ::if_nameindex();
  if (list == nullptr) return out;
  for (const struct if_nameindex* at = list; at->if_index != 0; ++at) {
    out += (out.empty() ? "" : ", ") + input_name(at->if_name);
  }
  ::if_freenameindex(list);
  return out;
}

}  // namespace rocetop::source
