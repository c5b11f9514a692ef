"""Each check of corpus_checks and corpus_catalogue fails on a broken example."""
import json
import pathlib
import tempfile
import unittest

import ml_dtypes
import numpy as np

import corpus_catalogue
import corpus_checks
from tally import Failed, Result

KERNEL = "// About.\nkir 1\n\nkernel twice<T: dtype in {f32, bf16}>(x: in T[N], y: out T[N]) {\n}\n"
REFERENCE = "def twice(g, N, T):\n    x = g.exact(T, N)\n    return dict(x=x), dict(y=x + x)\n"
TWICE = {"name": "twice<T = f32>", "oracle": {"y": "bitwise"}, "sizes": [{"N": 3}],
         "expected": [{"name": "n3", "seed": 1, "sizes": {"N": 3}}]}


class FakeTools:
    """Tools that answer as told; kir-run writes the sum of x with itself plus `error`."""

    def __init__(self, code=0, output="", error=0.0, writes=True, dtype=np.float32):
        self.code, self.output, self.error, self.writes, self.dtype = code, output, error, writes, dtype

    def validate(self, *_, **__):
        return self.code, self.output

    def run_kernel(self, path, name, arguments, *options):
        if "-o" in options and self.writes:
            x = np.load(arguments["x"])
            np.save(f"{options[options.index('-o') + 1]}/y.npy", (x + x + np.float32(self.error)).astype(self.dtype))
        return self.code, self.output


class Corpus(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.corpus = pathlib.Path(folder.name)
        (self.corpus / "group").mkdir()
        (self.corpus / "reference.py").write_text("")
        (self.corpus / "definitions.py").write_text("")
        self.write()
        (self.corpus / "group" / "reference.py").write_text(REFERENCE)

    def write(self, **changes):
        data = {"about": "Twice.", "kernels": [TWICE]} | changes
        (self.corpus / "group" / "twice.kir").write_text(KERNEL)
        (self.corpus / "group" / "twice.json").write_text(json.dumps(data))

    def entry(self, **changes):
        self.write(**changes)
        return corpus_catalogue.Entry(self.corpus / "group" / "twice.kir", self.corpus)

    def fails(self, text, function, *arguments):
        with self.assertRaisesRegex(Failed, text):
            function(*arguments)

    def test_a_sound_entry_passes(self):
        entry = self.entry()
        self.assertEqual([e.label for e in corpus_catalogue.entries(self.corpus)], ["corpus/group/twice"])
        corpus_checks.validate_check(FakeTools(), entry)()
        corpus_checks.reference_check(FakeTools(), entry, TWICE, {"N": 3}, 1)()
        corpus_checks.compare_check(FakeTools(), entry, TWICE, {"N": 3}, 1)()
        corpus_checks.compare_check(FakeTools(), entry, TWICE | {"contents": "reference"}, {"N": 3}, 1)()

    def test_catalogue_refuses_what_it_does_not_understand(self):
        self.entry()
        self.fails("'about' is missing", self.without, "about")
        self.fails("nothing is called 'provider'", lambda: self.entry(provider=["interp"]))
        self.fails("providers are", lambda: self.entry(providers=[]))
        self.fails("providers are", lambda: self.entry(providers=["host"]))
        self.fails("names no kernel", lambda: self.entry(kernels=[]))
        self.fails("no expected case", lambda: self.entry(kernels=[TWICE | {"expected": []}]))
        self.fails("'size'", lambda: self.entry(kernels=[TWICE | {"size": []}]))
        self.fails("'seed' is missing", lambda: self.entry(kernels=[TWICE | {"expected": [{"name": "n3"}]}]))
        self.fails("contents are", lambda: self.entry(kernels=[TWICE | {"contents": "ones"}]))

    def without(self, key):
        path = self.corpus / "group" / "twice.json"
        path.write_text(json.dumps({k: v for k, v in json.loads(path.read_text()).items() if k != key}))
        return corpus_catalogue.Entry(path.with_suffix(".kir"), self.corpus)

    def test_catalogue_misses_no_file(self):
        (self.corpus / "group" / "lonely.kir").write_text(KERNEL)
        self.fails("no .json beside", corpus_catalogue.entries, self.corpus)
        (self.corpus / "group" / "lonely.kir").unlink()
        (self.corpus / "group" / "lonely.json").write_text("{}")
        self.fails("beside no kernel", corpus_catalogue.entries, self.corpus)
        (self.corpus / "group" / "lonely.json").unlink()
        (self.corpus / "other").mkdir()
        (self.corpus / "other" / "lonely.kir").write_text(KERNEL)
        self.fails("no reference.py", corpus_catalogue.entries, self.corpus)
        (self.corpus / "other" / "lonely.kir").unlink()
        for suffix in (".kir", ".json"):
            (self.corpus / f"twice{suffix}").write_text((self.corpus / "group" / f"twice{suffix}").read_text())
        self.fails("have one name", corpus_catalogue.entries, self.corpus)

    def test_reference_must_speak_of_the_outputs_of_the_oracle(self):
        entry = self.entry(kernels=[TWICE | {"oracle": {"y": "bitwise", "z": "bitwise"}}])
        self.fails("the oracle is about", entry.values, entry.kernels[0], 1, {"N": 3})
        entry = self.entry(kernels=[TWICE | {"reference": "thrice"}])
        self.fails("no function thrice", entry.values, entry.kernels[0], 1, {"N": 3})

    def test_reference_gets_the_constexprs(self):
        for dtype, code in (("f32", b"'<f4'"), ("bf16", b"'<u2'")):
            files = self.entry().values(TWICE | {"name": f"twice<T = {dtype}>"}, 1, {"N": 3})
            self.assertIn(code, files["out.y.npy"])
        self.assertEqual(corpus_catalogue.constexprs("gemm<BM = 64, T = f16>"), {"BM": "64", "T": "f16"})
        self.assertEqual(corpus_catalogue.constexprs("gemm"), {})

    def test_a_stored_case_agrees_with_the_definition(self):
        for factor, agrees in (("2.0", True), ("2.00001", False)):
            (self.corpus / "definitions.py").write_text(f"def twice(x):\n    return dict(y={factor} * x.astype(float))\n")
            corpus_catalogue.reference.cache_clear()
            entry = self.entry()
            case = entry.kernels[0]["expected"][0]
            if agrees:
                self.assertIn("out.y.npy", entry.expected_values(entry.kernels[0], case))
            else:
                self.fails("the reference's y in case n3 is not what corpus/definitions.py says", entry.expected_values,
                           entry.kernels[0], case)

    def test_a_constructed_kernel_must_be_proven(self):
        for code in (1, 2, 3, 4, 5, "timeout", -11):
            self.fails("exit", corpus_checks.validate_check(FakeTools(code, "UNSUPPORTED"), self.entry()))

    def test_a_kernel_not_constructed_must_be_unsupported(self):
        entry = self.entry(providers=["interp"])
        corpus_checks.validate_check(FakeTools(4, "k: UNSUPPORTED: no rule"), entry)()
        self.fails("no longer true", corpus_checks.validate_check(FakeTools(0, "UNSUPPORTED"), entry))
        self.fails("not UNSUPPORTED", corpus_checks.validate_check(FakeTools(4, ""), entry))
        for code in (1, 2, 3, 5, "timeout", -11):
            self.fails("not UNSUPPORTED", corpus_checks.validate_check(FakeTools(code, "UNSUPPORTED"), entry))

    def test_a_kernel_not_constructed_is_run_on_the_interpreter_only(self):
        names = [name for name, _ in corpus_checks.kernel_checks(FakeTools(), self.entry(providers=["interp"]))]
        self.assertEqual(names, ["corpus/group/twice not constructed yet", "corpus/group/twice compared whole",
                                 "twice<T = f32> run at N=3",
                                 "twice<T = f32> on interp gives NumPy's values (n3)"])
        names = [name for name, _ in corpus_checks.kernel_checks(FakeTools(), self.entry())]
        self.assertIn("twice<T = f32> on host gives NumPy's values (n3)", names)
        self.assertIn("twice<T = f32> compared at N=3", names)

    def test_other_results_than_the_reference_fail(self):
        entry = self.entry()
        for tools, text in ((FakeTools(error=0.125), "3 of 3 differ"), (FakeTools(code=1), "exit 1"),
                            (FakeTools(writes=False), "not written"), (FakeTools(dtype=np.float64), "expected float32"),
                            (FakeTools(code="timeout"), "exit timeout")):
            self.fails(text, corpus_checks.reference_check(tools, entry, TWICE, {"N": 3}, 1))
        self.fails("no oracle", corpus_checks.reference_check(FakeTools(), entry, TWICE | {"oracle": {"y": "close"}}, {"N": 3}, 1))

    def test_stored_values_are_compared(self):
        entry = self.entry()
        folder = entry.expected_folder(TWICE["expected"][0])
        folder.mkdir(parents=True)
        corpus_checks.write_files(folder, entry.values(TWICE, 1, {"N": 3}))
        corpus_checks.expected_check(FakeTools(), entry, TWICE, TWICE["expected"][0], "interp")()
        self.fails("differ", corpus_checks.expected_check(FakeTools(error=1), entry, TWICE, TWICE["expected"][0], "interp"))
        self.fails("differ", corpus_checks.expected_check(FakeTools(error=1), entry, TWICE, TWICE["expected"][0], "host"))

    def test_every_kernel_and_written_view_is_compared(self):
        corpus_checks.compared_check(self.entry())()
        self.fails("its oracle is about", corpus_checks.compared_check(self.entry(kernels=[TWICE | {"oracle": {}}])))
        entry = self.entry()
        more = KERNEL + "kernel more(x: inout f32[N]) {\n}\n"
        entry.path.write_text(more)
        self.fails("names the kernel more", corpus_checks.compared_check(entry))
        plan = "plan twice(x: in f32[N], y: out f32[N]) { launch more(x = y) }\n"
        entry.path.write_text(more.replace("twice<T: dtype in {f32, bf16}>", "other").replace("T[N]", "f32[N]") + plan)
        self.fails("names the kernel other", corpus_checks.compared_check(entry))
        entry.path.write_text("kernel more(x: inout f32[N]) {\n}\n" + plan)
        corpus_checks.compared_check(entry)()

    def test_providers_that_differ_fail(self):
        self.fails("exit 1", corpus_checks.compare_check(FakeTools(1), self.entry(), TWICE, {"N": 3}, 1))
        self.fails("exit 3", corpus_checks.compare_check(FakeTools(3), self.entry(), TWICE, {"N": 3}, 1))

    def test_views_have_the_types_of_the_kernel_asked_for(self):
        path = self.entry().path
        self.assertEqual(corpus_checks.views_of(path, "twice<T = bf16>"), {"x": "bf16", "y": "bf16"})
        path.write_text("kir 1\nkernel a(x: in f32[N]) where N >= 1 { }\nkernel ab(\n  z: inout u64[], s: f32) { }\n")
        self.assertEqual(corpus_checks.views_of(path, "ab"), {"z": "u64"})
        self.assertEqual(corpus_checks.views_of(path, "a"), {"x": "f32"})
        self.fails("has no b", corpus_checks.views_of, path, "b")

    def test_bits_are_compared_and_nan_payloads_are_not(self):
        one = np.array([1, 0, np.nan], np.float32)
        corpus_checks.same_bits("x", one, -one * -1, "f32")
        self.fails("differ", corpus_checks.same_bits, "x", one, np.array([1, -0.0, np.nan], np.float32), "f32")
        above = np.array([np.nextafter(np.float32(1), np.float32(2)), 0, np.nan], np.float32)
        self.fails("differ", corpus_checks.same_bits, "x", one, above, "f32")
        self.fails("differ", corpus_checks.same_bits, "x", one, np.array([1, 0, 0], np.float32), "f32")
        scalar = np.array(2, np.int32)
        corpus_checks.same_bits("x", scalar, scalar, "i32")
        self.fails("differ", corpus_checks.same_bits, "x", scalar, scalar + np.int32(1), "i32")
        quiet, payload, number = (np.array([v], np.uint16) for v in (0x7FC0, 0xFFC1, 0x3F80))
        corpus_checks.same_bits("x", quiet, payload, "bf16")
        self.fails("differ", corpus_checks.same_bits, "x", quiet, number, "bf16")
        self.fails("differ", corpus_checks.same_bits, "x", np.array([0x00], np.uint8), np.array([0x80], np.uint8), "f8e4m3")

    def test_types_that_numpy_lacks_are_stored_as_bits(self):
        array = np.array([1.0, -0.0], ml_dtypes.bfloat16)
        self.assertIn(b"'<u2'", corpus_catalogue.npy_bytes(array))
        self.assertIn(b"'|u1'", corpus_catalogue.npy_bytes(array.astype(ml_dtypes.float8_e5m2)))
        self.assertIn(b"'|b1'", corpus_catalogue.npy_bytes(np.array(True)))


class Expectations(unittest.TestCase):
    def test_each_kind_of_expectation_can_fail(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.kir"
            file.write_text("// expect: exit 1 3\n// expect: REFUTED kir-safe\n// expect: errors 2\nkir 1\n")
            good = "REFUTED   kir-safe\na:1:2: error: x\na:3:2: error: y\n"
            expectation = corpus_checks.Expectation(file)
            expectation.check(1, good)
            for code, output in ((0, good), ("timeout", good), (1, good.replace("kir-safe", "kir-sane")),
                                 (1, good.replace("a:3:2: error", ""))):
                self.assertRaises(Failed, expectation.check, code, output)
            self.assertRaises(Failed, corpus_checks.shows_refutation, 1, good)
            file.write_text("kir 1\n")
            self.assertRaises(Failed, corpus_checks.Expectation(file).check, 1, good)

    def test_the_count_of_expected_values_names_what_is_not_equal(self):
        names = [corpus_checks.expected_name(k, c, "interp")
                 for e in corpus_catalogue.entries() for k in e.kernels for c in k["expected"]]
        passed = [Result(n, "passed", "") for n in names]
        self.assertRegex(corpus_checks.expected_line(passed), rf"^expected values: \d+ kernels, {len(names)} cases equal$")
        for other in (passed[1:], [Result(names[0], "failed", ""), *passed[1:]], [Result(names[0], "skipped", ""), *passed[1:]]):
            self.assertRegex(corpus_checks.expected_line(other), rf"{len(names) - 1} of {len(names)} cases equal$")
