#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Wireshark plugin as a user meets it: put in place by install-plugin, its profile, what docs/wireshark.md shows,
and its statistics beside `rocetop triage`. What it says of each frame is another test's.
Run as: wireshark_use.py PROGRAM PLUGIN CAPTURES; with --accept what the documentation shows is written anew (read the
diff)."""
from __future__ import annotations

import collections
import functools
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from capture_files import LINKTYPE_ETHERNET, Frame, Interface, pcapng  # noqa: E402
from ordinary_user import OrdinaryUser  # noqa: E402

PROGRAM = ""
PLUGIN = pathlib.Path()
CAPTURES = pathlib.Path()
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROFILE = ROOT / "dissector" / "profile" / "RoCE"
INSTALL = ROOT / "dissector" / "install.sh"
DOCS = ROOT / "docs" / "wireshark.md"


def setUpModule() -> None:
    global USER
    USER = OrdinaryUser(PLUGIN)
    unittest.addModuleCleanup(USER.__exit__)
    USER.put(PROFILE, ".config/wireshark/profiles/RoCE")
    for capture in CAPTURES.glob("*.pcapng*"):
        USER.put(capture, f"captures/{capture.name}")


def captures() -> list[str]:
    return sorted(path.name for path in CAPTURES.glob("*.pcapng*"))


def tshark(*arguments: str) -> str:
    done = USER.run("tshark", *arguments)
    assert done.returncode == 0 and done.stderr == "", f"{arguments}: {done.stderr}"
    return done.stdout


def triage(capture: str, *arguments: str) -> str:
    env = os.environ | {"COLUMNS": "100", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    return subprocess.run([PROGRAM, "triage", *arguments, str(CAPTURES / capture)], capture_output=True, text=True,
                          env=env).stdout


class Installing(unittest.TestCase):
    """install.sh, which ./dev install-plugin calls with what it built."""

    def setUp(self) -> None:
        self.user = OrdinaryUser()
        self.addCleanup(self.user.__exit__)
        self.plugin = self.user.put(PLUGIN, "built/rocetop.so")
        self.user.put(INSTALL.parent / "profile", "dissector/profile")
        self.install = str(self.user.put(INSTALL, "dissector/install.sh"))
        self.user.put(CAPTURES / "write-loss.pcapng", "write-loss.pcapng")

    def version(self) -> str:
        return re.search(r" (\d+\.\d+\.\d+)", self.user.run("tshark", "--version").stdout)[1]

    def fake(self, program: str, text: str) -> str:
        """A PATH in which `program` says `text`."""
        folder = self.user.home / "bin"
        folder.mkdir(exist_ok=True)
        (folder / program).write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\n")
        (folder / program).chmod(0o755)
        return f"{folder}:{os.environ['PATH']}"

    def test_an_ordinary_user_has_plugin_and_profile_afterwards(self) -> None:
        done = self.user.run(self.install, str(self.plugin), self.version())
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn("tshark loads it", done.stderr)
        self.assertIn("wireshark -C RoCE", done.stderr)
        shown = self.user.run("tshark", "-C", "RoCE", "-r", "write-loss.pcapng", "-Y", "roce.analysis.nak",
                              "-T", "fields", "-e", "roce.stream")
        self.assertEqual((shown.stdout, shown.stderr), ("1\n" * 12, ""))
        # Again: nothing was changed meanwhile, so nothing is kept.
        again = self.user.run(self.install, str(self.plugin), self.version())
        self.assertEqual(again.returncode, 0)
        self.assertNotIn(".old", again.stderr)

    def test_widths_of_columns_are_wiresharks_once_it_wrote_them(self) -> None:
        self.user.run(self.install, str(self.plugin), self.version())
        recent = self.user.home / ".config/wireshark/profiles/RoCE/recent"
        self.assertEqual(recent.read_bytes(), (PROFILE / "recent").read_bytes())
        recent.write_text("# Wireshark's\n")
        done = self.user.run(self.install, str(self.plugin), self.version())
        self.assertNotIn(".old", done.stderr)
        self.assertEqual(recent.read_text(), "# Wireshark's\n")

    def test_what_somebody_changed_in_the_profile_is_kept(self) -> None:
        self.user.run(self.install, str(self.plugin), self.version())
        profile = self.user.home / ".config/wireshark/profiles/RoCE"
        (profile / "preferences").write_text("# mine\n")
        done = self.user.run(self.install, str(self.plugin), self.version())
        self.assertIn("preferences.old", done.stderr)
        self.assertEqual((profile / "preferences.old").read_text(), "# mine\n")
        self.assertEqual((profile / "preferences").read_bytes(), (PROFILE / "preferences").read_bytes())

    def test_another_series_of_wireshark_is_refused_and_nothing_copied(self) -> None:
        path = self.fake("tshark", "TShark (Wireshark) 9.8.7.")
        done = self.user.run(self.install, str(self.plugin), self.version(), PATH=path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is Wireshark 9.8.7", done.stderr)
        self.assertIn("nothing was installed", done.stderr)
        self.assertFalse((self.user.home / ".local").exists())
        self.assertFalse((self.user.home / ".config").exists())

    def test_for_everybody_under_destdir(self) -> None:
        staged = self.user.home / "staged"
        done = self.user.run(self.install, "--system", str(self.plugin), self.version(), DESTDIR=str(staged))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path.name for path in staged.glob("usr/lib/**/epan/*")], ["rocetop.so"])
        self.assertTrue((staged / "usr/share/wireshark/profiles/RoCE/colorfilters").is_file())
        self.assertFalse((self.user.home / ".local").exists())

    @unittest.skipUnless(os.geteuid() == 0, "takes root")
    def test_root_is_told_that_it_is_for_everybody(self) -> None:
        staged = self.user.home / "staged"
        done = subprocess.run([self.install, str(self.plugin), self.version()], capture_output=True, text=True,
                              env=self.user.environment(DESTDIR=str(staged)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("you are root", done.stderr)
        self.assertTrue(list(staged.glob("usr/lib/**/epan/rocetop.so")))


class Profile(unittest.TestCase):
    def test_its_columns_are_shown(self) -> None:
        line = tshark("-2", "-C", "RoCE", "-r", "captures/write-loss.pcapng", "-Y", "roce.analysis.nak").splitlines()[0]
        self.assertRegex(line, r"192\.0\.2\.2 → 192\.0\.2\.1 +1 38 ")
        self.assertIn(" nak ", line)

    def test_no_rule_names_what_there_is_not(self) -> None:
        """A colouring rule, button or macro whose filter does not compile is dropped, with a warning at best."""
        done = USER.run("tshark", "--color", "-C", "RoCE", "-r", "captures/write-loss.pcapng", "-c", "5")
        self.assertEqual(done.stderr, "")
        filters = [line.split("@")[2] for line in (PROFILE / "colorfilters").read_text().splitlines() if line[0] == "@"]
        buttons = re.findall(r'^"TRUE","[^"]*","([^"]*)",', (PROFILE / "dfilter_buttons").read_text(), re.M)
        filters += [text.replace(r"\x22", '"') for text in buttons]
        filters += re.findall(r'^"[^"]*" (.*)$', (PROFILE / "dfilters").read_text(), re.M)
        self.assertGreater(len(filters), 30)
        self.assertFalse([text for text in filters if "," in text])  # as it separates filters here
        done = USER.run("tshark", "-r", "captures/write-loss.pcapng", "-c", "1", "-q", "-z",
                        ",".join(("io,stat,0", *filters)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_colouring_rules_tell_what_went_wrong(self) -> None:
        def rules(capture: str) -> collections.Counter:
            names = tshark("-2", "--color", "-C", "RoCE", "-r", f"captures/{capture}", "-T", "fields",
                           "-e", "frame.coloring_rule.name")
            return collections.Counter(names.split("\n"))
        loss = rules("write-loss.pcapng")
        self.assertEqual((loss["RoCE NAK"], loss["RoCE resent"]), (12, 316))
        self.assertEqual(rules("rnr.pcapng.zst")["RoCE RNR NAK"], 7)
        self.assertEqual(rules("timeout.pcapng.zst")["RoCE resent after a timeout"], 32)
        self.assertEqual(rules("ce-cnp.pcapng.zst")["RoCE CNP"], 10)
        self.assertEqual(rules("ce-cnp.pcapng.zst")["RoCE CE mark"], 10)

    def test_macros_are_the_same_in_both_formats(self) -> None:
        old = dict(re.findall(r'^"([^"]*)","(.*)"$', (PROFILE / "dfilter_macros").read_text(), re.M))
        new = dict(re.findall(r'^"([^"]*)" (.*)$', (PROFILE / "dmacros").read_text(), re.M))
        self.assertEqual(old, new)
        for name, text in old.items():
            arguments = ";".join(["38", "40", "50"][:len(set(re.findall(r"\$\d", text)))])
            tshark("-2", "-C", "RoCE", "-r", "captures/write-loss.pcapng", "-c", "1", "-Y", f"${{{name}:{arguments}}}")


PAGES = (DOCS, ROOT / "README.md")
SHOWN = re.compile(r"^\$ (tshark .*)\n((?:(?!\$ |```).*\n)*)", re.M)


def output_of(command: str) -> str:
    done = USER.run("sh", "-c", command)
    assert done.stderr == "", f"{command}: {done.stderr}"
    return re.sub(" +$", "", done.stdout, flags=re.M)


def accept() -> None:
    def renewed(match: re.Match) -> str:
        return match[0] if "\n…\n" in match[0] else f"$ {match[1]}\n{output_of(match[1])}"
    for page in PAGES:
        page.write_text(SHOWN.sub(renewed, page.read_text()))


class Docs(unittest.TestCase):
    """docs/wireshark.md, and README.md's words about it."""

    def test_what_it_shows_is_what_is_printed(self) -> None:
        shown = [match.groups() for page in PAGES for match in SHOWN.finditer(page.read_text())]
        self.assertGreater(len(shown), 12)
        for command, expected in shown:
            printed = output_of(command)
            for part in re.split(r"^…\n", expected, flags=re.M):  # what is left out
                self.assertIn(part, printed, f"{command}\nWhat is right is written by --accept.")

    def test_every_field_and_preference_is_named(self) -> None:
        text = DOCS.read_text()
        fields = {line.split("\t")[2] for line in tshark("-G", "fields").splitlines() if line.startswith("F\t")}
        ours = {name for name in fields if name.startswith(("roce.", "veroce."))}
        self.assertGreater(len(ours), 40)
        missing = [name for name in sorted(ours) if f"`{name}`" not in text and not name.startswith("roce.expert.")]
        self.assertEqual(missing, [])
        preferences = set(re.findall(r"^#(v?e?roce\.\w+):", tshark("-G", "defaultprefs"), re.M))
        self.assertGreater(len(preferences), 5)
        self.assertEqual([name for name in sorted(preferences) if f"`{name.split('.')[1]}`" not in text], [])
        named = set(re.findall(r"\b(roce\.[a-z_.]+[a-z])\b", text))
        self.assertEqual(sorted(named - ours - preferences - {"roce.expert"}), [])

    def test_every_tcp_analysis_field_has_its_counterpart_or_a_reason(self) -> None:
        text = DOCS.read_text()
        fields = {line.split("\t")[2] for line in tshark("-G", "fields").splitlines() if line.startswith("F\t")}
        tcp = sorted(name for name in fields if name.startswith("tcp.analysis"))
        self.assertGreater(len(tcp), 20)
        self.assertEqual([name for name in tcp if f"`{name.removeprefix('tcp.')}`" not in text], [])


@functools.cache
def statistics(capture: str, *options: str) -> str:
    return tshark(*options, "-r", f"captures/{capture}", "-q")


# All in one run, as tshark takes long to start. It draws what is named first last.
TWO_PASSES = ("-2", "-z", "roce,report", "-z", "roce,tree", "-z", "roce,table")


def body(report: str) -> str:
    """Without the first paragraphs, which are about the input."""
    return report.split("\n\n", 1)[1]


# Their records have headers of their own, which Wireshark takes off: there are fewer bytes.
ERF_CONNECTION = {"encapsulations.pcapng": 35}


class Report(unittest.TestCase):
    """-z roce,report and roce,conv: the words of triage, also in one pass."""

    maxDiff = None

    def test_it_says_what_triage_says(self) -> None:
        for capture in captures():
            expected = body(triage(capture))
            for options in (("-z", "roce,report"), TWO_PASSES):
                printed = statistics(capture, *options)
                report = printed[printed.index("rocetop's analysis of the frames that Wireshark handed over"):]
                without = f"{ERF_CONNECTION.get(capture)}  192.0.2"
                lines, others = ([line for line in text.splitlines() if without not in line]
                                 for text in (body(report), expected))
                self.assertEqual(lines, others, f"{capture} {options}")

    def test_the_table_is_that_of_triage(self) -> None:
        for capture in ("write-loss.pcapng", "ce-cnp.pcapng.zst"):
            table = statistics(capture, "-z", "roce,conv")
            self.assertTrue(triage(capture, "--all").endswith("\n\n" + table), table)

    def test_a_filter_chooses_connections_and_changes_nothing_of_them(self) -> None:
        capture = "encapsulations.pcapng"
        text = tshark("-q", "-z", "roce,report,roce.stream==3", "-r", f"captures/{capture}")
        self.assertIn("showing only connections with packets that match 'roce.stream==3': 1 of 35 connections",
                      " ".join(text.split()))
        self.assertEqual(body(text), body(triage(capture, "--connection", "3")))
        none = tshark("-q", "-z", "roce,report,tcp", "-r", f"captures/{capture}")
        self.assertIn("0 of 35 connections", " ".join(none.split()))

    def test_a_filter_that_does_not_compile_is_an_error(self) -> None:
        done = USER.run("tshark", "-q", "-z", "roce,report,nonsense ==", "-r", "captures/write-loss.pcapng")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nonsense", done.stderr)

    def test_a_capture_without_roce(self) -> None:
        text = tshark("-q", "-z", "roce,report", "-r", "captures/write-loss.pcapng", "-c", "2")
        self.assertIn("no RoCE", text)

    def test_analysis_that_is_off_says_so(self) -> None:
        text = tshark("-o", "roce.analyze:FALSE", "-q", "-z", "roce,report", "-r", "captures/write-loss.pcapng")
        self.assertIn("There is no analysis of RoCE", text)


class Counts(unittest.TestCase):
    """-z roce,tree and roce,table, counted from the tap, beside the JSON of triage."""

    @staticmethod
    def tree(capture: str) -> dict[tuple[str, ...], int]:
        text = statistics(capture, *TWO_PASSES).split("rocetop's analysis")[0]
        path: list[str] = []
        counts = {}
        for line in text.splitlines():
            match = re.match(r"^( *)(\S.*?)  +(\d+) ", line)
            if match is None:
                continue
            path[len(match[1]):] = [match[2]]
            counts[tuple(path)] = int(match[3])
        return counts

    @staticmethod
    def connections(capture: str) -> list[dict]:
        return json.loads(triage(capture, "--json"))["connections"]

    def test_tree(self) -> None:
        for capture in captures():
            tree = {path[1:]: count for path, count in self.tree(capture).items() if path[0] == "RoCE packets"}
            tree.pop(())
            connections = self.connections(capture)
            directions = [direction for c in connections for direction in c["directions"]]
            operations = collections.Counter()
            for direction in directions:
                operations.update(direction["opcodes"])
            # Datagrams of connection management belong to no connection.
            shown = {path[1]: count for path, count in tree.items() if path[0] == "Operation" and len(path) == 2}
            self.assertEqual({name: shown.get(name) for name in operations}, dict(operations), capture)
            totals = collections.Counter()
            for connection in connections:
                totals.update({name: count for name, count in connection["totals"].items() if count})
            self.assertEqual(tree.get(("Resent",), 0), totals["retransmitted_packets"], capture)
            late = tree.get(("Out of order, or twice",), 0)
            self.assertEqual(late, totals["reordered_packets"] + totals["duplicate_packets"], capture)
            self.assertEqual(tree.get(("Negative acknowledgements",), 0), totals["naks"] + totals["rnr_naks"], capture)
            self.assertEqual(tree.get(("Congestion", "CE mark"), 0), totals["ce_packets"], capture)
            self.assertEqual(tree.get(("Congestion", "CNP"), 0), totals["cnps"], capture)
            self.assertEqual(tree.get(("ICRC", "bad"), 0), totals["bad_icrc_packets"], capture)
            causes = collections.Counter()
            for direction in directions:
                causes.update(direction["requests"]["retransmitted_packets_by_cause"])
                causes["responses, asked for again"] += sum(direction["responses"]["retransmitted_packets"].values())
            told = {path[1]: count for path, count in tree.items() if path[0] == "Resent" and len(path) == 2}
            self.assertEqual(told, {name: count for name, count in causes.items() if count}, capture)

    @staticmethod
    def rows(text: str) -> list[list[str]]:
        return [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if re.match(r" *\d+ \|", line)]

    def test_table(self) -> None:
        for capture in captures():
            text = statistics(capture, *TWO_PASSES).split("rocetop's analysis")[0]
            rows = {int(row[0]): row for row in self.rows(text)}
            connections = {c["id"]: c for c in self.connections(capture)}
            self.assertEqual(rows.keys(), connections.keys(), capture)
            for number, connection in connections.items():
                totals = connection["totals"]
                row = rows[number]
                bytes_of_records = 18 * totals["packets"] if number == ERF_CONNECTION.get(capture) else 0
                self.assertEqual([int(cell) for cell in row[3:5]],
                                 [totals["packets"], -(-(totals["bytes_on_wire"] - bytes_of_records) // 1000)])
                self.assertEqual(int(row[5]) + int(row[6]), totals["packets"])
                names = ("retransmitted_packets", "reordered_packets", "duplicate_packets", "naks", "rnr_naks",
                         "ce_packets", "cnps", "bad_icrc_packets")
                shown = [int(row[i]) for i in (7, 9, 10, 11, 12, 13, 14, 15)]
                self.assertEqual(shown, [totals[name] for name in names], f"{capture} {number}")
                for cell, side in zip(row[1:3], ("a", "b")):
                    end = connection[side]
                    self.assertTrue(cell.startswith(end["ip"]), f"{capture} {number} {cell}")
                    if end["qpn"] is not None:
                        self.assertTrue(cell.endswith(f"qp {end['qpn']}"), f"{capture} {number} {cell}")

    def test_more_connections_than_rows_are_counted_in_the_last(self) -> None:
        """Packets of 10,010 connections: ACKs, that no capture holds the requests of."""
        def ack(number: int) -> Frame:
            bth = struct.pack(">BBHII", 0x11, 0, 0xFFFF, 1_000 + number, 7)
            udp = bth + bytes(8)  # AETH, ICRC
            udp = struct.pack(">HHHH", 50_000, 4791, len(udp) + 8, 0) + udp
            address = bytes((10, 0, number >> 8, number & 255))
            ip = struct.pack(">BBHHHBBH", 0x45, 0, len(udp) + 20, 0, 0, 64, 17, 0) + address + bytes((192, 0, 2, 1))
            return Frame(1_000_000_000 + number * 1_000, 34 + len(udp), bytes(12) + b"\x08\x00" + ip + udp)
        capture = USER.home / "many.pcapng"
        capture.write_bytes(pcapng("", [Interface(LINKTYPE_ETHERNET)], [ack(number) for number in range(10_010)]))
        capture.chmod(0o644)
        rows = self.rows(tshark("-2", "-q", "-z", "roce,table", "-r", capture.name))
        self.assertEqual(len(rows), 10_000)
        self.assertEqual((rows[0][3], rows[-2][3]), ("1", "1"))
        self.assertEqual((rows[-1][0], rows[-1][1], rows[-1][3]), ("0", "others", "11"))

    def test_a_filter_counts_what_matches(self) -> None:
        def filtered(text: str) -> list[list[str]]:
            return self.rows(tshark("-2", "-q", "-z", f"roce,table,{text}", "-r", "captures/write-loss.pcapng"))
        row = filtered("roce.analysis.retransmission")[0]
        self.assertEqual((row[3], row[7]), ("316", "316"))
        self.assertEqual(filtered("tcp"), [])


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    PLUGIN = pathlib.Path(sys.argv[2]).resolve()
    CAPTURES = pathlib.Path(sys.argv[3]).resolve()
    if not PLUGIN.is_file() or not shutil.which("tshark"):
        print("skipped: the plugin is missing (Debian package wireshark-dev), or tshark")
        sys.exit(77)
    if "--accept" in sys.argv:
        setUpModule()
        accept()
        sys.exit(0)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
