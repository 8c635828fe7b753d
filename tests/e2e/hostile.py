#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rocetop export among clients that mean it no good, and with configurations that are none: whatever they do, it goes
on, gives back the descriptors that they took, and answers who asks properly. Run as: hostile.py PROGRAM CAPTURES."""
from __future__ import annotations

import http.client
import os
import pathlib
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM = ""
CAPTURES = pathlib.Path()
REQUEST = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
GROWTH_KB = 32_768
BROKEN = {
    "binary": b"\x00\x01\x02" * 1_000,
    "endless": b"{" * 100_000,
    "recursive": b"a: &a [*a, *a]\n",
    "huge": b"x" * 3_000_000,
    "no such certificate": b"tls_server_config:\n  cert_file: /nonexistent/a\n  key_file: /nonexistent/b\n",
    "no hash": b"basic_auth_users:\n  name: password\n",
}


class Hostile(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.config = pathlib.Path(self.folder.name) / "web.yml"
        self.config.write_bytes(b"")
        self.process = subprocess.Popen(
            [PROGRAM, "export", "-r", str(CAPTURES / "write-loss.pcapng"), "--speed", "max", "--no-host-counters",
             "--web.listen-address", "127.0.0.1:0", "--web.config.file", str(self.config)],
            stderr=subprocess.PIPE, text=True)
        self.port = 0
        while not self.port:
            if served := re.search(r"http://127\.0\.0\.1:(\d+)", self.process.stderr.readline()):
                self.port = int(served[1])
        self.drain = threading.Thread(target=self.process.stderr.read)
        self.drain.start()
        self.scrape()
        self.resident_kb, self.open_files = self.memory_kb(), self.descriptors()

    def tearDown(self) -> None:
        self.assertIsNone(self.process.poll(), "it is gone")
        self.scrape()
        # Those that are cut off go when their deadlines are over.
        end = time.monotonic() + 60
        while self.descriptors() > self.open_files + 2 and time.monotonic() < end:
            time.sleep(0.01)
        self.assertLessEqual(self.descriptors(), self.open_files + 2)
        self.assertLess(self.memory_kb() - self.resident_kb, GROWTH_KB)
        self.process.terminate()
        self.assertEqual(self.process.wait(60), 0)
        self.drain.join()
        self.process.stderr.close()
        self.folder.cleanup()

    def memory_kb(self) -> int:
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def client(self, source: str = "127.0.0.1") -> socket.socket:
        out = socket.socket()
        out.bind((source, 0))
        out.settimeout(60)
        out.connect(("127.0.0.1", self.port))
        return out

    def send(self, content: bytes, source: str = "127.0.0.1") -> None:
        """And leave, whether it is taken or not."""
        with self.client(source) as client:
            try:
                client.sendall(content)
            except OSError:
                pass

    def scrape(self) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        self.assertEqual(answer.status, 200)
        self.assertIn("rocetop_build_info", text)
        return text

    def test_junk(self) -> None:
        dice = random.Random(1)
        for _ in range(200):
            self.send(dice.randbytes(dice.randrange(1, 5_000)))

    def test_heads_without_an_end(self) -> None:
        for _ in range(10):
            self.send(b"GET /metrics HTTP/1.1\r\nHost: x\r\n" + (b"X-A: " + b"a" * 9_000 + b"\r\n") * 100)

    def test_thousands_of_requests_at_once(self) -> None:
        with self.client() as client:
            sender = threading.Thread(target=client.sendall, args=(REQUEST.replace(b"/metrics", b"/healthz") * 5_000,))
            sender.start()
            answers, rest = 0, b""
            while answers < 5_000:
                received = client.recv(1 << 16)
                self.assertTrue(received, f"it ends after {answers} answers")
                rest += received
                answers += rest.count(b"healthy\n")
                rest = rest[rest.rfind(b"healthy\n") + 8:] if b"healthy\n" in rest else rest
            sender.join()

    def test_clients_that_are_gone_when_the_answer_comes(self) -> None:
        for i in range(300):
            with self.client() as client:
                client.sendall(REQUEST)
                if i % 3 == 0:
                    client.shutdown(socket.SHUT_WR)
                elif i % 3 == 1:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def test_hundreds_of_connections(self) -> None:
        clients = []
        for i in range(500):
            clients.append(self.client(f"127.0.{i % 50}.1"))
            try:
                clients[-1].sendall(REQUEST if i % 2 else b"GET /met")
            except OSError:
                pass
        self.scrape()
        self.assertLess(self.descriptors(), self.open_files + 100)
        for client in clients:
            client.close()

    def test_stopped_and_continued(self) -> None:
        self.process.send_signal(signal.SIGSTOP)
        clients = [self.client() for _ in range(20)]
        for client in clients:
            client.sendall(REQUEST)
        self.process.send_signal(signal.SIGCONT)
        for client in clients:
            self.assertTrue(client.recv(1 << 16).startswith(b"HTTP/1.1 200 "))
            client.close()

    def test_broken_configurations(self) -> None:
        failed = 0.0
        for name, content in BROKEN.items():
            self.config.write_bytes(content)
            for _ in range(20):
                self.process.send_signal(signal.SIGHUP)
            end = time.monotonic() + 60
            before, failed = failed, self.failures()
            while failed <= before and time.monotonic() < end:
                failed = self.failures()
            self.assertGreater(failed, before, name)
        self.config.write_bytes(b"")
        self.process.send_signal(signal.SIGHUP)

    def failures(self) -> float:
        return float(re.search(r'rocetop_config_reloads_total\{result="failure"\} (\S+)', self.scrape())[1])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} PROGRAM CAPTURES [unittest options]")
    PROGRAM, CAPTURES = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
