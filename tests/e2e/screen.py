#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The screen of `rocetop live`, in a real terminal (tmux): what it shows, what keys and signals do, and that the
terminal is afterwards as it was. Run as: screen.py PROGRAM CAPTURES."""
from __future__ import annotations

import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""
CAPTURES = pathlib.Path()
PATIENCE_S = 60  # until a test gives up waiting for something that should come at once


class Terminal:
    """A shell in a tmux of its own. Waiting is for what is shown, never for a time."""

    def __init__(self, width: int, height: int, **environment: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.socket = str(pathlib.Path(self.folder.name) / "tmux")
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "TMUX", "LC_ALL")}
        env |= {"LANG": "C.UTF-8", "TZ": "UTC", "PS1": "$ "} | environment
        self.env = env
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height), "-c", self.folder.name,
                  "bash --norc --noprofile")
        self.shell = os.pidfd_open(int(self.tmux("display-message", "-p", "#{pane_pid}")))

    def tmux(self, *arguments: str) -> str:
        return subprocess.run(["tmux", "-u", "-S", self.socket, *arguments], env=self.env, check=True,
                              capture_output=True, encoding="utf-8").stdout

    def close(self) -> None:
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], env=self.env, capture_output=True)
        select.select([self.shell], [], [], PATIENCE_S)  # until then it may write into the folder
        os.close(self.shell)
        self.folder.cleanup()

    def type(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def type_text(self, text: str) -> None:
        self.tmux("send-keys", "-l", text)

    def shown(self, *options: str) -> str:
        return self.tmux("capture-pane", "-p", *options)

    def wait(self, *parts: str, absent: str = "", times: int = 1) -> str:
        """What is shown once it holds all the parts, each so often: a screen may be looked at while it is drawn."""
        deadline = time.monotonic() + PATIENCE_S
        text = ""
        while time.monotonic() < deadline:
            text = self.shown()
            if all(text.count(part) >= times for part in parts) and not (absent and absent in text):
                return text
            time.sleep(0.02)
        raise AssertionError(f"{parts} did not come (absent: {absent!r}); shown is\n{text}")

    def run(self, arguments: str, before: str = "", program: str = "") -> None:
        """Starts rocetop between two looks at the terminal's modes. The marker at the end is not in what is typed."""
        self.type_text(f"stty -g > before; {before} {program or PROGRAM} {arguments}; echo status:$?; stty -g > after; "
                       "echo all-d'one'\n")

    def wait_for_end(self) -> str:
        text = self.wait("all-done\n")
        folder = pathlib.Path(self.folder.name)
        assert (folder / "before").read_text() == (folder / "after").read_text(), "the terminal's modes changed"
        assert self.tmux("display-message", "-p", "#{alternate_on}").strip() == "0", "still on the alternate screen"
        return text

    def pid(self) -> str:
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        children = subprocess.run(["pgrep", "-P", shell, "rocetop"], capture_output=True, encoding="utf-8").stdout
        return children.split()[0]


class Screen(unittest.TestCase):
    def terminal(self, width: int = 80, height: int = 24, **environment: str) -> Terminal:
        terminal = Terminal(width, height, **environment)
        self.addCleanup(terminal.close)
        return terminal

    def replay(self, terminal: Terminal, capture: str = "write-loss.pcapng", **more: str) -> None:
        terminal.run(f"live --utc -r {CAPTURES / capture} --speed max", **more)
        terminal.wait("(end)", "q Quit")

    def test_shows_and_quits(self) -> None:
        terminal = self.terminal()
        self.replay(terminal)
        text = terminal.wait("192.0.2.1/38 ↔ 192.0.2.2/38")
        self.assertIn("1 Connections  2 Hosts  3 Findings (5)", text)
        self.assertIn("21.0 %", text)
        terminal.type("Enter")
        terminal.wait("connection 1:", "PSN of requests 192.0.2.1 → 192.0.2.2 qp 38")
        terminal.type("G")
        terminal.wait("to by the NAK in #126", "sent a NAK: PSN")
        terminal.type("Escape")
        terminal.wait("connection  ", absent="PSN of requests")
        terminal.type("3")
        terminal.wait("WARNING 12 packets lost before the capture point")
        terminal.type("?")
        terminal.wait("clears the filter")
        terminal.type("q", "7")
        terminal.wait("Where it comes from")
        terminal.type("q")
        text = terminal.wait_for_end()
        self.assertIn("status:0", text)
        self.assertIn("resent 21.0 %  missing 12", text)  # the summary stays
        self.assertNotIn("q Quit", text)

    def test_filter_sort_and_columns(self) -> None:
        terminal = self.terminal(120, 40)
        self.replay(terminal, "lab/many_qps_64.middle.in.pcap.zst")
        terminal.type_text("/qp:64")
        terminal.wait("filter: qp:64", "192.0.2.1/64 ", absent="/65 ")
        terminal.type_text("9999")
        terminal.wait("None of the 64 connections fits the filter qp:649999")
        terminal.type("Escape")
        terminal.wait("192.0.2.1/65 ")
        terminal.type("S")  # upside down
        terminal.wait("192.0.2.1/122 ", absent="192.0.2.1/59 ")
        terminal.type("c", "G", "Space", "c")
        terminal.wait("1/64", absent=" seen")

    def test_size_changes(self) -> None:
        terminal = self.terminal()
        self.replay(terminal)
        terminal.tmux("resize-window", "-x", "40", "-y", "10")
        terminal.wait(" 1 Conn  2  3  4  5  6  7", "…0.2.1/38 ↔ …0.2.2/38")
        terminal.tmux("resize-window", "-x", "120", "-y", "40")
        terminal.wait("5 Connection management")
        terminal.tmux("resize-window", "-x", "3", "-y", "2")
        terminal.tmux("resize-window", "-x", "80", "-y", "24")
        terminal.wait("3 Findings (5)", "q Quit")
        terminal.type("q")
        terminal.wait_for_end()

    def test_mouse(self) -> None:
        terminal = self.terminal()
        self.replay(terminal)
        tabs = next(i for i, line in enumerate(terminal.shown().splitlines()) if "3 Findings" in line)
        self.click(terminal, 30, tabs)
        terminal.wait("WARNING 12 packets lost")
        self.click(terminal, 3, tabs)
        text = terminal.wait("id▾")
        heading = tabs + 1
        rate = text.splitlines()[heading].index("rate")
        self.click(terminal, rate, heading)
        terminal.wait("rate▾")
        self.click(terminal, rate, heading)
        terminal.wait("rate▴")
        self.click(terminal, 8, heading + 1)  # the line with the cursor
        terminal.wait("PSN of requests")

    @staticmethod
    def click(terminal: Terminal, x: int, y: int) -> None:
        """Pressed and let go. As terminfo says for TERM=tmux-256color: button, column and line, each a character."""
        terminal.type_text("".join(f"\x1b[M{button}{chr(32 + x + 1)}{chr(32 + y + 1)}" for button in " #"))

    def test_signals_leave_the_terminal_as_it_was(self) -> None:
        for signal in ("INT", "TERM", "HUP"):
            with self.subTest(signal=signal):
                terminal = self.terminal()
                self.replay(terminal)
                subprocess.run(["kill", "-" + signal, terminal.pid()], check=True)
                self.assertIn("resent 21.0 %", terminal.wait_for_end())
        for signal in ("ABRT", "SEGV", "QUIT", "USR1"):
            with self.subTest(signal=signal):
                terminal = self.terminal()
                self.replay(terminal, before="ulimit -c 0;")
                subprocess.run(["kill", "-" + signal, terminal.pid()], check=True)
                terminal.wait_for_end()

    def test_ends_with_its_terminal(self) -> None:
        for before in ("", "trap '' HUP;"):  # the second one: as under nohup
            with self.subTest(before=before):
                terminal = self.terminal()
                self.replay(terminal, before=before)
                process = os.pidfd_open(int(terminal.pid()))
                terminal.tmux("kill-server")
                ended, _, _ = select.select([process], [], [], PATIENCE_S)
                os.close(process)
                self.assertTrue(ended, "it goes on although nobody can see it")

    def test_stops_and_goes_on(self) -> None:
        terminal = self.terminal()
        self.replay(terminal)
        terminal.type("C-z")
        terminal.wait("Stopped")
        terminal.type_text("fg\n")
        terminal.wait("3 Findings (5)", "q Quit", absent="Stopped")
        terminal.type("q")
        terminal.wait("resent 21.0 %", absent="q Quit")

    def test_looks(self) -> None:
        terminal = self.terminal()
        self.replay(terminal)
        self.assertIn("\x1b[38;5;", terminal.shown("-e"))
        plain = self.terminal(NO_COLOR="1")
        self.replay(plain)
        self.assertNotIn("38;5;", plain.shown("-e"))
        self.assertNotIn("\x1b[3", plain.shown("-e").replace("\x1b[39m", ""))
        ascii_only = self.terminal()
        self.replay(ascii_only, before="LC_ALL=C")
        ascii_only.type("Enter")
        text = ascii_only.wait("192.0.2.1 qp 38 <-> 192.0.2.2 qp 38", "PSN of requests")
        self.assertTrue(text.isascii(), text)

    def test_terminals_that_cannot_get_text(self) -> None:
        for name in ("dumb", "no-such-terminal"):
            with self.subTest(terminal=name):
                terminal = self.terminal(100, 40)
                terminal.run(f"live --utc -r {CAPTURES / 'write-loss.pcapng'} --speed max", before=f"TERM={name}")
                text = terminal.wait_for_end()
                self.assertIn("status:0", text)
                self.assertIn("resent 21.0 %  missing 12  NAK 12", text)

    def test_a_capture_from_a_pipe_leaves_the_keys_to_the_terminal(self) -> None:
        terminal = self.terminal()
        terminal.run("live --utc -r -", before=f"cat {CAPTURES / 'write-loss.pcapng'} |")
        terminal.wait("(end)", "192.0.2.1/38")
        terminal.type("3")
        terminal.wait("WARNING 12 packets lost")
        terminal.type("q")
        terminal.wait_for_end()

    def test_the_screen_is_there_before_the_input_is(self) -> None:
        for source in ("-r - < pipe", "-r pipe"):
            with self.subTest(source=source):
                terminal = self.terminal()
                # Held open by the shell: nothing comes, and it does not end.
                terminal.run(f"live --utc {source}", before="mkfifo pipe; exec 3<>pipe;")
                terminal.wait("waiting for packets from", "q Quit")
                terminal.type("?")
                terminal.wait("clears the filter")
                terminal.type("?")
                capture = (CAPTURES / "write-loss.pcapng").read_bytes()
                with open(pathlib.Path(terminal.folder.name) / "pipe", "wb") as pipe:
                    pipe.write(capture)
                terminal.wait("192.0.2.1/38 ↔ 192.0.2.2/38")
                terminal.type("q")
                self.assertIn("status:0", terminal.wait_for_end())

    def test_what_cannot_be_opened_is_said_on_the_normal_screen(self) -> None:
        terminal = self.terminal()
        terminal.run("live -r -", before="echo this is no capture at all |")
        text = terminal.wait_for_end()
        self.assertIn("status:2", text)
        self.assertIn("rocetop: standard input: is text, not a capture", text)
        terminal = self.terminal()
        terminal.run("live -r pipe", before="mkfifo pipe; exec 3<>pipe;")
        terminal.wait("waiting for packets from pipe")
        terminal.type("q")
        self.assertIn("nothing came", terminal.wait_for_end())

    def test_damage_is_said_on_every_tab(self) -> None:
        terminal = self.terminal()
        whole = (CAPTURES / "write-loss.pcapng").read_bytes()
        (pathlib.Path(terminal.folder.name) / "cut.pcapng").write_bytes(whole[:200_000])
        terminal.run("live --utc -r cut.pcapng --speed max")
        terminal.wait("(end)", "q Quit")
        for tab in "1234567":
            terminal.type(tab)
            terminal.wait("capture CUT OFF at its end", "cut.pcapng: cut off in the last block")

    def test_slow_replays_are_shown_at_the_pace_of_who_looks(self) -> None:
        terminal = self.terminal()
        # 713 ms of packets: two hours.
        terminal.run(f"live --utc -r {CAPTURES / 'write-loss.pcapng'} --speed 0.0001", before="")
        self.assertIn("--speed 0.0001: not a speed", terminal.wait_for_end())
        terminal = self.terminal()
        terminal.run(f"live --utc -r {CAPTURES / 'write-loss.pcapng'} --speed 0.001")
        terminal.wait("(speed 0.001)", "every 1s", "active 0 of 0", absent="waiting for packets")

    def test_a_finding_opens_and_scrolls_on_a_small_screen(self) -> None:
        terminal = self.terminal(40, 10)
        terminal.run(f"live --utc -r {CAPTURES / 'write-loss.pcapng'} --speed max")
        terminal.wait("(end)", "new: 12 packets lost")
        terminal.type("3")
        terminal.wait("q Quit", absent="new: ")  # the news went with the key
        terminal.type("Enter")
        terminal.wait("WARNING 12 packets lost", "Explanation")
        terminal.type("G")
        terminal.wait("What follows from it", absent="Explanation")
        terminal.type("Enter")
        terminal.wait("connection 1:")
        terminal.type("Escape")
        terminal.wait("What follows from it")
        terminal.type("Escape")
        terminal.wait("finding")

    def test_options_choose_what_it_begins_with(self) -> None:
        capture = CAPTURES / "lab/many_qps_64.middle.in.pcap.zst"
        terminal = self.terminal(120, 40)
        terminal.run(f"live --utc -r {capture} --speed max --ascii --theme plain --units bytes --sort 'rtt P99' "
                     "--show 'qp:64 !state:active'")
        text = terminal.wait("(end)", "RTT p99-", "filter: qp:64 !state:active", "192.0.2.1/64 ",
                             absent="/65 ")
        self.assertTrue(text.isascii(), text)
        self.assertIn(" B/s", text)
        self.assertNotIn("38;5;", terminal.shown("-e"))
        terminal = self.terminal()
        terminal.run(f"live -r {capture} --sort nonsense")
        text = terminal.wait_for_end()
        self.assertIn("--sort nonsense: no such column", text)
        self.assertIn("status:2", text)
        terminal = self.terminal()
        terminal.run(f"live -r {capture} --show stat:idle")
        text = terminal.wait_for_end()
        self.assertIn("--show stat:idle: no connection can fit that", text)
        self.assertIn("status:2", text)

    def test_the_log_tells_each_going_back(self) -> None:
        terminal = self.terminal(120, 60)
        self.replay(terminal)
        terminal.type("Enter", "G")
        text = terminal.wait("asked to by the NAK in #", times=12)
        self.assertIn("What happened lately, newest first", text)
        self.assertEqual(text.count("asked to by the NAK in #"), 12, text)

    def test_recordings_do_not_overwrite_each_other(self) -> None:
        terminal = self.terminal()
        terminal.run(f"live --utc -r {CAPTURES / 'write-loss.pcapng'} --speed 0.001 -w own.pcapng")
        terminal.wait("q Quit", "REC")
        terminal.type("w")
        terminal.wait("written to own.pcapng")
        for _ in range(3):
            terminal.type("w")
            terminal.wait("writing to rocetop-")
            terminal.type("w")
            terminal.wait("written to rocetop-")
        terminal.type("q")
        terminal.wait_for_end()
        folder = pathlib.Path(terminal.folder.name)
        self.assertEqual(len(list(folder.glob("rocetop-*.pcapng"))), 3)
        self.assertTrue((folder / "own.pcapng").stat().st_size > 0)

    def test_pause_and_recording(self) -> None:
        terminal = self.terminal()
        # Slow enough to be under way for as long as this takes.
        terminal.run(f"live --utc -r {CAPTURES / 'write-loss.pcapng'} --speed 0.001")
        terminal.wait("q Quit")
        terminal.type("p")
        terminal.wait("PAUSED")
        terminal.type("p")
        terminal.wait("q Quit", absent="PAUSED")
        terminal.type("w")
        terminal.wait("writing to rocetop-")
        terminal.type("w")
        terminal.wait("written to rocetop-")
        terminal.type("r")
        terminal.wait("Begin all counters again? y/n")
        terminal.type("y")
        terminal.wait("counters begin again")
        terminal.type("+")
        terminal.wait("every 2s")
        terminal.type("q")
        terminal.wait_for_end()
        self.assertTrue(list(pathlib.Path(terminal.folder.name).glob("rocetop-*.pcapng")))


def main() -> int:
    global PROGRAM, CAPTURES
    if shutil.which("tmux") is None:
        print("skipped: tmux is missing (Debian package tmux)")
        return 77
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    CAPTURES = pathlib.Path(sys.argv[2]).resolve()
    return 0 if unittest.main(argv=[sys.argv[0], *sys.argv[3:]], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
