"""Everything scripts/test runs once the build is there: GoogleTest programs, corpus, mutants, documentation, scripts."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import time

import corpus_checks
import doc_checks
import gtest_checks
import page_checks
from tally import Failed, Result, demand, finish, report, run, run_checks, summary
import unit_checks

ROOT = corpus_checks.ROOT


def script_check(*command):
    def check():
        code, output = run([ROOT / "scripts" / command[0], *command[1:]])
        demand(code == 0, f"exit {code}\n{output}")
    return check


def load_script(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def missing_program(results, build):
    """A test folder whose program was not built would otherwise vanish without a word."""
    for folder in sorted({p.relative_to(ROOT / "tests").parts[0] for p in (ROOT / "tests").rglob("*_test.cpp")}):
        if not (build / "bin" / f"test_{folder}").exists():
            results.append(Result(f"test_{folder}", "failed", "the program was not built"))
            report(results[-1])


def part(label, results, start):
    print(f"{summary(results, label + ': ')} ({time.monotonic() - start:.0f} s)", flush=True)
    return results


def main():
    build = pathlib.Path(sys.argv[1])
    tools = corpus_checks.Tools(build)
    everything = []

    start, results = time.monotonic(), []
    missing_program(results, build)

    def whole_program(program):
        def check():
            found = gtest_checks.run_program(program)
            results.extend(found)
            for result in found:
                report(result)
        return check

    programs = sorted(p for p in (build / "bin").glob("test_*") if p.is_file())
    ran = run_checks([(p.name, whole_program(p)) for p in programs])
    results.extend(r for r in ran if r.status != "passed")  # one that could not even be started
    everything += part("unit and property tests", results, start)

    start = time.monotonic()
    corpus = run_checks(corpus_checks.all_checks(build))
    everything += part("corpus", corpus, start)
    print(corpus_checks.expected_line(corpus), flush=True)

    start = time.monotonic()
    everything += part("mutants", run_checks(load_script("softmax-mutants").mutant_checks(build)), start)

    others = doc_checks.all_checks(tools) + page_checks.all_checks(tools, build) + unit_checks.all_checks() + [
        ("NumPy's values are those stored", script_check("make-expected", "--check")),
        ("corpus/README.md is up to date", script_check("corpus-index", "--check")),
        ("the layer check finds planted violations", script_check("check-layers", "--self-test")),
    ]
    start = time.monotonic()
    everything += part("documentation and scripts", run_checks(others), start)
    finish(everything)


if __name__ == "__main__":
    try:
        main()
    except Failed as e:
        sys.exit(str(e))
