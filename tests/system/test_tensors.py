"""Arrays in files: pages that are asked for beforehand."""

import numpy as np
import pytest

from pairloom.system import tensors


@pytest.mark.parametrize("free", [None, 0, 1 << 40])
def test_asking_for_pages_changes_nothing_however_much_memory_is_free(free, monkeypatch, tmp_path):
    monkeypatch.setattr(tensors, "available", lambda: free)
    expected = np.arange(12.0).reshape(3, 4)
    expected.tofile(tmp_path / "x")
    mapped = np.memmap(tmp_path / "x", np.float64, "r", shape=(3, 4))
    tensors.ask_for_pages(mapped)
    assert np.array_equal(mapped, expected)
