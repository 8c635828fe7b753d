# SPDX-License-Identifier: BSD-3-Clause
"""The header fields of one Ethernet frame that the wire's rules look at, and the few changes the wire makes to frames.

Not a decoder: one VLAN tag, IPv4 or IPv6 without extension headers, UDP 4791. That is all the lab's hosts send.
"""
from __future__ import annotations

import socket
import struct
import zlib

ROCE_PORT = b"\x12\xb7"  # 4791
CNP_OPCODE = 0x81
GSI_QPN = 1  # connection management
CNP_DSCP = 48
FIRST_NAK_SYNDROME = 0x20  # AETH syndromes below are positive acknowledgements

# The lower five bits of the opcode, and the upper three.
OPS = {0: "send_first", 1: "send_middle", 2: "send_last", 3: "send_last_imm", 4: "send_only", 5: "send_only_imm",
       6: "write_first", 7: "write_middle", 8: "write_last", 9: "write_last_imm", 10: "write_only",
       11: "write_only_imm", 12: "read_request", 13: "read_resp_first", 14: "read_resp_middle", 15: "read_resp_last",
       16: "read_resp_only", 17: "acknowledge", 18: "atomic_ack", 19: "cmp_swap", 20: "fetch_add",
       22: "send_last_inv", 23: "send_only_inv"}
TRANSPORTS = {0: "rc", 1: "uc", 3: "ud", 5: "xrc"}


class Frame:
    """The fields of a frame; `roce` is False for anything but RoCEv2, and then only l3, vlan and addresses are set."""

    def __init__(self, data: bytes) -> None:
        self.data, self.roce, self.ecn = data, False, 0
        self.vlan: int | None = None
        self.l3 = 14
        ether_type = data[12:14]
        if ether_type == b"\x81\x00":
            self.vlan = struct.unpack(">H", data[14:16])[0] & 0xFFF
            ether_type, self.l3 = data[16:18], 18
        if ether_type == b"\x08\x00":
            protocol = self._read_ipv4()
        elif ether_type == b"\x86\xdd":
            protocol = self._read_ipv6()
        else:
            return
        if protocol == socket.IPPROTO_UDP and data[self.l4 + 2:self.l4 + 4] == ROCE_PORT:
            self._read_bth()

    def _read_ipv4(self) -> int:
        data, l3 = self.data, self.l3
        self.is_ipv6, self.l4 = False, l3 + (data[l3] & 15) * 4
        self.src, self.dst = (socket.inet_ntoa(data[l3 + at:l3 + at + 4]) for at in (12, 16))
        self.ecn = data[l3 + 1] & 3
        return data[l3 + 9]

    def _read_ipv6(self) -> int:
        data, l3 = self.data, self.l3
        self.is_ipv6, self.l4 = True, l3 + 40
        self.src, self.dst = (socket.inet_ntop(socket.AF_INET6, data[l3 + at:l3 + at + 16]) for at in (8, 24))
        self.ecn = data[l3 + 1] >> 4 & 3
        return data[l3 + 6]

    def _read_bth(self) -> None:
        data, bth = self.data, self.l4 + 8
        self.roce, self.bth, self.opcode = True, bth, data[bth]
        self.kind = OPS.get(self.opcode & 31, "?") if self.opcode != CNP_OPCODE else "cnp"
        self.transport = TRANSPORTS.get(self.opcode >> 5, "?")
        self.qpn = int.from_bytes(data[bth + 5:bth + 8], "big")
        self.psn = int.from_bytes(data[bth + 9:bth + 12], "big")
        self.syndrome = data[bth + 12] if self.kind == "acknowledge" else None
        self.reply = self.kind.startswith("read_resp") or self.kind in ("acknowledge", "atomic_ack")

    def is_a(self, name: str) -> bool:
        """Is this RoCE frame of a class, or of a kind of OPS?"""
        kind, managed = self.kind, self.qpn == GSI_QPN
        if name in ("write", "send"):
            return kind.startswith(name) and not managed
        if name == "data":
            return kind.startswith(("write", "send")) and not managed
        if name == "ack":
            return self.syndrome is not None and self.syndrome < FIRST_NAK_SYNDROME
        if name == "nak":
            return self.syndrome is not None and self.syndrome >= FIRST_NAK_SYNDROME
        if name == "atomic":
            return kind in ("cmp_swap", "fetch_add")
        classes = {"any": True, "req": not self.reply and kind != "cnp", "cm": managed,
                   "read_req": kind == "read_request", "read_resp": kind.startswith("read_resp")}
        return classes.get(name, kind == name)

    def with_ce(self) -> bytes:
        """The frame with CE set (and the IPv4 header checksum to fit; the ICRC leaves both out)."""
        changed = bytearray(self.data)
        if self.is_ipv6:
            changed[self.l3 + 1] |= 0x30
        else:
            changed[self.l3 + 1] |= 3
            changed[self.l3 + 10:self.l3 + 12] = b"\0\0"
            changed[self.l3 + 10:self.l3 + 12] = struct.pack(">H", ipv4_checksum(changed[self.l3:self.l4]))
        return bytes(changed)

    def cnp(self, qpn: int) -> bytes:
        """A CNP back to this frame's sender, for the sender's queue pair qpn (IPv4 only)."""
        ethernet = self.data[6:12] + self.data[0:6] + self.data[12:self.l3]
        bth = struct.pack(">BBHII", CNP_OPCODE, 0, 0xFFFF, 0x40000000 | qpn, 0) + bytes(16)
        udp_bytes = 8 + len(bth) + 4
        udp = self.data[self.l4:self.l4 + 2] + struct.pack(">HHH", 4791, udp_bytes, 0)
        ip = bytearray(struct.pack(">BBHHHBBH", 0x45, CNP_DSCP << 2, 20 + udp_bytes, 0, 0x4000, 64, 17, 0)
                       + self.data[self.l3 + 16:self.l3 + 20] + self.data[self.l3 + 12:self.l3 + 16])
        ip[10:12] = struct.pack(">H", ipv4_checksum(ip))
        return ethernet + bytes(ip) + udp + bth + icrc(bytes(ip), udp + bth)

    def icrc_is_good(self) -> bool:
        """Does the ICRC fit? For complete RoCE frames."""
        ip = self.data[self.l3:self.l4]
        ip_bytes = int.from_bytes(ip[4:6], "big") + 40 if self.is_ipv6 else int.from_bytes(ip[2:4], "big")
        rest = self.data[self.l4:self.l3 + ip_bytes]
        return icrc(ip, rest[:-4]) == rest[-4:]


def ipv4_checksum(header: bytes) -> int:
    total = sum(struct.unpack(f">{len(header) // 2}H", bytes(header)))
    total = (total & 0xFFFF) + (total >> 16)
    return ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF


def icrc(ip: bytes, rest: bytes) -> bytes:
    """The ICRC of an IP header and what follows it: CRC-32 with all that a router may change taken as ones."""
    ip, rest = bytearray(ip), bytearray(rest)
    if ip[0] >> 4 == 6:
        ip[0] |= 0x0F  # traffic class, flow label, hop limit
        ip[1:4] = b"\xff\xff\xff"
        ip[7] = 0xFF
    else:
        ip[1], ip[8], ip[10:12] = 0xFF, 0xFF, b"\xff\xff"  # type of service, time to live, checksum
    rest[6:8] = b"\xff\xff"  # UDP checksum
    rest[12] = 0xFF  # FECN, BECN and reserved bits of the BTH
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(ip + rest)))
