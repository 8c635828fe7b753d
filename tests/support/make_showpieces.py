#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the showpieces in captures/: captures of the lab as pcapng, whole and unchanged, each with a comment inside.

Run without arguments to write them again; with --check to see that what is in captures/ is what would be written.
"""
from __future__ import annotations

import argparse
import pathlib
import sys
from typing import NamedTuple

from capture_files import packed, pcapng, read_pcap, unpacked

CAPTURES = pathlib.Path(__file__).resolve().parents[2] / "captures"


class Showpiece(NamedTuple):
    """A file of captures/, and the lab's capture it was made from."""

    file: str
    source: str
    shows: str


SHOWPIECES = (
    Showpiece("write-loss.pcapng", "write_drop_1pct.middle.out",
              "every 97th data packet of an RDMA WRITE stream lost before the tap, healed by go-back-N after a NAK"),
    Showpiece("read-restart.pcapng.zst", "read_resp_drop.middle.out",
              "READ responses lost before the tap: the requester asks again from the middle"),
    Showpiece("rnr.pcapng.zst", "rnr_start.sender",
              "SENDs before any receive was posted: RNR NAKs, each with a sequence NAK in its wake and no loss"),
    Showpiece("timeout.pcapng.zst", "tail_drop.sender",
              "the last packet of a message lost after the tap: nothing but the QP timeout recovers"),
    Showpiece("resend-lost.pcapng.zst", "retx_drop.middle.in",
              "a packet and its resend lost after the tap: first a NAK, then a timeout"),
    Showpiece("peer-silent.pcapng.zst", "blackhole.sender",
              "from one moment on nothing reaches the peer: retries until the sender gives up"),
    Showpiece("nak-fatal.pcapng.zst", "nak_bad_rkey.sender", "a WRITE with a wrong R_Key: NAK remote access error"),
    Showpiece("cm-reject.pcapng.zst", "cm_reject.sender", "a connection request that nobody listens for: CM REJ"),
    Showpiece("reorder.pcapng.zst", "reorder_1.middle.out",
              "packets overtaken by the next one before the tap: no loss, and yet NAKs and resends"),
    Showpiece("ce-cnp.pcapng.zst", "ce_cnp.middle.out",
              "CE marks answered by CNPs, and a sender that does not slow down"),
    Showpiece("capture-missed.pcapng.zst", "write_drop_1pct.middle.out.lossy",
              "write-loss with packets deleted from the copy: what the network lost and what the capture missed"),
    Showpiece("spurious.pcapng.zst", "rc_write_lat_spurious.sender",
              "a retransmission timer that fires early: resends of what was already acknowledged"),
)


def content_of(piece: Showpiece) -> bytes:
    """The pcapng file, not compressed."""
    interface, frames = read_pcap(CAPTURES / "lab" / f"{piece.source}.pcap.zst")
    comment = f"{piece.shows}. Soft-RoCE on Linux, lab capture {piece.source}; see captures/README.md"
    return pcapng(comment, [interface], frames)


def is_current(piece: Showpiece) -> bool:
    path = CAPTURES / piece.file
    return path.exists() and unpacked(path) == content_of(piece)


def write(piece: Showpiece) -> None:
    content = content_of(piece)
    (CAPTURES / piece.file).write_bytes(packed(content) if piece.file.endswith(".zst") else content)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not what it should be")
    if not parser.parse_args().check:
        for piece in SHOWPIECES:
            write(piece)
        return 0
    stale = [piece.file for piece in SHOWPIECES if not is_current(piece)]
    for file in stale:
        print(f"captures/{file} is not what {pathlib.Path(__file__).name} writes")
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
