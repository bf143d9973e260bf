"""Draw docs/cluster-plan.svg: how long two large trainings take, by number of workers.

    python -m scripts.cluster_plan

Speeds are fixed, so that the plot does not depend on the machine that draws it.
"""

from pathlib import Path

import pairloom
from pairloom.advice.planning.chart import chart

OUTPUT = Path(__file__).parent.parent / "docs" / "cluster-plan.svg"
WORKER = {"threads": 16, "network": "25Gb", "latency": 0.2}
EXAMPLES = {
    "2 M words, 10 G tokens, dim 300": {"words": "2M", "tokens": "10G", "dim": 300, "pairs_per_second": 3e6},
    "1 B words, 1 T tokens, dim 100": {"words": "1B", "tokens": "1T", "dim": 100, "pairs_per_second": 5e6},
}


def main() -> None:
    """Draw the plot, and print where it is."""
    found = [(title, pairloom.plan(**WORKER, **given)) for title, given in EXAMPLES.items()]  # type: ignore[arg-type]
    OUTPUT.write_text(chart(found))
    print(OUTPUT)


if __name__ == "__main__":
    main()
