"""Train on a text, ask for neighbours, draw them and save the model.

    python examples/text.py TEXT [WORD ...]

Without arguments it trains on the text of `pairloom demo`, the source of Python's standard library.

It prints

    8,679 words, held-out loss 4.16 before and 2.04 after training
    month: day, year, weekday, week, days
    server: tcp, socketserver, localhost, client, udp
    valueerror: indexerror, typeerror, overflowerror, optionerror, notimplementederror
    Written: text.loom and text.svg
"""

import argparse
import tempfile
from pathlib import Path

import pairloom
from pairloom.cli.demo_text import write_corpus


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", nargs="?", help="a file, a folder or a glob; one sentence or paragraph per line")
    parser.add_argument("words", nargs="*", default=["month", "server", "valueerror"])
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--sample", type=float, default=1e-4, help="0 for a small text (default: 1e-4)")
    parser.add_argument("--output", type=Path, default=Path("text.loom"))
    args = parser.parse_args()

    options = {"dim": args.dim, "epochs": args.epochs, "sample": args.sample}
    with tempfile.TemporaryDirectory() as folder:
        text = args.text or Path(folder) / "python.txt"
        if not args.text:
            write_corpus(text)
        emb = pairloom.train(text, tokenize="words", **options, output=args.output)

    before, *_, after = emb.record["heldout"]["loss"]
    print(f"{len(emb):,} words, held-out loss {before:.2f} before and {after:.2f} after training")
    for word in args.words:
        print(f"{word}: {', '.join(near for near, _ in emb.most_similar(word, topn=5))}")
    emb.plot(neighbours_of=args.words[0]).save(args.output.with_suffix(".svg"))
    print(f"Written: {args.output} and {args.output.with_suffix('.svg')}")


if __name__ == "__main__":
    main()
