# SPDX-License-Identifier: BSD-3-Clause
"""Captures that are made once and kept, for all benches."""
import shutil
import subprocess
import sys
from pathlib import Path

BYTES_PER_PACKET = 144  # a pcap record of a 128-byte snap
QUEUE_PAIRS = 1_024


def made_capture(build: Path, folder: Path, packets: int, queue_pairs: int = QUEUE_PAIRS) -> Path:
    """A capture of so many packets; made if it is not there yet. `build`: the build folder of the release preset."""
    path = folder / f"made-{packets}-{queue_pairs}.pcap"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        needed = packets * BYTES_PER_PACKET
        free = shutil.disk_usage(folder).free
        if free < needed * 1.1:
            sys.exit(f"{folder}: {needed / 1e9:.1f} GB are needed for {packets} packets, {free / 1e9:.1f} GB are free")
        print(f"making {path} ({needed / 1e9:.2f} GB)", flush=True)
        part = path.with_suffix(".part")
        subprocess.run([build / "tests" / "bench" / "bench_make_capture", part, "--packets", str(packets),
                        "--queue-pairs", str(queue_pairs)], check=True)
        part.rename(path)
    return path
