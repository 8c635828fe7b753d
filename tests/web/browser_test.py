#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The HTML report as a browser shows it: browser_test.py PROGRAM CAPTURES MAKER SCENARIO [TEST…].

One headless Chromium for all tests, driven over its pipe (chromium.py)."""
from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import chromium
import report_data

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import capture_files  # noqa: E402

PROGRAM = ""
CAPTURES = pathlib.Path()
MAKER = ""  # writes made captures: tests/bench/make_capture.cpp
SCENARIO = ""  # writes the capture of a scenario: tests/support/scenario_capture.cpp
TEXTS = "Array.from(document.querySelectorAll({}), (e) => e.textContent)"


def grouped(n) -> str:
    return f"{n:,}"


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.browser = chromium.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def open(self, capture: str, *flags: str, theme: str = "light", width: int = 0):
        self.html = pathlib.Path(self.folder.name) / "report.html"
        self.json = report_data.make(PROGRAM, str(CAPTURES / capture), self.html, *flags)
        self.page = self.browser.page()
        self.page.theme(theme)
        if width:
            self.page.send("Emulation.setDeviceMetricsOverride", width=width, height=700, deviceScaleFactor=1,
                           mobile=True)
        self.page.open(self.html)
        self.assertEqual(self.page.run("document.documentElement.dataset.ready"), "yes")

    def made(self, *shape: str) -> str:
        capture = pathlib.Path(self.folder.name) / "made.pcap"
        subprocess.run([MAKER, str(capture), *shape], check=True)
        return str(capture)

    def scenario(self, text: str, interface: str = "") -> str:
        """The scenario's frames as a capture; with `interface` as pcapng of an interface of that name."""
        capture = pathlib.Path(self.folder.name) / "scenario.pcap"
        subprocess.run([SCENARIO, str(capture), text], check=True)
        if not interface:
            return str(capture)
        _, frames = capture_files.read_pcap(capture)
        named = capture.with_suffix(".pcapng")
        named.write_bytes(capture_files.pcapng("", [capture_files.Interface(1, name=interface)], frames))
        return str(named)

    def table(self, name: str) -> list[list[str]]:
        """The cells of the first table within data-table=NAME, line by line."""
        return self.page.run(f"""Array.from(document.querySelector('[data-table={name}] table').tBodies[0].rows,
            (tr) => Array.from(tr.cells, (cell) => cell.textContent.replaceAll('\\u00a0', ' ')))""")

    def tearDown(self):
        """Whatever a test did: nothing on the console, and nothing was asked of anybody."""
        self.assertEqual(self.page.errors, [])
        self.assertEqual(set(self.page.requests.values()), {self.html.as_uri()})

    def texts(self, selector: str) -> list[str]:
        return self.page.run(TEXTS.format(json.dumps(selector)))

    def cells(self, key: str) -> list[str]:
        return self.texts(f".connections tbody td[data-key={key}]")

    def tip(self) -> str:
        return self.page.run("(document.querySelector('.tip:not([hidden])') ?? {innerText: ''}).innerText")

    def view(self) -> tuple[float, float]:
        return tuple(self.page.run("[rocetopReport.detail.view.min, rocetopReport.detail.view.max]"))

    # ------------------------------------------------------------------------------------------------ numbers

    def check_numbers(self):
        """Everything that is shown as a number is the JSON's."""
        self.page.run("for (const more of document.querySelectorAll('button.more')) while (!more.hidden) more.click()")
        units = {f["key"]: f["unit"] for f in report_data.data(self.html)["beside"]["connection_fields"]}
        rows = self.page.run("""Array.from(document.querySelectorAll('.connections tbody tr'), (tr) =>
            [Number(tr.dataset.id),
             Object.fromEntries(Array.from(tr.children, (td) => [td.dataset.key, td.title]))])""")
        totals = {c["id"]: c["totals"] for c in self.json["connections"]}
        self.assertEqual(sorted(id for id, _ in rows), sorted(totals))
        for id, shown in rows:
            for key, unit in units.items():
                value = totals[id][key]
                if key not in shown or value is None or isinstance(value, float):
                    continue
                self.assertEqual(shown[key], f"{grouped(value)} {unit.replace('_', ' ')}", (id, key))
        self.assertEqual(sum(map(len, (self.texts(".findings > .finding"), self.texts(".consequence")))),
                         len(self.json["findings"]))
        titles = " ".join(self.texts(".finding summary"))
        for finding in self.json["findings"]:
            self.assertIn(finding["title"], titles)
        self.assertEqual(self.texts(".tiles [data-key=frames] dd"), [grouped(self.json["capture"]["frames"])])

    def legend(self) -> dict[str, int]:
        keys = self.page.run("Array.from(document.querySelector('.detail figure .legend').querySelectorAll('.key'), "
                             "(k) => [k.dataset.mark, Number(k.dataset.packets)])")
        return dict(keys)

    def test_paths_and_recovery_of_veroce_have_tables(self):
        self.open("veroce-trimmed.pcap.zst")
        veroce = self.json["connections"][0]["directions"][0]["veroce"]
        rows = self.table("paths")
        self.assertEqual([row[0] for row in rows], [str(path["udp_source_port"]) for path in veroce["paths"]])
        self.assertEqual([row[1] for row in rows], [str(path["packets"]) for path in veroce["paths"]])
        recovery = {row[0]: row[1] for row in self.table("recovery")}
        self.assertEqual(recovery["Packet Drop"], str(veroce["requests"]["packet_drop_naks"]))
        self.assertEqual(recovery["resent PSNs"], str(veroce["requests"]["resent_psns"]))

    def generated(self, name: str) -> str:
        capture = pathlib.Path(self.folder.name) / "generated.pcapng"
        subprocess.run([PROGRAM, "generate", name, "-w", str(capture), "--overwrite", "-s", "128"], check=True,
                       capture_output=True)
        return str(capture)

    def generated_text(self, text: str) -> str:
        scenario = pathlib.Path(self.folder.name) / "scenario.txt"
        scenario.write_text(text.replace(" | ", "\n") + "\n")
        return self.generated(str(scenario))

    def test_paths_of_veroce_over_time(self):
        self.open(self.generated("veroce-multipath-loss"))
        paths = {p["udp_source_port"]: p for p in self.json["connections"][0]["directions"][0]["veroce"]["paths"]}
        titles = " | ".join(self.texts(".detail figcaption strong"))
        self.assertIn("Throughput by path (UDP source port), of ", titles)
        self.assertIn("What happened on each path (UDP source port), of ", titles)
        # The lines: what is under each is what its path carried.
        lines, bits = self.page.run("""(() => {
          const plot = rocetopReport.detail.plots.find((p) => p.constructor.name === 'PathRatePlot');
          const [xs, ...columns] = plot.plot.data;
          return [plot.lines.map(({name}) => name), columns.map((values) =>
              values.slice(0, -1).reduce((sum, v, i) => sum + v * (xs[i + 1] - xs[i]) / 1e9, 0))];
        })()""")
        self.assertEqual(lines[0], "port 50003", "the lossy one first")
        self.assertEqual(set(lines), {f"port {port}" for port in paths})
        for line, n in zip(lines, bits):
            self.assertAlmostEqual(n / 8, paths[int(line.split()[1])]["bytes_on_wire"], delta=1)
        # The rows: losses on the path that has them, and the legend counts them.
        legend = dict(self.page.run("""Array.from(rocetopReport.detail.plots
            .find((p) => p.constructor.name === 'PathEventPlot').legend.querySelectorAll('.key'),
            (k) => [k.dataset.mark, Number(k.dataset.packets)])"""))
        lost = sum(p["lost_packets"] for p in paths.values())
        self.assertGreater(lost, 5)
        self.assertEqual((legend["lost"], legend["sent"], legend["resent"]),
                         (lost, *(sum(p[key] for p in paths.values()) for key in ("packets", "resent_packets"))))
        # Its first loss, where it is drawn: hovered, and the pixels there have its colour.
        self.page.run("document.querySelectorAll('.plot')[3].scrollIntoView({block: 'center'})")
        x, y, coloured = self.page.run("""(() => {
          const plot = rocetopReport.detail.plots.find((p) => p.constructor.name === 'PathEventPlot');
          const lost = plot.paths[0].byMark.lost;
          const r = plot.plot.over.getBoundingClientRect();
          const [left, top] = [plot.plot.valToPos(lost.t[0], 'x'), plot.plot.valToPos(plot.paths.length - 0.5, 'y')];
          const ratio = devicePixelRatio;
          const {bbox, ctx} = plot.plot;
          const [x, y] = [(left - 6) * ratio + bbox.left, (top - 6) * ratio + bbox.top];
          const pixels = ctx.getImageData(x, y, 12 * ratio, 12 * ratio).data;
          const wanted = getComputedStyle(document.documentElement).getPropertyValue('--mark-nak')
              .match(/[0-9a-f]{2}/g).map((h) => parseInt(h, 16));
          let coloured = 0;
          for (let i = 0; i < pixels.length; i += 4)
            if (wanted.every((c, k) => Math.abs(pixels[i + k] - c) < 12)) ++coloured;
          return [r.left + left, r.top + top, coloured];
        })()""")
        self.assertGreater(coloured, 8)
        self.page.mouse("mouseMoved", x, y)
        self.assertIn("lost behind the tap\nport 50003", self.tip())
        # By keyboard: from event to event in this plot.
        self.page.run("rocetopReport.detail.plots.find((p) => p.constructor.name === 'PathEventPlot').box.focus()")
        self.page.key("n")
        self.assertIn("port 500", self.tip())

    def test_probes_by_path(self):
        text = subprocess.run([PROGRAM, "generate", "--show", "veroce-slow-path"], capture_output=True, check=True,
                              text=True).stdout
        self.open(self.generated_text(text.replace("tap b", "tap a")))  # there probes take the whole round trip
        counted = self.json["connections"][0]["directions"][0]["veroce"]["paths"]
        paths = {f"port {p['udp_source_port']}": p for p in counted}
        titles = self.texts(".detail figcaption strong")
        self.assertTrue(any(title.startswith("RTT probes by path") for title in titles))
        probes = self.page.run("""rocetopReport.detail.plots.find((p) => p.constructor.name === 'PathProbePlot')
            .all.map(({name, list: [points]}) => [name, points.packets, Math.max(...points.low)])""")
        self.assertEqual({name: (n, most) for name, n, most in probes},
                         {name: (p["probe_ns"]["count"], p["probe_ns"]["max"]) for name, p in paths.items()})

    def test_of_many_paths_the_others_are_one(self):
        text = ("host a,b | connect a/b protocol=veroce paths=20 | write a/b count=40 size=64k | "
                "lose a/b port=49420 nth=9")
        for theme, width in (("light", 0), ("dark", 360)):
            self.open(self.generated_text(text), theme=theme, width=width)
            paths = self.json["connections"][0]["directions"][0]["veroce"]["paths"]
            self.assertEqual(len(paths), 20)
            lines = self.page.run("""rocetopReport.detail.plots.find((p) => p.constructor.name === 'PathRatePlot')
                .lines.map(({name, packets}) => [name, packets])""")
            lossy = next(p for p in paths if p["lost_packets"])
            self.assertEqual(lines[0], [f"port {lossy['udp_source_port']}", lossy["packets"]])
            self.assertEqual((len(lines), lines[-1][0]), (9, "12 others"))
            self.assertEqual(sum(n for _, n in lines), sum(p["packets"] for p in paths))
            captions = " ".join(self.texts(".detail figcaption"))
            self.assertIn("the 8 worst or busiest of 20 paths; the others together", captions)
            widths = self.page.run("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            self.assertEqual(widths[0], widths[1])

    def test_no_plots_of_paths_where_there_is_one(self):
        self.open("write-loss.pcapng")
        self.assertFalse(any("path" in title for title in self.texts(".detail figcaption strong")))

    def test_a_lossy_write(self):
        self.open("write-loss.pcapng")
        self.check_numbers()
        there, back = self.json["connections"][0]["directions"]
        legend = self.legend()
        self.assertEqual(legend["resent_nak"], sum(there["requests"]["retransmitted_packets"].values()))
        self.assertEqual(legend["sequence_nak"], back["naks"]["psn_sequence_error"])
        self.assertEqual(legend["ack"], back["acks"])
        self.assertEqual(legend["new"], there["requests"]["packets"] - legend["resent_nak"])
        episodes = there["requests"]["episodes"]
        self.assertEqual(len(self.texts(".detail details[data-table=episodes] tbody tr")), len(episodes))

    def test_many_connections_in_the_dark(self):
        self.open("lab/many_qps_64.middle.out.pcap.zst", theme="dark")
        self.check_numbers()
        dark = self.page.run("getComputedStyle(document.body).backgroundColor")
        self.assertEqual(dark, "rgb(20, 23, 27)")
        self.page.run("document.querySelector('header button').click()")
        self.assertEqual(self.page.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")

    def test_reads_marks_and_no_roce(self):
        self.open("read-restart.pcapng.zst")
        self.check_numbers()
        there, back = self.json["connections"][0]["directions"]
        legend = self.legend()
        self.assertEqual(legend["resent_read_restart"], sum(there["requests"]["retransmitted_packets"].values()))
        self.assertEqual(legend["response_again"], sum(back["responses"]["retransmitted_packets"].values()))
        self.open("ce-cnp.pcapng.zst")
        self.check_numbers()
        there, back = self.json["connections"][0]["directions"]
        self.assertEqual((self.legend()["ce"], self.legend()["cnp"]), (there["ecn"]["ce"], back["cnps"]))
        self.open("write-loss.pcapng", "arp")
        self.assertEqual(self.texts(".connections"), [])
        self.assertIn("0", self.texts(".tiles [data-key=roce_frames] dd"))

    # ------------------------------------------------------------------------------------------------ more than counts

    def test_round_trips_over_time(self):
        self.open("write-loss.pcapng")
        direction = self.json["connections"][0]["directions"][0]
        over = direction["rtt_over_time"]
        means = self.page.run("rocetopReport.detail.means.map(({steps}) => "
                              "steps.map(({mean, samples}) => [mean, samples]))")
        self.assertEqual(means, [[[m, n] for m, n in zip(over["mean_ns"], over["samples"]) if n > 0]])
        self.assertEqual(sum(n for _, n in means[0]), direction["rtt_ns"]["count"])
        self.assertIn("Round trips over time", self.texts(".detail figcaption strong"))

    def test_histograms_hold_every_value(self):
        self.open("write-loss.pcapng")
        direction = self.json["connections"][0]["directions"][0]
        wanted = {"round trip": direction["rtt_ns"],
                  "messages write completion": direction["messages"]["write"]["completion_ns"]}
        shown = self.page.run("""Object.fromEntries(Array.from(document.querySelectorAll('.histogram'), (figure) =>
            [figure.dataset.histogram, Array.from(figure.querySelectorAll('.bar-of'), (bar) => bar.title)]))""")
        self.assertEqual(set(shown), set(wanted))
        for name, bars in shown.items():
            counts = [int(bar.split(": ")[1].split(" ")[0].replace(",", "")) for bar in bars]
            self.assertEqual(sum(counts), wanted[name]["count"], name)
            self.assertGreater(len(bars), 3, name)

    def test_what_the_connections_of_two_hosts_share(self):
        self.open(self.scenario(
            "port 50000 | W 1-40 | ACK 40 | late 3 after=4 | qp 27/28 | port 50001 | step 3us | W 1-40 | ACK 40 | "
            "CNP | wait 46us | CNP | wait 60us | CNP"))
        pair = self.json["host_pairs"][0]
        row = self.table("host-pairs")[0]
        self.assertEqual(row[:4], ["192.0.2.1 → 192.0.2.2", "2", "80", "81.9 kB"])
        self.assertIn(f"{pair['jain_index']:.3f}", row)
        ports = self.page.run("""Array.from(document.querySelectorAll('[data-table=host-pairs] td table tbody tr'),
            (tr) => Array.from(tr.cells, (cell) => cell.textContent.replaceAll('\\u00a0', ' ')))""")
        self.assertEqual(sorted(ports), [["50000", "1", "40", "50.0 %", "1 (2.5 %)"],
                                         ["50001", "1", "40", "50.0 %", "0"]])
        self.assertEqual(row[-1], "64")
        self.assertEqual(self.table("cnp-pacing"),
                         [["192.0.2.2", "3", "not told by the gaps", "49.0 µs", "49.0 µs", "49.0 µs",
                           "49.0 µs"]])

    def test_pauses_by_interface_and_port(self):
        hostile = "</script><script>alert(1)</script>\"'\u202e<img src=x>"
        self.open(self.scenario("W 1-9 | XOFF 3 | W 10-19 | XON 3 | A: XOFF all quanta=10 | W 20-29 | ACK 29", hostile),
                  "--link-speed", "100G")
        ports = self.page.run("""Array.from(document.querySelectorAll('[data-table=pauses] table')[1].tBodies[0].rows,
            (tr) => Array.from(tr.cells, (cell) => cell.textContent.replaceAll('\\u00a0', ' ')))""")
        shown = hostile.replace("\u202e", "\\u202e")
        self.assertEqual([row[:5] for row in ports], [[shown, "02:00:00:00:00:02", "3", "1", "1"],
                                                      [shown, "02:00:00:00:00:01", "all (802.3x)", "1", "0"]])
        self.assertRegex(ports[0][5], r"^11\.0 µs \(\d+(\.\d)? %\)$")

    def test_traffic_classes(self):
        self.open("write-loss.pcapng")  # holds ARP and other frames too
        self.assertEqual(self.texts(".mix .notice"), [])
        self.assertEqual(self.table("mix")[0][0], "DSCP 0")
        self.assertIn("RoCE is not alone in it", self.table("mix")[0])
        self.open(self.scenario("W 1-9 | ACK 9 | CNP"))
        self.assertIn("Only RoCE is in this capture", self.texts(".mix .notice")[0])
        self.assertEqual([row[0] for row in self.table("mix")], ["DSCP 26", "DSCP 48"])

    def test_fast_cnps_are_told_apart(self):
        self.open(self.scenario("ip 2001:db8::1/2001:db8::2 | W 1-40 | ACK 40 | FCNP | FCNP | CNP"))
        self.check_numbers()
        self.assertEqual(self.table("fast-cnps"), [["2001:db8::ff", "2001:db8::1", "2001:db8::2", "18", "2", "#42"]])
        self.assertEqual(self.texts(".detail [data-key=fast_cnps]"), ["fast CNP 2"])
        keys = self.texts(".legend button")
        self.assertTrue(any("Fast CNP about this data, from a switch" in key and "2" in key for key in keys), keys)
        self.assertTrue(any(key.startswith("Fast CNP (from a switch)") for key in keys), keys)
        self.assertTrue(any(key.startswith("CNP") for key in keys), keys)

    def test_every_heading_says_what_it_means(self):
        silent = ("Array.from(document.querySelectorAll('table:not(.matrix) thead th'))"
                  ".filter((th) => th.textContent && !th.title && !th.querySelector('[title]'))"
                  ".map((th) => th.textContent)")
        made = ("XOFF 3 | W 1-9 | ACK 9", "ip 2001:db8::1/2001:db8::2 | W 1-40 | ACK 40 | FCNP | CNP | CNP | CNP")
        for capture in ("write-loss.pcapng", "ce-cnp.pcapng.zst", "rnr.pcapng.zst", "veroce-trimmed.pcap.zst", *made):
            self.open(self.scenario(capture) if capture in made else capture)
            self.assertEqual(self.page.run(silent), [], capture)

    def test_words_for_people(self):
        self.open("rnr.pcapng.zst")
        self.assertEqual({row[0] for row in self.table("episodes")}, {"RNR NAK"})
        split = " ".join(self.texts(".time-split p"))
        self.assertIn("held up by the network", split)
        self.open("ce-cnp.pcapng.zst")
        self.assertRegex(self.texts("#capture .congestion")[0], "^10 CE-marked packets and 10 CNPs passed: ")
        self.assertNotRegex(self.page.run("document.querySelector('.detail').innerText"),
                                 r"\b(not_ect|not ect|ect0)\b")

    def test_no_roce_is_no_praise(self):
        self.open(self.scenario("XOFF 3"))
        self.assertIn("nothing to judge", self.texts("#findings .notice")[0])
        self.assertEqual(self.texts(".tiles [data-key=completeness]"), [])

    def test_narrow_screens_scroll_no_sideways(self):
        for capture in ("write-loss.pcapng", "ce-cnp.pcapng.zst"):
            self.open(capture, width=360)
            widths = self.page.run("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            self.assertEqual(widths[0], widths[1], capture)

    # ------------------------------------------------------------------------------------------------ table

    def test_sorting_and_filtering(self):
        self.open(self.made("--packets", "4000", "--queue-pairs", "40", "--loss", "0.005"))
        order = lambda: [int(x) for x in self.cells("id")]
        totals = {c["id"]: c["totals"] for c in self.json["connections"]}
        click = "document.querySelector('.connections th[data-key={}] button').click()"
        self.page.run(click.format("bytes_on_wire"))
        by_bytes = [totals[i]["bytes_on_wire"] for i in order()]
        self.assertEqual(by_bytes, sorted(by_bytes, reverse=True))
        self.assertEqual(self.page.run("document.querySelector('th[data-key=bytes_on_wire]').ariaSort"), "descending")
        self.page.run(click.format("bytes_on_wire"))
        self.assertEqual([totals[i]["bytes_on_wire"] for i in order()], sorted(by_bytes))
        self.page.run(click.format("id"))
        self.assertEqual(order(), sorted(totals))

        def filtered(text: str) -> list[int]:
            self.page.run(f"rocetopReport.table.filterBy({json.dumps(text)})")
            return order()
        middle = sorted(t["retransmitted_packets"] for t in totals.values())[len(totals) // 2]
        more = [i for i in sorted(totals) if totals[i]["retransmitted_packets"] > middle]
        self.assertTrue(0 < len(more) < len(totals))
        self.assertEqual(filtered(f"retransmitted_packets>{middle}"), more)
        one = self.json["connections"][3]
        self.assertEqual(filtered(f"{one['a']['ip']} id={one['id']}"), [one["id"]])
        self.assertEqual(filtered("nothing like this"), [])
        self.assertEqual(filtered(""), sorted(totals))
        self.page.run("document.querySelector('.connections tbody tr:nth-child(5)').focus()")
        self.page.key("ArrowDown")
        self.page.key("Enter")
        self.assertEqual(self.page.run("rocetopReport.detail.row.id"), 6)
        self.assertEqual(self.page.run("Array.from(document.querySelectorAll('.connections tbody [tabindex=\"0\"]'), "
                                       "(tr) => tr.dataset.id)"), ["6"])
        self.assertIn("Connection 6", self.texts(".detail h3")[0])

    def test_matrix_filters_the_table(self):
        self.open("lab/many_qps_64.middle.out.pcap.zst")
        lanes = {}
        for connection in self.json["connections"]:
            for d in connection["directions"]:
                lanes[d["src"], d["dst"]] = lanes.get((d["src"], d["dst"]), 0) + d["bytes_on_wire"]
        shown = self.page.run("Array.from(document.querySelectorAll('.matrix td[data-value]'), "
                              "(td) => Number(td.dataset.value))")
        self.assertEqual(sorted(shown), sorted(lanes.values()))
        self.page.run("document.querySelector('.matrix td button').click()")
        self.assertEqual(len(self.cells("id")), len(self.json["connections"]))

    def test_what_is_too_much_is_drawn_in_bins(self):
        self.open(self.made("--packets", "500000", "--queue-pairs", "8", "--loss", "0.05"))
        self.check_numbers()
        self.assertLess(self.html.stat().st_size, 10_000_000)
        full = [id for id, plot in zip(self.cells("id"), self.cells("plot")) if plot == "full"]
        self.assertTrue(0 < len(full) < 8, full)
        self.assertIn(f"Drawn packet by packet: {len(full)}, in bins of time: {8 - len(full)}",
                      self.texts("#limits")[0])
        binned = next(id for id, plot in zip(self.cells("id"), self.cells("plot")) if plot == "bins")
        self.page.run(f"rocetopReport.open([{binned}])")
        there, back = next(c for c in self.json["connections"] if c["id"] == int(binned))["directions"]
        legend = self.legend()
        self.assertEqual(sum(n for mark, n in legend.items() if mark.startswith("resent_")),
                         sum(there["requests"]["retransmitted_packets"].values()))
        self.assertEqual(legend["sequence_nak"], sum(back["naks"].values()))

    def test_findings_can_be_filtered(self):
        self.open("write-loss.pcapng")
        search = ("(() => {{const i = document.querySelector('#findings input'); i.value = {}; "
                  "i.dispatchEvent(new Event('input'))}})()")
        self.page.run(search.format("'no such words'"))
        self.assertEqual(self.texts(".findings > .finding"), [])
        self.page.run(search.format("'loss.before_tap'"))
        self.assertEqual(len(self.texts(".findings > .finding")), 1)

    # ------------------------------------------------------------------------------------------------ plots

    def test_zoom_pan_and_hover(self):
        self.open("write-loss.pcapng")
        whole = self.view()
        self.page.run("document.querySelector('.plot').scrollIntoView({block: 'center'})")
        box = self.page.run("(() => {const r = document.querySelector('.u-over').getBoundingClientRect(); "
                            "return [r.left, r.top, r.width, r.height]})()")
        y = box[1] + box[3] / 2
        at = lambda share: box[0] + box[2] * share

        def drag(first: float, last: float, **more):
            self.page.mouse("mouseMoved", at(first), y, **more)
            self.page.mouse("mousePressed", at(first), y, button="left", clickCount=1, **more)
            self.page.mouse("mouseMoved", at((first + last) / 2), y, buttons=1, **more)
            self.page.mouse("mouseMoved", at(last), y, buttons=1, **more)
            self.page.mouse("mouseReleased", at(last), y, button="left", **more)
        drag(0.25, 0.5)
        zoomed = self.view()
        width = whole[1] - whole[0]
        self.assertAlmostEqual((zoomed[0] - whole[0]) / width, 0.25, delta=0.01)
        self.assertAlmostEqual((zoomed[1] - whole[0]) / width, 0.50, delta=0.01)
        drag(0.5, 0.4, modifiers=8)  # with Shift: pan, the packets follow the hand
        panned = self.view()
        self.assertAlmostEqual((panned[0] - zoomed[0]) / (zoomed[1] - zoomed[0]), 0.1, delta=0.02)
        self.assertAlmostEqual(panned[1] - panned[0], zoomed[1] - zoomed[0], delta=10)
        self.page.mouse("mouseWheel", at(0.5), y, deltaX=0, deltaY=-100)
        self.assertAlmostEqual((self.view()[1] - self.view()[0]) / (panned[1] - panned[0]), 0.8, delta=0.01)
        for count in (1, 2):
            self.page.mouse("mousePressed", at(0.5), y, button="left", clickCount=count)
            self.page.mouse("mouseReleased", at(0.5), y, button="left", clickCount=count)
        self.assertEqual(self.view(), whole)

        # Over the first NAK: its frame, which is the trigger of the first episode.
        episode = self.json["connections"][0]["directions"][0]["requests"]["episodes"][0]
        x, y = self.page.run("""(() => {
          const plot = rocetopReport.detail.plots[0];
          const nak = plot.all.find((p) => p.mark === 'sequence_nak');
          const r = plot.plot.over.getBoundingClientRect();
          return [r.left + plot.plot.valToPos(nak.t[0], 'x'), r.top + plot.plot.valToPos(nak.low[0] - plot.base, 'y')];
        })()""")
        self.page.mouse("mouseMoved", x, y)
        self.assertIn("NAK, PSN sequence error", self.tip())
        self.assertIn(f"frame #{episode['trigger_frame']}\n", self.tip() + "\n")
        self.assertIn(f"PSN {episode['first_psn']} ", self.tip())

    def test_keyboard(self):
        self.open("write-loss.pcapng")
        whole = self.view()
        self.page.run("document.querySelector('.plot').focus()")
        self.page.key("ArrowUp")
        zoomed = self.view()
        self.assertLess(zoomed[1] - zoomed[0], whole[1] - whole[0])
        self.page.key("ArrowRight")
        self.assertGreater(self.view()[0], zoomed[0])
        self.page.key("0")
        self.assertEqual(self.view(), whole)
        self.page.key("n")
        missing = self.json["connections"][0]["directions"][0]["requests"]["missing"][0]
        self.assertIn(f"frame #{missing['seen_at_frame']}", self.tip())
        self.page.key("n")
        self.assertNotIn(f"frame #{missing['seen_at_frame']}\n", self.tip() + "\n")
        self.page.key("p")
        self.assertIn(f"frame #{missing['seen_at_frame']}", self.tip())

    def test_a_finding_leads_to_its_packet(self):
        self.open("write-loss.pcapng")
        whole = self.view()
        frame = self.json["findings"][0]["frames"][0]
        self.page.run("document.querySelector('.finding button.frame').click()")
        self.assertLess(self.view()[1] - self.view()[0], (whole[1] - whole[0]) / 10)
        self.assertIn(f"frame #{frame}", self.tip())

    def test_something_is_drawn_in_both_themes(self):
        for theme in ("light", "dark"):
            self.open("write-loss.pcapng", theme=theme)
            drawn = self.page.run("""(() => {
              const plot = rocetopReport.detail.plots[0].plot;
              const {left, top, width, height} = plot.bbox;
              const pixels = plot.ctx.getImageData(left, top, width, height).data;
              const colours = new Map();
              for (let i = 0; i < pixels.length; i += 4) {
                if (pixels[i + 3] < 255) continue;
                const hex = (v) => v.toString(16).padStart(2, '0');
                const key = hex(pixels[i]) + hex(pixels[i + 1]) + hex(pixels[i + 2]);
                colours.set(key, (colours.get(key) ?? 0) + 1);
              }
              return ['--mark-new', '--mark-ack', '--mark-resent-nak', '--mark-nak'].map((name) =>
                  colours.get(getComputedStyle(document.documentElement).getPropertyValue(name).trim().slice(1)) ?? 0);
            })()""")
            for pixels in drawn:
                self.assertGreater(pixels, 100, (theme, drawn))

    def test_print(self):
        self.open("write-loss.pcapng", theme="dark")
        folded = "document.querySelectorAll('details:not([open])').length"
        before = self.page.run(folded)
        self.assertGreater(before, 0)
        self.page.run("addEventListener('beforeprint', () => { globalThis.printed = [" + folded +
                      ", getComputedStyle(document.body).backgroundColor]; })")
        pdf = self.page.pdf()
        self.assertTrue(pdf.startswith(b"%PDF"))
        self.assertGreater(len(pdf), 20000)
        self.assertEqual(self.page.run("globalThis.printed"), [0, "rgb(255, 255, 255)"])
        self.assertEqual(self.page.run(folded), before)

    def test_hostile_text_stays_text(self):
        name = "<img src=x onerror=alert(1)>\u2028&amp;<\u2215script>.pcapng"
        capture = pathlib.Path(self.folder.name) / name
        capture.write_bytes((CAPTURES / "write-loss.pcapng").read_bytes())
        self.open(str(capture))
        self.assertEqual(self.texts(".files"), [str(capture)])
        self.assertEqual(self.page.run("document.images.length"), 0)

    def test_the_policy_lets_nothing_in(self):
        self.open("write-loss.pcapng")
        self.page.run("""(() => {
          const script = document.createElement('script');
          script.textContent = 'globalThis.broken = true';
          document.body.append(script);
          document.body.append(Object.assign(new Image(), {src: 'http://192.0.2.99/x.png'}));
        })()""")
        self.assertFalse(self.page.run("globalThis.broken === true"))
        self.assertTrue(all("Content Security Policy" in error for error in self.page.errors), self.page.errors)
        self.page.errors.clear()


def has_plots() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        html = pathlib.Path(folder) / "report.html"
        report_data.make(PROGRAM, str(CAPTURES / "write-loss.pcapng"), html)
        return report_data.data(html)["beside"]["has_plots"]


if __name__ == "__main__":
    PROGRAM, CAPTURES, MAKER, SCENARIO = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    if chromium.program() is None:
        print("skipped: chromium is missing (Debian package chromium)")
        sys.exit(77)
    if not has_plots():
        print("skipped: built without uPlot (cmake/uplot.cmake says how to get it)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
