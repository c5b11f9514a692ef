"""See scripts/make-expected."""
import os
import sys

import corpus_catalogue
from tally import Failed

CORPUS = corpus_catalogue.CORPUS


def cases():
    """Yields (folder, file contents by name) for each expected case of each kernel."""
    for entry in corpus_catalogue.entries():
        for kernel in entry.kernels:
            for case in kernel["expected"]:
                yield entry.expected_folder(case), entry.expected_values(kernel, case)


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
    for extra in sorted({p.parent for p in CORPUS.glob("expected/*/*/*.npy")} - folders):
        wrong.append(extra.relative_to(CORPUS.parent))
    if check:
        for path in wrong:
            print(f"{path}: not what NumPy computes")
    print(f"{count} files, {size} bytes, {len(wrong)} {'differ' if check else 'written'}")
    return 1 if check and wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as e:
        sys.exit(f"make-expected: {e}")
