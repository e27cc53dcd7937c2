"""What the sandbox costs: the time to start a command in it, beside bare bubblewrap, and starting with no keeper.

    python bench/sandbox.py [--runs 60] [--json]

Both run `true`, one after the other, in one run; bare bubblewrap has the same namespaces and a handful of mounts. The
times are wall clock, because most of it is waiting for the kernel. The workspace has `--files` files in it.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BARE = [
    "bwrap", "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/usr", "/usr",
    "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
    "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--", "/bin/true",
]  # fmt: skip


def took(command: list[str], cwd: Path, env: dict[str, str]) -> float:
    """Milliseconds."""
    begun = time.perf_counter()
    subprocess.run(command, cwd=cwd, env=env, check=True, stdin=subprocess.DEVNULL)
    return (time.perf_counter() - begun) * 1000


def end_keeper(state: Path) -> None:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"--keep" in words and str(state).encode() in words:
            os.kill(int(process.name), signal.SIGKILL)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the start of the sandbox.")
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--files", type=int, default=2000, help="files in the workspace")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        workspace = root / "home" / "project"
        for number in range(options.files):
            place = workspace / f"package{number // 50}" / f"module{number}.py"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
        state = root / "state"
        env = {"HOME": str(root / "home"), "PATH": os.environ["PATH"], "GUARDHOUSE_STATE_DIR": str(state)}
        ours = [str(Path(sys.executable).with_name("guardhouse")), "sandbox", "--", "true"]
        try:
            cold = took(ours, workspace, env)
            bare_times, our_times = [], []
            for _ in range(options.runs):
                bare_times.append(took(BARE, workspace, env))
                our_times.append(took(ours, workspace, env))
        finally:
            end_keeper(state)
    bare, warm = statistics.median(bare_times), statistics.median(our_times)
    found = {
        "bubblewrap_ms": round(bare, 1),
        "sandbox_ms": round(warm, 1),
        "above_ms": round(warm - bare, 1),
        "sandbox_p95_ms": round(statistics.quantiles(our_times, n=20)[-1], 1),
        "first_ms": round(cold, 1),
    }
    if options.json:
        print(json.dumps(found))
        return
    print(f"bare bubblewrap, p50      {found['bubblewrap_ms']:8} ms")
    print(f"guardhouse sandbox, p50   {found['sandbox_ms']:8} ms, p95 {found['sandbox_p95_ms']} ms")
    print(f"above bubblewrap          {found['above_ms']:8} ms (bar: 80)")
    print(f"the first, with no keeper {found['first_ms']:8} ms")


if __name__ == "__main__":
    main()
