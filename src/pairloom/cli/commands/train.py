"""pairloom train: learn vectors from a corpus and write them to a file."""

import json
import time
from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pairloom.cli.arguments import OPTIONS, explicit_options
from pairloom.cli.console import progress
from pairloom.cli.files import check_not_read, input_paths, read_words
from pairloom.cli.models import summary
from pairloom.cli.report_of_training import ReportOfTraining
from pairloom.cli.saved_command import to_json, with_saved
from pairloom.cli.signals import stop_at_checkpoint
from pairloom.cli.train_arguments import add_train_arguments
from pairloom.errors import InputError
from pairloom.system.display import number_of

if TYPE_CHECKING:
    from pairloom.cluster.ray_executor import RayExecutor
    from pairloom.vectors.embedding import Embedding

GROUP = "learn"
PURPOSE = "learn vectors from text, or from pairs"
EXAMPLE = "pairloom train corpus.txt -o king.loom --dim 300 --epochs 3"


def arguments(parser: ArgumentParser) -> None:
    add_train_arguments(parser)


def run(args: Namespace) -> None:
    from pairloom.training.checkpoint import Checkpoints

    if args.resume is not None:
        args = with_saved(args)
    _check_complete(args)
    for path in filter(None, (args.output, args.contexts_output)):
        check_not_read(path, *args.corpus, args.keep, args.drop, args.read_vocab, args.read_contexts, args.start)
    checkpoints = None
    if args.checkpoint is not None:
        checkpoints = Checkpoints(args.checkpoint, args.every or "5m", args.resume is not None, to_json(args))
    written = ReportOfTraining(args) if args.report is not None else None
    began, executor = time.perf_counter(), executor_of(args)
    with progress(args.quiet) as show, stop_at_checkpoint(checkpoints):
        on_progress = show if written is None else written.watching(show)
        shared = _shared(args) | {"checkpoint": checkpoints, "on_progress": on_progress, "executor": executor}
        embedding = _train_on_pairs(args, shared) if args.pairs else _train_on_text(args, shared)
    facts = {"output": str(args.output), "seconds": round(time.perf_counter() - began, 2), **summary(embedding)}
    if executor:
        facts["cluster"] = [asdict(worker) for worker in executor.progress()]
    if written is not None:
        with progress(args.quiet) as show:
            facts["report"] = written.write(embedding, show)
    if args.json:
        print(json.dumps(facts, indent=2))
    elif not args.quiet:
        print(_sentence(facts))
        if written is not None:
            print(f"{args.report}: {facts['report']['verdict']}")


def executor_of(args: Namespace) -> "RayExecutor | None":
    """The cluster to train on, if any."""
    if args.ray in (None, "none"):
        for name in ("workers", "copies", "round_log"):
            if args.ray is None and getattr(args, name) is not None:
                raise InputError(f"--{name.replace('_', '-')} is for a cluster. Leave it out, or add --ray local.")
        return None
    from pairloom.cluster.ray_executor import RayExecutor

    workers, threads = (getattr(args, name) for name in ("workers", "threads"))
    return RayExecutor(
        args.ray,
        workers=2 if workers is None else workers,
        threads=1 if threads is None else threads,
        copies=args.copies,
        log=args.round_log,
    )


def _check_complete(args: Namespace) -> None:
    """Check what only --resume can do without."""
    if not args.corpus:
        raise InputError(
            "No corpus is named. Give a file, a folder or - for standard input; see: pairloom train --help"
        )
    if args.output is None:
        raise InputError("No output is named. Name the file to write, for example: -o king.loom")
    if args.every is not None and args.checkpoint is None:
        raise InputError(
            "--every sets how often checkpoints are written, but there is no folder. Add --checkpoint DIR."
        )
    if args.evaluate and args.report is None:
        raise InputError("--evaluate puts scores into a report, but there is none. Add --report OUT.html.")


def _train_on_text(args: Namespace, shared: dict[str, Any]) -> "Embedding":
    """What `train` does; but the plan checks all options before the files of words are read."""
    from pairloom.corpus.vocabulary import Vocabulary
    from pairloom.training.plan import Plan
    from pairloom.training.train import train_text

    for name in ("read_contexts", "columns"):
        if getattr(args, name):
            raise InputError(f"--{name.replace('_', '-')} is only for --pairs. Leave it out, or add --pairs.")
    plan = Plan.of_text(explicit_options(args, OPTIONS), preset=args.preset, grow=args.grow, **shared)
    vocabulary = Vocabulary.read(args.read_vocab) if args.read_vocab else None
    choice = plan.word_choice(read_words(args.keep), read_words(args.drop), vocabulary)
    return train_text(plan, input_paths(args.corpus), choice)


def _train_on_pairs(args: Namespace, shared: dict[str, Any]) -> "Embedding":
    """What `train_pairs` does, in the same order."""
    from pairloom.corpus.vocabulary import Vocabulary
    from pairloom.training.plan import Plan
    from pairloom.training.train import train_given_pairs

    for name in ("keep", "drop", "grow", "preset"):
        if getattr(args, name):
            instead = "Give its options" if name == "preset" else "Change the pairs or their vocabularies"
            raise InputError(f"--{name} is for text, not for --pairs. {instead} instead.")
    plan = Plan.of_pairs(explicit_options(args, OPTIONS), **shared)
    words, contexts = (Vocabulary.read(path) if path else None for path in (args.read_vocab, args.read_contexts))
    columns = args.columns.split(",") if args.columns else None
    return train_given_pairs(plan, input_paths(args.corpus), plan.side_choice(words, contexts), columns)


def _shared(args: Namespace) -> dict[str, Any]:
    """The parameters that `train` and `train_pairs` have in common."""
    names = ("start", "freeze", "output", "contexts_output", "threads", "cache_dir", "max_memory")
    return {name: getattr(args, name) for name in names}


def _sentence(facts: dict[str, Any]) -> str:
    loss = facts["heldout_loss"]
    held_out = "no held-out loss" if loss is None else f"held-out loss {loss:.4f}"
    words = f"{number_of(facts['words'], 'word')}, {number_of(facts['dim'], 'dimension')}"
    if "start" in facts:
        taken = (number_of(facts["start"][f"{noun}s"], noun) for noun in ("word", "context"))
        words += f", {' and '.join(taken)} from --start"
    return f"{facts['output']}: {words}, {held_out}, {facts['seconds']:.1f} s"
