# SPDX-License-Identifier: BSD-3-Clause
"""Wireshark as an ordinary user has it. Root's home folder is ignored by Wireshark, and tests may run as root: then
commands run as nobody, in a folder that nobody can read."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import tempfile

NOBODY = 65534


class OrdinaryUser:
    """A home folder, and commands run in it. As a context manager it goes when that ends."""

    def __init__(self, plugin: pathlib.Path | None = None, series: str = "4.0"):
        """`plugin`: put where this user's Wireshark loads it from."""
        self._folder = tempfile.TemporaryDirectory(prefix="rocetop-user-", ignore_cleanup_errors=True)
        self.home = pathlib.Path(self._folder.name)
        self.home.chmod(0o755)
        if plugin is not None:
            self.put(plugin, f".local/lib/wireshark/plugins/{series}/epan/rocetop.so")
        self.own()

    def __enter__(self) -> OrdinaryUser:
        return self

    def __exit__(self, *_) -> None:
        self._folder.cleanup()

    def put(self, source: pathlib.Path, where: str) -> pathlib.Path:
        """A copy of a file or folder, `where` below the home folder. The original may be where nobody can read it."""
        target = self.home / where
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            shutil.copy(source, target)
        self.own()
        return target

    def own(self) -> None:
        """Everything in the home folder belongs to the user, who can read it."""
        for path in (self.home, *self.home.rglob("*")):
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
            if os.geteuid() == 0:
                os.chown(path, NOBODY, NOBODY)

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items()
                if name in ("PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")}
        return kept | {"HOME": str(self.home), "LC_ALL": "C.UTF-8", "TZ": "UTC", "COLUMNS": "100"} | more

    def command(self, *arguments: str) -> list[str]:
        """`arguments`, as they have to be called for this user."""
        if os.geteuid() != 0:
            return list(arguments)
        return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *arguments]

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(self.command(*arguments), cwd=self.home, env=self.environment(**environment),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8")
