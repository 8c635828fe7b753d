# SPDX-License-Identifier: BSD-3-Clause
"""tshark with the plugin, for tests of the plugin: an ordinary user's, who has it in the home folder."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

from ordinary_user import OrdinaryUser

SKIPPED = 77


def skip(why: str) -> None:
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


class Tshark:
    """`plugin`: the built rocetop.so, in the folder of its series; None for a tshark without it."""

    def __init__(self, plugin: pathlib.Path | None):
        if shutil.which("tshark") is None:
            skip("tshark is missing (Debian package tshark)")
        if plugin is not None and not plugin.is_file():
            skip("the Wireshark plugin is not built (Debian package wireshark-dev)")
        self.user = OrdinaryUser(plugin, plugin.parent.parent.name if plugin else "")

    def close(self) -> None:
        self.user.__exit__()

    def readable(self, capture: pathlib.Path) -> str:
        """A copy of it where the user can read it."""
        copy = self.user.home / capture.name
        if not copy.exists():
            shutil.copy(capture, copy)
            copy.chmod(0o644)
        return str(copy)

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        """TSHARK_PRELOAD: libraries that tshark is to load first, those of a plugin's sanitizers. (Not for this process
        and other programs, which may not stand them.)"""
        preload = os.environ.get("TSHARK_PRELOAD")
        more = {"LD_PRELOAD": preload, "ASAN_OPTIONS": "detect_leaks=0"} if preload else {}
        return self.user.run("tshark", *arguments, **(more | environment))

    def text(self, *arguments: str, **environment: str) -> str:
        """Standard output; a run that fails, or complains, ends the test. (That a dissector of Wireshark's own, of some
        payload, has a bug in it is no complaint about the plugin.)"""
        done = self.run(*arguments, **environment)
        complaints = [line for line in done.stderr.splitlines()
                      if line.strip() and not ("Dissector bug, protocol" in line and "RoCE" not in line)]
        if done.returncode != 0 or complaints:
            raise AssertionError(f"tshark {' '.join(arguments)}: status {done.returncode}\n{done.stderr}")
        return done.stdout

    def fields(self, capture: pathlib.Path, names: list[str], *more: str) -> list[dict[str, str]]:
        """Of each frame shown: field name -> text, "" where it is not there; several values are joined by ","."""
        chosen = [word for name in names for word in ("-e", name)]
        out = self.text("-r", self.readable(capture), "-T", "fields", *chosen, *more)
        return [dict(zip(names, line.split("\t"))) for line in out.splitlines()]
