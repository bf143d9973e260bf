"""Run a command and print its peak memory in the last lines: in total, and without pages of mapped files.

This is a small process, because on Linux the peak of a process starts at the memory of its parent. Pages of mapped
files stay in memory until it is needed elsewhere, so the total says little about the memory that a program needs.
"""

import re
import resource
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread

process = subprocess.Popen(sys.argv[1:])
private_kb = 0


def watch() -> None:
    """Sample the private memory 20 times a second, since the system records only the peak of the total."""
    global private_kb
    status = Path(f"/proc/{process.pid}/status")
    with suppress(OSError):  # the process is over, or this system has no /proc
        while True:
            sizes = re.findall(r"^Rss(?:Anon|Shmem):\s+(\d+) kB", status.read_text(), re.MULTILINE)
            private_kb = max(private_kb, sum(map(int, sizes)))
            time.sleep(0.05)


Thread(target=watch, daemon=True).start()
code = process.wait()
print(f"private_kb = {private_kb}")
print(f"peak_kb = {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}", flush=True)
sys.exit(code)
