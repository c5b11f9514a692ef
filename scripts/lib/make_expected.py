"""See scripts/make-expected."""
import io
import json
import os
import pathlib
import sys

import numpy as np

import corpus_reference

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "corpus"


def npy_bytes(array):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(array) if array.ndim else array, version=(1, 0))
    return buffer.getvalue()


def cases():
    """Yields (folder, file contents by name) for each expected case of each kernel."""
    for path in sorted(CORPUS.glob("*.json")):
        entry = json.loads(path.read_text())
        for kernel in entry["kernels"]:
            function = getattr(corpus_reference, kernel.get("reference", path.stem))
            for case in kernel.get("expected", []):
                with np.errstate(all="ignore"):
                    inputs, outputs = function(corpus_reference.Inputs(case["seed"]), **case["sizes"])
                files = {f"in.{k}.npy": npy_bytes(v) for k, v in inputs.items()}
                files |= {f"out.{k}.npy": npy_bytes(v) for k, v in outputs.items()}
                yield CORPUS / "expected" / path.stem / case["name"], files


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    wrong, count, size, folders = [], 0, 0, set()
    for folder, files in cases():
        if folder in folders:
            sys.exit(f"make-expected: two cases share the folder {folder}")
        folders.add(folder)
        for name, content in files.items():
            count, size = count + 1, size + len(content)
            target = folder / name
            stored = target.read_bytes() if target.exists() else None
            if stored == content:
                continue
            wrong.append(target.relative_to(CORPUS.parent))
            if not check:
                folder.mkdir(parents=True, exist_ok=True)
                temporary = target.with_name("." + name + ".new")
                temporary.write_bytes(content)
                os.replace(temporary, target)
        for extra in set(folder.glob("*")) - {folder / n for n in files}:
            wrong.append(extra.relative_to(CORPUS.parent))
            if not check:
                extra.unlink()
    for extra in sorted(p.parent for p in CORPUS.glob("expected/*/*/in.*.npy") if p.parent not in folders):
        wrong.append(extra.relative_to(CORPUS.parent))
    if check:
        for path in wrong:
            print(f"{path}: not what NumPy computes")
    print(f"{count} files, {size} bytes, {len(wrong)} {'differ' if check else 'written'}")
    return 1 if check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
