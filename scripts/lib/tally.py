"""Checks with names, run on all cores; every check passes, fails or is skipped, and all three are counted and named."""
import collections
import concurrent.futures
import os
import subprocess
import sys

os.environ.pop("KIR_CACHE_DIR", None)  # what is checked is decided here and now

Result = collections.namedtuple("Result", "name status detail")


class Skip(Exception):
    """The check does not apply here; the text says why."""


class Failed(Exception):
    """The text says what was wrong."""


def demand(condition, text):
    if not condition:
        raise Failed(text)


def run(command, timeout=120, cwd=None):
    """Runs a command without input: (exit code, standard output and error). A time-out is exit code 'timeout'."""
    try:
        done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=timeout, errors="replace", cwd=cwd)
    except subprocess.TimeoutExpired as e:
        return "timeout", (e.stdout or b"").decode(errors="replace")
    return done.returncode, done.stdout


def attempt(name, check):
    try:
        check()
        return Result(name, "passed", "")
    except Skip as e:
        return Result(name, "skipped", str(e))
    except Failed as e:
        return Result(name, "failed", str(e))
    except Exception as e:  # a fault of the check itself is a failure, never a pass
        return Result(name, "failed", f"{type(e).__name__}: {e}")


def run_checks(checks, jobs=None):
    """checks: list of (name, function). Prints failures and skips as they come; returns the results in order."""
    with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        futures = [pool.submit(attempt, *check) for check in checks]
        results = []
        for future in futures:
            results.append(future.result())
            report(results[-1])
    return results


def report(result):
    if result.status == "failed":
        detail = result.detail.rstrip().replace("\n", "\n    ")
        print(f"FAILED {result.name}\n    {detail}", flush=True)
    elif result.status == "skipped":
        print(f"SKIPPED {result.name}: {result.detail}", flush=True)


def summary(results, label=""):
    count = collections.Counter(r.status for r in results)
    return f"{label}{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped"


def finish(results):
    """The closing line, and the exit code: nothing but passes and named skips is a success, and nothing at all is not."""
    print(summary(results))
    sys.exit(1 if not results or any(r.status == "failed" for r in results) else 0)
