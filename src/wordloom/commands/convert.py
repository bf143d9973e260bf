"""wordloom convert: a model in another format."""

from argparse import ArgumentParser, Namespace

from wordloom.commands.inputs import load

PURPOSE = "write a model in another format"
EXAMPLE = "wordloom convert king.loom king.bin"


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument("model", metavar="MODEL", help="a .loom or .safetensors file")
    parser.add_argument(
        "output", metavar="OUT", help=".bin is word2vec binary, .vec and .txt word2vec text, .loom ours"
    )


def run(args: Namespace) -> None:
    """Do it."""
    from wordloom import formats

    formats.check_output(args.output)
    embedding = load(args.model)
    embedding.save(args.output)
    print(f"{args.output}: {len(embedding):,} words, {embedding.words.dim} dimensions")
