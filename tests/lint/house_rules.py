#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""House rules that no other tool checks, for the files named on the command line.

Text files: UTF-8, no carriage returns, no trailing blanks, no tabs (but in files that need them), a newline at the end.
Source files: an SPDX line on top, at most 120 columns. Python: it compiles.
Captures and recorded output are data and left alone.
"""

import sys
from pathlib import Path

MAX_COLUMNS = 120
LICENCES = ("BSD-3-Clause", "GPL-2.0-or-later")
SOURCE_SUFFIXES = {".h", ".hpp", ".cpp", ".c", ".cmake", ".py", ".sh", ".bash"}
TEXT_SUFFIXES = SOURCE_SUFFIXES | {".md", ".txt", ".json", ".yml", ".yaml", ".toml"}
SOURCE_NAMES = {"CMakeLists.txt", "dev", ".ci/run"}
# Folders of data: captures, what the program printed, fuzz inputs, licence texts as their owners wrote them.
DATA_FOLDERS = ("captures/", "tests/golden/expected/", "tests/fuzz/seeds/", "tests/fuzz/regressions/", "LICENSES/")
MAY_HAVE_TABS = {"Makefile", ".gitmodules"}


def is_source(path: Path) -> bool:
    return path.suffix in SOURCE_SUFFIXES or path.name in SOURCE_NAMES or str(path) in SOURCE_NAMES


def is_text(path: Path) -> bool:
    return is_source(path) or path.suffix in TEXT_SUFFIXES or path.name.startswith(".")


def text_faults(path: Path, data: bytes):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        yield 1, f"not UTF-8: {error}"
        return
    if "\r" in text:
        yield text[: text.index("\r")].count("\n") + 1, "carriage return"
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no newline at the end of the file"
    for number, line in enumerate(text.split("\n"), 1):
        if line != line.rstrip():
            yield number, "trailing blanks"
        if "\t" in line and path.name not in MAY_HAVE_TABS:
            yield number, "tab"
        if is_source(path) and len(line) > MAX_COLUMNS:
            yield number, f"{len(line)} columns, at most {MAX_COLUMNS}"
    if is_source(path):
        top = text.split("\n")[:3]
        if not any(f"SPDX-License-Identifier: {licence}" in line for licence in LICENCES for line in top):
            yield 1, "no SPDX-License-Identifier line at the top"


def python_faults(path: Path, data: bytes):
    try:
        compile(data, str(path), "exec")
    except SyntaxError as error:
        yield error.lineno or 1, f"Python: {error.msg}"


def main(names) -> int:
    faults = 0
    for name in names:
        path = Path(name)
        if name.startswith(DATA_FOLDERS) or not is_text(path):
            continue
        data = path.read_bytes()
        found = list(text_faults(path, data))
        if path.suffix == ".py":
            found += python_faults(path, data)
        for line, fault in found:
            print(f"{name}:{line}: {fault}")
        faults += len(found)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
