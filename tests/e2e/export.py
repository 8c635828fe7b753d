#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rocetop export as its users run it: the real program, asked over HTTP, on captures and on a veth pair in a network
namespace of its own (without one, only what needs no interface is tested). Run as: export.py PROGRAM CAPTURES."""
from __future__ import annotations

import base64
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from capture_files import read_pcapng  # noqa: E402
from network import add_pair, enter_namespace, ip, send  # noqa: E402
from waiting import PATIENCE_S, wait_until  # noqa: E402

PROGRAM = ""
CAPTURES = pathlib.Path()
INSIDE = "ROCETOP_TEST_NAMESPACE"
HASH = "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"  # "secret"


class Exporter:
    """A running `rocetop export` whose address is known."""

    def __init__(self, *arguments: str, listen: str = "127.0.0.1:0", within: tuple[str, ...] = (), **settings) -> None:
        """`within`: a command that runs the program's, which is put behind it."""
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([*within, PROGRAM, "export", "--web.listen-address", listen, *arguments],
                                        stdout=subprocess.DEVNULL, stderr=self.errors, text=True, **settings)
        self.url = wait_until(self.find_url, "its address").rsplit("/", 1)[0]

    def find_url(self) -> str | None:
        found = re.search(r"serving (https?://\S+)", self.log())
        if not found and self.process.poll() is not None:
            raise AssertionError(f"it ended with {self.process.returncode}: {self.log()}")
        return found and found[1]

    def log(self) -> str:
        return os.pread(self.errors.fileno(), 1 << 20, 0).decode()

    def address(self) -> tuple[str, int]:
        host, port = self.url.split("//")[1].rsplit(":", 1)
        return host.strip("[]"), int(port)

    def get(self, path: str = "/metrics", user: str = "", **headers: str) -> tuple[int, str]:
        request = urllib.request.Request(self.url + path, headers=headers)
        if user:
            request.add_header("Authorization", "Basic " + base64.b64encode(user.encode()).decode())
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S,
                                        context=ssl._create_unverified_context()) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metrics(self, **headers: str) -> dict[str, float]:
        status, text = self.get(**headers)
        assert status == 200, (status, text)
        return parsed(text)

    def until(self, condition, what: str) -> dict[str, float]:
        metrics = {}

        def met() -> bool:
            nonlocal metrics
            metrics = self.metrics()
            return condition(metrics)

        wait_until(met, what)
        return metrics

    def ended(self) -> dict[str, float]:
        return self.until(lambda m: m["rocetop_up"] == 0, "the end of the input")

    def stop(self, with_signal: int = signal.SIGTERM) -> int:
        self.process.send_signal(with_signal)
        return self.process.wait(PATIENCE_S)

    def __enter__(self) -> Exporter:
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait()
        self.errors.close()


def parsed(text: str) -> dict[str, float]:
    """Series, as they are written, and their values."""
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
            if line and not line.startswith("#")}


def total(metrics: dict[str, float], name: str, *labels: str) -> float:
    """Over all series of that name that have these labels."""
    return sum(value for series, value in metrics.items()
               if series.split("{")[0] == name and all(label in series for label in labels))


def findings(metrics: dict[str, float]) -> set[str]:
    """Rules of those that go on."""
    return {re.search(r'rule="([^"]+)"', series)[1] for series, value in metrics.items()
            if series.startswith("rocetop_finding_active{") and value > 0}


def triage(path: pathlib.Path) -> dict:
    return json.loads(subprocess.run([PROGRAM, "triage", "--json", str(path)], capture_output=True).stdout)


def run(*words: str, **settings) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, "export", *words], capture_output=True, text=True, timeout=PATIENCE_S, **settings)


class Export(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        os.chmod(folder.name, 0o755)

    def write(self, name: str, text: str) -> str:
        """Its path. As a whole, as somebody careful replaces it."""
        (self.folder / "being-written").write_text(text)
        (self.folder / "being-written").rename(self.folder / name)
        return str(self.folder / name)

    def certificate(self, name: str) -> None:
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-nodes", "-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1",
                        "-keyout", str(self.folder / f"{name}.key"), "-out", str(self.folder / f"{name}.crt")],
                       check=True, capture_output=True)

    def test_a_capture_is_counted_as_triage_counts_it(self) -> None:
        for name in ("write-loss.pcapng", "timeout.pcapng.zst", "ce-cnp.pcapng.zst", "encapsulations.pcapng"):
            path = CAPTURES / name
            with self.subTest(name), Exporter("-r", str(path), "--speed", "max") as exporter:
                metrics = exporter.ended()
                report = triage(path)
                sums = [c["totals"] for c in report["connections"]]
                self.assertEqual(total(metrics, "rocetop_packets_total"), sum(s["packets"] for s in sums))
                self.assertEqual(total(metrics, "rocetop_retransmitted_packets_total"),
                                 sum(s["retransmitted_packets"] for s in sums))
                self.assertEqual(total(metrics, "rocetop_capture_packets_total"), report["capture"]["frames"])
                self.assertEqual(exporter.get("/-/ready"), (200, "ready\n"))
                self.assertIn("the input has ended", exporter.log())
                self.assertEqual(exporter.stop(), 0)

    def test_a_loop_adds_the_same_in_each_round(self) -> None:
        path = CAPTURES / "write-loss.pcapng"
        report = triage(path)
        frames = report["capture"]["frames"]
        resent = sum(c["totals"]["retransmitted_packets"] for c in report["connections"])
        self.assertGreater(resent, 0)
        with Exporter("-r", str(path), "--loop", "--speed", "max", "--interval", "10s") as exporter:
            last: dict[str, float] = {}
            rounds = compared = 0
            while rounds < 5 or compared == 0:
                metrics = exporter.metrics()
                seen = total(metrics, "rocetop_capture_packets_total")
                for series, value in last.items():
                    if re.match(r"rocetop_\w+_(total|bucket|count)\b", series):
                        self.assertGreaterEqual(metrics.get(series, value), value, series)
                if last and seen == frames * round(seen / frames) and round(seen / frames) > rounds:
                    rounds = round(seen / frames)
                    # As the capture left it: nobody was silent in the time between two rounds.
                    self.assertEqual(metrics['rocetop_active_connections{protocol="RoCEv2"}'],
                                     len(report["connections"]))
                    self.assertEqual(findings(metrics), {f["rule"] for f in report["findings"]})
                    self.assertEqual(total(metrics, "rocetop_retransmitted_packets_total"), resent * rounds)
                    compared += 1
                last = metrics
            self.assertEqual(metrics["rocetop_up"], 1)

    def test_the_text_is_what_prometheus_reads(self) -> None:
        if not shutil.which("promtool"):
            self.skipTest("promtool is missing (Debian package prometheus)")
        with Exporter("-r", str(CAPTURES / "write-loss.pcapng"), "--speed", "max", "--per-connection", "top=10",
                      "--pair-histograms") as exporter:
            exporter.ended()
            checked = subprocess.run(["promtool", "check", "metrics"], input=exporter.get()[1], capture_output=True,
                                     text=True)
            self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))

    def test_everything_that_is_served_is_in_the_list(self) -> None:
        listed = {line.split()[0]: line.split()[1]
                  for line in run("--list-metrics").stdout.splitlines() if line and not line.startswith("#")}
        with Exporter("-r", str(CAPTURES / "write-loss.pcapng"), "--speed", "max", "--per-connection", "top=10",
                      "--pair-histograms") as exporter:
            exporter.ended()
            served = dict(line.split()[2:4] for line in exporter.get()[1].splitlines() if line.startswith("# TYPE"))
        self.assertGreater(len(served), 40)
        self.assertEqual({name: listed.get(name) for name in served}, served)

    def test_the_list_is_the_one_in_the_documents(self) -> None:
        self.assertEqual(run("--list-metrics=markdown").stdout, (CAPTURES.parent / "docs/metrics.md").read_text(),
                         "rocetop export --list-metrics=markdown > docs/metrics.md")

    def test_paths(self) -> None:
        with Exporter("-r", str(CAPTURES / "write-loss.pcapng"), "--web.telemetry-path", "/probe") as exporter:
            self.assertEqual(exporter.get("/-/healthy"), (200, "healthy\n"))
            self.assertEqual(exporter.get("/healthz"), (200, "healthy\n"))
            wait_until(lambda: exporter.get("/-/ready")[0] == 200, "ready")
            self.assertEqual(exporter.get("/probe")[0], 200)
            self.assertEqual(exporter.get("/metrics")[0], 404)
            status, page = exporter.get("/")
            self.assertEqual(status, 200)
            self.assertIn('<a href="/probe">', page)
            self.assertIn("write-loss.pcapng", page)

    def test_it_is_not_ready_before_anything_came(self) -> None:
        reading, writing = os.pipe()
        with Exporter("-r", "-", "--interval", "1h", stdin=reading) as exporter:
            os.close(reading)
            self.assertEqual(exporter.get("/-/ready")[0], 503)
            self.assertEqual(exporter.get("/-/healthy")[0], 200)
            os.write(writing, (CAPTURES / "write-loss.pcapng").read_bytes()[:4096])
            wait_until(lambda: exporter.get("/-/ready")[0] == 200, "ready")
            os.close(writing)

    def test_a_scrape_counts_itself_and_gzip_says_the_same(self) -> None:
        with Exporter("-r", str(CAPTURES / "write-loss.pcapng"), "--speed", "max") as exporter:
            exporter.ended()
            before = exporter.metrics()['rocetop_scrapes_total{code="200"}']
            host, port = exporter.address()
            connection = http.client.HTTPConnection(host, port, timeout=PATIENCE_S)
            connection.request("GET", "/metrics", headers={"Accept-Encoding": "gzip"})
            answer = connection.getresponse()
            self.assertEqual(answer.headers["Content-Encoding"], "gzip")
            self.assertEqual(answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
            text = subprocess.run(["gzip", "-dc"], input=answer.read(), capture_output=True, check=True).stdout
            packed = parsed(text.decode())
            self.assertEqual(packed['rocetop_scrapes_total{code="200"}'], before + 1)
            plain = exporter.metrics()
            same = [s for s in plain if s.startswith(("rocetop_packets", "rocetop_capture", "rocetop_data"))]
            self.assertGreater(len(same), 5)
            self.assertEqual({s: plain[s] for s in same}, {s: packed[s] for s in same})

    def test_passwords_and_their_change(self) -> None:
        config = self.write("web.yml", f"basic_auth_users:\n  prometheus: {HASH}\n")
        with Exporter("-r", str(CAPTURES / "write-loss.pcapng"), "--web.config.file", config) as exporter:
            self.assertEqual(exporter.get()[0], 401)
            self.assertEqual(exporter.get(user="prometheus:wrong")[0], 401)
            self.assertEqual(exporter.get(user="prometheus:secret")[0], 200)
            self.write("web.yml", f"basic_auth_users:\n  another: {HASH}\n")
            exporter.process.send_signal(signal.SIGHUP)
            wait_until(lambda: exporter.get(user="another:secret")[0] == 200, "the new name to be let in")
            self.assertEqual(exporter.get(user="prometheus:secret")[0], 401)
            # What cannot be read changes nothing, is counted, and is said.
            self.write("web.yml", "basic_auth_users:\n  another: secret\n")
            exporter.process.send_signal(signal.SIGHUP)
            wait_until(lambda: "the configuration stays as it was" in exporter.log(), "a complaint")
            self.assertIn(f"{config}:2: another has no bcrypt hash", exporter.log())
            status, text = exporter.get(user="another:secret")
            self.assertEqual(status, 200)
            self.assertEqual(parsed(text)['rocetop_config_reloads_total{result="failure"}'], 1)
            self.assertEqual(parsed(text)['rocetop_config_reloads_total{result="success"}'], 1)

    def test_a_configuration_is_taken_as_a_whole_or_not_at_all(self) -> None:
        web = self.write("web.yml", f"basic_auth_users:\n  a: {HASH}\n")
        config = self.write("rocetop.toml", f'interval = "200ms"\n[web]\nconfig.file = "{web}"\n')
        with Exporter("-r", str(CAPTURES / "write-loss.pcapng"), "--config", config) as exporter:
            # Emptied, as by a full disk: it takes nothing away.
            self.write("web.yml", "# nothing\n")
            exporter.process.send_signal(signal.SIGHUP)
            wait_until(lambda: "holds nothing: TLS and passwords would be off" in exporter.log(), "a complaint")
            self.assertEqual(exporter.get()[0], 401)
            self.write("rocetop.toml", 'interval = "300ms"\n[web]\nconfig.file = "/nosuch"\n')
            exporter.process.send_signal(signal.SIGHUP)
            wait_until(lambda: "/nosuch: cannot be opened" in exporter.log(), "another complaint")
            self.assertNotIn("--interval is", exporter.log())
            self.write("web.yml", "http_server_config: {}\n")
            self.write("rocetop.toml", f'interval = "300ms"\n[web]\nconfig.file = "{web}"\n')
            exporter.process.send_signal(signal.SIGHUP)
            wait_until(lambda: "configuration read again" in exporter.log(), "the change")
            self.assertIn("passwords are not asked for any more\n", exporter.log())
            self.assertIn("--interval is 300ms now\n", exporter.log())
            self.assertEqual(exporter.get()[0], 200)

    def test_the_command_line_wins_over_the_file(self) -> None:
        config = self.write("rocetop.toml", 'filter = "host 192.0.2.9"\nsnaplen = 96\ninterface = "lo"\n')
        with Exporter("-r", str(CAPTURES / "write-loss.pcapng"), "--speed", "max", "--config", config, "-ns", "128",
                      "host", "192.0.2.1") as exporter:
            self.assertGreater(total(exporter.ended(), "rocetop_packets_total"), 0)

    def test_a_certificate_is_replaced_while_it_runs(self) -> None:
        if not shutil.which("openssl"):
            self.skipTest("openssl is missing")
        self.certificate("first")
        self.certificate("second")
        shutil.copy(self.folder / "first.crt", self.folder / "server.crt")
        shutil.copy(self.folder / "first.key", self.folder / "server.key")
        config = self.write("web.yml", "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n")
        with Exporter("-r", str(CAPTURES / "write-loss.pcapng"), "--web.config.file", config) as exporter:
            self.assertTrue(exporter.url.startswith("https://"))
            self.assertEqual(exporter.get()[0], 200)
            shown = ssl.get_server_certificate(exporter.address())
            self.assertEqual(shown, (self.folder / "first.crt").read_text())
            self.write("server.crt", (self.folder / "second.crt").read_text())
            self.write("server.key", (self.folder / "second.key").read_text())
            wait_until(lambda: ssl.get_server_certificate(exporter.address()) != shown, "the new certificate")
            self.assertEqual(ssl.get_server_certificate(exporter.address()), (self.folder / "second.crt").read_text())

    def test_a_certificate_that_comes_after_its_configuration_is_found(self) -> None:
        if not shutil.which("openssl"):
            self.skipTest("openssl is missing")
        self.certificate("first")
        self.certificate("second")
        text = "tls_server_config:\n  cert_file: {0}.crt\n  key_file: {0}.key\n"
        config = self.write("web.yml", text.format("first"))
        with Exporter("-r", str(CAPTURES / "write-loss.pcapng"), "--web.config.file", config) as exporter:
            self.write("web.yml", text.format("later"))
            exporter.process.send_signal(signal.SIGHUP)
            wait_until(lambda: "the configuration stays as it was" in exporter.log(), "a complaint")
            self.write("later.key", (self.folder / "second.key").read_text())
            self.write("later.crt", (self.folder / "second.crt").read_text())
            wait_until(lambda: "configuration read again" in exporter.log(), "the files to be found")
            self.assertEqual(ssl.get_server_certificate(exporter.address()), (self.folder / "second.crt").read_text())

    def test_options_from_a_file_and_their_change(self) -> None:
        config = self.write("rocetop.toml", 'max-pairs = 0\ninterval = "200ms"\n')
        with Exporter("-r", str(CAPTURES / "write-loss.pcapng"), "--speed", "max", "--config", config) as exporter:
            metrics = exporter.ended()
            self.assertEqual({re.search('src="([^"]*)"', s)[1] for s in metrics
                              if s.startswith("rocetop_packets_total")}, {"other"})
            self.write("rocetop.toml", 'max-pairs = 5\ninterval = "300ms"\n')
            exporter.process.send_signal(signal.SIGHUP)
            wait_until(lambda: "configuration read again" in exporter.log(), "the change")
            self.assertIn(f"--max-pairs has changed in {config}: that takes a restart", exporter.log())
            self.assertIn("--interval is 300ms now\n", exporter.log())
            self.write("rocetop.toml", "max-pears = 5\n")
            exporter.process.send_signal(signal.SIGHUP)
            wait_until(lambda: "max-pears is no option" in exporter.log(), "a complaint")
        done = run("-r", "x", "--config", config)
        self.assertEqual(done.returncode, 2)
        self.assertIn("max-pears is no option", done.stderr)

    def test_signals_end_it_gracefully(self) -> None:
        for name in (signal.SIGTERM, signal.SIGINT):
            with Exporter("-r", str(CAPTURES / "write-loss.pcapng")) as exporter:
                connection = socket.create_connection(exporter.address(), PATIENCE_S)
                exporter.get("/-/healthy")
                self.assertEqual(exporter.stop(name), 0, exporter.log())
                self.assertEqual(connection.recv(1), b"")

    def test_hostile_clients_disturb_nobody(self) -> None:
        with Exporter("-r", str(CAPTURES / "write-loss.pcapng"), "--speed", "max") as exporter:
            exporter.ended()
            crowd = [socket.create_connection(exporter.address(), PATIENCE_S) for _ in range(200)]
            for connection in crowd:
                try:
                    connection.sendall(b"GET /metrics HTTP/1.1\r\nX: ")
                except OSError:
                    pass  # it has been pushed out
            metrics = exporter.metrics()
            self.assertLessEqual(metrics["rocetop_http_connections"], 64)
            self.assertGreater(metrics['rocetop_http_rejected_total{reason="too_many_connections"}'], 100)
            self.assertLess(metrics["process_open_fds"], 120)
            for connection in crowd:
                connection.close()

    def test_what_cannot_be_served_is_an_error(self) -> None:
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        port = taken.getsockname()[1]
        capture = str(CAPTURES / "write-loss.pcapng")
        web = self.write("web.yml", "tls_server_config:\n  cert_fill: x\n")
        words = self.write("words.toml", "filter = host 192.0.2.1\n")
        number = self.write("number.toml", "max-pairs = many\n")
        helps = self.write("helps.toml", "help = true\n")
        for given, says in ((["--web.listen-address", f"127.0.0.1:{port}"], "Address already in use"),
                            (["--web.listen-address", "nowhere"], "--web.listen-address nowhere: not an address"),
                            (["--web.config.file", web], f"{web}:2: cert_fill is no key of tls_server_config"),
                            (["--web.config.file", "/nosuch"], "/nosuch: cannot be opened"),
                            (["--web.telemetry-path", "metrics"], "--web.telemetry-path metrics: not a path"),
                            (["--web.telemetry-path", "/-/ready"], "--web.telemetry-path /-/ready: taken by"),
                            (["--per-connection", "top=5000"], "--per-connection top=5000: not understood"),
                            (["--series-timeout", "soon"], "--series-timeout soon: not a time"),
                            (["--config", "/nosuch"], "/nosuch: cannot be opened"),
                            (["--config", words], f"{words}: filter takes one value, and has several"),
                            (["--config", number], f"{number}: --max-pairs: Value many"),
                            (["--config", helps], f"{helps}: help is no option that can be set in a file"),
                            (["--list-metrics=xml"], "--list-metrics=xml: not a form")):
            listen = [] if "--web.listen-address" in given else ["--web.listen-address", "127.0.0.1:0"]
            done = run("-r", capture, *listen, *given)
            self.assertEqual(done.returncode, 2, given)
            self.assertIn(says, done.stderr)
        for given, says in ((["-r", "/nosuch.pcap"], "/nosuch.pcap"),
                            (["--loop", "-i", "lo"], "--loop repeats captures"),
                            (["-i", "lo", "--speed", "3"], "--speed is that of a replay"),
                            ([capture], f"To replay a capture: -r {capture}"),
                            (["--loop", "-r", "-"], "--loop cannot read a pipe")):
            done = run("--web.listen-address", "127.0.0.1:0", *given, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 2, given)
            self.assertIn(says, done.stderr)

    def test_a_broken_capture_is_served_and_told(self) -> None:
        broken = self.folder / "broken.pcapng"
        content = (CAPTURES / "write-loss.pcapng").read_bytes()
        broken.write_bytes(content[:20_000] + b"\xff" * 1_000 + content[21_000:])
        with Exporter("-r", str(broken), "--speed", "max") as exporter:
            exporter.ended()
            self.assertEqual(exporter.stop(), 2)
            self.assertIn("broken.pcapng", exporter.log())


@unittest.skipUnless(os.environ.get(INSIDE) == "1", "no network namespace can be made here")
class ExportLive(unittest.TestCase):
    def setUp(self) -> None:
        self.addCleanup(subprocess.run, ["ip", "link", "del", "va"], capture_output=True)
        add_pair("va", "vb")

    def test_an_interface_is_counted_while_it_is_captured(self) -> None:
        with Exporter("-i", "vb", "--interval", "100ms") as exporter:
            metrics = exporter.until(lambda m: 'rocetop_capture_interface_up{interface="vb"}' in m, "the interface")
            self.assertEqual(metrics["rocetop_up"], 1)
            path = CAPTURES / "write-loss.pcapng"
            send(read_pcapng(path)[1], "va")
            expected = sum(c["totals"]["packets"] for c in triage(path)["connections"])
            metrics = exporter.until(lambda m: total(m, "rocetop_packets_total") >= expected, "all packets")
            self.assertEqual(total(metrics, "rocetop_packets_total"), expected)
            self.assertGreaterEqual(metrics['rocetop_capture_packets_total{interface="vb"}'], expected)
            ip("link", "set", "va", "down")
            exporter.until(lambda m: m["rocetop_up"] == 0, "nothing to be captured any more")
            self.assertEqual(exporter.get("/-/ready")[0], 503)
            wait_until(lambda: "vb is down" in exporter.log(), "the log to say so")
            ip("link", "set", "va", "up")
            exporter.until(lambda m: m["rocetop_up"] == 1, "the interface to come back")
            self.assertEqual(exporter.stop(), 0)

    def test_every_adapter_is_watched_where_none_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for device, interface in (("mlx5_0", "va"), ("mlx5_1", "vb")):
                (pathlib.Path(folder) / "class/infiniband" / device / "device/net" / interface).mkdir(parents=True)
            os.chmod(folder, 0o755)
            # A machine with two adapters, as far as /sys goes.
            within = ("unshare", "--mount", "sh", "-c", f'mount --bind {folder} /sys && exec "$0" "$@"')
            with Exporter("--interval", "100ms", within=within) as exporter:
                self.assertIn("watching va, vb: they have the RDMA devices mlx5_0, mlx5_1\n", exporter.log())
                exporter.until(lambda m: all(f'rocetop_capture_interface_up{{interface="{name}"}}' in m
                                             for name in ("va", "vb")), "both interfaces")
                self.assertEqual(exporter.stop(), 0)

    def test_both_protocols_are_served(self) -> None:
        with Exporter("-i", "vb", listen=":0") as exporter:
            port = exporter.address()[1]
            for host in ("127.0.0.1", "[::1]"):
                with urllib.request.urlopen(f"http://{host}:{port}/-/healthy", timeout=PATIENCE_S) as answer:
                    self.assertEqual(answer.status, 200)

    def test_the_key_of_root_is_read_again_without_rights(self) -> None:
        if os.environ.get("SUDO_UID") or not shutil.which("openssl"):
            self.skipTest("whoever called sudo owns the files")
        with tempfile.TemporaryDirectory() as folder:
            web = pathlib.Path(folder) / "web.yml"
            web.write_text(f"basic_auth_users:\n  a: {HASH}\n")
            web.chmod(0o600)
            with Exporter("-i", "vb", "--web.config.file", str(web)) as exporter:
                self.assertEqual(exporter.get(user="a:secret")[0], 200)
                web.write_text(f"basic_auth_users:\n  b: {HASH}\n")
                exporter.process.send_signal(signal.SIGHUP)
                wait_until(lambda: exporter.get(user="b:secret")[0] == 200, "the change")

    def test_without_the_right_it_says_how_to_get_it(self) -> None:
        if int(pathlib.Path("/proc/self/uid_map").read_text().split()[2]) <= 65534:
            self.skipTest("there is no other user in this user namespace")
        done = run("-i", "vb", "--web.listen-address", "127.0.0.1:0", user=65534, group=65534, extra_groups=[])
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"sudo setcap cap_net_raw+ep {PROGRAM}", done.stderr)
        self.assertIn(f"sudo {PROGRAM} export -i vb", done.stderr)


if __name__ == "__main__":
    if INSIDE not in os.environ:
        enter_namespace(INSIDE, loopback=True)
        os.environ[INSIDE] = "0"
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    CAPTURES = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
