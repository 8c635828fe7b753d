#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The program as a user meets it: arguments, exit statuses, pipes, terminals. Run as: cli.py PROGRAM CAPTURES."""
from __future__ import annotations

import fcntl
import gzip
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

PROGRAM = ""
CAPTURES = pathlib.Path()
WRITE_LOSS = ""


def rocetop(*arguments: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess:
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")} | {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
    done = subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, env=env | environment)
    done.stdout = done.stdout.decode("utf-8")
    done.stderr = done.stderr.decode("utf-8")
    return done


def on_terminal(*arguments: str, **environment: str) -> str:
    """Standard output of a run whose standard output is a terminal of 100 columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS")}
    env |= {"LC_ALL": "C.UTF-8", "TERM": "xterm"} | environment
    process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL,
                               env=env)
    os.close(slave)
    text = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the terminal's last writer is gone
            break
        if not piece:
            break
        text += piece
    process.wait()
    os.close(master)
    return text.decode("utf-8")


class Rules(unittest.TestCase):
    def test_the_reference_page_is_what_the_program_says(self) -> None:
        page = (CAPTURES.parent / "docs" / "rules.md").read_text()
        self.assertEqual(rocetop("rules", "--markdown").stdout, page, "rocetop rules --markdown > docs/rules.md")

    def test_one_rule_a_theme_and_all(self) -> None:
        self.assertIn("burst_window = 1ms", rocetop("rules", "loss.burst").stdout)
        self.assertEqual(rocetop("rules", "loss").stdout.count("fires when"), 4)
        self.assertIn("cm.rejected", rocetop("rules").stdout)
        for width in (60, 80, 120):
            lines = rocetop("rules", COLUMNS=str(width)).stdout.splitlines()
            self.assertLessEqual(max(map(len, lines)), width)
            for line in lines:
                if not line.startswith(" "):
                    severity = "(info|warning|critical)"
                    self.assertRegex(line, rf"^[a-z_.]+  +{severity}( or {severity})?(  +\S|$)")

    def test_thresholds_change_what_is_judged(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write(rocetop("rules", "--thresholds").stdout)
            file.flush()
            plain = json.loads(rocetop("triage", "--json", WRITE_LOSS).stdout)
            same = json.loads(rocetop("triage", "--json", "--thresholds", file.name, WRITE_LOSS).stdout)
            self.assertEqual(plain, same)
            done = rocetop("triage", "--json", "--thresholds", file.name, "--threshold", "wasted_packets=1000",
                           WRITE_LOSS)
        changed = json.loads(done.stdout)
        self.assertEqual(changed["thresholds"]["wasted_packets"], 1000)
        self.assertIn("retransmit.waste", [f["rule"] for f in plain["findings"]])
        self.assertNotIn("retransmit.waste", [f["rule"] for f in changed["findings"]])


class Live(unittest.TestCase):
    """rocetop live on captures; on interfaces: live.py."""

    @staticmethod
    def lines(*arguments: str, stdin: bytes = b"") -> list[dict]:
        done = rocetop("live", "--json", *arguments, stdin=stdin)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_a_replay_ends_with_what_triage_says(self) -> None:
        for capture in sorted(CAPTURES.glob("*.pcapng*")):
            whole = json.loads(rocetop("triage", "--json", str(capture)).stdout)
            last = self.lines("-r", str(capture), "--speed", "max", "--interval", "100ms")[-1]
            for connection in last["connections"]:
                del connection["recent"]
            for finding in last["findings"]:
                for key in ("active", "last_seen_ns", "recent"):
                    del finding[key]
            for name in ("capture", "connections", "findings"):
                self.assertEqual(last[name], whole[name], f"{capture.name}: {name}")

    def test_intervals_add_up(self) -> None:
        lines = self.lines("-r", str(CAPTURES / "peer-silent.pcapng.zst"), "--speed", "max", "--interval", "100ms")
        self.assertGreater(len(lines), 2)
        self.assertEqual([line["number"] for line in lines], list(range(1, len(lines) + 1)))
        self.assertEqual([line["final"] for line in lines], [False] * (len(lines) - 1) + [True])
        self.assertEqual(sum(line["interval"]["frames"] for line in lines), lines[-1]["capture"]["frames"])
        for before, after in zip(lines, lines[1:]):
            self.assertGreaterEqual(after["capture"]["frames"], before["capture"]["frames"])
            self.assertGreaterEqual(after["time_ns"], before["time_ns"])

    def test_a_pipe_is_read_as_it_comes(self) -> None:
        whole = self.lines("-r", WRITE_LOSS, "--speed", "max")[-1]
        piped = self.lines("-r", "-", stdin=pathlib.Path(WRITE_LOSS).read_bytes())[-1]
        self.assertEqual(piped["connections"], whole["connections"])

    def test_a_silent_pipe_ends_by_the_wall_clock(self) -> None:
        # One that has not begun, and one whose capture has.
        for begun in (b"", b"\xd4\xc3\xb2\xa1\x02\0\x04\0" + bytes(8) + b"\0\0\x04\0\1\0\0\0"):
            for words in (["--duration", "300ms"], ["--once", "--interval", "300ms"]):
                with self.subTest(begun=begun, words=words):
                    process = subprocess.Popen([PROGRAM, "live", "--json", "-r", "-", *words], stdin=subprocess.PIPE,
                                               stdout=subprocess.PIPE)
                    process.stdin.write(begun)
                    process.stdin.flush()
                    self.assertEqual(process.wait(timeout=60), 0)  # the pipe is still open
                    lines = process.stdout.read().splitlines()
                    self.assertEqual(json.loads(lines[-1])["capture"]["frames"], 0)
                    process.stdin.close()
                    process.stdout.close()

    def test_once_count_and_recording(self) -> None:
        self.assertEqual(len(self.lines("-r", WRITE_LOSS, "--speed", "max", "--once")), 1)
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "a.pcapng")
            last = self.lines("-r", WRITE_LOSS, "--speed", "max", "-c", "500", "-w", record, "udp")[-1]
            self.assertEqual(last["capture"]["frames"], 500)
            self.assertEqual(last["partial"], True)
            again = json.loads(rocetop("triage", "--json", record).stdout)
            self.assertEqual(again["capture"]["frames"], 500)
            self.assertEqual([f["title"] for f in again["findings"]], [f["title"] for f in last["findings"]])

    def test_text_is_a_block_an_interval(self) -> None:
        done = rocetop("live", "-r", WRITE_LOSS, "--speed", "max", "--interval", "500ms", "--utc", "--width", "100")
        self.assertEqual(done.returncode, 0)
        blocks = done.stdout.strip().split("\n\n")
        self.assertEqual(len(blocks), 2)
        self.assertIn("(end)", blocks[1])
        self.assertIn("loss.before_tap", blocks[1])
        self.assertTrue(all(len(line) <= 100 for line in done.stdout.splitlines()))

    def test_what_makes_no_sense_is_refused(self) -> None:
        for words, says in ((["--speed", "warp"], "--speed warp: not a speed"),
                            (["--interval", "1ms"], "--interval 1ms: less than 100ms"),
                            (["--duration", "x"], "--duration x: not a time"),
                            (["-w", "/tmp", "--ring-size", "1"], "--ring-size 1: not a size"),
                            (["-w", "/no/such/folder/x"], "/no/such/folder/x: cannot be written"),
                            (["host", "and"], "the filter expression is not valid"),
                            (["-f", "udp", "tcp"], "two filters given")):
            done = rocetop("live", "-r", WRITE_LOSS, *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(says, done.stderr)
        self.assertEqual(rocetop("live", "-r", "/no/such/file").returncode, 2)


class Times(unittest.TestCase):
    def test_from_reads_what_both_commands_print_in_any_zone(self) -> None:
        for zone in ("UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns"):
            for utc in ([], ["--utc"]):
                line = rocetop("packets", *utc, WRITE_LOSS, "--from", "#200", "-c", "1", TZ=zone).stdout
                again = rocetop("packets", *utc, WRITE_LOSS, "--from", line.split()[0], "-c", "1", TZ=zone).stdout
                self.assertEqual(again.split(" [")[0].strip(), line.split(" [")[0].strip(), zone)
                report = rocetop("triage", *utc, "--width", "400", WRITE_LOSS, TZ=zone).stdout
                start = re.search(r"from (\S+);", report).group(1)
                self.assertEqual(start.endswith("Z"), bool(utc) or zone == "UTC")
                line = rocetop("packets", WRITE_LOSS, "--from", start, "-c", "1", TZ=zone).stdout
                self.assertIn(" #3 ", line)  # the first two are no RoCE

    def test_a_finding_s_window_holds_its_packets(self) -> None:
        report = rocetop("triage", "--width", "400", WRITE_LOSS).stdout
        first, last = re.search(r"(\+\S+) to (\+\S+) ·", report).groups()
        lines = rocetop("packets", WRITE_LOSS, "--from", first, "--to", last).stdout
        for frame in re.search(r"packets (#[^(]*) \(of", report).group(1).split(", "):
            self.assertIn(f" {frame} ", lines)


class Arguments(unittest.TestCase):
    def refused(self, *arguments: str, because: str) -> None:
        done = rocetop(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("rocetop: "), done.stderr)
        self.assertIn(because, done.stderr)

    def test_what_makes_no_sense_is_refused_in_a_sentence(self) -> None:
        self.refused(because="no subcommand")
        self.assertIn("rocetop live", rocetop().stderr)
        self.refused("live", "-r", WRITE_LOSS, "-c", "99999999999999999999999", because="more than can be counted")
        self.refused("frobnicate", because="frobnicate")
        self.refused("triage", because="no capture given")
        self.refused("triage", "--frobnicate", WRITE_LOSS, because="--frobnicate")
        self.refused("triage", "--color", "pink", WRITE_LOSS, because="pink")
        self.refused("triage", "--fail-on", "sometimes", WRITE_LOSS, because="sometimes")
        self.refused("triage", "--host", "server", WRITE_LOSS, because="not an IP address")
        self.refused("triage", "--qp", "0x1000000", WRITE_LOSS, because="not a queue pair number")
        self.refused("triage", "-c", "0", WRITE_LOSS, because="-c")
        self.refused("triage", "--roce-port", "70000", WRITE_LOSS, because="--roce-port")
        self.refused("triage", "--roce-port", "0", WRITE_LOSS, because="not a UDP port")
        self.refused("triage", "--from", "120", WRITE_LOSS, because="'#120'")
        self.refused("triage", "--from", "2026-02-30T12:00:00", WRITE_LOSS, because="neither a frame nor a time")
        self.refused("triage", "--from", "#2:9", WRITE_LOSS, because="there is no file 2")
        for option in ("--from", "--to", "--host", "--qp", "--html", "--csv", "--thresholds", "--expect"):
            self.refused("triage", option, "", WRITE_LOSS, because=option + ": '' says nothing")
        self.refused("triage", WRITE_LOSS, "frobnicate", because="filter")
        self.refused("triage", WRITE_LOSS, "udp", "--", "tcp", because="two filters")
        self.refused("packets", "--two-pass", "-", because="standard input")
        self.refused("triage", "--threshold", "early_wait", WRITE_LOSS, because="NAME=VALUE")
        self.refused("triage", "--threshold", "early_wait=5", WRITE_LOSS, because="with its unit")
        self.refused("triage", "--threshold", "no_such=5", WRITE_LOSS, because="no_such")
        self.refused("triage", "--thresholds", "/nowhere", WRITE_LOSS, because="/nowhere")
        self.refused("triage", "--thresholds", "/", WRITE_LOSS, because="cannot be read")
        self.refused("rules", "no.such", because="no rule 'no.such'")
        for from_, to in (("#127", "#125"), ("+2s", "+1s"), ("2026-11-29T17:00:00Z", "2026-11-29T16:00:00Z")):
            self.refused("triage", WRITE_LOSS, "--from", from_, "--to", to, because="--to is before --from")

    def test_a_misspelt_option_is_helped(self) -> None:
        self.refused("triage", WRITE_LOSS, "--treshold", "a=1", because="hint: Did you mean --threshold?")
        self.refused("packets", WRITE_LOSS, "--tow-pass", because="hint: Did you mean --two-pass?")
        self.refused("triage", WRITE_LOSS, "--frobnicate", because="hint: See rocetop triage --help.")

    def test_a_wrong_command_is_helped(self) -> None:
        self.refused("traige", WRITE_LOSS, because="no command 'traige'\n  hint: Did you mean triage?")
        self.refused("packet", WRITE_LOSS, because="Did you mean packets?")
        self.refused("frobnicate", because="There are: triage, packets, live, export, rules, generate.")
        self.refused(WRITE_LOSS, because=f"Did you mean: rocetop triage {WRITE_LOSS}?")
        self.refused("-", because="rocetop triage -?")

    def test_what_matches_nothing_is_an_error(self) -> None:
        for command in ("triage", "packets"):
            for choice in (("--connection", "7"), ("--host", "192.0.2.77"), ("--qp", "99")):
                self.refused(command, WRITE_LOSS, *choice, because=" matches ")
                self.refused(command, "--json", WRITE_LOSS, *choice, because=" matches ")

    def test_tcpdumps_n_is_accepted(self) -> None:
        for command in ("triage", "packets"):
            self.assertEqual(rocetop(command, "-nn", WRITE_LOSS).stdout, rocetop(command, "-n", WRITE_LOSS).stdout)
            self.assertEqual(rocetop(command, "-n", "-r", WRITE_LOSS).returncode, 0)

    def test_help_and_version(self) -> None:
        for command in ("triage", "packets"):
            done = rocetop(command, "--help", COLUMNS="80")
            self.assertEqual(done.returncode, 0)
            examples = done.stdout.split("Examples:\n")[1].strip().splitlines()
            self.assertEqual(len(examples), 2)
            for option in ("--json", "--connection", "--host", "--qp", "--from", "--to", "-c,--count", "-f,--filter"):
                self.assertIn(option, done.stdout)
        self.assertRegex(rocetop("--version").stdout, r"^rocetop \d+\.\d+\.\d+\n$")

    def test_help_fits_the_terminal_and_breaks_between_words(self) -> None:
        for width in (40, 80, 120):
            for command in ([], ["triage"], ["packets"], ["rules"]):
                text, examples = (rocetop(*command, "--help", COLUMNS=str(width)).stdout + "Examples:\n").split(
                    "Examples:\n")[:2]
                for line in text.splitlines():
                    self.assertLessEqual(len(line), width, line)
                for line in examples.strip().splitlines():
                    self.assertIn(line.strip(), rocetop(*command, "--help", COLUMNS="300").stdout)
                self.assertNotRegex(text, r"\w\n *=")  # "priority" and, on the next line, "=3"

    def test_every_column_of_the_table_is_explained(self) -> None:
        legend = rocetop("triage", "--help", COLUMNS="200").stdout.split("Columns of the table")[1].split("\n\n")[0]
        names = [re.split("  +", line.strip())[0].split(", ") for line in legend.splitlines()[1:]]
        self.assertGreaterEqual(len(names), 14)
        readme = (CAPTURES.parent / "README.md").read_text()
        for name in sum(names, []):
            self.assertIn(f"`{name}`", readme)
        known = {word for name in sum(names, []) for word in name.split()} | {"id", "connection", "%"}
        for width in (100, 160):
            for capture in sorted(CAPTURES.glob("*.pcapng*")):
                text = rocetop("triage", str(capture), "--width", str(width), "--all").stdout
                for header in re.findall(r"^  +id  connection.*$", text, re.M):
                    self.assertLessEqual(set(header.split()), known, capture)

    def test_options_may_stand_between_files_and_filter(self) -> None:
        done = rocetop("packets", WRITE_LOSS, "--roce-port", "5000", "udp", "port", "4791", "-c", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1)


class Inputs(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name: str, content: bytes) -> str:
        path = pathlib.Path(self.folder.name) / name
        path.write_bytes(content)
        return str(path)

    def unreadable(self, path: str, because: str) -> None:
        for command in ("triage", "packets"):
            done = rocetop(command, path)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stdout, "")
            self.assertIn(because, done.stderr)

    def test_unreadable_inputs(self) -> None:
        self.unreadable(self.folder.name + "/nothing.pcap", "no such file")
        self.unreadable(self.folder.name, "directory")
        self.unreadable(self.file("empty.pcap", b""), "empty")
        self.unreadable(self.file("text.pcap", b"this is not a capture at all\n" * 10), "not a capture")

    def test_a_misspelt_second_file_is_not_taken_for_a_filter(self) -> None:
        done = rocetop("triage", WRITE_LOSS, "missing.pcapng")
        self.assertEqual(done.returncode, 2)
        self.assertIn("missing.pcapng: no such file", done.stderr)

    def test_names_of_files_cannot_drive_the_terminal(self) -> None:
        done = rocetop("triage", self.folder.name + "/\x1b[2J.pcap")
        self.assertNotIn("\x1b", done.stderr)
        self.assertIn("\\x1b[2J", done.stderr)

    def test_a_cut_off_last_record_is_a_warning(self) -> None:
        done = rocetop("triage", "--json", self.file("cut.pcapng", pathlib.Path(WRITE_LOSS).read_bytes()[:100_000]))
        self.assertIn(done.returncode, (0, 1))
        self.assertIn("warning:", done.stderr)
        report = json.loads(done.stdout)
        self.assertGreater(report["capture"]["roce_frames"], 50)
        self.assertEqual([p["fatal"] for p in report["problems"]], [False])
        self.assertIn("cut off in the last", report["problems"][0]["message"])
        text = rocetop("triage", self.folder.name + "/cut.pcapng", COLUMNS="1000").stdout
        self.assertRegex(text, r"^capture: .* RoCE: the input HAS A FLAW \(.*cut off in the last .* at byte \d+")

    def test_what_is_before_damage_is_reported_all_the_same(self) -> None:
        content = bytearray(pathlib.Path(WRITE_LOSS).read_bytes()[:100_000])
        content += b"\x06\x00\x00\x00\x07\x00\x00\x00" + bytes(1000)  # a block whose length cannot be
        for command in ("triage", "packets"):
            done = rocetop(command, self.file("damaged.pcapng", bytes(content)))
            self.assertEqual(done.returncode, 2)
            self.assertIn("192.0.2.1", done.stdout)
            self.assertIn("damaged.pcapng", done.stderr)
        done = rocetop("triage", self.folder.name + "/damaged.pcapng", COLUMNS="1000")
        self.assertRegex(done.stdout, r"^capture: .* RoCE: the input is DAMAGED .* at byte \d+: .*before it was read")

    def test_the_status_is_the_same_whatever_the_form(self) -> None:
        whole = pathlib.Path(WRITE_LOSS).read_bytes()
        header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
        inputs = {  # content, status, whether a report is printed
            "cut.pcapng": (whole[:100_000], 0, True), "cut.gz": (gzip.compress(whole)[:-1000], 0, True),
            "damaged.pcapng": (whole[:100_000] + b"\x06\0\0\0\x07\0\0\0" + bytes(1000), 2, True),
            "no-frame.pcap": (header + bytes(6), 3, True), "header.pcap": (header, 3, True),
            "empty.pcap": (b"", 2, False), "text.pcap": (b"no capture\n" * 50, 2, False)}
        for name, (content, status, reported) in inputs.items():
            path = self.file(name, content)
            for form in ([], ["--json"], ["--markdown"]):
                done = rocetop("triage", *form, path)
                self.assertEqual((done.returncode, done.stdout != ""), (status, reported), (name, form, done.stderr))
                if form == ["--json"] and reported:
                    self.assertEqual(bool(json.loads(done.stdout)["problems"]), "rocetop:" in done.stderr, name)
            self.assertEqual(rocetop("packets", path).returncode, status, name)

    def test_no_roce_is_status_3(self) -> None:
        empty_pcap = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
        frame = bytes(12) + b"\x08\x06" + bytes(46)
        arp = empty_pcap + struct.pack("<IIII", 1_700_000_000, 0, len(frame), len(frame)) + frame
        for content, there in ((empty_pcap, "no frames"), (arp, "0 of 1 frame hold RoCE")):
            path = self.file("other.pcap", content)
            done = rocetop("triage", path, COLUMNS="200")
            self.assertEqual(done.returncode, 3)
            self.assertIn(there, done.stdout)
            done = rocetop("triage", "--json", path)
            self.assertEqual(done.returncode, 3)
            self.assertEqual(json.loads(done.stdout)["connections"], [])
            self.assertEqual(rocetop("packets", path).returncode, 3)

    def test_standard_input_is_like_the_file(self) -> None:
        from_file = json.loads(rocetop("triage", "--json", WRITE_LOSS).stdout)
        from_pipe = json.loads(rocetop("triage", "--json", "-", stdin=pathlib.Path(WRITE_LOSS).read_bytes()).stdout)
        self.assertEqual(from_pipe.pop("files"), ["-"])
        self.assertEqual(from_file.pop("files"), [WRITE_LOSS])
        self.assertEqual(from_pipe, from_file)

    def test_an_interrupt_ends_the_reading_and_reports(self) -> None:
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            html = os.path.join(self.folder.name, "report.html")
            process = subprocess.Popen([PROGRAM, "triage", "--json", "--html", html, "-"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdin.write(pathlib.Path(WRITE_LOSS).read_bytes())  # more than a pipe holds: it has begun to read
            process.stdin.flush()
            process.send_signal(number)
            report = json.loads(process.stdout.read())
            self.assertTrue(report["partial"])
            self.assertTrue(report["interrupted"])
            self.assertIn(b"interrupted", process.stderr.read())
            self.assertEqual(process.wait(), status)
            self.assertEqual(os.listdir(self.folder.name), ["report.html"])
            for pipe in (process.stdin, process.stdout, process.stderr):
                pipe.close()

    def test_an_interrupt_in_the_middle_of_a_record_reports(self) -> None:
        process = subprocess.Popen([PROGRAM, "triage", "--json", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdin.write(pathlib.Path(WRITE_LOSS).read_bytes()[:-20])
        process.stdin.flush()
        while any(fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))):  # until it has taken all of that
            self.assertIsNone(process.poll())
        process.terminate()
        report = json.loads(process.stdout.read())
        self.assertTrue(report["interrupted"])
        self.assertNotIn("cut off", process.stderr.read().decode())
        self.assertEqual(process.wait(), 143)
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()

    def test_the_second_interrupt_leaves_nothing_half_written(self) -> None:
        html = os.path.join(self.folder.name, "report.html")
        process = subprocess.Popen([PROGRAM, "triage", "--html", html, "-"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(pathlib.Path(WRITE_LOSS).read_bytes())
        process.stdin.flush()
        process.send_signal(signal.SIGSTOP)  # both come before it can go on
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        self.assertIn(process.wait(), (-signal.SIGTERM, -signal.SIGINT))
        self.assertEqual(os.listdir(self.folder.name), [])
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()

    def test_an_interrupt_while_finishing_ends_it_and_keeps_what_is_whole(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            folder = pathlib.Path(self.folder.name) / str(number)
            (folder / "csv").mkdir(parents=True)
            os.mkfifo(folder / "csv" / "episodes.csv")  # opening it waits for a reader, who never comes
            arguments = ["--html", str(folder / "r.html"), "--csv", str(folder / "csv"), WRITE_LOSS]
            process = subprocess.Popen([PROGRAM, "triage", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while not (folder / "csv" / "connections.csv").exists():  # the one before
                self.assertIsNone(process.poll())
            process.send_signal(number)
            out, err = process.communicate()
            self.assertEqual(process.returncode, -number)
            self.assertEqual((out, err.count(b"\n")), (b"", 1))
            self.assertIn(b"interrupted before the report was whole", err)
            self.assertEqual(sorted(p.name for p in folder.rglob("*.*")), ["connections.csv", "episodes.csv", "r.html"])
            self.assertTrue((folder / "r.html").read_text(encoding="utf-8").endswith("</html>\n"))

    def test_an_interrupt_before_the_first_byte_ends_it(self) -> None:
        for argument in ("-", os.path.join(self.folder.name, "fifo")):
            if argument != "-":
                os.mkfifo(argument)
            report = os.path.join(self.folder.name, "r.html")
            process = subprocess.Popen([PROGRAM, "triage", "--html", report, argument],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while not any(".part" in name for name in os.listdir(self.folder.name)):
                self.assertIsNone(process.poll())
            while "SigCgt:" not in (status := pathlib.Path(f"/proc/{process.pid}/status").read_text()) or not (
                    int(re.search(r"SigCgt:\s*(\w+)", status).group(1), 16) >> (signal.SIGTERM - 1) & 1):
                self.assertIsNone(process.poll())
            process.terminate()
            self.assertEqual(process.wait(), 143)
            self.assertIn(b"interrupted before anything was read", process.stderr.read())
            self.assertEqual([name for name in os.listdir(self.folder.name) if name != "fifo"], [])
            for pipe in (process.stdin, process.stdout, process.stderr):
                pipe.close()

    def test_filters_and_bounds_make_a_report_partial(self) -> None:
        for arguments in (("-c", "10"), ("--from", "#100"), ("--to", "+100ms"), ("-f", "src host 192.0.2.1"),
                          ("--", "src", "host", "192.0.2.1")):
            report = json.loads(rocetop("triage", "--json", WRITE_LOSS, *arguments).stdout)
            self.assertTrue(report["partial"], arguments)
        for arguments in ((), ("--host", "192.0.2.1"), ("--connection", "1")):
            report = json.loads(rocetop("triage", "--json", WRITE_LOSS, *arguments).stdout)
            self.assertFalse(report["partial"], arguments)
            self.assertEqual(len(report["connections"]), 1)

    def test_why_a_report_is_partial(self) -> None:
        def first_paragraph(*arguments: str) -> str:
            return " ".join(rocetop("triage", WRITE_LOSS, *arguments, COLUMNS="200").stdout.split("\n\n")[0].split())
        filtered = first_paragraph("udp")
        self.assertIn("filtered: 1,576 of 1,578 frames analysed", filtered)
        self.assertNotIn("not known", filtered)
        self.assertIn("what was sent before it is not known", first_paragraph("--from", "#100"))
        self.assertIn("what came after it is not known", first_paragraph("-c", "10"))


class Outputs(unittest.TestCase):
    def with_stdout(self, stdout, *arguments: str, **more) -> subprocess.CompletedProcess:
        return subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                              **more)

    def test_a_full_disk_is_an_error(self) -> None:
        with open("/dev/full", "wb") as full:
            for arguments in (("triage", WRITE_LOSS), ("triage", "--json", WRITE_LOSS), ("packets", WRITE_LOSS)):
                done = self.with_stdout(full, *arguments)
                self.assertEqual(done.returncode, 2, arguments)
                self.assertIn(b"No space left", done.stderr)

    def test_a_closed_standard_output_is_an_error(self) -> None:
        done = self.with_stdout(None, "triage", WRITE_LOSS, preexec_fn=lambda: os.close(1))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"standard output", done.stderr)

    def test_a_reader_that_leaves_ends_it_quietly(self) -> None:
        for ignored in (False, True):  # Python's children inherit whether SIGPIPE is ignored
            process = subprocess.Popen([PROGRAM, "packets", WRITE_LOSS], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       restore_signals=not ignored)
            process.stdout.read(10)
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b"")
            process.stderr.close()
            self.assertIn(process.wait(), (0, -signal.SIGPIPE))

    def test_colour_is_for_terminals(self) -> None:
        self.assertNotIn("\x1b", rocetop("triage", WRITE_LOSS).stdout)
        self.assertIn("\x1b[", rocetop("triage", "--color", "always", WRITE_LOSS).stdout)
        self.assertIn("\x1b[", rocetop("triage", "--color", "always", WRITE_LOSS, NO_COLOR="1").stdout)
        self.assertIn("\x1b[", on_terminal("triage", WRITE_LOSS))
        self.assertNotIn("\x1b", on_terminal("triage", WRITE_LOSS, NO_COLOR="1"))
        self.assertNotIn("\x1b", on_terminal("triage", WRITE_LOSS, TERM="dumb"))
        self.assertNotIn("\x1b", on_terminal("triage", "--color", "never", WRITE_LOSS))

    def test_the_terminals_width_is_used(self) -> None:
        plain = re.sub("\x1b\\[[0-9;]*m", "", on_terminal("triage", WRITE_LOSS)).replace("\r\n", "\n")
        widest = max(map(len, plain.splitlines()))
        self.assertLessEqual(widest, 100)
        self.assertGreater(widest, 80)
        self.assertLessEqual(max(map(len, rocetop("triage", WRITE_LOSS, COLUMNS="50").stdout.splitlines())), 50)

    def test_ascii_where_the_locale_has_no_more(self) -> None:
        text = rocetop("triage", WRITE_LOSS, LC_ALL="C").stdout
        self.assertTrue(text.isascii(), text)
        self.assertIn("<->", text)


class Reports(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self) -> None:
        self.folder.cleanup()

    def test_files_are_written_beside_the_text(self) -> None:
        done = rocetop("triage", WRITE_LOSS, "--html", str(self.path / "r.html"), "--csv", str(self.path / "a" / "b"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, rocetop("triage", WRITE_LOSS).stdout)
        self.assertTrue((self.path / "r.html").read_text(encoding="utf-8").endswith("</html>\n"))
        self.assertEqual(sorted(p.name for p in (self.path / "a" / "b").iterdir()),
                         ["connections.csv", "episodes.csv", "findings.csv", "messages.csv", "paths.csv"])
        self.assertEqual(sorted(p.name for p in self.path.iterdir()), ["a", "r.html"])

    def test_what_cannot_be_written_is_said_before_reading(self) -> None:
        for html in (self.path, self.path / "no" / "r.html", "-"):
            done = rocetop("triage", "--html", str(html), "-")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(str(html), done.stderr)
        (self.path / "file").write_text("")
        done = rocetop("triage", WRITE_LOSS, "--csv", str(self.path / "file"))
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_the_input_is_not_overwritten(self) -> None:
        capture = self.path / "c.pcapng"
        capture.write_bytes(pathlib.Path(WRITE_LOSS).read_bytes())
        done = rocetop("triage", str(capture), "--html", str(capture))
        self.assertEqual(done.returncode, 2)
        self.assertIn("overwrite", done.stderr)
        self.assertEqual(capture.read_bytes(), pathlib.Path(WRITE_LOSS).read_bytes())

    def test_an_old_report_stays_until_the_new_one_is_whole(self) -> None:
        (self.path / "r.html").write_text("old")
        done = rocetop("triage", "--html", str(self.path / "r.html"), str(self.path / "none.pcap"))
        self.assertEqual(done.returncode, 2)
        self.assertEqual((self.path / "r.html").read_text(), "old")
        self.assertEqual([p.name for p in self.path.iterdir()], ["r.html"])

    def test_nothing_that_is_read_is_overwritten_whatever_it_is_called(self) -> None:
        content = pathlib.Path(WRITE_LOSS).read_bytes()
        capture = self.path / "c.pcapng"
        capture.write_bytes(content)
        (self.path / "link").symlink_to(capture)
        os.link(capture, self.path / "twin")
        (self.path / "t.conf").write_text("early_wait = 5ms\n")
        (self.path / "e.conf").write_text("mtu=1024\n")
        csv = self.path / "csv"
        csv.mkdir()
        (csv / "findings.csv").symlink_to(capture)
        names = {"link": [capture], "twin": [capture], "c.pcapng": [self.path / "link"],
                 "t.conf": [capture, "--thresholds", self.path / "t.conf"],
                 "e.conf": [capture, "--expect", self.path / "e.conf"]}
        runs = [(name, ["--html", self.path / name, *arguments]) for name, arguments in names.items()]
        runs += [("csv", ["--csv", csv, capture]), ("csv", ["--csv", csv, capture, WRITE_LOSS])]
        before = {p: p.read_bytes() for p in self.path.rglob("*") if p.is_file()}
        for name, arguments in runs:
            done = rocetop("triage", *map(str, arguments))
            self.assertEqual((done.returncode, done.stdout), (2, ""), name)
            self.assertIn("would overwrite", done.stderr, name)
        self.assertEqual({p: p.read_bytes() for p in self.path.rglob("*") if p.is_file()}, before)
        with capture.open("rb") as stdin:
            done = subprocess.run([PROGRAM, "triage", "--html", str(capture), "-"], stdin=stdin, capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(capture.read_bytes(), content)

    def test_a_link_is_written_through(self) -> None:
        target = self.path / "target.html"
        target.write_text("old")
        (self.path / "link.html").symlink_to(target)
        (self.path / "new.html").symlink_to(self.path / "not-there-yet.html")
        for link in ("link.html", "new.html"):
            self.assertEqual(rocetop("triage", WRITE_LOSS, "--html", str(self.path / link)).returncode, 0)
            self.assertTrue((self.path / link).is_symlink())
            self.assertTrue((self.path / link).resolve().read_text(encoding="utf-8").endswith("</html>\n"))
        self.assertEqual(sorted(p.name for p in self.path.iterdir()),
                         ["link.html", "new.html", "not-there-yet.html", "target.html"])

    def test_a_full_disk_is_an_error(self) -> None:
        done = rocetop("triage", WRITE_LOSS, "--html", "/dev/full")
        self.assertEqual(done.returncode, 2)
        self.assertIn("No space left on device", done.stderr)

    def test_only_one_form_on_standard_output(self) -> None:
        done = rocetop("triage", WRITE_LOSS, "--markdown", "--json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))


class Packets(unittest.TestCase):
    def test_one_object_a_line_one_line_a_packet(self) -> None:
        objects = [json.loads(line) for line in rocetop("packets", "--json", WRITE_LOSS).stdout.splitlines()]
        report = json.loads(rocetop("triage", "--json", WRITE_LOSS).stdout)
        self.assertEqual(len(objects), report["capture"]["roce_frames"])
        resent = [o for o in objects if o["analysis"]["kind"] == "retransmission"]
        counts = report["connections"][0]["directions"][0]["requests"]["retransmitted_packets"]
        self.assertEqual(len(resent), sum(counts.values()))

    def test_two_passes_settle_what_one_leaves_open(self) -> None:
        one = [json.loads(line) for line in rocetop("packets", "--json", WRITE_LOSS).stdout.splitlines()]
        two = [json.loads(line) for line in rocetop("packets", "--json", "--two-pass", WRITE_LOSS).stdout.splitlines()]
        self.assertTrue(all(o["analysis"]["final"] is None for o in one))
        acked = [o for o in two if o["analysis"]["final"] and o["analysis"]["final"]["acked_in"]]
        self.assertGreater(len(acked), 800)
        by_frame = {o["frame"]: o for o in two}
        for o in acked:
            self.assertEqual(by_frame[o["analysis"]["final"]["acked_in"]]["src"], o["dst"])

    def test_two_passes_say_what_from_keeps_from_them(self) -> None:
        done = rocetop("packets", "--two-pass", "--from", "#100", "-c", "1", WRITE_LOSS)
        self.assertIn("frames before --from are not analysed", done.stderr)
        self.assertEqual(rocetop("packets", "--two-pass", "--from", "#1", "-c", "1", WRITE_LOSS).stderr, "")

    def test_a_frame_of_a_file_is_a_place_among_all(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            halves = [os.path.join(folder, name) for name in ("a.pcapng", "b.pcapng")]
            for half, frames in zip(halves, ("1-800", "801-1578")):
                subprocess.run(["editcap", "-r", WRITE_LOSS, half, frames], check=True)
            lines = [line.split(" [")[0] for line in rocetop("packets", *halves).stdout.splitlines()]
            place = next(i for i, line in enumerate(lines) if " #2:9 " in line)
            def first(*arguments: str) -> list[str]:
                return [line.split(" [")[0] for line in rocetop("packets", *arguments, *halves).stdout.splitlines()]
            self.assertEqual(first("--from", "#2:9"), lines[place:])
            self.assertEqual(first("--to", "#2:9"), lines[:place + 1])
            self.assertEqual(first("--from", "#1:800", "--to", "#2:9"), lines[place - 9:place + 1])

    def test_a_queue_pair_is_both_directions(self) -> None:
        lines = rocetop("packets", "--connection", "1", "-c", "200", WRITE_LOSS).stdout.splitlines()
        self.assertTrue(any(" > 192.0.2.1 " in line for line in lines))
        self.assertTrue(any(" > 192.0.2.2 " in line for line in lines))

    def test_a_count_is_of_printed_packets(self) -> None:
        for arguments in ((), ("--json",), ("--two-pass",), ("--host", "192.0.2.1"), ("--from", "#100")):
            done = rocetop("packets", WRITE_LOSS, "-c", "2", *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(len(done.stdout.splitlines()), 2)
        all_lines = rocetop("packets", WRITE_LOSS).stdout.splitlines()
        self.assertEqual(rocetop("packets", WRITE_LOSS, "-c", "2").stdout.splitlines(), all_lines[:2])

    def test_nothing_in_a_window_is_not_nothing_in_the_file(self) -> None:
        done = rocetop("packets", WRITE_LOSS, "--to", "#1")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no RoCE in what --to let through", done.stderr)
        done = rocetop("packets", WRITE_LOSS, "--from", "#100", "--qp", "99")
        self.assertIn("no packet matches queue pair 99 in what --from let through", done.stderr)

    def test_times(self) -> None:
        def first(*arguments: str, **environment: str) -> str:
            return rocetop("packets", "-c", "1", *arguments, WRITE_LOSS, **environment).stdout.split(" #")[0]
        self.assertEqual(first(), "15:53:13.362030853")
        self.assertEqual(first(TZ="UTC-2"), "17:53:13.362030853")
        self.assertEqual(first("--time", "utc"), "2026-11-29T15:53:13.362030853Z")
        self.assertEqual(first("--time", "epoch"), "1795967593.362030853")
        self.assertEqual(first("--time", "relative"), "0.537960377")  # since the first frame, RoCE or not


class Readme(unittest.TestCase):
    def test_what_it_shows_is_what_the_program_prints(self) -> None:
        readme = (CAPTURES.parent / "README.md").read_text()
        shown = re.findall(r"^```\n\$ (rocetop .*)\n((?:.*\n)*?)```$", readme, re.M)
        shown.append(("rocetop triage captures/rnr.pcapng.zst", re.search(r"^```\n(capture: (?:.*\n)*?)```$", readme,
                                                                         re.M).group(1)))
        self.assertGreaterEqual(len(shown), 7)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(PROGRAM, os.path.join(folder, "rocetop"))
            env = os.environ | {"PATH": folder + ":" + os.environ["PATH"], "COLUMNS": "100", "TZ": "UTC",
                                "LC_ALL": "C.UTF-8"}
            for command, expected in shown:
                if "jq" in command and not shutil.which("jq"):
                    continue
                done = subprocess.run(command, shell=True, cwd=CAPTURES.parent, env=env, capture_output=True, text=True)
                printed = re.sub(" +$", "", done.stdout, flags=re.M)  # fold leaves blanks
                for part in re.split(r"^…\n", expected, flags=re.M):  # what is left out
                    self.assertIn(part, printed, command)

    def test_it_fits_a_page(self) -> None:
        for number, line in enumerate((CAPTURES.parent / "README.md").read_text().splitlines(), 1):
            self.assertLessEqual(len(line), 120, number)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    CAPTURES = pathlib.Path(sys.argv[2]).resolve()
    WRITE_LOSS = str(CAPTURES / "write-loss.pcapng")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
