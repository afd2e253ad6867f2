"""What the kernel says about a process."""

import os

TICKS = os.sysconf("SC_CLK_TCK")


def _field(pid, file, name):
    with open(f"/proc/{pid}/{file}") as lines:
        for line in lines:
            if line.startswith(name + ":"):
                return int(line.split()[1])
    return 0


def resident_kib(pid):
    return _field(pid, "status", "VmRSS")


def peak_kib(pid):
    return _field(pid, "status", "VmHWM")


def private_kib(pid):
    return _field(pid, "smaps_rollup", "Private_Dirty") + _field(pid, "smaps_rollup", "Private_Clean")


def cpu_seconds(pid):
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat") as f:
            total += int(f.read().split()[0])
    return total / 1e9


def switches(pid):
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        total += _field(pid, f"task/{task}/status", "voluntary_ctxt_switches")
    return total


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def command_line(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as f:
        return f.read()


def environment(pid):
    with open(f"/proc/{pid}/environ", "rb") as f:
        return f.read()


def state(pid):
    with open(f"/proc/{pid}/stat") as f:
        return f.read().rsplit(") ", 1)[1].split()[0]
