"""How fast `pairloom explore` answers: clients that ask one question after the other, each over one connection.

    python -m benchmarks.explorer                      # 4 clients, 30 s, 100,000 random words of dim 300
    python -m benchmarks.explorer --asked new          # every word is asked for once: no answer is in the cache
    python -m benchmarks.explorer --model king.loom --questions near --clients 1

Server and clients share the machine, on 127.0.0.1. A third of the questions each are `near` (10 neighbours), `complete`
(the first 1 to 4 letters of a word) and `words` (1,000 words). `--asked zipf` draws words as often as in a text: the
word of rank r with a probability of about 1 / r. Some questions then come again, and the table says how many.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import numpy as np

import pairloom

KINDS = ("near", "complete", "words")
MOST_SECONDS = 300


def random_model(path: Path, words: int, dim: int) -> None:
    """A model of random vectors: to search it takes as long as to search a trained one."""
    rng = np.random.default_rng(1)
    names = [f"{''.join(rng.choice(list('abcdefghijklmnop'), 4))}{i}" for i in range(words)]
    matrices = rng.normal(size=(2, words, dim)).astype(np.float32)
    counts = np.maximum(1, 1_000_000 // np.arange(1, words + 1))
    vectors, contexts = (pairloom.Vectors(names, matrix, counts) for matrix in matrices)
    pairloom.Embedding(words=vectors, contexts=contexts).save(path)


def questions(words: list[str], asked: str, kinds: list[str], seed: int) -> Iterator[tuple[str, str]]:
    """Questions without end, each with its kind."""
    rng = random.Random(seed)
    fresh = words[:]
    rng.shuffle(fresh)
    for number in range(sys.maxsize):
        rank = int(len(words) ** rng.random()) - 1  # log-uniform: the probability is about 1 / rank
        word = fresh[number % len(fresh)] if asked == "new" else words[rank]
        kind = kinds[number % len(kinds)]
        if kind == "near":
            yield kind, f"/api/near?word={quote(word)}&n=10"
        elif kind == "complete":
            yield kind, f"/api/complete?prefix={quote(word[: rng.randint(1, 4)])}&n=10"
        else:
            start = rng.randrange(max(1, len(words) // 1000)) * 1000
            yield kind, f"/api/words?start={start}&n=1000"


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, target: str, token: str) -> int:
    """Ask one question. Returns the status."""
    writer.write(f"GET {target} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    await reader.readexactly(length)
    return int(head[9:12])


async def client(
    host: str,
    token: str,
    asking: Iterator[tuple[str, str]],
    until: float,
    times: list[tuple[str, float, int]],
    seen: dict[str, int],
) -> None:
    """Ask until the time is over."""
    name, port = host.split(":")
    reader, writer = await asyncio.open_connection(name, int(port))
    while time.perf_counter() < until:
        kind, target = next(asking)
        seen[target] = seen.get(target, 0) + 1
        began = time.perf_counter()
        status = await ask(reader, writer, host, target, token)
        times.append((kind, time.perf_counter() - began, status))
    writer.close()


def cpu_seconds(pid: int) -> float:
    """The processor time of a process so far; NaN where the system has no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def load(host: str, token: str, words: list[str], pid: int, args: argparse.Namespace) -> None:
    """All clients at once, then the table."""
    await asyncio.sleep(args.wait)  # the server prepares itself: that is not what is measured
    at_work = cpu_seconds(pid), time.process_time()
    times: list[tuple[str, float, int]] = []
    seen: dict[str, int] = {}
    began = time.perf_counter()
    asking = questions(words, args.asked, args.questions, 1)  # one iterator for all, so that new words stay new
    await asyncio.gather(*(client(host, token, asking, began + args.seconds, times, seen) for _ in range(args.clients)))
    seconds = time.perf_counter() - began
    server = (cpu_seconds(pid) - at_work[0]) / len(times) * 1e3
    clients = (time.process_time() - at_work[1]) / len(times) * 1e3
    again = sum(n - 1 for n in seen.values()) / len(times)
    errors = sum(status != 200 for _, _, status in times)
    print(
        f"{args.clients} clients, {seconds:.0f} s, words {args.asked}: {len(times) / seconds:,.0f} requests/s, "
        f"{errors} errors, {again:.0%} of the questions asked before; "
        f"processor time of a request {server:.2f} ms in the server, {clients:.2f} ms in the clients"
    )
    for kind in [*args.questions, "all"]:
        chosen = np.array([1e3 * second for one, second, _ in times if kind in (one, "all")])
        p50, p90, p99 = np.percentile(chosen, [50, 90, 99])
        times_in_ms = f"p50 {p50:6.1f} ms   p90 {p90:6.1f}   p99 {p99:6.1f}   max {chosen.max():6.1f}"
        print(f"  {kind:10} {len(chosen):8,}   {times_in_ms}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--wait", type=float, default=5, help="seconds until the first question (default: 5)")
    parser.add_argument("--asked", choices=["zipf", "new"], default="zipf")
    parser.add_argument("--questions", nargs="+", choices=KINDS, default=list(KINDS))
    args = parser.parse_args()
    args.seconds = min(args.seconds, MOST_SECONDS)
    with tempfile.TemporaryDirectory() as folder:
        path = args.model or Path(folder) / "random.loom"
        if args.model is None:
            random_model(path, args.words, args.dim)
        command = [sys.executable, "-m", "pairloom", "explore", str(path), "--json", "--no-browser", "--method", "pca"]
        server = subprocess.Popen([*command, "--quiet"], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            told = json.loads(server.stdout.readline())
            asyncio.run(
                load(urlsplit(told["address"]).netloc, told["token"], pairloom.load(path).words.words, server.pid, args)
            )
        finally:
            server.terminate()
            server.wait(10)


if __name__ == "__main__":
    main()
