# SPDX-License-Identifier: BSD-3-Clause
"""Reads pcap and pcapng and writes pcapng: just what this project's scripts and tests need.

Not a general reader: little-endian and nanoseconds only, which is what the lab and rocetop write. The sections written
hold no operating system or hardware text, so that a capture tells nothing about the machine that made it.
"""
from __future__ import annotations

import pathlib
import struct
import subprocess
from collections.abc import Iterable, Iterator
from typing import NamedTuple

LINKTYPE_ETHERNET = 1
PCAP_MAGIC_NS = 0xA1B23C4D
SECTION_HEADER, INTERFACE, ENHANCED_PACKET = 0x0A0D0D0A, 1, 6  # pcapng block types
OPT_COMMENT, OPT_IF_NAME, OPT_IF_TSRESOL = 1, 2, 9
NANOSECONDS = b"\x09"  # if_tsresol: 10^-9


class Frame(NamedTuple):
    """One captured frame. `wire_bytes` is its length before the snap length cut it."""

    time_ns: int
    wire_bytes: int
    data: bytes
    interface: int = 0


class Interface(NamedTuple):
    """A pcapng interface."""

    link_type: int
    snap_bytes: int = 262144
    name: str = ""


def unpacked(path: pathlib.Path) -> bytes:
    """The content of a file, decompressed if it is zstd (Python 3.11 has no zstd of its own)."""
    if path.suffix != ".zst":
        return path.read_bytes()
    return subprocess.run(["zstd", "-q", "-d", "-c", str(path)], check=True, capture_output=True).stdout


def packed(content: bytes) -> bytes:
    return subprocess.run(["zstd", "-q", "--ultra", "-22", "-c"], input=content, check=True, capture_output=True).stdout


def read_pcap(path: pathlib.Path) -> tuple[Interface, list[Frame]]:
    content = unpacked(path)
    magic, _, _, _, _, snap_bytes, link_type = struct.unpack_from("<IHHiIII", content)
    if magic != PCAP_MAGIC_NS:
        raise ValueError(f"{path}: not a little-endian nanosecond pcap file")
    return Interface(link_type, snap_bytes), list(_records(content))


def _records(content: bytes) -> Iterator[Frame]:
    position = 24
    while position < len(content):
        seconds, ns, captured, wire_bytes = struct.unpack_from("<IIII", content, position)
        position += 16
        yield Frame(seconds * 10**9 + ns, wire_bytes, content[position:position + captured])
        position += captured


def read_pcapng(path: pathlib.Path) -> tuple[list[Interface], list[Frame]]:
    """Of one section, with nanosecond stamps: what pcapng() below and rocetop write."""
    content = unpacked(path)
    interfaces, frames, position = [], [], 0
    while position < len(content):
        kind, length = struct.unpack_from("<II", content, position)
        body = content[position + 8:position + length - 4]
        position += length
        if kind == INTERFACE:
            link_type, _, snap_bytes = struct.unpack_from("<HHI", body)
            interfaces.append(Interface(link_type, snap_bytes))
        elif kind == ENHANCED_PACKET:
            interface, high, low, captured, wire_bytes = struct.unpack_from("<IIIII", body)
            frames.append(Frame(high << 32 | low, wire_bytes, body[20:20 + captured], interface))
    return interfaces, frames


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def _block(kind: int, body: bytes, options: Iterable[bytes] = ()) -> bytes:
    tail = b"".join(options)
    if tail:
        tail += _option(0, b"")
    length = 12 + len(body) + len(tail)
    return struct.pack("<II", kind, length) + body + tail + struct.pack("<I", length)


def pcapng(comment: str, interfaces: Iterable[Interface], frames: Iterable[Frame]) -> bytes:
    """A pcapng file of one section with nanosecond times."""
    section = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)
    blocks = [_block(SECTION_HEADER, section, [_option(OPT_COMMENT, comment.encode())])]
    for interface in interfaces:
        options = [_option(OPT_IF_NAME, interface.name.encode())] if interface.name else []
        options.append(_option(OPT_IF_TSRESOL, NANOSECONDS))
        blocks.append(_block(INTERFACE, struct.pack("<HHI", interface.link_type, 0, interface.snap_bytes), options))
    for frame in frames:
        head = struct.pack("<IIIII", frame.interface, frame.time_ns >> 32, frame.time_ns & 0xFFFFFFFF,
                           len(frame.data), frame.wire_bytes)
        blocks.append(_block(ENHANCED_PACKET, head + frame.data + bytes(-len(frame.data) % 4)))
    return b"".join(blocks)
