"""Checks every file of the corpus with the real tools against what the file itself, or its .json beside it, expects.

A kernel of corpus/      validates (exit 0), gives the stored NumPy values on the interpreter bit for bit and on the host
                         as `oracle` says of each output (bitwise; bounded: within the radius that the oracle derives
                         for these inputs), and agrees over interpreter, physical interpreter and host code at every
                         size listed
corpus/must-reject/*     // expect: exit 1 3         one of these exit codes of kir-validate
                         // expect: REFUTED kir-safe  each further line: text in the output (blanks are free)
                         // expect: errors 4          at least so many error lines
                         and kirc --proofs required refuses it and leaves no artifact
corpus/physical/*.pir    validates against the kernel that its `implements` names
corpus/hostile/*.pir     // against: corpus/x.kir, and expect lines as above
"""
import json
import pathlib
import re
import tempfile

from tally import Skip, demand, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
VIEW = re.compile(r"(\w+)\s*:\s*(in|out|inout)\s+(\w+)\s*\[")


class Tools:
    def __init__(self, build):
        self.bin = pathlib.Path(build) / "bin"

    def path(self, name):
        tool = self.bin / name
        if not tool.exists():
            raise Skip(f"{name} is not built")
        return tool

    def validate(self, kernel, physical=None, options=()):
        extra = ["--physical", physical] if physical else []
        return run([self.path("kir-validate"), kernel, *extra, *options])

    def compile(self, kernel, *options):
        return run([self.path("kirc"), kernel, *options])

    def run_kernel(self, kernel, name, arguments, *options):
        flags = [f for k, v in arguments.items() for f in ("--arg", f"{k}={v}")]
        return run([self.path("kir-run"), kernel, "--kernel", name, *flags, *options])


def tail(text, lines=12):
    return "\n".join(text.rstrip().splitlines()[-lines:])


# Expectations in the heads of files.


class Expectation:
    def __init__(self, path, mark="//"):
        self.codes, self.texts, self.errors, self.against = None, [], 0, None
        for line in path.read_text().splitlines():
            if not line.startswith(mark):
                break
            key, _, value = line[len(mark):].strip().partition(":")
            value = value.strip()
            if key == "against":
                self.against = ROOT / value
            elif key == "expect":
                if value.startswith("exit "):
                    self.codes = {int(v) for v in value.split()[1:]}
                elif re.fullmatch(r"errors \d+", value):
                    self.errors = int(value.split()[1])
                else:
                    self.texts.append(value)

    def check(self, code, output):
        demand(self.codes, "the file's head has no `expect: exit` line")
        demand(code in self.codes, f"exit {code}, expected {sorted(self.codes)}\n{tail(output)}")
        for text in self.texts:
            pattern = r"\s+".join(re.escape(word) for word in text.split())
            demand(re.search(pattern, output), f"`{text}` is not in the output\n{tail(output)}")
        found = len(re.findall(r"^\S+:\d+:\d+: error:", output, re.MULTILINE))
        demand(found >= self.errors, f"{found} errors reported, expected at least {self.errors}\n{tail(output, 40)}")


def shows_refutation(code, output):
    """What is refuted was run: the output has the counterexample."""
    demand(code != 1 or "counterexample: " in output, f"REFUTED without a counterexample\n{tail(output)}")


def reject_check(tools, path):
    def check():
        code, output = tools.validate(path)
        Expectation(path).check(code, output)
        shows_refutation(code, output)
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "artifact"
            code, output = tools.compile(path, "--target", "host", "--proofs", "required", "-o", target)
            demand(code not in (0, "timeout") and code > 0, f"kirc --proofs required: exit {code}\n{tail(output)}")
            demand(not list(target.rglob("*")), "kirc --proofs required left files behind")
    return check


def hostile_check(tools, path):
    def check():
        expectation = Expectation(path)
        demand(expectation.against and expectation.against.exists(), "the file's head names no kernel (`against:`)")
        code, output = tools.validate(expectation.against, path)
        expectation.check(code, output)
        shows_refutation(code, output)
    return check


def physical_check(tools, path):
    def check():
        kernel = re.search(r'implements\s+"(\w+)', path.read_text())
        demand(kernel, "the program does not say what it implements")
        code, output = tools.validate(CORPUS / f"{kernel[1]}.kir", path)
        demand(code == 0, f"exit {code}\n{tail(output, 20)}")
    return check


# Kernels.


def views_of(path):
    return {name: (access, dtype) for name, access, dtype in VIEW.findall(path.read_text())}


def validate_check(tools, path):
    def check():
        code, output = tools.validate(path)
        demand(code == 0, f"exit {code}\n{tail(output, 20)}")
    return check


def compare_check(tools, path, kernel, sizes, seed):
    def check():
        # Every other case has NaN, infinities, zeros of both signs and extremes among its inputs.
        contents = {name: f"random:{seed + i}" + ":special" * (seed // 100 % 2) for i, name in enumerate(views_of(path))}
        arguments = {**contents, **kernel.get("scalars", {}), **sizes}
        code, output = tools.run_kernel(path, kernel["name"], arguments, "--compare", "interp,physical,host")
        demand(code == 0, f"exit {code}\n{tail(output)}")
    return check


def expected_check(tools, path, kernel, case, provider):
    def check():
        import numpy as np
        folder = CORPUS / "expected" / path.stem / case["name"]
        arguments = {**case["sizes"], **kernel.get("scalars", {})}
        for file in sorted(folder.glob("in.*.npy")):
            arguments[file.name.split(".")[1]] = file
        with tempfile.TemporaryDirectory() as out:
            code, output = tools.run_kernel(path, kernel["name"], arguments, "--on", provider, "-o", out)
            demand(code == 0, f"exit {code}\n{tail(output)}")
            for name, oracle in kernel["oracle"].items():
                demand(oracle in ("bitwise", "bounded"), f"{name}: no oracle is called {oracle!r}")
                got, want = np.load(f"{out}/{name}.npy"), np.load(folder / f"out.{name}.npy")
                demand(got.shape == want.shape and got.dtype == want.dtype,
                       f"{name}: {got.dtype}{got.shape}, expected {want.dtype}{want.shape}")
                if provider == "interp" or oracle == "bitwise":
                    same_bits(name, got, want)
        if "bounded" in kernel["oracle"].values() and provider != "interp":
            code, output = tools.run_kernel(path, kernel["name"], arguments, "--compare", f"interp,{provider}")
            demand(code == 0, f"exit {code}\n{tail(output)}")
    return check


def same_bits(name, got, want):
    """Bit for bit, NaN payloads aside."""
    import numpy as np
    same = got == want
    if got.dtype.kind == "f":
        same = got.view(f"u{got.itemsize}") == want.view(f"u{want.itemsize}")
        same |= np.isnan(got) & np.isnan(want)
    if not np.all(same):
        at = tuple(int(i) for i in np.argwhere(~np.atleast_1d(same))[0])
        a, b = np.atleast_1d(got)[at], np.atleast_1d(want)[at]
        demand(False, f"{name}{list(at)} is {a!r}, expected {b!r}; {np.count_nonzero(~same)} of {same.size} differ")


def all_checks(build):
    tools, checks = Tools(build), []
    for path in sorted(CORPUS.glob("*.kir")):
        label = f"corpus/{path.stem}"
        entry = json.loads(path.with_suffix(".json").read_text())
        checks.append((f"{label} proven", validate_check(tools, path)))
        for kernel in entry["kernels"]:
            for number, sizes in enumerate([*kernel["sizes"], *kernel.get("aliased", [])]):
                text = " ".join(f"{k}={v}" for k, v in sizes.items())
                checks.append((f"{kernel['name']} compared at {text}", compare_check(tools, path, kernel, sizes, 100 * number + 1)))
            for case in kernel["expected"]:
                for provider in ("interp", "host"):
                    checks.append((f"{kernel['name']} on {provider} gives NumPy's values ({case['name']})",
                                   expected_check(tools, path, kernel, case, provider)))
    for folder, make in (("must-reject", reject_check), ("physical", physical_check), ("hostile", hostile_check)):
        for path in sorted((CORPUS / folder).glob("*.[kp]ir")):
            checks.append((f"corpus/{folder}/{path.stem}", make(tools, path)))
    return checks


def self_test():
    """The runner's own checks: each kind of expectation must be able to fail."""
    def fails(function, *arguments):
        from tally import Failed
        try:
            function(*arguments)
        except Failed:
            return True
        return False

    def check():
        import numpy as np
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.kir"
            file.write_text("// expect: exit 1 3\n// expect: REFUTED kir-safe\n// expect: errors 2\nkir 1\n")
            good = "REFUTED   kir-safe\na:1:2: error: x\na:3:2: error: y\n"
            expectation = Expectation(file)
            expectation.check(1, good)
            demand(fails(expectation.check, 0, good), "a wrong exit code passes")
            demand(fails(expectation.check, "timeout", good), "a time-out passes")
            demand(fails(expectation.check, 1, good.replace("kir-safe", "kir-sane")), "a missing text passes")
            demand(fails(expectation.check, 1, good.replace("a:3:2: error", "")), "a missing error passes")
            demand(fails(shows_refutation, 1, good), "a refutation without counterexample passes")
            file.write_text("kir 1\n")
            demand(fails(Expectation(file).check, 1, good), "a file without expectation passes")
        one = np.array([1, 0, np.nan], np.float32)
        same_bits("x", one, one.copy())
        demand(fails(same_bits, "x", one, np.array([1, -0.0, np.nan], np.float32)), "-0 passes as 0")
        demand(fails(same_bits, "x", one, np.array([np.nextafter(np.float32(1), np.float32(2)), 0, np.nan], np.float32)),
               "an ulp passes")
    return check
