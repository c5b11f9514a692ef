"""The unit tests of the scripts (scripts/lib/test_*.py) as checks with names."""
import pathlib
import unittest

from tally import Failed, Skip


def single(test):
    def check():
        result = unittest.TestResult()
        test.run(result)
        for _, text in [*result.errors, *result.failures]:
            raise Failed(text)
        for _, why in result.skipped:
            raise Skip(why)
        if result.testsRun != 1 or not result.wasSuccessful():
            raise Failed("it did not run")
    return check


def all_checks(folder=pathlib.Path(__file__).parent):
    def flat(suite):
        for test in suite:
            yield from flat(test) if isinstance(test, unittest.TestSuite) else [test]
    return [(f"scripts/lib/{test.id()}", single(test)) for test in flat(unittest.TestLoader().discover(str(folder)))]
