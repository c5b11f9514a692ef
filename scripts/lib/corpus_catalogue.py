"""The kernels of corpus/: each .kir file with the .json beside it and its function in the group's reference.py.

corpus/*.kir is the root group, corpus/GROUP/*.kir are the others; corpus/README.md says what stands in the .json files.
"""
import functools
import importlib.util
import io
import json
import pathlib
import re

import numpy as np
from ml_dtypes import finfo

from corpus_inputs import TYPES, Inputs, stored
from tally import demand

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
PROVIDERS = ["interp", "physical", "host"]
ENTRY_KEYS = {"about": str, "shows": str, "providers": list, "kernels": list}
KERNEL_KEYS = {"name": str, "plan": bool, "reference": str, "scalars": dict, "oracle": dict, "contents": str, "sizes": list,
               "aliased": list, "expected": list}
CASE_KEYS = {"name": str, "seed": int, "sizes": dict, "special": bool}


class Entry:
    """A .kir file. `providers` is what must run it; a kernel without `physical` among them is not constructed yet."""

    def __init__(self, path, corpus=None):
        self.path, self.stem = path, path.stem
        self.corpus = corpus or CORPUS
        self.group = "" if path.parent == self.corpus else path.parent.name
        self.label = f"corpus/{self.group}/{self.stem}" if self.group else f"corpus/{self.stem}"
        beside = path.with_suffix(".json")
        demand(beside.exists(), f"{self.label}.kir has no .json beside it")
        try:
            data = json.loads(beside.read_text())
        except ValueError as e:
            demand(False, f"{self.label}.json: {e}")
        self._keys(data, ENTRY_KEYS, needed=("about", "kernels"))
        self.about, self.shows, self.kernels = data["about"], data.get("shows", ""), data["kernels"]
        self.providers = data.get("providers", PROVIDERS)
        demand(self.providers in (PROVIDERS, ["interp"]), f"{self.label}.json: providers are {PROVIDERS} or ['interp']")
        demand(self.kernels, f"{self.label}.json: it names no kernel")
        for kernel in self.kernels:
            self._keys(kernel, KERNEL_KEYS, needed=("name", "oracle", "sizes", "expected"))
            demand(kernel["expected"], f"{self.label}.json: {kernel['name']} has no expected case")
            demand(kernel.get("contents", "random") in ("random", "reference"),
                   f"{self.label}.json: contents are \"random\" or \"reference\"")
            for case in kernel["expected"]:
                self._keys(case, CASE_KEYS, needed=("name", "seed", "sizes"))

    def _keys(self, data, known, needed):
        for key in needed:
            demand(key in data, f"{self.label}.json: {key!r} is missing")
        for key, value in data.items():
            demand(key in known, f"{self.label}.json: nothing is called {key!r}; there is {', '.join(known)}")
            demand(isinstance(value, known[key]), f"{self.label}.json: {key!r} is no {known[key].__name__}")

    @property
    def constructed(self):
        return "physical" in self.providers

    def expected_folder(self, case):
        return self.corpus / "expected" / self.stem / case["name"]

    def values(self, kernel, seed, sizes, special=False):
        """Inputs and results of the kernel's reference as .npy files by name: in.VIEW.npy and out.VIEW.npy."""
        return npy_files(*self.arrays(kernel, seed, sizes, special))

    def expected_values(self, kernel, case):
        """values() of a stored case, held against the kernel's definition if corpus/definitions.py has one."""
        special = case.get("special", False)
        inputs, outputs = self.arrays(kernel, case["seed"], case["sizes"], special)
        defined = getattr(reference(self.corpus / "definitions.py"), kernel.get("reference", self.stem), None)
        if defined and not special:
            for name, exact in defined(**inputs).items():
                demand(is_near(outputs[name], exact), f"{self.label}: the reference's {name} in case {case['name']} is not "
                       "what corpus/definitions.py says")
        return npy_files(inputs, outputs)

    def arrays(self, kernel, seed, sizes, special):
        module = reference(self.path.parent / "reference.py")
        name = kernel.get("reference", self.stem)
        demand(hasattr(module, name), f"{module.__file__} has no function {name}")
        arguments = {k: TYPES.get(v) or int(v) for k, v in constexprs(kernel["name"]).items()} | sizes
        with np.errstate(all="ignore"):
            inputs, outputs = getattr(module, name)(Inputs(seed, special), **arguments)
        demand(set(outputs) == set(kernel["oracle"]),
               f"{self.label}: the reference gives {sorted(outputs)}, the oracle is about {sorted(kernel['oracle'])}")
        return inputs, outputs


def constexprs(name):
    """What a name like gemm<BM = 64, T = f16> binds."""
    return dict(re.findall(r"(\w+)\s*=\s*(\w+)", name.partition("<")[2]))


@functools.lru_cache(maxsize=None)
def reference(path):
    demand(path.exists(), f"{path} is missing")
    spec = importlib.util.spec_from_file_location(f"reference_of_{path.parent.name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_near(array, exact):
    """Within sixteen roundings of the largest element, where `exact` says something."""
    exact, array = np.asarray(exact, float), np.asarray(array)
    if exact.shape != array.shape:
        return False
    said = ~np.isnan(exact)
    largest = np.abs(exact[said]).max(initial=0.0)
    return bool((np.abs(array.astype(float) - exact)[said] <= 16 * float(finfo(array.dtype).eps) * largest).all())


def npy_files(inputs, outputs):
    files = {f"in.{k}.npy": npy_bytes(v) for k, v in inputs.items()}
    return files | {f"out.{k}.npy": npy_bytes(v) for k, v in outputs.items()}


def npy_bytes(array):
    array, buffer = stored(array), io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(array) if array.ndim else array, version=(1, 0))
    return buffer.getvalue()


def groups(corpus=None):
    """The folders with kernels, the root first."""
    corpus = corpus or CORPUS
    return [corpus, *sorted(p.parent for p in corpus.glob("*/reference.py"))]


def entries(corpus=None):
    """Every entry, group by group. A kernel file outside, or a stem that two groups use, is an error."""
    corpus = corpus or CORPUS
    found, stems = [], {}
    for folder in groups(corpus):
        for path in sorted(folder.glob("*.kir")):
            found.append(Entry(path, corpus))
            demand(path.stem not in stems, f"{path} and {stems.get(path.stem)} have one name")
            stems[path.stem] = path
        for path in folder.glob("*.json"):
            demand(path.with_suffix(".kir").exists(), f"{path} stands beside no kernel")
    known = {*groups(corpus), corpus / "must-reject"}
    for path in corpus.rglob("*.kir"):
        demand(path.parent in known, f"{path}: its folder has no reference.py")
    return found
