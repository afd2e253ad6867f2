#!/usr/bin/env python3
"""Line coverage of each core file from its own test file alone.

  coverage.py --scratch DIR [--count FILE] [--lines] TARGET…

Sources/T/X.swift is judged by Tests/TTests/XTests.swift only: what another file's tests happen to touch proves nothing
about X. Below 95 % fails. Every run of uncovered lines needs a reason in Tests/Stages/uncovered.txt, a line each:
T/X.swift | the run's first line of code | reason
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEAST = 95.0


def suites(file):
    """The types in a test file that hold its tests."""
    text = file.read_text()
    return sorted(set(re.findall(r"^(?:@\w+(?:\([^)]*\))? )*(?:final )?(?:struct|class|actor|enum) (\w+)", text, re.M)))


def reasons():
    """{(file, first line of code): reason}"""
    found = {}
    path = ROOT / "Tests/Stages/uncovered.txt"
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.strip() and not line.startswith("#"):
            file, code, reason = (part.strip() for part in line.split(" | ", 2))
            found[file, code] = reason
    return found


def measure(source, test, target, binary, tools, folder):
    """[(line, count)] of the source's executable lines, or a fault in words."""
    raw, merged = folder / f"{target}-{source.stem}.raw", folder / f"{target}-{source.stem}.data"
    wanted = rf"^{target}Tests\.({'|'.join(suites(test))})[/.]"
    run = subprocess.run(
        # One test at a time: counters are not atomic, and counts are differences of counters.
        [binary, "--testing-library", "swift-testing", "--no-parallel", "--filter", wanted],
        env={**os.environ, "LLVM_PROFILE_FILE": str(raw)}, cwd=ROOT, capture_output=True, text=True, timeout=300,
    )
    if run.returncode or not raw.exists():
        return None, f"its tests fail alone ({(run.stdout + run.stderr)[-300:].strip()})"
    if re.search(r"run with 0 tests", run.stdout):
        return None, f"no test matches {wanted}"
    subprocess.run([f"{tools}/llvm-profdata", "merge", "-sparse", raw, "-o", merged], check=True)
    lcov = subprocess.run(
        [f"{tools}/llvm-cov", "export", "-format=lcov", binary, f"-instr-profile={merged}", source],
        capture_output=True, text=True, check=True,
    ).stdout
    return lines_of(source, lcov), None


def lines_of(source, lcov):
    """[(line, count)] of a source. For one without executable lines llvm-cov exports all others instead."""
    for record in lcov.split("end_of_record"):
        if f"SF:{source}\n" in record:
            return [tuple(map(int, l[3:].split(",")[:2])) for l in record.splitlines() if l.startswith("DA:")]
    return []


def runs(lines, text):
    """Uncovered lines as [(first, last)], joined over lines without code between them."""
    found, open_run = [], None
    for number, count in lines:
        if count == 0:
            open_run = (open_run[0], number) if open_run else (number, number)
        elif open_run:
            found.append(open_run)
            open_run = None
    if open_run:
        found.append(open_run)
    return [(a, b, text[a - 1].strip()) for a, b in found]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scratch", default=".build-cov")
    parser.add_argument("--count")
    parser.add_argument("--lines", action="store_true", help="show every uncovered line, with its reason")
    parser.add_argument("targets", nargs="+")
    options = parser.parse_args()
    binary = next((ROOT / options.scratch / "debug").glob("*.xctest"))
    # PATH's llvm-cov may be the system's, which doesn't read this toolchain's profiles.
    tools = pathlib.Path(os.path.realpath(shutil.which("swift"))).parent
    known, used = reasons(), set()
    passed = failed = total = covered = 0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="coverage-"))
    jobs = []
    for target in options.targets:
        for source in sorted((ROOT / "Sources" / target).rglob("*.swift")):
            # Type+Topic.swift may have tests of its own or be judged by those of its type.
            names = [f"{source.stem}Tests.swift", f"{source.stem.split('+')[0]}Tests.swift"]
            found = [t for n in names for t in (ROOT / f"Tests/{target}Tests").rglob(n)]
            test = found[0] if found else None
            jobs.append((target, source, test))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(
            pool.map(lambda j: measure(j[1], j[2] or j[1], j[0], binary, tools, folder) if j[2] else (None, None), jobs)
        )
    for (target, source, test), (lines, fault) in zip(jobs, results):
        name = f"{target}/{source.relative_to(ROOT / 'Sources' / target)}"
        text = source.read_text().splitlines()
        if test is None:
            if has_code(source, binary, tools, folder):
                print(f"not ok coverage {name}: no {source.stem}Tests.swift in Tests/{target}Tests")
                failed += 1
            continue
        if fault:
            print(f"not ok coverage {name}: {fault}")
            failed += 1
            continue
        if not lines:
            continue
        hit = sum(1 for _, count in lines if count)
        percent = 100 * hit / len(lines)
        total += len(lines)
        covered += hit
        open_runs = [r for r in runs(lines, text) if (name, r[2]) not in known]
        used |= {(name, r[2]) for r in runs(lines, text)}
        if options.lines:
            for first, last, code in runs(lines, text):
                print(f"  {name}:{first}-{last} {code}: {known.get((name, code), 'no reason given')}")
        if percent < LEAST or open_runs:
            where = ", ".join(f"{a}-{b}" if a != b else str(a) for a, b, _ in open_runs)
            print(f"not ok coverage {name}: {percent:.1f} %" + (f", without a reason: lines {where}" if where else ""))
            failed += 1
        else:
            print(f"ok coverage {name} ({percent:.1f} % of {len(lines)} lines)")
            passed += 1
    judged = {entry for entry in known if entry[0].split("/")[0] in options.targets}
    for file, code in sorted(judged - used):
        print(f"not ok coverage {file}: its reason for {code!r} in uncovered.txt isn't needed")
        failed += 1
    shutil.rmtree(folder)
    if total:
        print(f"{covered} of {total} lines, {100 * covered / total:.2f} %, each file from its own tests")
    if options.count:
        with open(options.count, "w") as file:
            file.write(f"{passed} {failed}\n")
    return 1 if failed else 0


def has_code(source, binary, tools, folder):
    """Whether a file without tests of its own has executable lines at all."""
    empty = folder / "empty.data"
    if not empty.exists():
        raw = folder / "empty.raw"
        subprocess.run(
            [binary, "--testing-library", "swift-testing", "--filter", "^nothing$"],
            env={**os.environ, "LLVM_PROFILE_FILE": str(raw)}, capture_output=True,
        )
        subprocess.run([f"{tools}/llvm-profdata", "merge", "-sparse", raw, "-o", empty], check=True)
    lcov = subprocess.run(
        [f"{tools}/llvm-cov", "export", "-format=lcov", binary, f"-instr-profile={empty}", source],
        capture_output=True, text=True,
    ).stdout
    return bool(lines_of(source, lcov))


if __name__ == "__main__":
    sys.exit(main())
