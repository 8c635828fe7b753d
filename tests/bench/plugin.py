#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the Wireshark plugin costs: tshark's time with it as a ratio to tshark's without, for the same command on the
same made capture, in one run.

Rounds go through both in turn, so that a busy moment of the machine hits both; the best round of each counts. CPU time
is what counts, for a busy machine adds to the rest. The command makes a tree and asks for none of the plugin's fields:
what everybody pays who has it.
"""

import argparse
import resource
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from made_capture import made_capture  # noqa: E402
from tshark import Tshark  # noqa: E402

PACKETS = 1_000_000
ROUNDS = 3
MOST = 1.5  # times the time without
COMMANDS = {
    "-T fields -e infiniband.bth.psn": ["-T", "fields", "-e", "infiniband.bth.psn"],
    "-2 -T fields -e infiniband.bth.psn": ["-2", "-T", "fields", "-e", "infiniband.bth.psn"],
}


def cpu_seconds(tshark: Tshark, capture: str, options: list) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(tshark.user.command("tshark", "-r", capture, *options), stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, env=tshark.user.environment(), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packets", type=int, nargs="?", default=PACKETS)
    parser.add_argument("--build", type=Path, required=True, help="the build folder of the release preset")
    parser.add_argument("--captures", type=Path, required=True, help="where made captures are kept")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    arguments = parser.parse_args()
    plugins = sorted((arguments.build / "dissector" / "plugins").glob("*/epan/rocetop.so"))
    if not plugins:
        sys.exit("the Wireshark plugin is not built (Debian package wireshark-dev)")
    made = made_capture(arguments.build, arguments.captures, arguments.packets)
    sides = {"without": Tshark(None), "with": Tshark(plugins[-1])}
    captures = {name: tshark.readable(made) for name, tshark in sides.items()}
    worst = 0.0
    print(f"{arguments.packets} packets, CPU seconds, best of {arguments.rounds}")
    for words, options in COMMANDS.items():
        best = {name: float("inf") for name in sides}
        for _ in range(arguments.rounds):
            for name, tshark in sides.items():
                best[name] = min(best[name], cpu_seconds(tshark, captures[name], options))
        ratio = best["with"] / best["without"]
        worst = max(worst, ratio)
        print(f"tshark {words}: {best['without']:.2f} s without the plugin, {best['with']:.2f} s with it: {ratio:.2f}x")
    for tshark in sides.values():
        tshark.close()
    if worst > MOST:
        print(f"more than {MOST}x")
    return 1 if worst > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
