#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""clang-tidy on C++ files: tidy.py BUILD_DIR FILES…

clang-tidy 19 runs every check over the standard library's headers too, which is nine tenths of its time. Files are
therefore put together, text after text, and checked as one (a sixth of the time). A batch that is clean means that each
of its files is. A batch that is not says nothing yet: its files are then checked one by one, and
that alone is reported. So a name that two files of a batch define costs time, never the verdict.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

LINES_MOST = 6000  # of one batch; small enough for several cores to be done at about the same time
# Headers that are slow enough, or full of macros enough, for their users to be kept to themselves.
APART = (("CLI11", re.compile(r'^#include (<CLI/|"help_format.h")', re.MULTILINE)),
         ("curses", re.compile(r"^#include <(ncurses|curses|term)\.h>", re.MULTILINE)))
# The compile commands are those of g++, and clang finds functions of its libstdc++ that C++20 deprecates.
OPTIONS = ["--quiet", "--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-deprecated-declarations"]
NOISE = re.compile(r"^(\d+ warnings?( and \d+ errors?)? generated\.|Suppressed .*|Use -header-filter.*)$")
INCLUDE = re.compile(r"#include\s+(\S+)")
# What a text defines at its left margin: constants, types, and functions (of these the whole line: they overload).
DEFINED = re.compile(r"^(?:(?:inline |static )*constexpr [^=({]*?(\w+)(?:\[\w*\])? ?[={]"
                     r"|(?:struct|class|enum class|enum|using) (\w+)(?= [:={]| final)"
                     r"|(?! )([\w:<>,&* ]+? [&*]?\w+\(.*) \{)", re.MULTILINE)


class Batch:
    def __init__(self, key):
        self.key = key
        self.files, self.names, self.lines = [], set(), 0

    def takes(self, key, names, lines):
        return key == self.key and self.lines + lines <= LINES_MOST and not names & self.names

    def add(self, file, names, lines):
        self.files.append(file)
        self.names |= names
        self.lines += lines


def batches_of(files):
    """The longest first, so that no core waits for one that began late."""
    batches = []
    for file in sorted(files, reverse=True):  # src/wire first: its short files name the same fields of many headers
        text = pathlib.Path(file).read_text(encoding="utf-8")
        key = [name for name, header in APART if header.search(text)]
        if "#include <term.h>" in text:
            key.append(file)  # it defines words as common as `columns`: nothing can stand behind it
        space = file.split("/")[:-1][:2]  # a folder is a namespace
        names = {(*space, name) for match in DEFINED.findall(text) for name in match if name}
        lines = text.count("\n")
        batch = next((batch for batch in batches if batch.takes(key, names, lines)), None)
        if batch is None:
            batch = Batch(key)
            batches.append(batch)
        batch.add(file, names, lines)
    return sorted(batches, key=lambda batch: (len(batch.key), batch.lines), reverse=True)


def joined(files):
    """The texts one after the other; what one has included, later ones need not (readability-duplicate-include)."""
    included, lines = set(), []
    for file in files:
        own = set()
        for line in pathlib.Path(file).read_text(encoding="utf-8").splitlines():
            include = INCLUDE.match(line)
            if include and include[1] in included:
                continue
            if include:
                own.add(include[1])
            lines.append(line)
        included |= own
    return "\n".join(lines) + "\n"


def flags_of(entry):
    """What of a compile command decides what the compiler sees: language, macros, folders."""
    words = shlex.split(entry["command"])
    flags, at = [], 1
    while at < len(words):
        if words[at] == "-isystem":
            flags.append(("-isystem", words[at + 1]))
            at += 1
        elif re.match(r"-(D|I|std=|W|f(?!sanitize))", words[at]):
            flags.append((words[at],))
        at += 1
    return flags


def run(words):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    said = [line for line in done.stdout.splitlines() if not NOISE.match(line)]
    return done.returncode == 0 and not said, "\n".join(said)


def check_one(build, file):
    return run(["clang-tidy-19", "-p", build, *OPTIONS, file])


def commands_of(build, files):
    """The compile command of each file; of those that the build joins with others (cmake/quick_build.cmake), another
    one's of their folder."""
    entries = json.loads(pathlib.Path(build, "compile_commands.json").read_text(encoding="utf-8"))
    found = {os.path.relpath(os.path.join(entry["directory"], entry["file"])): entry for entry in entries}
    by_folder = {}
    for file, entry in found.items():
        by_folder.setdefault(os.path.dirname(file), entry)
    return {file: found.get(file) or by_folder[os.path.dirname(file)] for file in files}


def check_batch(build, folder, number, batch, commands):
    """Whether all its files are clean, and what clang-tidy says of those that are not."""
    if len(batch.files) > 1:
        source = folder / f"{number}.cpp"
        source.write_text(joined(batch.files), encoding="utf-8")
        flags = dict.fromkeys(flag for file in batch.files for flag in flags_of(commands[file]))
        # Of two files, one may shadow what the other defines; g++ looks for shadows in each.
        words = [*(word for flag in flags for word in flag), "-Wno-shadow"]
        clean, said = run(["clang-tidy-19", *OPTIONS, str(source), "--", *words])
        if clean:
            return True, ""
        if os.environ.get("TIDY_VERBOSE"):
            print(f"tidy: checked one by one: {' '.join(batch.files)}\n{said}", flush=True)
    results = [check_one(build, file) for file in batch.files]
    return all(clean for clean, _ in results), "\n".join(said for _, said in results if said)


def main():
    build, files = sys.argv[1], sys.argv[2:]
    commands = commands_of(build, files)
    folder = pathlib.Path("build/lint")  # below the root, where .clang-tidy is found
    folder.mkdir(parents=True, exist_ok=True)
    all_clean = True
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tasks = [pool.submit(check_batch, build, folder, number, batch, commands)
                 for number, batch in enumerate(batches_of(files))]
        for task in tasks:
            clean, said = task.result()
            all_clean = all_clean and clean
            if said:
                print(said, flush=True)
    return 0 if all_clean else 1


if __name__ == "__main__":
    sys.exit(main())
