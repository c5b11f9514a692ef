"""Checks what the documentation shows.

A fenced block whose first line is `kir 1` is a whole file: it validates. A block that starts with `pir 1` and holds no
`...` is a whole program: it is well-formed. In a ```console block each `$ build/bin/...` line is run from the root and
must print what stands below it; times and paths of temporary files are not compared, `...` stands for any lines.
Links to files of the repository lead to files.
"""
import pathlib
import re
import shlex
import tempfile

from tally import demand, run
from corpus_checks import ROOT, tail

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def pages():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def kir_block(tools, text):
    def check():
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "example.kir"
            file.write_text(text)
            code, output = tools.validate(file)
            demand(code == 0, f"exit {code}\n{tail(output, 20)}")
    return check


def pir_block(tools, text):
    def check():
        name = re.search(r'implements\s+"(\w+)', text)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "example.pir"
            file.write_text(text)
            code, output = tools.validate(ROOT / "corpus" / f"{name[1]}.kir", file)
            demand(code in (0, 1, 3, 4), f"exit {code}\n{tail(output, 20)}")
    return check


def normal(line):
    return re.sub(r"\d+(\.\d+)? ?(ms|s)\b", "TIME", line.rstrip())


def console_block(text):
    def check():
        command, expected = None, []
        for line in text.splitlines() + ["$ end"]:
            if not line.startswith("$ "):
                expected.append(line)
                continue
            if command and command[0].startswith("build/bin/"):
                code, output = run([ROOT / command[0], *command[1:]])
                parts = [re.escape(normal(e)) for e in expected]
                pattern = "\n".join(".*" if p == r"\.\.\." else p for p in parts)
                actual = "\n".join(normal(l) for l in output.splitlines())
                demand(re.fullmatch(pattern, actual, re.DOTALL), f"`{' '.join(command)}` (exit {code}) prints\n{output}")
            command, expected = shlex.split(line[2:]), []
    return check


def link_check(page):
    def check():
        for target in LINK.findall(page.read_text()):
            demand((page.parent / target).exists(), f"a link leads to {target}, which is not there")
    return check


def all_checks(tools):
    checks = []
    for page in pages():
        if not page.exists():
            continue
        label = page.relative_to(ROOT).as_posix()
        text = page.read_text()
        checks.append((f"{label} links", link_check(page)))
        for match in FENCE.finditer(text):
            language, block = match.groups()
            where = f"{label}:{text.count(chr(10), 0, match.start()) + 1}"
            if block.startswith("kir 1"):
                checks.append((f"{where} example", kir_block(tools, block)))
            elif block.startswith("pir 1") and "..." not in block:
                checks.append((f"{where} example", pir_block(tools, block)))
            elif language == "console":
                checks.append((f"{where} commands", console_block(block)))
    return checks
