"""Run a command and tell its peak memory, as the last line.

A small process of its own, because Linux counts the memory of whoever starts a process as that process' own first peak.
"""

import resource
import subprocess
import sys

code = subprocess.run(sys.argv[1:]).returncode
print(f"peak {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss} kB", flush=True)
sys.exit(code)
