#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rocetop generate as a user meets it, and its captures as tshark reads them. Run as: generate.py PROGRAM SOURCE."""
from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
SOURCE = pathlib.Path()


def rocetop(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess:
    env = os.environ | {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
    return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, env=env, check=False)


class Generate(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.capture = str(self.folder / "capture.pcapng")

    def generated(self, *arguments: str) -> str:
        done = rocetop("generate", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def refused(self, *arguments: str) -> str:
        done = rocetop("generate", *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)
        return done.stderr.decode()

    def names(self) -> list[str]:
        return [line.split()[0] for line in self.generated("--list", "--width", "200").splitlines()]

    def test_every_named_scenario_is_listed_and_shown(self) -> None:
        files = sorted((SOURCE / "src" / "generate" / "scenarios").glob("*.txt"))
        self.assertEqual(self.names(), [file.stem for file in files])
        for file in files:
            self.assertEqual(self.generated("--show", file.stem), file.read_text())

    @unittest.skipUnless(shutil.which("jq"), "jq is missing (Debian package jq)")
    def test_the_documentation_shows_what_the_program_prints(self) -> None:
        page = (SOURCE / "docs" / "generate.md").read_text()
        shown = re.findall(r"^```\n\$ (.*)\n((?:.*\n)*?)```$", page, re.M)
        self.assertGreater(len(shown), 8)
        os.symlink(PROGRAM, self.folder / "rocetop")
        env = os.environ | {"PATH": f"{self.folder}:{os.environ['PATH']}", "COLUMNS": "100", "TZ": "UTC",
                            "LC_ALL": "C.UTF-8"}
        for command, expected in shown:  # in order: later ones read what earlier ones wrote
            done = subprocess.run(command, shell=True, cwd=self.folder, env=env, capture_output=True, text=True,
                                  check=False)
            self.assertEqual(re.sub(" +$", "", done.stdout, flags=re.M), expected, command)

    @unittest.skipUnless(shutil.which("tshark"), "tshark is missing (Debian package tshark)")
    def test_tshark_calls_no_packet_malformed(self) -> None:
        whole = self.folder / "all.pcapng"
        with whole.open("wb") as file:  # sections follow each other: one run of tshark for all
            for name in self.names():
                self.generated(name, "-c", "1500", "-w", self.capture, "--overwrite")
                file.write(pathlib.Path(self.capture).read_bytes())
        done = subprocess.run(["tshark", "-r", whole, "--disable-heuristic", "rpcrdma_infiniband", "-Y",
                               "_ws.malformed || ip.checksum.status == \"Bad\"",
                               "-o", "ip.check_checksum:TRUE"],
                              capture_output=True, check=True)
        self.assertEqual(done.stdout, b"")
        done = subprocess.run(["tshark", "-r", whole, "-Y", "infiniband || macc"], capture_output=True, check=True)
        self.assertGreater(len(done.stdout.splitlines()), 20_000)

    def test_triage_takes_it_from_a_pipe_and_decodes_every_packet(self) -> None:
        done = rocetop("generate", "incast", "-w", "-")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        report = json.loads(rocetop("triage", "--json", "-", stdin=done.stdout).stdout)
        self.assertEqual(report["capture"]["undecodable"], {})
        self.assertEqual([f["rule"] for f in report["findings"] if f["severity"] != "info"], ["incast"])
        for connection in report["connections"]:
            for direction in connection["directions"]:
                self.assertEqual(direction["icrc"]["bad"] + direction["icrc"]["unchecked"], 0)

    def test_the_truth_names_frames_of_the_capture(self) -> None:
        truth_file = str(self.folder / "truth.json")
        said = self.generated("lossy-link", "-w", self.capture, "--truth", truth_file, "--seed", "3")
        truth = json.loads(pathlib.Path(truth_file).read_text())
        packets = [json.loads(line) for line in rocetop("packets", "--json", self.capture).stdout.splitlines()]
        self.assertEqual((truth["schema"], truth["scenario"], truth["seed"], truth["tap"]),
                         ("rocetop.truth/1", "lossy-link", 3, "a"))
        self.assertEqual(truth["totals"]["frames"], len(packets))
        self.assertRegex(said, r"capture\.pcapng: [\d,]+ packets in .*, captured at a, seed 3\n")
        self.assertGreater(len(truth["events"]), 3)
        for event in truth["events"]:
            packet = packets[event["frame"] - 1]
            self.assertEqual((packet["psn"], packet["src"], packet["dst_qpn"]),
                             (event["psn"], event["src"], event["dst_qpn"]))

    def test_the_capture_says_what_it_is(self) -> None:
        self.generated("clean", "-c", "100", "--seed", "9", "-s", "128", "-w", self.capture)
        data = pathlib.Path(self.capture).read_bytes()
        self.assertIn(b"generate: scenario clean, seed 9", data)
        self.assertLess(len(data), 100 * 180)
        report = json.loads(rocetop("triage", "--json", self.capture).stdout)
        self.assertEqual(report["capture"]["frames"], 100)

    def test_the_speed_of_the_link_is_in_the_capture(self) -> None:
        self.generated("slow-receiver", "-w", self.capture)
        report = json.loads(rocetop("triage", "--json", self.capture).stdout)
        pauses = [row for row in report["capture"]["pfc"] if row["class"] == 3]
        self.assertGreater(pauses[0]["paused_ns"], 1_000_000)  # without a speed it would not be known

    def test_a_file_and_a_text_are_scenarios_too(self) -> None:
        text = "host a,b | write a/b count=10 size=1000"
        file = self.folder / "mine.txt"
        file.write_text(text + "\n")
        self.generated(text, "-w", self.capture)
        other = str(self.folder / "other.pcapng")
        self.generated(str(file), "-w", other)
        frames = [json.loads(rocetop("triage", "--json", f).stdout)["capture"]["frames"] for f in (self.capture, other)]
        self.assertEqual(frames, [20, 20])
        drawn = self.generated("W 1-3 | ACK 3", "-w", self.capture, "--overwrite")
        self.assertIn("4 packets", drawn)

    def test_what_is_there_is_not_overwritten_by_accident(self) -> None:
        for arguments in (["-w", self.capture], ["-w", str(self.folder / "new"), "--truth", self.capture]):
            pathlib.Path(self.capture).write_text("mine")
            self.assertIn("exists", self.refused("clean", *arguments))
            self.assertEqual(pathlib.Path(self.capture).read_text(), "mine")
        self.generated("clean", "-w", self.capture, "--overwrite")
        self.assertNotEqual(pathlib.Path(self.capture).read_bytes()[:4], b"mine")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["capture.pcapng"])

    def test_errors_say_what_to_do(self) -> None:
        scenario = self.folder / "mine.txt"
        scenario.write_text("host a,b\nwrite a/c\n")
        for arguments, words in (
            ([], "no scenario is given"),
            (["clean"], "-w FILE is missing"),
            (["cleen", "-w", self.capture], "Did you mean clean?"),
            (["host a | jump a", "-w", self.capture], "line 1, column 10: \"jump\": not a verb"),
            ([str(scenario), "-w", self.capture], f"{scenario}: line 2, column 9: \"c\""),
            (["clean", "-w", self.capture, "--tap", "nowhere"], "no place 'nowhere'"),
            (["W 1", "-w", self.capture, "--duration", "1s"], "no duration"),
            (["clean", "-w", self.capture, "--duration", "soon"], "not a time"),
            (["clean", "-w", self.capture, "-c", "0"], "not a number of 1 or more"),
            (["clean", "-w", self.capture, "--truth", self.capture], "the same file"),
            ([str(scenario), "-w", str(scenario), "--overwrite"], "would overwrite the scenario"),
            (["clean", "-w", str(self.folder / "no" / "such")], "No such file"),
            (["--show", "cleen"], "Did you mean clean?"),
        ):
            self.assertIn(words, self.refused(*arguments))
            self.assertFalse(pathlib.Path(self.capture).exists(), arguments)

    def test_a_run_of_which_nothing_is_captured_can_be_interrupted(self) -> None:
        process = subprocess.Popen([PROGRAM, "generate", "host a,b,c | write a/b", "--tap", "c", "-c", "10", "-w",
                                    self.capture], stderr=subprocess.DEVNULL)
        while not list(self.folder.iterdir()):  # from then on it listens
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_an_interrupted_run_leaves_nothing(self) -> None:
        process = subprocess.Popen([PROGRAM, "generate", "clean", "-c", "4000000000", "-s", "64", "-w", self.capture,
                                    "--truth", str(self.folder / "truth")], stderr=subprocess.PIPE)
        while not any(p.stat().st_size for p in self.folder.iterdir()):
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        said = process.communicate()[1]
        self.assertEqual(process.returncode, 130)
        self.assertIn(b"interrupted", said)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    PROGRAM, SOURCE = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
