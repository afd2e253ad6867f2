"""The Autobahn cases 1 to 10, run by kosoku: the echo client over the same core, and `wsii hub --echo`."""

import collections
import json
import os
import subprocess

from harness.clock import until
from harness.registry import scenario
from harness.server import connectable, free_port
from harness.world import expect, expect_equal

CASES = 301
GOOD = {"OK", "NON-STRICT", "INFORMATIONAL"}


def runner(t):
    return os.path.join(os.path.dirname(t.need_python("kosoku")), "kosoku")


def chosen(only):
    """Everything but compression (12 and 13), or only some for a short run."""
    return ["-i", only] if only else ["-x", "12.*", "-x", "13.*"]


def judge(t, folder, cases):
    with open(os.path.join(folder, "index.json")) as f:
        agents = json.load(f)
    expect_equal(len(agents), 1, "agents")
    (found,) = agents.values()
    counts = collections.Counter(c["behavior"] for c in found.values())
    bad = [n for n, c in found.items() if c["behavior"] not in GOOD or c["behaviorClose"] not in ("OK", "INFORMATIONAL")]
    expect(not bad, f"cases {', '.join(bad[:20])} of {len(found)}: {dict(counts)}")
    # Cases that were not run are silently absent from the report.
    expect_equal(len(found), cases, "cases")
    t.note(f"{len(found)} cases: " + ", ".join(f"{n} {k}" for k, n in counts.most_common()))


@scenario(seconds=200)
def client(t, only="", cases=CASES):
    """The echo client against the fuzzing server."""
    port, reports = free_port(), t.path("reports")
    server = t.start([runner(t), "-m", "fuzzingserver", *chosen(only), "-o", reports, f"127.0.0.1:{port}"])
    expect(until(lambda: connectable(port), 10), f"the fuzzing server doesn't start: {server.errors[-300:]!r}")
    echo = os.path.join(os.path.dirname(t.binary), "echo-client")
    done = subprocess.run(
        [echo, "127.0.0.1", str(port), "wsii"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180
    )
    expect_equal(done.returncode, 0, f"the echo client's exit status ({done.stderr[-300:]!r})")
    server.exit(20)
    judge(t, reports, cases)


@scenario(seconds=200)
def server(t, only="", cases=CASES):
    """The hub against the fuzzing client."""
    reports = t.path("reports")
    hub = t.hub("--max-message", "64MiB")
    client = t.start([runner(t), "-m", "fuzzingclient", "-p", "2", *chosen(only), "-o", reports, hub.url])
    client.exit(180)
    judge(t, reports, cases)
    expect(hub.is_running, "the hub died")
