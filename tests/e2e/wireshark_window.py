#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wireshark's window with the plugin and its profile, on a display that nobody looks at: colours of the packet list,
the report and the table of connections as windows. Run as: wireshark_window.py PROGRAM PLUGIN CAPTURES."""
from __future__ import annotations

import collections
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from ordinary_user import OrdinaryUser  # noqa: E402
from waiting import wait_until  # noqa: E402

PLUGIN = pathlib.Path()
CAPTURES = pathlib.Path()
PROFILE = pathlib.Path(__file__).resolve().parent.parent.parent / "dissector" / "profile" / "RoCE"

NAK_BACKGROUND = (164, 0, 0)  # of the profile's colouring rules
RESENT_BACKGROUND = (18, 39, 46)
ACK_BACKGROUND = (238, 249, 236)
CONVERSATION_BACKGROUND = (255, 192, 192)  # Wireshark's first colour of conversations


class Display:
    """An X server in memory, whose picture is a file (xwd)."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        end, write = os.pipe()
        # -noreset: else it begins anew, and lets nobody in meanwhile, whenever its last client leaves.
        self._server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1400x900x24", "-fbdir",
                                         self._folder.name, "-nolisten", "tcp", "-noreset"], pass_fds=[write],
                                        stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(end) as pipe:
            self.name = f":{pipe.readline().strip()}"

    def close(self) -> None:
        self._server.terminate()
        self._server.wait()
        self._folder.cleanup()

    def colours(self) -> collections.Counter:
        """Pixels by (red, green, blue)."""
        data = (pathlib.Path(self._folder.name) / "Xvfb_screen0").read_bytes()
        header = struct.unpack(">25I", data[:100])
        height, line_bytes, palette = header[5], header[12], header[19]
        start = header[0] + 12 * palette
        pixels = data[start:start + height * line_bytes]
        count = collections.Counter(struct.unpack(f"<{len(pixels) // 4}I", pixels))
        return collections.Counter({(p >> 16 & 255, p >> 8 & 255, p & 255): n for p, n in count.items()})

    def xdotool(self, *arguments: str) -> str:
        return subprocess.run(["xdotool", *arguments], env=os.environ | {"DISPLAY": self.name}, capture_output=True,
                              text=True).stdout

    def windows(self) -> list[str]:
        """Titles of what is shown."""
        return self.xdotool("search", "--onlyvisible", "--name", ".", "getwindowname", "%@").splitlines()


class Window(unittest.TestCase):
    def setUp(self) -> None:
        self.user = OrdinaryUser(PLUGIN)
        self.addCleanup(self.user.__exit__)
        self.user.put(PROFILE, ".config/wireshark/profiles/RoCE")
        self.user.put(CAPTURES / "write-loss.pcapng", "write-loss.pcapng")
        recent = "gui.geometry_main_x: 0\ngui.geometry_main_y: 0\n"
        recent += "gui.geometry_main_width: 1400\ngui.geometry_main_height: 900\n"
        (self.user.home / ".config/wireshark/recent_common").write_text(recent)
        (self.user.home / "run").mkdir()
        self.user.own()
        (self.user.home / "run").chmod(0o700)
        self.display = Display()
        self.addCleanup(self.display.close)

    def wireshark(self, *arguments: str) -> subprocess.Popen:
        environment = self.user.environment(DISPLAY=self.display.name, XDG_RUNTIME_DIR=str(self.user.home / "run"),
                                            QT_QPA_PLATFORM="xcb")
        log = (self.user.home / "log").open("w")
        process = subprocess.Popen(self.user.command("wireshark", "-C", "RoCE", "-r", "write-loss.pcapng", *arguments),
                                   cwd=self.user.home, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=subprocess.STDOUT)
        log.close()
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return process

    def window(self, process: subprocess.Popen, title: str) -> None:
        def there() -> bool:
            self.assertIsNone(process.poll(), (self.user.home / "log").read_text())
            return any(title in window for window in self.display.windows())
        wait_until(there, title)

    def test_colours_of_the_packet_list(self) -> None:
        process = self.wireshark("-Y", "frame.number >= 124")  # the first one shown is selected, in a colour of its own
        self.window(process, "write-loss.pcapng")
        wait_until(lambda: self.display.colours()[NAK_BACKGROUND] > 5_000, "a NAK's colour")
        wait_until(lambda: self.display.colours()[RESENT_BACKGROUND] > 50_000, "a resend's colour")

    def test_a_connection_is_a_conversation_of_two_directions(self) -> None:
        """Colorize Conversation (Ctrl-1) of a WRITE colours the ACKs as well: they are of another UDP conversation."""
        process = self.wireshark("-Y", "frame.number == 5 || roce.analysis.kind == \"ack\"")
        self.window(process, "write-loss.pcapng")
        wait_until(lambda: self.display.colours()[ACK_BACKGROUND] > 50_000, "the colour of ACKs")
        window = self.display.xdotool("search", "--onlyvisible", "--name", "write-loss").split()[0]
        self.display.xdotool("windowfocus", window)
        wait_until(lambda: self.display.xdotool("getwindowfocus").strip() == window, "the keyboard's focus")
        self.display.xdotool("key", "ctrl+1")
        wait_until(lambda: self.display.colours()[CONVERSATION_BACKGROUND] > 50_000, "the colour of a conversation")

    def test_report_and_table_are_windows(self) -> None:
        process = self.wireshark("-z", "roce,report", "-z", "roce,table")
        self.window(process, "RoCE Report")
        self.window(process, "RoCE Connections")
        log = (self.user.home / "log").read_text()
        self.assertNotIn("WARNING", log)
        self.assertNotIn("roce", log.lower())


if __name__ == "__main__":
    PLUGIN = pathlib.Path(sys.argv[2]).resolve()
    CAPTURES = pathlib.Path(sys.argv[3]).resolve()
    missing = [program for program in ("wireshark", "Xvfb", "xdotool") if not shutil.which(program)]
    if not PLUGIN.is_file() or missing:
        print(f"skipped: {', '.join(missing) or 'the plugin (Debian package wireshark-dev)'} is missing")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
