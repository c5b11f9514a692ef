"""Runs one corpus kernel on its stored inputs and compares with the stored NumPy values: check_stored.py BUILD STEM."""
import json
import pathlib
import sys

import corpus_checks
from tally import finish, run_checks

build, stem = pathlib.Path(sys.argv[1]), sys.argv[2]
path = corpus_checks.CORPUS / f"{stem}.kir"
tools, checks = corpus_checks.Tools(build.resolve()), []
for kernel in json.loads(path.with_suffix(".json").read_text())["kernels"]:
    for case in kernel["expected"]:
        for provider in ("interp", "host"):
            check = corpus_checks.expected_check(tools, path, kernel, case, provider)
            checks.append((f"{kernel['name']} {case['name']} on {provider}", check))
results = run_checks(checks)
for result in results:
    print(f"{result.status}  {result.name}")
finish(results)
