"""Run a command and tell its peak memory in its last lines: all of it, and what of it is not a page of a mapped file.

A small process of its own, because Linux counts the memory of whoever starts a process as that process' own first peak.
Pages of mapped files stay resident while nobody else wants the memory, so all of it says little about what is needed.
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
    """The system keeps the peak of all memory only, so this looks 20 times a second."""
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
