#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes captures/encapsulations.pcapng: two RDMA WRITEs and their ACKs, once in each encapsulation and link type.

BTH and payload are those of a lab capture; the headers around them are made here, one interface of the file for each
way of wrapping, named after it. The queue pairs of wrapping number n are both 0x100 + n, so that each is a connection
of its own, and the ICRC is made to fit. Run without arguments to write the file; with --check to see that it is what
would be written; with --rocetop CMD to see that `CMD packets --json` decodes every frame.
"""
from __future__ import annotations

import argparse
import ipaddress
import json
import pathlib
import shlex
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests" / "lab" / "scripts"))

from capture_files import LINKTYPE_ETHERNET, Frame, Interface, pcapng, read_pcap  # noqa: E402
from frame import Frame as Headers  # noqa: E402
from frame import icrc, ipv4_checksum  # noqa: E402

OUTPUT = REPOSITORY / "captures" / "encapsulations.pcapng"
SOURCE = REPOSITORY / "captures" / "lab" / "rc_write_lat.middle.out.pcap.zst"
SOURCE_A = "192.0.2.1"
PACKETS = 4
FIRST_QPN = 0x100
ROCE_PORT, VXLAN_PORT, GENEVE_PORT = 4791, 4789, 6081
UDP, GRE, IPIP, IPV6_IN_IP = 17, 47, 4, 41
NULL, RAW, LOOP, SLL, ERF, IPV4, IPV6, SLL2 = 0, 101, 108, 113, 197, 228, 229, 276  # link types
IPV4_TYPE, IPV6_TYPE, VLAN_TYPE, QINQ_TYPE, MPLS_TYPE, ROCE_V1_TYPE, BRIDGED_TYPE = (
    0x0800, 0x86DD, 0x8100, 0x88A8, 0x8847, 0x8915, 0x6558)

MACS = (bytes.fromhex("020000000001"), bytes.fromhex("020000000002"))
INNER_V4 = ("192.0.2.1", "192.0.2.2")
INNER_V6 = ("2001:db8::1", "2001:db8::2")
OUTER_V4 = ("198.51.100.1", "198.51.100.2")
OUTER_V6 = ("2001:db8:ffff::1", "2001:db8:ffff::2")


class Message(NamedTuple):
    """What a RoCE packet carries, from BTH to pad, and who sends it."""

    from_a: bool
    content: bytes

    def ends(self, pair: tuple[str, str]) -> tuple[bytes, bytes]:
        """Source and destination address."""
        a, b = (ipaddress.ip_address(address).packed for address in pair)
        return (a, b) if self.from_a else (b, a)

    def to_qpn(self, qpn: int) -> Message:
        return self._replace(content=self.content[:5] + qpn.to_bytes(3, "big") + self.content[8:])


# --- headers ----------------------------------------------------------------------------------------------------------


def ipv4(message: Message, pair: tuple[str, str], protocol: int, payload: bytes, options: bytes = b"") -> bytes:
    words = 5 + len(options) // 4
    src, dst = message.ends(pair)
    header = bytearray(struct.pack(">BBHHHBBH", 0x40 | words, 0, words * 4 + len(payload), 0, 0x4000, 64, protocol, 0)
                       + src + dst + options)
    header[10:12] = struct.pack(">H", ipv4_checksum(header))
    return bytes(header) + payload


def ipv6(message: Message, pair: tuple[str, str], next_header: int, payload: bytes) -> bytes:
    src, dst = message.ends(pair)
    return struct.pack(">IHBB", 0x60000000, len(payload), next_header, 64) + src + dst + payload


def udp(port: int, payload: bytes, source_port: int = 49152) -> bytes:
    return struct.pack(">HHHH", source_port, port, 8 + len(payload), 0) + payload


def roce_v2(message: Message, family: int = 4) -> bytes:
    """From the IP header to the ICRC."""
    datagram = udp(ROCE_PORT, message.content + bytes(4))
    packet = ipv4(message, INNER_V4, UDP, datagram) if family == 4 else ipv6(message, INNER_V6, UDP, datagram)
    header = len(packet) - len(datagram)
    return packet[:-4] + icrc(packet[:header], packet[header:-4])


def roce_v1(message: Message) -> bytes:
    """From the GRH to the ICRC."""
    src, dst = message.ends(INNER_V6)
    length = len(message.content) + 4
    grh = struct.pack(">IHBB", 0x60000000, length, 0x1B, 64) + src + dst
    masked = bytearray(grh + message.content)
    masked[0:4] = b"\x6f\xff\xff\xff"  # traffic class and flow label
    masked[7] = 0xFF  # hop limit
    masked[44] = 0xFF  # FECN, BECN and reserved bits of the BTH
    return grh + message.content + struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(masked)))


def ethernet(message: Message, ether_type: int, payload: bytes) -> bytes:
    src, dst = MACS if message.from_a else MACS[::-1]
    return dst + src + struct.pack(">H", ether_type) + payload


def tag(vlan: int, ether_type: int, payload: bytes) -> bytes:
    """What follows a VLAN EtherType."""
    return struct.pack(">HH", vlan, ether_type) + payload


def plain(message: Message) -> bytes:
    return ethernet(message, IPV4_TYPE, roce_v2(message))


def gre(protocol: int, payload: bytes, flags: int = 0, fields: bytes = b"") -> bytes:
    return struct.pack(">HH", flags, protocol) + fields + payload


def full_gre(payload: bytes) -> bytes:
    """GRE with all its optional fields: checksum, key and sequence number."""
    packet = gre(IPV4_TYPE, payload, 0xB000, struct.pack(">HHII", 0, 0, 77, 1))
    checksum = ipv4_checksum(packet + bytes(len(packet) % 2))  # the same sum as IPv4's
    return packet[:4] + struct.pack(">H", checksum) + packet[6:]


def in_ipv4(message: Message, protocol: int, payload: bytes) -> bytes:
    return ethernet(message, IPV4_TYPE, ipv4(message, OUTER_V4, protocol, payload))


def vxlan(vni: int, payload: bytes) -> bytes:
    return udp(VXLAN_PORT, struct.pack(">BxxxI", 0x08, vni << 8) + payload)


def geneve(vni: int, payload: bytes) -> bytes:
    """With one option of 8 bytes."""
    option = struct.pack(">HBBI", 0x0102, 0x01, 1, 0xABAD1DEA)
    return udp(GENEVE_PORT, struct.pack(">BBHI", len(option) // 4, 0, BRIDGED_TYPE, vni << 8) + option + payload)


def erspan_2(payload: bytes) -> bytes:
    return gre(0x88BE, struct.pack(">HHI", 0x1000 | 100, 7, 0) + payload, 0x1000, struct.pack(">I", 1))


def erspan_3(payload: bytes, subheader: bytes = b"") -> bytes:
    """The last bit of the header (O) says that a platform-specific subheader of 8 bytes follows."""
    header = struct.pack(">HHIHH", 0x2000 | 100, 7, 0, 0, 1 if subheader else 0)
    return gre(0x22EB, header + subheader + payload, 0x1000, struct.pack(">I", 1))


def sll(message: Message, payload: bytes) -> bytes:
    src = MACS[0 if message.from_a else 1]
    return struct.pack(">HHH", 0 if not message.from_a else 4, 1, 6) + src + bytes(2) + struct.pack(
        ">H", IPV4_TYPE) + payload


def sll2(message: Message, payload: bytes) -> bytes:
    src = MACS[0 if message.from_a else 1]
    return struct.pack(">HHIHBB", IPV4_TYPE, 0, 2, 1, 0 if not message.from_a else 4, 6) + src + bytes(2) + payload


def erf_ethernet(frame: bytes) -> bytes:
    """Extensible record format, type 2 (Ethernet): 16 bytes of record header, 2 of offset and pad."""
    length = 16 + 2 + len(frame)
    return struct.pack("<Q", 0) + struct.pack(">BBHHH", 2, 4, length, 0, len(frame)) + bytes(2) + frame


# --- the ways of wrapping ---------------------------------------------------------------------------------------------


class Wrapping(NamedTuple):
    """A way of wrapping; `family` is that of the RoCE packet's own addresses (1: RoCEv1)."""

    name: str
    wrap: Callable[[Message], bytes]
    link_type: int = LINKTYPE_ETHERNET
    family: int = 4


DESTINATION_OPTIONS = bytes([IPIP, 0, 1, 4, 0, 0, 0, 0])  # next header, length, PadN of 4
ROUTER_ALERT = bytes([0x94, 4, 0, 0])

WRAPPINGS = (
    Wrapping("ethernet", plain),
    Wrapping("ethernet-fcs", lambda m: plain(m) + struct.pack("<I", zlib.crc32(plain(m)))),
    Wrapping("ipv6", lambda m: ethernet(m, IPV6_TYPE, roce_v2(m, 6)), family=6),
    Wrapping("vlan", lambda m: ethernet(m, VLAN_TYPE, tag(100, IPV4_TYPE, roce_v2(m)))),
    Wrapping("qinq", lambda m: ethernet(m, QINQ_TYPE, tag(200, VLAN_TYPE, tag(100, IPV4_TYPE, roce_v2(m))))),
    Wrapping("mpls", lambda m: ethernet(m, MPLS_TYPE, struct.pack(">II", 0x0003E040, 0x0007D140) + roce_v2(m))),
    Wrapping("rocev1", lambda m: ethernet(m, ROCE_V1_TYPE, roce_v1(m)), family=1),
    Wrapping("rocev1-vlan", lambda m: ethernet(m, VLAN_TYPE, tag(100, ROCE_V1_TYPE, roce_v1(m))), family=1),
    Wrapping("ip-in-ip-options", lambda m: ethernet(m, IPV4_TYPE, ipv4(m, OUTER_V4, IPIP, roce_v2(m), ROUTER_ALERT))),
    Wrapping("ipv6-in-ip", lambda m: in_ipv4(m, IPV6_IN_IP, roce_v2(m, 6)), family=6),
    Wrapping("ip-in-ipv6-extension",
             lambda m: ethernet(m, IPV6_TYPE, ipv6(m, OUTER_V6, 60, DESTINATION_OPTIONS + roce_v2(m)))),
    Wrapping("gre", lambda m: in_ipv4(m, GRE, gre(IPV4_TYPE, roce_v2(m)))),
    Wrapping("gre-checksum-key-sequence", lambda m: in_ipv4(m, GRE, full_gre(roce_v2(m)))),
    Wrapping("nvgre", lambda m: in_ipv4(m, GRE, gre(BRIDGED_TYPE, plain(m), 0x2000, struct.pack(">I", 5001 << 8)))),
    Wrapping("erspan-1", lambda m: in_ipv4(m, GRE, gre(0x88BE, plain(m)))),
    Wrapping("erspan-2", lambda m: in_ipv4(m, GRE, erspan_2(plain(m)))),
    Wrapping("erspan-3", lambda m: in_ipv4(m, GRE, erspan_3(plain(m)))),
    Wrapping("erspan-3-subheader", lambda m: in_ipv4(m, GRE, erspan_3(plain(m), bytes(8)))),
    Wrapping("vxlan", lambda m: in_ipv4(m, UDP, vxlan(5000, plain(m)))),
    Wrapping("vxlan-vlan",
             lambda m: in_ipv4(m, UDP, vxlan(5000, ethernet(m, VLAN_TYPE, tag(100, IPV4_TYPE, roce_v2(m)))))),
    Wrapping("vxlan-over-ipv6",
             lambda m: ethernet(m, IPV6_TYPE, ipv6(m, OUTER_V6, UDP, vxlan(5000, plain(m))))),
    Wrapping("geneve", lambda m: in_ipv4(m, UDP, geneve(6000, plain(m)))),
    Wrapping("vxlan-in-erspan-2", lambda m: in_ipv4(m, GRE, erspan_2(in_ipv4(m, UDP, vxlan(5000, plain(m)))))),
    Wrapping("sll", lambda m: sll(m, roce_v2(m)), SLL),
    Wrapping("sll2", lambda m: sll2(m, roce_v2(m)), SLL2),
    Wrapping("raw-ipv4", roce_v2, RAW),
    Wrapping("raw-ipv6", lambda m: roce_v2(m, 6), RAW, 6),
    Wrapping("ipv4-link", roce_v2, IPV4),
    Wrapping("ipv6-link", lambda m: roce_v2(m, 6), IPV6, 6),
    Wrapping("null-little-endian", lambda m: struct.pack("<I", 2) + roce_v2(m), NULL),
    Wrapping("null-big-endian", lambda m: struct.pack(">I", 2) + roce_v2(m), NULL),
    Wrapping("null-ipv6-freebsd", lambda m: struct.pack("<I", 28) + roce_v2(m, 6), NULL, 6),
    Wrapping("null-ipv6-darwin", lambda m: struct.pack("<I", 30) + roce_v2(m, 6), NULL, 6),
    Wrapping("loop", lambda m: struct.pack(">I", 2) + roce_v2(m), LOOP),
    Wrapping("erf-ethernet", lambda m: erf_ethernet(plain(m)), ERF),
)


# --- the file, and what must be read from it --------------------------------------------------------------------------


def messages() -> Iterator[tuple[int, Message]]:
    """The first RoCE packets of the source capture, each with its time."""
    taken = 0
    for captured in read_pcap(SOURCE)[1]:
        headers = Headers(captured.data) if len(captured.data) >= 42 else None
        if headers and headers.roce and taken < PACKETS:
            taken += 1
            end = headers.l4 + int.from_bytes(captured.data[headers.l4 + 4:headers.l4 + 6], "big") - 4
            yield captured.time_ns, Message(headers.src == SOURCE_A, captured.data[headers.bth:end])


def file_content() -> bytes:
    source = list(messages())
    frames = []
    for number, wrapping in enumerate(WRAPPINGS):
        for time_ns, message in source:
            data = wrapping.wrap(message.to_qpn(FIRST_QPN + number))
            frames.append(Frame(time_ns + number * 10**9, len(data), data, number))
    interfaces = [Interface(wrapping.link_type, name=wrapping.name) for wrapping in WRAPPINGS]
    comment = ("Four packets in every encapsulation, one interface for each. BTH and payload from a lab capture of "
               "Soft-RoCE, the rest written by tests/support/make_encapsulations.py; see captures/README.md")
    return pcapng(comment, interfaces, frames)


def expected_packets() -> Iterator[dict[str, object]]:
    """What `rocetop packets --json` must say about each frame."""
    frame = 0
    for number, wrapping in enumerate(WRAPPINGS):
        for _, message in messages():
            frame += 1
            pair = INNER_V4 if wrapping.family == 4 else INNER_V6
            yield {"frame": frame, "src": pair[not message.from_a], "dst": pair[message.from_a],
                   "protocol": "RoCEv1" if wrapping.family == 1 else "RoCEv2", "opcode": message.content[0],
                   "dst_qpn": FIRST_QPN + number, "psn": int.from_bytes(message.content[9:12], "big"), "icrc": "good"}


def decoding_differences(command: str) -> list[str]:
    done = subprocess.run([*shlex.split(command), "packets", "--json", str(OUTPUT)], capture_output=True, text=True)
    if done.returncode:
        return [f"exit status {done.returncode}: {done.stderr.strip()}"]
    got = {packet["frame"]: packet for packet in map(json.loads, done.stdout.splitlines())}
    found = []
    for want in expected_packets():
        frame = int(str(want["frame"]))
        name = WRAPPINGS[(frame - 1) // PACKETS].name
        packet = got.get(frame, {})
        found += [f"{name}: frame {frame}: {key} should be {value}, got {packet.get(key)}"
                  for key, value in want.items() if packet.get(key) != value]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is not what it should be")
    parser.add_argument("--rocetop", metavar="CMD", help="write nothing; fail if CMD does not decode every frame")
    arguments = parser.parse_args()
    if arguments.check and OUTPUT.read_bytes() != file_content():
        print(f"{OUTPUT.name} is not what {pathlib.Path(__file__).name} writes")
        return 1
    if arguments.rocetop:
        found = decoding_differences(arguments.rocetop)
        print("\n".join(found) or "every frame is decoded")
        return int(bool(found))
    if not arguments.check:
        OUTPUT.write_bytes(file_content())
    return 0


if __name__ == "__main__":
    sys.exit(main())
