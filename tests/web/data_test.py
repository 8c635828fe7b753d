#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the plots show is what the JSON counts, for every capture in the tree: data_test.py PROGRAM CAPTURES."""
from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import report_data

PROGRAM = ""
CAPTURES = pathlib.Path()
NOT_PACKETS = ("gap", "ce", "told_by_switch", "round_trip")  # marks that a packet gets besides its own


def count(direction: dict, chosen) -> int:
    return sum(m["packets"] for m in direction["marks"] if chosen(m))


class Data(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.html = pathlib.Path(self.folder.name) / "report.html"

    def tearDown(self):
        self.folder.cleanup()

    def check_direction(self, counts: dict, drawn: dict):
        self.assertEqual(count(drawn, lambda m: m["mark"] not in NOT_PACKETS), counts["frames"], "packets")
        total = sum(sum(report_data.column(m, "bytes")) for m in drawn["marks"])
        self.assertEqual(total, counts["bytes_on_wire"], "bytes")
        self.assertEqual(count(drawn, lambda m: m["mark"] in ("cnp", "fast_cnp")), counts["cnps"])
        self.assertEqual(count(drawn, lambda m: m["mark"] == "fast_cnp"), counts["fast_cnps"])
        self.assertEqual(count(drawn, lambda m: m["mark"] == "rnr_nak"), counts["rnr_naks"])
        naks = ("sequence_nak", "fatal_nak")
        self.assertEqual(count(drawn, lambda m: m["mark"] in naks), sum(counts["naks"].values()))
        self.assertEqual(count(drawn, lambda m: m["mark"] == "ce"), counts["ecn"]["ce"])
        for name in ("requests", "responses"):
            space = counts[name]
            with self.subTest(space=name):
                of = lambda mark: count(drawn, lambda m: m["space"] == name and m["mark"].startswith(mark))
                self.assertEqual(of("resent_"), sum(space["retransmitted_packets"].values()), "resent")
                self.assertEqual(of("duplicate"), space["duplicate_packets"], "duplicates")
                self.assertEqual(of("reordered"), space["reordered_packets"], "reordered")

        self.check_paths(counts["veroce"]["paths"] if counts.get("veroce") else [], drawn)

    def check_paths(self, counts: list[dict], drawn: dict):
        """Of a direction with several paths: each packet on its path, the worst paths by themselves."""
        used = {path["udp_source_port"]: path for path in counts if path["packets"] > 0}
        if len(used) < 2:
            self.assertNotIn("paths", drawn)
            return
        alone = drawn["paths"]
        self.assertEqual(len(alone), min(8, len(used)))
        self.assertEqual(drawn["other_paths"]["paths"], len(used) - len(alone))
        others = [path for port, path in used.items() if port not in {p["port"] for p in alone}]
        shown = [(p["marks"], [used[p["port"]]]) for p in alone] + [(drawn["other_paths"]["marks"], others)]
        for marks, paths in shown:
            packets = {m["mark"]: m["packets"] for m in marks}
            of = lambda key: sum(path[key] for path in paths)
            for mark, key in (("sent", "packets"), ("resent", "resent_packets"), ("lost", "lost_packets"),
                              ("trimmed", "trimmed_packets"), ("ce", "ce_packets"), ("cnp", "cnps"),
                              ("slow_signal", "slow_signals")):
                self.assertEqual(packets.get(mark, 0), of(key), (mark, paths))
            sent = [m for m in marks if m["mark"] == "sent"]
            self.assertEqual(sum(sum(report_data.column(m, "bytes")) for m in sent), of("bytes_on_wire"))
        if others:
            worst = lambda path: path["lost_packets"] + path["trimmed_packets"] + path["asked_by_nak_packets"]
            self.assertLessEqual(max(map(worst, others)), min(worst(used[p["port"]]) for p in alone))

    def check(self, capture: pathlib.Path):
        expected = report_data.make(PROGRAM, str(capture), self.html)
        data = report_data.data(self.html)
        self.assertEqual(data["triage"], expected, "the JSON in the report is that of --json")
        drawn = {c["id"]: c for c in data["beside"]["timeline"]["connections"]}
        for connection in expected["connections"]:
            for d in connection["directions"]:
                with self.subTest(connection=connection["id"], src=d["src"]):
                    of = [x for x in drawn[connection["id"]]["directions"]
                          if x["src"] == d["src"] and x["dst_qpn"] == d["dst_qpn"]]
                    self.assertEqual(len(of), 1)
                    self.check_direction(d, of[0])

    def check_histograms(self, data: dict):
        """Buckets are the JSON's distributions, value by value."""
        packed = {c["id"]: c["directions"] for c in data["beside"]["histograms"]["connections"]}
        found = 0
        for connection in data["triage"]["connections"]:
            for i, direction in enumerate(connection["directions"]):
                histograms = packed[connection["id"]][i] if connection["id"] in packed else {}
                self.assertEqual("rtt_ns" in histograms, direction["rtt_ns"] is not None)
                for path, histogram in histograms.items():
                    summary = direction
                    for key in path.split("."):
                        summary = summary[key]
                    counts = report_data.unpacked(histogram["columns"].split(" ")[1], histogram["buckets"])
                    self.assertEqual(sum(counts), summary["count"], path)
                    found += 1
        return found

    def test_every_capture(self):
        captures = sorted(CAPTURES.glob("*.pcap*")) + sorted((CAPTURES / "lab").glob("*.pcap.zst"))
        self.assertGreater(len(captures), 20)
        found = 0
        for capture in captures:
            with self.subTest(capture=capture.name):
                self.check(capture)
                found += self.check_histograms(report_data.data(self.html))
        self.assertGreater(found, len(captures))

    def test_paths_of_generated_connections(self):
        """Of every scenario of veRoCE, what is drawn of the paths is what is counted; a lossy path loses alone."""
        lossy = pathlib.Path(self.folder.name) / "veroce-multipath-loss.pcapng"
        listed = subprocess.run([PROGRAM, "generate", "--list"], capture_output=True, check=True, text=True).stdout
        names = re.findall(r"^ *(veroce-[a-z-]+)", listed, re.MULTILINE)
        self.assertIn(lossy.stem, names)
        for name in names:
            with self.subTest(scenario=name):
                capture = lossy.with_stem(name)
                subprocess.run([PROGRAM, "generate", name, "-w", str(capture), "-s", "128"], check=True,
                               capture_output=True)
                self.check(capture)
        expected = report_data.make(PROGRAM, str(lossy), self.html)
        drawn = report_data.data(self.html)["beside"]["timeline"]["connections"][0]["directions"][0]
        lost = {p["port"]: next((m for m in p["marks"] if m["mark"] == "lost"), None) for p in drawn["paths"]}
        self.assertEqual([port for port, series in lost.items() if series], [50003])
        self.assertEqual(drawn["paths"][0]["port"], 50003, "the worst first")
        # A loss stands where the packet passed: its frame is one that the path's packets have.
        sent = next(m for m in drawn["paths"][0]["marks"] if m["mark"] == "sent")
        self.assertEqual(sent["bin_ns"], 0)
        passed = dict(zip(report_data.column(sent, "frame"), report_data.column(sent, "t")))
        series = lost[50003]
        for frame, time in zip(report_data.column(series, "frame"), report_data.column(series, "t")):
            self.assertEqual(passed[frame], time)
        self.assertEqual(series["packets"], sum(path["lost_packets"] for path in
                                                expected["connections"][0]["directions"][0]["veroce"]["paths"]))

    def test_times_psns_and_frames_of_episodes(self):
        """An episode's packets are drawn where `rocetop packets` has them."""
        expected = report_data.make(PROGRAM, str(CAPTURES / "write-loss.pcapng"), self.html)
        timeline = report_data.data(self.html)["beside"]["timeline"]
        marks = timeline["connections"][0]["directions"][0]["marks"]
        resent = next(m for m in marks if m["mark"] == "resent_nak")
        self.assertEqual(resent["bin_ns"], 0)
        frames = report_data.column(resent, "frame")
        psns = [low % (1 << 24) for low in report_data.column(resent, "low")]
        for episode in expected["connections"][0]["directions"][0]["requests"]["episodes"]:
            at = frames.index(episode["first_frame"])
            self.assertEqual(psns[at], episode["first_psn"])
            self.assertEqual(psns[at + episode["packets"] - 1], episode["last_psn"])
        self.assertEqual(timeline["zero_ns"], str(expected["capture"]["first_ns"]))

    def test_hostile_text_stays_text(self):
        name = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028&.pcapng"
        name = name.replace("/", "\u2215")  # no "/" in a file's name; the folder brings a real one
        folder = pathlib.Path(self.folder.name) / "<" / "script>"
        folder.mkdir(parents=True)
        capture = folder / name
        capture.write_bytes((CAPTURES / "write-loss.pcapng").read_bytes())
        report_data.make(PROGRAM, str(capture), self.html)
        text = self.html.read_text(encoding="utf-8")
        self.assertEqual(text.count("<script"), 2)
        self.assertEqual(text.count("</script"), 2)
        self.assertNotIn("\u2028", text)
        self.assertEqual(report_data.data(self.html)["triage"]["files"], [str(capture)])

    def test_names_no_other_place(self):
        report_data.make(PROGRAM, str(CAPTURES / "ce-cnp.pcapng.zst"), self.html)
        text = self.html.read_text(encoding="utf-8")
        self.assertIn("default-src 'none'", text)
        for word in (" src=", "url(", "@import", "fetch(", "XMLHttpRequest", "WebSocket", "innerHTML", "document.write",
                     "insertAdjacentHTML", "eval("):
            self.assertNotIn(word, text.replace("default-src", ""), word)


if __name__ == "__main__":
    PROGRAM, CAPTURES = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
