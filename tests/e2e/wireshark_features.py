#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the Wireshark plugin does beside the verdicts: the Info column, packets of other dissectors, preferences, expert
infos; that it leaves Wireshark's own fields alone, shows no symbol but its own, and takes any bytes.

usage: wireshark_features.py PLUGIN CAPTURES
"""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "lab" / "scripts")]
from capture_files import LINKTYPE_ETHERNET, Frame, Interface, pcapng, read_pcapng  # noqa: E402
from frame import icrc, ipv4_checksum  # noqa: E402
from tshark import Tshark, skip  # noqa: E402

PLUGIN = pathlib.Path()
CAPTURES = pathlib.Path()
ROCE_PORT, VEROCE_PORT, VXLAN_PORT, DNS_PORT = 4791, 4794, 4789, 53
SEND_ONLY, WRITE_ONLY, ACK, FLUSH, CNP, XRC_SEND_ONLY = 0x04, 0x0A, 0x11, 0x1C, 0x81, 0xA4
NOT_ECT, CE = 0, 3
INFO = "_ws.col.Info"
PROTOCOL = "_ws.col.Protocol"


def roce(opcode: int, psn: int, body: bytes = b"", *, qpn: int = 0x26, becn: bool = False, ecn: int = NOT_ECT,
         source_port: int = 50000, port: int = ROCE_PORT, good_icrc: bool = True) -> bytes:
    """An Ethernet frame with a RoCEv2 packet from 192.0.2.1 to 192.0.2.2. `body`: what is behind the BTH."""
    bth = struct.pack(">BBHII", opcode, 0, 0xFFFF, (0x40000000 if becn else 0) | qpn, psn)
    length = 8 + len(bth) + len(body) + 4
    udp = struct.pack(">HHHH", source_port, port, length, 0)
    ip = bytearray(struct.pack(">BBHHHBBH4s4s", 0x45, ecn, 20 + length, psn & 0xFFFF, 0x4000, 64, 17, 0,
                               bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2])))
    ip[10:12] = ipv4_checksum(ip).to_bytes(2, "big")
    check = icrc(bytes(ip), udp + bth + body)
    if not good_icrc:
        check = bytes([check[0] ^ 1]) + check[1:]
    return bytes.fromhex("020000000002 020000000001 0800") + bytes(ip) + udp + bth + body + check


class Plugin(unittest.TestCase):
    tshark: Tshark
    stock: Tshark  # without the plugin

    @classmethod
    def setUpClass(cls) -> None:
        cls.tshark, cls.stock = Tshark(PLUGIN), Tshark(None)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.tshark.close()
        cls.stock.close()

    def write(self, *frames: bytes, snap_bytes: int = 262144) -> pathlib.Path:
        path = self.tshark.user.home / f"{self.id()}.pcapng"
        content = [Frame(10**18 + n * 10**6, len(data), data[:snap_bytes]) for n, data in enumerate(frames)]
        path.write_bytes(pcapng("made by a test", [Interface(LINKTYPE_ETHERNET, snap_bytes)], content))
        path.chmod(0o644)
        return path

    def column(self, capture: pathlib.Path, name: str, *more: str) -> list[str]:
        return [frame[name] for frame in self.tshark.fields(capture, [name], *more)]

    def unpacked(self, name: str) -> pathlib.Path:
        """A capture as editcap takes it."""
        path = self.tshark.user.home / name.removesuffix(".zst")
        if not path.exists():
            if name.endswith(".zst"):
                path.write_bytes(subprocess.run(["zstd", "-dqc", CAPTURES / name], check=True,
                                                capture_output=True).stdout)
            else:
                shutil.copy(CAPTURES / name, path)
            path.chmod(0o644)
        return path


class InfoColumn(Plugin):
    def test_names_what_wireshark_does_not_know(self) -> None:
        capture = self.write(roce(CNP, 0, bytes(16), becn=True), roce(XRC_SEND_ONLY, 7, struct.pack(">I", 5) + b"data"),
                             roce(FLUSH, 8, bytes(4 + 16)))
        self.assertEqual(self.column(capture, INFO),
                         ["CNP QP=0x000026", "XRC SEND Only QP=0x000026 PSN=7 (+0) Len=4",
                          "RC FLUSH QP=0x000026 PSN=8 (+1)"])
        self.assertEqual(self.column(capture, "roce.becn"), ["1", "0", "0"])

    def test_names_packets_cut_by_the_snap_length(self) -> None:
        capture = self.write(roce(SEND_ONLY, 9, bytes(1000)), snap_bytes=70)
        self.assertEqual(self.column(capture, INFO),
                         ["RC SEND Only QP=0x000026 PSN=9 (+0) Len=1000 [cut by the snap length]"])

    def test_says_what_the_analysis_found(self) -> None:
        infos = self.column(CAPTURES / "write-loss.pcapng", INFO)
        self.assertIn("[1 missing before]", infos[102])
        self.assertTrue(infos[125].endswith("[PSN Sequence Error] PSN=15633801 (+96)"), infos[125])
        self.assertTrue(infos[127].endswith("[Retransmission of #103, NAK #126]"), infos[127])
        rnr = self.column(CAPTURES / "rnr.pcapng.zst", INFO, "-Y", "roce.analysis.rnr_nak")
        self.assertTrue(rnr and all("[RNR NAK, wait" in info for info in rnr), rnr)

    def test_has_no_relative_psn_before_the_first(self) -> None:
        # A capture that begins while a sender goes back.
        capture = self.unpacked("write-loss.pcapng")
        cut = capture.with_name("cut.pcapng")
        subprocess.run(["editcap", "-r", capture, cut, "120-300"], check=True)
        cut.chmod(0o644)
        infos = self.column(cut, INFO, "-2")
        self.assertIn("[Retransmission, first one not seen, NAK #7]", infos[7])
        self.assertEqual([info for info in infos if "(+16777" in info], [])

    def test_calls_nothing_unseen_that_a_filter_left_out(self) -> None:
        infos = self.column(CAPTURES / "rnr.pcapng.zst", INFO, "-2", "-R", "roce.analysis.retransmission")
        self.assertIn("[Retransmission, RNR NAK]", infos[0])

    def test_is_left_alone_by_preference(self) -> None:
        for name in ("write-loss.pcapng", "ce-cnp.pcapng.zst"):
            with_plugin = self.column(CAPTURES / name, INFO, "-o", "roce.info_column:FALSE")
            self.assertEqual(with_plugin, [f[INFO] for f in self.stock.fields(CAPTURES / name, [INFO])])

    def test_leaves_psns_absolute_by_preference(self) -> None:
        infos = self.column(CAPTURES / "write-loss.pcapng", INFO, "-o", "roce.relative_psn:FALSE")
        self.assertIn("PSN=15633705 Len=1024", infos[2])


class CutPackets(Plugin):
    def test_without_the_aeth_no_timer_is_blamed(self) -> None:
        # What looks like an ACK may have been an RNR NAK, and is one here.
        cut = self.tshark.user.home / "cut.pcapng"
        subprocess.run(["editcap", "-s", "54", self.unpacked("rnr.pcapng.zst"), cut], check=True)
        cut.chmod(0o644)
        self.assertEqual(set(self.column(cut, "roce.analysis.cause", "-2", "-Y", "roce.analysis.retransmission")),
                         {"unknown"})


class OtherDissectors(Plugin):
    def test_do_not_keep_a_packet_by_its_source_port(self) -> None:
        stolen = self.write(roce(SEND_ONLY, 9, bytes(64), source_port=VXLAN_PORT))
        names = ["infiniband.bth.psn", "roce.psn", PROTOCOL, INFO]
        stock = self.stock.fields(stolen, ["infiniband.bth.psn"])
        self.assertEqual(stock[0]["infiniband.bth.psn"], "", "else the test shows nothing")
        self.assertEqual(list(self.tshark.fields(stolen, names)[0].values()),
                         ["9", "9", "RRoCE", "RC Send Only QP=0x000026 PSN=9 (+0) Len=64"])
        kept = self.tshark.fields(stolen, names, "-o", "roce.claim:FALSE")[0]
        self.assertEqual((kept["infiniband.bth.psn"], kept["roce.psn"]), ("", "9"))

    def test_see_a_claimed_packet_in_both_passes(self) -> None:
        # What takes the payload puts messages together in the first pass, which shows nothing.
        frames = [bytearray(f.data) for f in read_pcapng(self.unpacked("rnr.pcapng.zst"))[1]]
        for data in frames:
            data[34:36] = struct.pack(">H", DNS_PORT)
        infos = self.column(self.write(*map(bytes, frames)), INFO, "-2")
        self.assertTrue(any("RC Send First" in info for info in infos), infos[:3])
        self.assertEqual([info for info in infos if "Dissector bug" in info], [])

    def test_that_throw_keep_nothing_from_the_analysis(self) -> None:
        # Wireshark 4.0 calls small SENDs malformed RPC-over-RDMA.
        capture = self.write(roce(SEND_ONLY, 9, bytes(4)), roce(SEND_ONLY, 10, bytes(4)))
        self.assertEqual(self.column(capture, "roce.psn"), ["9", "10"])

    def test_are_shown_on_more_ports_by_preference(self) -> None:
        capture = self.write(roce(SEND_ONLY, 9, bytes(64), port=5000), roce(SEND_ONLY, 10, bytes(64), port=5001))
        self.assertEqual(self.column(capture, "roce.psn"), ["", ""])
        self.assertEqual(self.column(capture, "infiniband.bth.psn", "-o", "roce.ports:4000,5000-5001"), ["9", "10"])

    def test_veroce_has_a_protocol_and_a_port(self) -> None:
        capture = self.write(roce(WRITE_ONLY, 9, bytes(64), port=VEROCE_PORT))
        shown = self.tshark.fields(capture, ["infiniband.bth.psn", "roce.psn", PROTOCOL, "veroce"], "-Y", "veroce")
        self.assertEqual(len(shown), 1)
        self.assertEqual(list(shown[0].values())[:3], ["9", "9", "veRoCE"])
        moved = self.write(roce(WRITE_ONLY, 9, bytes(64), port=6000))
        self.assertEqual(self.column(moved, "infiniband.bth.psn", "-o", "veroce.udp.port:6000"), ["9"])

    def test_show_the_same_fields_with_the_plugin(self) -> None:
        own = re.compile(r"^\[RoCE analysis.*?(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
        for name in ("write-loss.pcapng", "ce-cnp.pcapng.zst", "encapsulations.pcapng", "cm-reject.pcapng.zst"):
            capture = CAPTURES / name
            plain = self.stock.run("-r", self.stock.readable(capture), "-V").stdout
            with_plugin = self.tshark.run("-r", self.tshark.readable(capture), "-V").stdout
            self.assertIn("[RoCE analysis", with_plugin)
            frames = [own.sub("", frame).rstrip() for frame in re.split(r"^(?=Frame \d+:)", with_plugin, flags=re.M)]
            stock_frames = [frame.rstrip() for frame in re.split(r"^(?=Frame \d+:)", plain, flags=re.M)]
            self.assertEqual(frames, stock_frames, name)


class Veroce(Plugin):
    def test_shows_its_headers_by_the_layout_that_its_packets_give(self) -> None:
        capture = CAPTURES / "veroce-sack-psn-first.pcap.zst"
        layouts = set(self.column(capture, "veroce.layout", "-2", "-Y", "veroce.sack.start"))
        self.assertEqual(len(layouts), 1)
        self.assertIn("sack_order=psn_len", layouts.pop())

    def test_takes_a_layout_by_preference(self) -> None:
        capture = CAPTURES / "veroce-sack-psn-first.pcap.zst"
        told = ["-o", "roce.veroce_layout:sack_order=len_psn"]
        self.assertNotEqual(self.column(capture, "frame.number", "-2", "-Y", "veroce.not_read", *told), [])
        done = self.tshark.run("-r", self.tshark.readable(capture), "-c", "1", "-o", "roce.veroce_layout:sack_order=up")
        self.assertIn("Preference roce.veroce_layout: ", done.stderr)

    def test_a_field_alone_is_enough_to_ask_for_it(self) -> None:
        trimmed = self.column(CAPTURES / "veroce-trimmed.pcap.zst", "frame.number", "-Y", "veroce.trimmed")
        self.assertNotEqual(trimmed, [])


class Analysis(Plugin):
    def test_checks_the_icrc_unless_told_not_to(self) -> None:
        capture = self.write(roce(SEND_ONLY, 9, bytes(64)), roce(SEND_ONLY, 10, bytes(64), good_icrc=False))
        self.assertEqual(self.column(capture, "roce.icrc.status"), ["1", "0"])
        self.assertEqual(self.column(capture, "roce.psn", "-Y", 'roce.icrc.status == "Bad"'), ["10"])
        self.assertEqual(self.column(capture, "roce.icrc.status", "-o", "roce.icrc:FALSE"), ["2", "2"])

    def test_marks_are_those_of_the_ip_header(self) -> None:
        capture = self.write(roce(SEND_ONLY, 9, bytes(64), ecn=CE), roce(SEND_ONLY, 10, bytes(64)))
        self.assertEqual(self.column(capture, "roce.psn", "-Y", "roce.ce == 1"), ["9"])

    def test_does_nothing_when_it_is_off(self) -> None:
        off = ["-o", "roce.analyze:FALSE"]
        self.assertEqual(self.tshark.fields(CAPTURES / "write-loss.pcapng", ["frame.number"], "-Y", "roce", *off), [])
        self.assertEqual(self.column(CAPTURES / "write-loss.pcapng", INFO, *off),
                         [f[INFO] for f in self.stock.fields(CAPTURES / "write-loss.pcapng", [INFO])])

    def test_remembers_as_many_frames_as_it_may(self) -> None:
        kinds = self.column(CAPTURES / "write-loss.pcapng", "roce.analysis.kind", "-o", "roce.max_frames:100")
        self.assertEqual(sum(1 for kind in kinds if kind), 100)
        text = self.tshark.text("-r", self.tshark.readable(CAPTURES / "write-loss.pcapng"), "-q", "-z", "expert,note",
                                "-o", "roce.max_frames:100")
        left = sum(1 for psn in self.column(CAPTURES / "write-loss.pcapng", "roce.psn") if psn) - 100
        self.assertRegex(text, rf"{left} +Undecoded +RoCE analysis +Not remembered")
        tree = self.tshark.text("-r", self.tshark.readable(CAPTURES / "write-loss.pcapng"), "-q", "-z", "roce,tree",
                                "-o", "roce.max_frames:100")
        self.assertRegex(tree, rf"Beyond roce\.max_frames: not judged +{left} ")

    def test_says_that_a_threshold_is_none(self) -> None:
        done = self.tshark.run("-r", self.tshark.readable(CAPTURES / "write-loss.pcapng"), "-c", "1", "-o",
                               "roce.thresholds:early_wait=soon")
        self.assertIn("Preference roce.thresholds: ", done.stderr)
        self.assertEqual(done.stdout.count("\n"), 1)

    def test_numbers_of_frames_are_those_shown(self) -> None:
        # -R keeps some frames, and numbers those.
        names = ["frame.number", "roce.psn", "roce.analysis.original_frame", "roce.analysis.trigger_frame",
                 "roce.analysis.kind"]
        shown = self.tshark.fields(CAPTURES / "write-loss.pcapng", names, "-2", "-R", "roce.analysis.flags")
        psn_of = {frame["frame.number"]: frame["roce.psn"] for frame in shown}
        kind_of = {frame["frame.number"]: frame["roce.analysis.kind"] for frame in shown}
        named = [frame for frame in shown if frame["roce.analysis.original_frame"]]
        self.assertTrue(named)
        for frame in named:
            self.assertEqual(psn_of[frame["roce.analysis.original_frame"]], frame["roce.psn"])
        for frame in shown:
            if frame["roce.analysis.trigger_frame"]:
                self.assertEqual(kind_of[frame["roce.analysis.trigger_frame"]], "nak")

    def test_is_in_the_expert_infos(self) -> None:
        text = self.tshark.text("-r", self.tshark.readable(CAPTURES / "write-loss.pcapng"), "-q", "-z", "expert")
        self.assertRegex(text, r"(?s)Warns \(24\).*12 +Sequence +RoCE analysis +PSNs missing before this packet")
        self.assertEqual(len(re.findall(r"Sequence +RoCE analysis +Retransmission after a NAK", text)), 1, "one group")

    def test_warns_of_no_psn_that_only_came_late(self) -> None:
        late = CAPTURES / "reorder.pcapng.zst"
        self.assertNotEqual(self.column(late, "roce.analysis.missing_before", "-2", "-Y",
                                        "roce.analysis.missing_late"), [])
        self.assertEqual(self.column(late, "frame.number", "-2", "-Y", "roce.expert.missing"), [])
        self.assertEqual(self.column(late, "frame.number", "-2", "-Y", "roce.analysis.missing_final > 0"), [])
        tree = self.tshark.text("-2", "-r", self.tshark.readable(late), "-q", "-z", "roce,tree")
        self.assertRegex(tree, r"PSNs missing \(right before a packet\) +0 ")
        self.assertRegex(tree, r"PSNs that came late +7 ")

    def test_packets_of_a_queue_pair_used_again_are_of_the_new_connection(self) -> None:
        capture = CAPTURES / "lab" / "qpn_reuse_reset.sender.pcap.zst"
        kinds = self.column(capture, "roce.analysis.kind", "-2", "-Y", "roce")
        self.assertEqual(sorted(set(kinds)), ["ack", "new"])
        streams = self.column(capture, "roce.stream", "-2", "-Y", "roce")
        self.assertEqual({streams.count(stream) for stream in set(streams)}, {40})
        self.assertEqual(len(self.column(capture, "frame.number", "-2", "-Y", "roce.analysis.qp_reuse")), 3)

    def test_a_packet_captured_twice_counts_once(self) -> None:
        interfaces, frames = read_pcapng(CAPTURES / "write-loss.pcapng")
        twice = [f for frame in frames for f in (frame, frame._replace(time_ns=frame.time_ns + 1000, interface=1))]
        capture = self.tshark.user.home / "twice.pcapng"
        capture.write_bytes(pcapng("made by a test", [interfaces[0], interfaces[0]], twice))
        capture.chmod(0o644)
        shown = self.tshark.fields(capture, ["roce.stream", "roce.analysis.original_frame", INFO], "-Y",
                                   "roce.analysis.captured_twice")
        originals = self.column(CAPTURES / "write-loss.pcapng", "roce.stream", "-Y", "roce")
        self.assertEqual([frame["roce.stream"] for frame in shown], originals)
        self.assertTrue(all(f"[Captured twice, copy of #{frame['roce.analysis.original_frame']}" in frame[INFO]
                            for frame in shown))
        for statistic in ("roce,table", "roce,conv"):
            tables = [self.tshark.text("-2", "-r", self.tshark.readable(path), "-q", "-z", statistic)
                      for path in (capture, CAPTURES / "write-loss.pcapng")]
            self.assertEqual(*tables)

    def test_statistics_have_their_whole_name(self) -> None:
        done = self.tshark.run("-r", self.tshark.readable(CAPTURES / "write-loss.pcapng"), "-q", "-z", "roce,reportx")
        self.assertIn("-z roce,reportx: there is no such statistic", done.stderr)
        self.assertNotEqual(done.returncode, 0)

    def test_reads_a_pipe_as_packets_come(self) -> None:
        capture = self.tshark.readable(CAPTURES / "write-loss.pcapng")
        with open(capture, "rb") as file:
            done = subprocess.run(self.tshark.user.command("tshark", "-l", "-r", "-", "-T", "fields", "-e",
                                                           "roce.analysis.cause"),
                                  stdin=file, capture_output=True, text=True, env=self.tshark.user.environment())
        self.assertEqual(done.stdout.splitlines(), self.column(CAPTURES / "write-loss.pcapng", "roce.analysis.cause"))

    def test_all_fields_of_a_retransmission(self) -> None:
        names = ["roce.stream", "roce.qp", "roce.qp.dst", "roce.qp.peer", "roce.psn.relative", "roce.analysis.kind",
                 "roce.analysis.cause", "roce.analysis.retransmission.nak", "roce.analysis.retransmission.timeout",
                 "roce.analysis.original_frame", "roce.analysis.trigger_frame", "roce.analysis.wait",
                 "roce.analysis.psns_in_flight", "roce.analysis.final", "roce.analysis.acked_in", "roce.msg.id",
                 "roce.msg.operation", "roce.msg.first_frame", "roce.msg.last_frame", "roce.msg.length",
                 "roce.msg.completed_in", "roce.msg.completion_time"]
        shown = self.tshark.fields(CAPTURES / "write-loss.pcapng", names, "-2", "-Y", "frame.number == 128")[0]
        given = {name: value for name, value in shown.items() if value}
        self.assertEqual(given, {
            "roce.stream": "1", "roce.qp": "38", "roce.qp.dst": "38", "roce.qp.peer": "38", "roce.psn.relative": "97",
            "roce.analysis.kind": "retransmission", "roce.analysis.cause": "nak",
            "roce.analysis.retransmission.nak": given.get("roce.analysis.retransmission.nak", "missing"),
            "roce.analysis.original_frame": "103", "roce.analysis.trigger_frame": "126",
            "roce.analysis.wait": "0.000732213", "roce.analysis.psns_in_flight": "24",
            "roce.analysis.final": "retransmission", "roce.analysis.acked_in": "151", "roce.msg.id": "5",
            "roce.msg.operation": "write", "roce.msg.first_frame": "87", "roce.msg.last_frame": "105",
            "roce.msg.length": "20000", "roce.msg.completed_in": "151"})
        self.assertIn("roce.analysis.retransmission.nak", given)


class Memory(Plugin):
    FEW, MANY = 4_000, 64_000
    BYTES_A_FRAME = 32  # a leaked string is more

    def peak_kilobytes(self, capture: pathlib.Path, frames: int, *more: str) -> int:
        command = self.tshark.user.command("tshark", "-r", str(capture), "-c", str(frames), "-T", "fields", "-e",
                                           "roce.analysis.kind", "-o", "roce.max_frames:1000", *more)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=self.tshark.user.environment()) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
        self.assertEqual(status, 0)
        return usage.ru_maxrss

    def test_does_not_grow_with_frames_that_are_not_remembered(self) -> None:
        interfaces, frames = read_pcapng(CAPTURES / "write-loss.pcapng")
        repeated = [frame._replace(time_ns=frames[0].time_ns + n * 1000)
                    for n, frame in enumerate(frames * (self.MANY // len(frames) + 1))]
        capture = self.tshark.user.home / "long.pcapng"
        capture.write_bytes(pcapng("made by a test", interfaces, repeated))
        capture.chmod(0o644)
        analysis, nothing = (
            self.peak_kilobytes(capture, self.MANY, *more) - self.peak_kilobytes(capture, self.FEW, *more)
            for more in ((), ("-o", "roce.analyze:FALSE")))
        self.assertLess((analysis - nothing) * 1024 / (self.MANY - self.FEW), self.BYTES_A_FRAME)


class Binary(unittest.TestCase):
    def test_shows_only_the_symbols_that_wireshark_looks_for(self) -> None:
        out = subprocess.run(["nm", "-D", "--defined-only", PLUGIN], check=True, capture_output=True, text=True).stdout
        self.assertEqual(sorted(line.split()[-1] for line in out.splitlines()),
                         ["plugin_describe", "plugin_register", "plugin_version", "plugin_want_major",
                          "plugin_want_minor"])


class Robustness(Plugin):
    NAMES = ("write-loss.pcapng", "encapsulations.pcapng", "ce-cnp.pcapng.zst", "cm-reject.pcapng.zst",
             "read-restart.pcapng.zst")

    def survives(self, capture: pathlib.Path, *more: str) -> None:
        capture.chmod(0o644)
        statistics = [word for name in ("report", "conv", "tree", "table") for word in ("-z", f"roce,{name}")]
        done = self.tshark.run("-2", "-nVxr", str(capture), *statistics, *more)
        self.assertEqual(done.returncode, 0, f"{capture.name}: {done.stderr[-2000:]}")
        for line in done.stderr.splitlines():
            self.assertNotIn("RoCE", line)

    def changed(self, name: str, how: str, *options: str) -> pathlib.Path:
        source = self.unpacked(name)
        path = self.tshark.user.home / f"{how}-{source.name}"
        subprocess.run(["editcap", *options, source, path], check=True, capture_output=True)
        return path

    def test_takes_damaged_bytes(self) -> None:
        for number, name in enumerate(self.NAMES):
            for seed in (1, 2):
                rate = ("0.01", "0.05")[(number + seed) % 2]
                self.survives(self.changed(name, f"damaged{seed}", "-E", rate, "--seed", str(seed)))

    def test_takes_every_snap_length(self) -> None:
        for snap_bytes in (34, 45, 54, 58, 61, 70):
            self.survives(self.changed("write-loss.pcapng", f"cut{snap_bytes}", "-s", str(snap_bytes)), "-c", "300")

    def test_takes_frames_in_any_order(self) -> None:
        interfaces, frames = read_pcapng(CAPTURES / "write-loss.pcapng")
        frames = [f for pair in zip(frames[1::2], frames[::2]) for f in (*pair, pair[0])]
        path = self.tshark.user.home / "mixed.pcapng"
        path.write_bytes(pcapng("made by a test", interfaces, frames))
        self.survives(path)


def main() -> None:
    global PLUGIN, CAPTURES
    PLUGIN, CAPTURES = map(pathlib.Path, sys.argv[1:3])
    if not PLUGIN.is_file():
        skip("the Wireshark plugin is not built (Debian package wireshark-dev)")
    for program, package in (("tshark", "tshark"), ("editcap", "wireshark-common"), ("nm", "binutils")):
        if shutil.which(program) is None:
            skip(f"{program} is missing (Debian package {package})")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])


if __name__ == "__main__":
    main()
