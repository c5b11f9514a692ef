"""Runs the GoogleTest programs of a build and counts each test."""
import json
import pathlib
import tempfile

from tally import Result, run


def run_program(program):
    """The results of every test of one program. A crash or time-out is a failure of its own."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        code, output = run([program, "--gtest_brief=1", f"--gtest_output=json:{report}"], timeout=600)
        results = []
        if report.exists():
            for suite in json.loads(report.read_text())["testsuites"]:
                for test in suite["testsuite"]:
                    name = f"{program.name} {suite['name']}.{test['name']}"
                    if test["status"] == "NOTRUN":
                        results.append(Result(name, "skipped", "disabled"))
                    elif test["result"] == "SKIPPED":
                        why = test.get("skipped", [{}])[0].get("message", "no reason given").strip().splitlines()
                        results.append(Result(name, "skipped", why[-1] if why else "no reason given"))
                    elif "failures" in test:
                        results.append(Result(name, "failed", "\n".join(f["failure"] for f in test["failures"])))
                    else:
                        results.append(Result(name, "passed", ""))
        failed = any(r.status == "failed" for r in results)
        if not results or (code != 0 and not failed):
            tail = "\n".join(output.splitlines()[-15:])
            results.append(Result(program.name, "failed", f"exit {code}, {len(results)} tests reported\n{tail}"))
        return results
