"""Checks every file of the corpus with the real tools against what the file itself, or its .json beside it, expects.

A kernel of corpus/ and  validates (exit 0), gives the stored NumPy values on the interpreter bit for bit and on the host
of corpus/GROUP/         as `oracle` says of each output (bitwise; bounded: within the radius that the oracle derives
                         for these inputs), and agrees over interpreter, physical interpreter and host code at every
                         size listed
  with "providers":      gives the stored values and, at every size listed, those that its reference gives there, on the
  ["interp"]             interpreter bit for bit; kir-validate says UNSUPPORTED (exit 4), so the mark cannot outlive its
                         reason
corpus/must-reject/*     // expect: exit 1 3         one of these exit codes of kir-validate
                         // expect: REFUTED kir-safe  each further line: text in the output (blanks are free)
                         // expect: errors 4          at least so many error lines
                         and kirc --proofs required refuses it and leaves no artifact
corpus/physical/*.pir    validates against the kernel that its `implements` names
corpus/hostile/*.pir     // against: corpus/x.kir, and expect lines as above
"""
import pathlib
import re
import tempfile

import ml_dtypes
import numpy as np

import corpus_catalogue
from corpus_catalogue import CORPUS, ROOT
from tally import Skip, demand, run

UNKNOWN, UNSUPPORTED = 3, 4  # exit codes of kir-validate
VIEW = re.compile(r"(\w+)\s*:\s*(in|out|inout)\s+(\w+)\s*\[")
HEAD = re.compile(r"^(kernel|plan)\s+(\w+)\s*(?:<[^>]*>)?\s*\(([^{]*)", re.MULTILINE)


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
    demand(code != 1 or re.search(r"^  counterexample \d+ \(", output, re.MULTILINE), f"REFUTED without a counterexample\n{tail(output)}")


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


def views_of(path, name):
    """The views of one kernel (or plan) of the file: their element types by name, constexprs replaced."""
    plain = name.partition("<")[0].strip()
    head = re.search(rf"\b(?:kernel|plan)\s+{re.escape(plain)}\s*(?:<[^>]*>)?\s*\(([^{{]*)", path.read_text())
    demand(head, f"{path.name} has no {plain}")
    bound = corpus_catalogue.constexprs(name)
    return {view: bound.get(dtype, dtype) for view, _, dtype in VIEW.findall(head[1])}


def validate_check(tools, entry):
    def check():
        code, output = tools.validate(entry.path)
        if entry.constructed:
            demand(code == 0, f"exit {code}\n{tail(output, 20)}")
        else:
            demand(code != 0, "it is PROVED, so \"providers\" in its .json is no longer true")
            demand(code == UNSUPPORTED and "UNSUPPORTED" in output, f"exit {code}, not UNSUPPORTED\n{tail(output, 20)}")
    return check


def compared_check(entry):
    """Each kernel of the file is run, by itself or by a plan, and each view that it writes is compared."""
    def check():
        text = re.sub(r"//.*", "", entry.path.read_text())
        named = {k["name"].partition("<")[0].strip() for k in entry.kernels}
        launched = set(re.findall(r"\blaunch\s+(\w+)", text))
        for kind, name, head in HEAD.findall(text):
            demand(name in named | launched, f"no entry of {entry.stem}.json names the {kind} {name}, and no plan launches it")
            written = {view for view, access, _ in VIEW.findall(head) if access != "in"}
            for kernel in entry.kernels:
                if kernel["name"].partition("<")[0].strip() == name:
                    demand(written == set(kernel["oracle"]),
                           f"{name} writes {sorted(written)}, its oracle is about {sorted(kernel['oracle'])}")
    return check


def write_files(folder, files):
    for name, content in files.items():
        (pathlib.Path(folder) / name).write_bytes(content)


def stored_arguments(kernel, sizes, folder):
    inputs = {file.name.split(".")[1]: file for file in sorted(pathlib.Path(folder).glob("in.*.npy"))}
    return {**kernel.get("scalars", {}), **inputs, **sizes}


def compare_check(tools, entry, kernel, sizes, seed):
    """All providers give one answer at these sizes."""
    def check():
        with tempfile.TemporaryDirectory() as folder:
            if kernel.get("contents") == "reference":
                write_files(folder, entry.values(kernel, seed, symbols(sizes)))
                arguments = stored_arguments(kernel, sizes, folder)
            else:
                # Every other case has NaN, infinities, zeros of both signs and extremes among its inputs.
                views = views_of(entry.path, kernel["name"])
                contents = {v: f"random:{seed + i}" + ":special" * (seed // 100 % 2) for i, v in enumerate(views)}
                arguments = {**contents, **kernel.get("scalars", {}), **sizes}
            code, output = tools.run_kernel(entry.path, kernel["name"], arguments, "--compare", ",".join(entry.providers))
            demand(code == 0, f"exit {code}\n{tail(output)}")
    return check


def symbols(sizes):
    """Without what an aliased case says of views."""
    return {k: v for k, v in sizes.items() if not str(v).startswith("@")}


def reference_check(tools, entry, kernel, sizes, seed):
    """The interpreter gives what the reference gives at these sizes."""
    def check():
        with tempfile.TemporaryDirectory() as folder:
            write_files(folder, entry.values(kernel, seed, symbols(sizes)))
            same_outputs(tools, entry, kernel, sizes, folder, "interp")
    return check


def expected_check(tools, entry, kernel, case, provider):
    """The provider gives the stored values."""
    def check():
        folder = entry.expected_folder(case)
        same_outputs(tools, entry, kernel, case["sizes"], folder, provider)
        if "bounded" in kernel["oracle"].values() and provider != "interp":
            arguments = stored_arguments(kernel, case["sizes"], folder)
            code, output = tools.run_kernel(entry.path, kernel["name"], arguments, "--compare", f"interp,{provider}")
            demand(code == 0, f"exit {code}\n{tail(output)}")
    return check


def same_outputs(tools, entry, kernel, sizes, folder, provider):
    """The provider gives the out.*.npy of the folder from its in.*.npy, bit for bit where the oracle or the provider says so."""
    arguments, types = stored_arguments(kernel, sizes, folder), views_of(entry.path, kernel["name"])
    with tempfile.TemporaryDirectory() as out:
        code, output = tools.run_kernel(entry.path, kernel["name"], arguments, "--on", provider, "-o", out)
        demand(code == 0, f"exit {code}\n{tail(output)}")
        for name, oracle in kernel["oracle"].items():
            demand(oracle in ("bitwise", "bounded"), f"{name}: no oracle is called {oracle!r}")
            demand(name in types, f"{name} is no view of {kernel['name']}")
            demand(pathlib.Path(out, f"{name}.npy").exists(), f"{name} was not written")
            got, want = np.load(f"{out}/{name}.npy"), np.load(f"{folder}/out.{name}.npy")
            demand(got.shape == want.shape and got.dtype == want.dtype,
                   f"{name}: {got.dtype}{got.shape}, expected {want.dtype}{want.shape}")
            if provider == "interp" or oracle == "bitwise":
                same_bits(name, got, want, types[name])


# Floats that NumPy holds as unsigned integers.
HELD_AS_BITS = {"bf16": ml_dtypes.bfloat16, "f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2, "tf32": np.float32}


def same_bits(name, got, want, dtype):
    """Bit for bit, NaN payloads aside."""
    got, want = (np.atleast_1d(a).view(HELD_AS_BITS.get(dtype, a.dtype)) for a in (got, want))
    if got.dtype.kind in "iub":
        same = got == want
    else:
        same = got.view(f"u{got.itemsize}") == want.view(f"u{want.itemsize}")
        same |= np.isnan(got) & np.isnan(want)
    if not np.all(same):
        at = tuple(int(i) for i in np.argwhere(~same)[0])
        demand(False, f"{name}{list(at)} is {got[at]!r}, expected {want[at]!r}; "
                      f"{np.count_nonzero(~same)} of {same.size} differ")


def kernel_checks(tools, entry):
    checks = [(f"{entry.label} proven" if entry.constructed else f"{entry.label} not constructed yet",
               validate_check(tools, entry)),
              (f"{entry.label} compared whole", compared_check(entry))]
    for kernel in entry.kernels:
        for number, sizes in enumerate([*kernel["sizes"], *kernel.get("aliased", [])]):
            text = " ".join(f"{k}={v}" for k, v in sizes.items())
            how, make = ("compared", compare_check) if entry.constructed else ("run", reference_check)
            checks.append((f"{kernel['name']} {how} at {text}", make(tools, entry, kernel, sizes, 100 * number + 1)))
        for case in kernel["expected"]:
            for provider in (p for p in ("interp", "host") if p in entry.providers):
                checks.append((expected_name(kernel, case, provider), expected_check(tools, entry, kernel, case, provider)))
    return checks


def expected_name(kernel, case, provider):
    return f"{kernel['name']} on {provider} gives NumPy's values ({case['name']})"


def expected_line(results):
    """How many stored cases, of how many kernels, the reference interpreter equals."""
    passed = {r.name for r in results if r.status == "passed"}
    kernels = [[expected_name(k, c, "interp") in passed for c in k["expected"]]
               for entry in corpus_catalogue.entries() for k in entry.kernels]
    whole, equal, cases = sum(map(all, kernels)), sum(map(sum, kernels)), sum(map(len, kernels))
    if equal == cases:
        return f"expected values: {whole} kernels, {cases} cases equal"
    return f"expected values: {whole} of {len(kernels)} kernels, {equal} of {cases} cases equal"


def all_checks(build):
    tools, checks = Tools(build), []
    for entry in corpus_catalogue.entries():
        checks += kernel_checks(tools, entry)
    for folder, make in (("must-reject", reject_check), ("physical", physical_check), ("hostile", hostile_check)):
        for path in sorted((CORPUS / folder).glob("*.[kp]ir")):
            checks.append((f"corpus/{folder}/{path.stem}", make(tools, path)))
    return checks
