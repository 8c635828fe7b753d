#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks every #include of src/, cli/ and dissector/ against layers.txt, and that each folder links what it includes.

usage: check_layers.py ROOT          check the tree; prints file:line and the rule that is broken
       check_layers.py --self-test   prove on a made tree that each rule catches its fault

Reads text only, so it sees code that this build leaves out. Macros in #include lines are not followed; there are none.
"""

import re
import sys
import tempfile
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
SUFFIXES = {".h", ".hpp", ".c", ".cpp"}


class Picture:
    """layers.txt, read."""

    def __init__(self, text: str):
        self.may_include = {}  # folder -> set of folders
        self.pure = set()
        self.never = set()
        for number, line in enumerate(text.splitlines(), 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            name, _, rest = line.partition(":")
            words = rest.split()
            if name == "pure":
                self.pure.update(words)
            elif name == "never":
                self.never.update(words)
            else:
                unknown = [word for word in words if word not in self.may_include]
                if unknown or name in self.may_include:
                    sys.exit(f"layers.txt:{number}: {name} must come once, and after {', '.join(unknown) or 'itself'}")
                self.may_include[name] = set(words)


def folders(root: Path):
    """(layer, folder) of every layer that exists."""
    for folder in sorted((root / "src").iterdir()) if (root / "src").is_dir() else []:
        if folder.is_dir():
            yield folder.name, folder
    for name in ("cli", "dissector"):
        if (root / name).is_dir():
            yield name, root / name


def includes(folder: Path):
    """(file, line number, quoted or None, system or None) of every #include below `folder`."""
    for file in sorted(folder.rglob("*")):
        if file.suffix in SUFFIXES:
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if match:
                    yield file, number, match[1], match[2]


def quoted_fault(root: Path, picture: Picture, layer: str, file: Path, target: str):
    """The rule that `#include "target"` in `file` of `layer` breaks, or None."""
    if (root / "src" / target).is_file():
        other = target.split("/")[0]
        if other == layer or other in picture.may_include[layer]:
            return None
        allowed = " ".join(sorted(picture.may_include[layer])) or "nothing"
        return f'{layer} may not include "{target}" ({layer} may use: {allowed})'
    if layer in ("cli", "dissector") and ((file.parent / target).is_file() or (root / target).is_file()):
        return None
    if (file.parent / target).is_file():
        return f'write "{layer}/{target}", with the folder'
    return f'"{target}" is not a file of src/; libraries are included in <>'


def linked(root: Path, layer: str):
    """Layers that src/LAYER/CMakeLists.txt links, with those they link in turn."""
    file = root / "src" / layer / "CMakeLists.txt"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    found = set(re.findall(r"\brocetop_([a-z]+)\b(?!\()", text))
    for other in sorted(found - {layer}):
        found |= linked(root, other)
    return found


def faults(root: Path, picture: Picture):
    """Every breach, as (file:line, rule)."""
    for layer, folder in folders(root):
        if layer not in picture.may_include:
            yield f"{folder.relative_to(root)}:1", f"{layer} is not in tests/layers/layers.txt"
            continue
        links = linked(root, layer) | {layer}
        for file, number, quoted, system in includes(folder):
            where = f"{file.relative_to(root)}:{number}"
            if quoted:
                rule = quoted_fault(root, picture, layer, file, quoted)
                if rule:
                    yield where, rule
                elif folder.parent.name == "src" and quoted.split("/")[0] not in links:
                    yield where, f"src/{layer}/CMakeLists.txt does not link rocetop_{quoted.split('/')[0]}"
            elif system in picture.never and layer in picture.pure:
                yield where, f"{layer} may not include <{system}>: no I/O, no clock, no threads in the core"
            elif (root / "src" / system).is_file() and "/" in system:
                yield where, f'write "{system}": it is our own'


def check(root: Path) -> int:
    picture = Picture((Path(__file__).parent / "layers.txt").read_text(encoding="utf-8"))
    found = list(faults(root, picture))
    for where, rule in found:
        print(f"{where}: {rule}")
    if not any(True for _ in folders(root)):
        print(f"{root}: no src/ to check")
        return 1
    return 1 if found else 0


def self_test() -> int:
    """A small tree with one fault of each kind; every one must be found, and nothing else."""
    picture = Picture("base:\nwire: base\nsource: base\ncli: base wire source\npure: base wire\nnever: thread\n")
    tree = {
        "src/base/a.h": "#include <thread>\n",
        "src/base/CMakeLists.txt": "rocetop_library(base SOURCES a.cpp)\n",
        "src/wire/b.h": '#include "base/a.h"\n\n  #  include "source/c.h"\n#include <base/a.h>\n#include "b2.h"\n',
        "src/wire/b2.h": '#include "fmt/core.h"\n// #include "source/c.h"\n#include "wire/b.h"\n',
        "src/wire/CMakeLists.txt": "rocetop_library(wire DEPENDS rocetop_base)\n",
        "src/source/c.h": '#include "base/a.h"\n#include <thread>\n',
        "src/source/CMakeLists.txt": "rocetop_library(source)\n",
        "src/attic/d.h": "",
        "cli/main.cpp": '#include "source/c.h"\n#include "own.h"\n#include <thread>\n',
        "cli/own.h": "",
    }
    expected = [
        ("src/attic:1", "not in tests/layers/layers.txt"),
        ("src/base/a.h:1", "may not include <thread>"),
        ("src/source/c.h:1", "does not link rocetop_base"),
        ("src/wire/b.h:3", 'wire may not include "source/c.h" (wire may use: base)'),
        ("src/wire/b.h:4", 'write "base/a.h"'),
        ("src/wire/b.h:5", 'write "wire/b2.h"'),
        ("src/wire/b2.h:1", "not a file of src/"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in tree.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        found = list(faults(root, picture))
    missed = [e for e in expected if not any(where == e[0] and e[1] in rule for where, rule in found)]
    extra = [f for f in found if not any(f[0] == where and rule in f[1] for where, rule in expected)]
    for where, rule in missed:
        print(f"not found: {where}: {rule}")
    for where, rule in extra:
        print(f"found without reason: {where}: {rule}")
    return 1 if missed or extra else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(self_test() if sys.argv[1] == "--self-test" else check(Path(sys.argv[1]).resolve()))
