"""One run per output: the second is refused, and the lock never outlives its process."""

import errno
import os
import platform
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from pairloom.cli.main import main
from pairloom.errors import LockedError, OutputError
from pairloom.system import locks, temporary
from pairloom.system.locks import claim

pytestmark = pytest.mark.skipif(not temporary.HAS_LOCKS, reason="this system has no flock")

HOLD = """
import sys
from pairloom.system.locks import claim
with claim(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """A process that holds a claim until its standard input is closed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def message(path: Path, who: str) -> str:
    return f"{path} is already the output of {who}. Wait until it has ended, stop it, or choose another output."


def test_another_process_is_refused_with_the_name_of_the_holder(tmp_path: Path) -> None:
    path = tmp_path / "vectors.loom"
    with holder(path) as other:
        with pytest.raises(LockedError) as refused, claim(path):
            pass
        assert str(refused.value) == message(path, f"process {other.pid}")
        assert refused.value.exit_code == 6
        other.communicate("")
    with claim(path):
        assert [file.name for file in tmp_path.iterdir()] == [".pairloom-vectors.loom.lock"]
    assert list(tmp_path.iterdir()) == []


def test_a_claim_ends_when_its_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "vectors.loom"
    with holder(path) as other:
        other.send_signal(signal.SIGKILL)
        other.wait()
        assert list(tmp_path.iterdir()) == [tmp_path / ".pairloom-vectors.loom.lock"]
        with claim(path):
            pass
    assert list(tmp_path.iterdir()) == []


def test_the_same_process_is_refused_too_under_any_name(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "vectors")
    (tmp_path / "folder").symlink_to(tmp_path)
    with claim(tmp_path / "vectors"):
        for name in ("vectors", "link", "folder/vectors", "folder/link", "folder/folder/vectors"):
            with pytest.raises(LockedError) as refused, claim(tmp_path / name):
                pass
            assert str(refused.value) == message(tmp_path / name, f"this process ({os.getpid()})")
        with claim(tmp_path / "others"):
            pass
    with claim(tmp_path / "link"):
        pass


def test_a_link_from_another_process_is_the_same_claim(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "vectors")
    with holder(tmp_path / "link") as other:
        with pytest.raises(LockedError), claim(tmp_path / "vectors"):
            pass
        other.communicate("")


def test_a_claim_ends_with_its_body_also_after_an_error(tmp_path: Path) -> None:
    for error in (KeyError, KeyboardInterrupt, OSError):
        with pytest.raises(error), claim(tmp_path / "vectors"):
            raise error
        assert list(tmp_path.iterdir()) == []


def test_a_folder_can_be_claimed_too_and_a_name_of_any_length(tmp_path: Path) -> None:
    (tmp_path / "checkpoints").mkdir()
    for name in ("checkpoints", "n" * 255, "猫" * 85):
        with claim(tmp_path / name), pytest.raises(LockedError), claim(tmp_path / name):
            pass


def test_pipes_and_devices_need_no_claim(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (os.devnull, "/dev/stdout", tmp_path / "pipe"):
        with claim(path), claim(path):
            pass
    assert list(tmp_path.iterdir()) == [tmp_path / "pipe"]


def test_a_path_that_cannot_be_claimed_cannot_be_written(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "vectors", f"{tmp_path}/a\0b"):
        with pytest.raises(OutputError, match="could not be written"), claim(path):
            pass
    (tmp_path / ".pairloom-vectors.lock").symlink_to(tmp_path / "precious")
    with pytest.raises(OutputError, match="could not be written"), claim(tmp_path / "vectors"):
        pass
    assert not (tmp_path / "precious").exists()


@pytest.mark.parametrize(
    ("signature", "who"),
    [
        (b"", "another process"),
        (b"\x1b[2J 1", "another process"),
        (b"12 node7.example", "process 12 on node7.example"),
        (f"12 {platform.node()}".encode(), "process 12"),
    ],
)
def test_any_content_of_a_lock_file_makes_a_sound_message(tmp_path: Path, signature: bytes, who: str) -> None:
    with holder(tmp_path / "vectors") as other:
        (tmp_path / ".pairloom-vectors.lock").write_bytes(signature)
        with pytest.raises(LockedError) as refused, claim(tmp_path / "vectors"):
            pass
        assert str(refused.value) == message(tmp_path / "vectors", who)
        other.communicate("")


def test_a_lock_can_be_held_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with claim(tmp_path / "vectors"):
        assert (tmp_path / ".pairloom-vectors.lock").read_bytes() == b""


def test_a_lock_of_another_user_that_may_not_be_opened_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    lock = tmp_path / ".pairloom-vectors.lock"
    lock.touch()
    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(OutputError, match="Permission denied"), claim(tmp_path / "others"):
        pass
    with pytest.raises(LockedError) as caught, claim(tmp_path / "vectors"):
        pass
    assert str(caught.value) == (
        f"{tmp_path / 'vectors'} is already the output of another user's run, which has locked {lock}. Wait until "
        "it has ended, or choose another output. If no such run is left, have that file removed."
    )


def test_a_lock_whose_file_was_removed_while_it_was_opened_is_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, try_lock, tries = tmp_path / ".pairloom-vectors.lock", locks.try_lock, []

    def after_the_holder_has_ended(descriptor: int) -> bool | None:
        tries.append(descriptor)
        if len(tries) == 1:
            lock.unlink()
        if len(tries) == 2:  # or removed, and made again by a third process
            lock.unlink()
            lock.touch()
        return try_lock(descriptor)

    monkeypatch.setattr(locks, "try_lock", after_the_holder_has_ended)
    with claim(tmp_path / "vectors"):
        assert len(tries) == 3
        monkeypatch.setattr(locks, "try_lock", try_lock)
        with pytest.raises(subprocess.CalledProcessError):
            subprocess.run([sys.executable, "-c", HOLD, tmp_path / "vectors"], check=True, stderr=subprocess.DEVNULL)
    assert not lock.exists()


def test_a_lock_that_was_removed_by_hand_is_not_removed_again(tmp_path: Path) -> None:
    lock = tmp_path / ".pairloom-vectors.lock"
    with claim(tmp_path / "vectors"):
        lock.unlink()
        lock.write_bytes(b"that of another run")
    assert lock.read_bytes() == b"that of another run"


def test_without_flock_only_claims_of_the_same_process_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    for attribute, value in (("fcntl.flock", unsupported), ("pairloom.system.temporary.HAS_LOCKS", False)):
        monkeypatch.setattr(attribute, value)
        with claim(tmp_path / "vectors"), pytest.raises(LockedError), claim(tmp_path / "vectors"):
            pass
        assert list(tmp_path.iterdir()) == []


def test_many_threads_and_processes_never_hold_a_claim_together(tmp_path: Path) -> None:
    """The holder of the claim makes a file that must not exist yet, and removes it."""
    code = f"""
import sys, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_locks import contend
print(contend({str(tmp_path)!r}))
"""
    processes = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    counts = [process.communicate()[0] for process in processes]
    assert all(process.returncode == 0 for process in processes), counts
    assert sum(map(int, counts)) > 10
    assert list(tmp_path.iterdir()) == []


def contend(folder: str, seconds: float = 1.0) -> int:
    """How often the two threads of this process got the claim."""
    held: list[int] = []
    threads = [threading.Thread(target=_contend, args=(Path(folder), held, seconds)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert -1 not in held
    return len(held)


def _contend(folder: Path, held: list[int], seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with claim(folder / "vectors"):
                try:
                    (folder / "alone").touch(exist_ok=False)
                except FileExistsError:
                    held.append(-1)
                    return
                held.append(1)
                (folder / "alone").unlink()
        except LockedError:
            time.sleep(0)


def test_a_second_training_on_the_same_output_ends_with_6(
    tmp_path: Path, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, contexts = tmp_path / "model.loom", tmp_path / "contexts.vec"
    for path in (out, contexts):
        with holder(path) as other:
            assert main(["train", str(corpus), "-o", str(out), "--contexts-output", str(contexts)]) == 6
            assert capsys.readouterr().err == f"pairloom train: {message(path, f'process {other.pid}')}\n"
            other.communicate("")
    assert list(tmp_path.iterdir()) == []
