// SPDX-License-Identifier: BSD-3-Clause
#include "source/capture_format.h"

#include <algorithm>
#include <string_view>

namespace rocetop::source {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view magic;  // the file's first bytes
  CaptureFormat format;
};

constexpr Signature kRead[] = {
    {"\xa1\xb2\xc3\xd4"sv, CaptureFormat::kPcap},   {"\xd4\xc3\xb2\xa1"sv, CaptureFormat::kPcap},
    {"\xa1\xb2\x3c\x4d"sv, CaptureFormat::kPcap},   {"\x4d\x3c\xb2\xa1"sv, CaptureFormat::kPcap},
    {"\x0a\x0d\x0d\x0a"sv, CaptureFormat::kPcapng}, {"\x1f\x8b"sv, CaptureFormat::kGzip},
    {"\x28\xb5\x2f\xfd"sv, CaptureFormat::kZstd},
};

constexpr const char* kConvert =
    "Convert it first: editcap -F pcapng FILE converted.pcapng (editcap comes with Wireshark).";
constexpr const char* kRewrite = "Convert it first: tcpdump -r FILE -w converted.pcap.";
constexpr const char* kDecompress = "Decompress it first; gzip and zstd are read as they are.";
constexpr const char* kNotCapture = "rocetop reads pcap and pcapng captures, plain or compressed with gzip or zstd.";
constexpr const char* kLikelyCapture = "Capture with tcpdump, dumpcap or Wireshark, which write pcap or pcapng.";

struct Refusal {
  std::string_view magic;
  const char* what;
  const char* hint;
};

constexpr const char* kKuznetzov =
    "is a modified pcap file (Kuznetzov's format, magic 0xa1b2cd34), whose records have longer headers";
constexpr const char* kNetsniff = "is a modified pcap file (netsniff-ng's format, magic 0xa1e2cb12)";
constexpr const char* kMesquita = "is a modified pcap file (magic 0xa1b234cd)";
constexpr const char* kNavtel = "is a modified pcap file (Navtel's format, magic 0xa12b3c4d)";
constexpr const char* kIxia = "is a modified pcap file (Ixia's lcap format)";
constexpr const char* kNetsniffHint = "Write it again with the usual magic: netsniff-ng -T 0xa1b23c4d.";

constexpr Refusal kRefused[] = {
    {"\xa1\xb2\xcd\x34"sv, kKuznetzov, kConvert},
    {"\x34\xcd\xb2\xa1"sv, kKuznetzov, kConvert},
    {"\xa1\xe2\xcb\x12"sv, kNetsniff, kNetsniffHint},
    {"\x12\xcb\xe2\xa1"sv, kNetsniff, kNetsniffHint},
    {"\xa1\xb2\x34\xcd"sv, kMesquita, kRewrite},
    {"\xcd\x34\xb2\xa1"sv, kMesquita, kRewrite},
    {"\xa1\x2b\x3c\x4d"sv, kNavtel, kRewrite},
    {"\x4d\x3c\x2b\xa1"sv, kNavtel, kRewrite},
    {"\x1c\x00\x01\xac"sv, kIxia, kConvert},
    {"\xac\x01\x00\x1c"sv, kIxia, kConvert},
    {"\x1c\x00\x01\xab"sv, kIxia, kConvert},
    {"\xab\x01\x00\x1c"sv, kIxia, kConvert},
    {"snoop\0\0\0"sv, "is a capture in snoop format, which is not read", kConvert},
    {"btsnoop\0"sv, "is a Bluetooth capture (btsnoop), which holds no Ethernet", kLikelyCapture},
    {"GMBU"sv, "is a Microsoft Network Monitor capture, which is not read", kConvert},
    {"RTSS"sv, "is a Microsoft Network Monitor capture, which is not read", kConvert},
    {"XCP\0"sv, "is a NetXRay or Sniffer capture, which is not read", kConvert},
    {"TRSNIFF data    \x1a"sv, "is a Sniffer capture, which is not read", kConvert},
    {"iptrace "sv, "is an AIX iptrace capture, which is not read", kConvert},
    {"\xfd\x37\x7a\x58\x5a\x00"sv, "is compressed with xz", kDecompress},
    {"BZh"sv, "is compressed with bzip2", kDecompress},
    {"\x04\x22\x4d\x18"sv, "is compressed with lz4", kDecompress},
    {"LZIP"sv, "is compressed with lzip", kDecompress},
    {"\x1f\x9d"sv, "is compressed with compress", kDecompress},
    {"PK\x03\x04"sv, "is a zip archive", "Unpack it first, and name the captures inside."},
    {"7z\xbc\xaf\x27\x1c"sv, "is a 7-Zip archive", "Unpack it first, and name the captures inside."},
    {"\x7f"
     "ELF"sv,
     "is a program (ELF), not a capture", kNotCapture},
    {"%PDF"sv, "is a PDF document, not a capture", kNotCapture},
    {"\x89PNG"sv, "is an image (PNG), not a capture", kNotCapture},
};

bool begins_with(Bytes head, std::string_view magic) {
  return head.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), head.begin(),
                    [](char expected, std::uint8_t byte) { return static_cast<std::uint8_t>(expected) == byte; });
}

bool is_text(Bytes head) {
  return std::all_of(head.begin(), head.end(), [](std::uint8_t byte) {
    return byte >= 0x20 ? byte != 0x7F : byte == '\t' || byte == '\n' || byte == '\r';
  });
}

/// The first line of `tcpdump -x`, `tshark -x` and the like begins with an offset; a hint is worth it.
bool is_hex_dump(Bytes head) { return begins_with(head, "0000  ") || begins_with(head, "\t0x0000:"); }

}  // namespace

CaptureFormat format_of(Bytes head) {
  for (const Signature& signature : kRead) {
    if (begins_with(head, signature.magic)) return signature.format;
  }
  // Skippable zstd frames (RFC 8878 section 3.1.2), as pzstd writes in front: 0x184D2A50 to 0x184D2A5F, little-endian.
  const bool skippable = head.size() >= 4 && (head[0] & 0xF0) == 0x50 && begins_with(head.subspan(1), "\x2a\x4d\x18"sv);
  return skippable ? CaptureFormat::kZstd : CaptureFormat::kOther;
}

Error explain_refusal(Bytes head) {
  if (head.empty()) return {"is empty (0 bytes)", "Was the capture started, and did any packet match its filter?"};
  for (const Refusal& refusal : kRefused) {
    if (begins_with(head, refusal.magic)) return {refusal.what, refusal.hint};
  }
  if (is_hex_dump(head)) return {"is a hex dump, not a capture", "Turn it into one: text2pcap FILE capture.pcap."};
  if (is_text(head)) return {"is text, not a capture", kNotCapture};
  if (head.size() < 4) return {"is too short to be a capture", kNotCapture};
  return {"is not a capture that rocetop knows", kNotCapture};
}

}  // namespace rocetop::source
