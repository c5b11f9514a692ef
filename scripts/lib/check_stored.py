"""Runs every check of one corpus kernel: check_stored.py BUILD STEM."""
import pathlib
import sys

import corpus_catalogue
import corpus_checks
from tally import finish, run_checks

build, stem = pathlib.Path(sys.argv[1]), sys.argv[2]
entry = next((e for e in corpus_catalogue.entries() if e.stem == stem), None) or sys.exit(f"the corpus has no {stem}")
checks = corpus_checks.kernel_checks(corpus_checks.Tools(build.resolve()), entry)
results = run_checks(checks)
for result in results:
    print(f"{result.status}  {result.name}")
finish(results)
