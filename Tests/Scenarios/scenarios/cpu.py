"""CPU for a message, beside websocat and the C floor in one interleaved run (../shared/bench, when it is there)."""

import json
import os
import shutil
import statistics
import subprocess

from harness.registry import scenario
from harness.world import expect


@scenario(seconds=900, alone=True)
def beside_websocat(t, messages=200_000, repetitions=3, most=0.5):
    """At most half of websocat's CPU, in and out; private memory beside it."""
    bench = os.path.join(t.checkout, "..", "shared", "bench")
    if not os.path.isdir(bench):
        t.skip("the bench folder ../shared/bench isn't beside this checkout")
    venv = os.path.dirname(t.need_python("websocat"))
    t.need("make", "gcc")
    here = t.path("bench")
    shutil.copytree(bench, here)
    subprocess.run(["chmod", "-R", "u+w", here], check=True)
    subprocess.run(["make", "-s", "-C", here, "all"], check=True, capture_output=True)
    environment = {**t.environment, "BENCH_VENV": venv, "BENCH_TMP": t.path("scratch")}
    # In: the server floods and closes. Out: lines come from a pipe.
    ours = f"wsii={t.binary} run --quiet --retries 0 {{url}}"
    for what, extra in (("in", ["--out", "pipe"]), ("in", ["--out", "null"]), ("out", ["--in", "pipe"])):
        results = t.path(f"results-{what}-{extra[1]}")
        done = subprocess.run(
            ["python3", "bench.py", what, *extra, "--n", str(messages), "--reps", str(repetitions), "--add", ours]
            + ["--peers", "floor-utf8,websocat,wsii", "--results", results],
            cwd=here, env=environment, capture_output=True, text=True, timeout=800,
        )
        expect(done.returncode == 0, f"bench.py {what}: {done.stderr[-400:]}")
        cpu, rss, complete = {}, {}, {}
        with open(results) as lines:
            for line in lines:
                d = json.loads(line)
                cpu.setdefault(d["peer"], []).append(d["cpu_per_m"])
                rss.setdefault(d["peer"], []).append(d["rss_kb"] / 1024)
                complete.setdefault(d["peer"], []).append(d["got"] == d["n"])
        expect(all(complete["wsii"]), f"{what}: not every message arrived ({done.stdout})")
        ratios = {
            peer: statistics.median(a / b for a, b in zip(cpu["wsii"], cpu[peer])) for peer in ("websocat", "floor-utf8")
        }
        t.note(
            f"{what} {extra[1]}: {statistics.median(cpu['wsii']):.2f} s CPU a million, {ratios['websocat']:.2f} x websocat, "
            f"{ratios['floor-utf8']:.1f} x floor-utf8, peak {statistics.median(rss['wsii']):.1f} MiB"
        )
        expect(ratios["websocat"] <= most, f"{what} {extra[1]}: {ratios['websocat']:.2f} x websocat's CPU; {t.figures}")
