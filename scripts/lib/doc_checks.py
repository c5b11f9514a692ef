"""Checks what the documentation shows.

A fenced block whose first line is `kir 1` is a whole file: it validates, or a line `// kir-validate: UNKNOWN` says what becomes of it. Each line
`// $ kir-run OPTIONS` of it runs it on the reference interpreter and must print the comment lines that follow. A block that starts with `pir 1` and holds no
`...` is a whole program: it is well-formed. In a ```console block each `$ build/bin/...` line is run from the root and
must print what stands below it; times are not compared, `...` stands for any lines.
Links to files of the repository lead to files.
"""
import pathlib
import re
import shlex
import tempfile

from tally import demand, run
from corpus_checks import ROOT, UNKNOWN, UNSUPPORTED, tail

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def pages():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "corpus" / "README.md",
            *sorted((ROOT / "docs").glob("*.md"))]


def kir_block(tools, text):
    def check():
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "example.kir"
            file.write_text(text)
            code, output = tools.validate(file)
            verdict = re.search(r"^// kir-validate: (\w+)", text, re.MULTILINE)
            expected = {"UNKNOWN": UNKNOWN}[verdict[1]] if verdict else 0
            if re.search(r"^plan ", text, re.MULTILINE):
                expected = UNSUPPORTED
            demand(code == expected, f"exit {code}\n{tail(output, 20)}")
            for options, expected in runs_of(text):
                code, output = run([tools.path("kir-run"), file, *shlex.split(options)])
                demand(code == 0 and output.split() == expected.split(), f"`kir-run {options}` prints\n{output}")
    return check


def runs_of(text):
    """Yields (options, expected output) of the `// $ kir-run` lines of a block."""
    for match in re.finditer(r"^// \$ kir-run(.*)\n((?:// (?!\$ ).*\n)*)", text, re.MULTILINE):
        yield match[1], re.sub(r"^// ", "", match[2], flags=re.MULTILINE)


def pir_block(tools, text):
    def check():
        name = re.search(r'implements\s+"(\w+)', text)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "example.pir"
            file.write_text(text)
            code, output = tools.validate(ROOT / "corpus" / f"{name[1]}.kir", file)
            demand(code in (0, 1, 3, 4), f"exit {code}\n{tail(output, 20)}")
    return check


def normal(text):
    return re.sub(r"\d+(\.\d+)? ?(ms|s)\b", "TIME", text)


def printed(command):
    return run(shlex.split(command), cwd=ROOT)[1].rstrip()


def commands_of(block):
    """Yields (command, what the page says it prints) of the lines that start with `$ build/bin/`."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        if command.startswith("build/bin/"):
            yield command, expected.rstrip()


def console_block(block):
    def check():
        for command, expected in commands_of(block):
            pattern = ".*".join(re.escape(normal(part)) for part in re.split(r"^\.\.\.$", expected, flags=re.MULTILINE))
            output = printed(command)
            demand(re.fullmatch(pattern, normal(output), re.DOTALL), f"`{command}` prints\n{output}\n(scripts/check-docs --fix)")
    return check


def fix(page):
    """Puts what the commands print now into the page, blocks with `...` aside."""
    def block(match):
        text = match[0]
        for command, expected in commands_of(match[2]):
            if match[1] == "console" and "\n...\n" not in f"\n{expected}\n":
                text = text.replace(f"$ {command}\n{expected}", f"$ {command}\n{printed(command)}")
        return text

    old = page.read_text()
    new = FENCE.sub(block, old)
    if new != old:
        page.write_text(new)
        print(f"{page.relative_to(ROOT)}: renewed")


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
