"""Signals: a command ends like after Ctrl-C, a training with checkpoints writes one first."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest
from llvmlite import binding

from pairloom.cli.main import main
from pairloom.cli.signals import REPEAT, interrupt, interrupt_on_signals, stop_at_checkpoint, taken_interrupt
from pairloom.training.checkpoint import Checkpoints

TRAIN = ["--dim", "8", "--min-count", "2", "--sample", "0", "--threads", "2", "--quiet"]


@pytest.fixture(scope="module")
def text(zipf_corpus, tmp_path_factory):
    path = tmp_path_factory.mktemp("interrupted") / "zipf.txt"
    path.write_text("".join(" ".join(sentence) + "\n" for sentence in zipf_corpus))
    return path


def started(*typed, cwd=None):
    return subprocess.Popen(
        [sys.executable, "-m", "pairloom", "train", *map(str, typed)], stderr=subprocess.PIPE, text=True, cwd=cwd
    )


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture(scope="module")
def whole(text):
    """The model of 40 undisturbed epochs."""
    path = text.with_name("whole.loom")
    assert main(["train", str(text), "-o", str(path), "--epochs", "40", *TRAIN]) == 0
    return path


def test_sigterm_ends_a_command_like_ctrl_c(corpus, tmp_path):
    command = [sys.executable, "-m", "pairloom", "train", corpus, "-o", tmp_path / "m.loom", "--epochs", "1000000"]
    process = subprocess.Popen([*command, "--min-count", "1"], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while not process.stderr.readline().startswith("train"):
        pass
    process.terminate()
    process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGTERM


def test_ctrl_c_ends_training_within_a_second_with_130_and_writes_nothing(corpus, tmp_path):
    out = tmp_path / "m.loom"
    command = [sys.executable, "-m", "pairloom", "train", corpus, "-o", out, "--epochs", "1000000", "--min-count", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while not process.stderr.readline().startswith("train"):
        pass
    process.send_signal(signal.SIGINT)
    began = time.perf_counter()
    _, err = process.communicate(timeout=20)
    assert time.perf_counter() - began < 1
    assert process.returncode == 130
    assert err.splitlines()[-1] == "pairloom train: interrupted; no file is left half-written."
    assert not out.exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_writes_a_checkpoint_and_resume_goes_on(text, whole, tmp_path, number, code):
    output, run = tmp_path / "out.loom", tmp_path / "run"
    output.write_text("old")
    process = started(
        text, "-o", "out.loom", "--epochs", 40, "--checkpoint", "run", "--every", "0.1s", *TRAIN, cwd=tmp_path
    )
    until(lambda: list(run.glob("*.checkpoint")) or process.poll() is not None)
    sent = time.monotonic()
    process.send_signal(number)
    _, said = process.communicate(timeout=20)
    assert time.monotonic() - sent < 5
    assert process.returncode == code
    assert said.startswith("pairloom train: Stopped in epoch ")
    assert said.endswith(". To resume: pairloom train --resume run (in Python, Checkpoints(..., resume=True))\n")
    assert output.read_text() == "old"
    assert main(["train", "--resume", str(run)]) == 0  # from another folder, with nothing else typed
    assert output.read_bytes() == whole.read_bytes()
    assert main(["train", "--resume", str(run), "-o", str(tmp_path / "again.loom")]) == 0  # it is done, and stays done
    assert (tmp_path / "again.loom").read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    ("signals", "said"), [(1, "Stopped in epoch "), (2, "interrupted; no file is left half-written.")]
)
def test_the_signal_is_answered_by_a_stop_and_a_second_one_by_an_end(
    text, tmp_path, monkeypatch, capsys, signals, said
):
    begin = Checkpoints.begin

    def disturbed(self, position):
        begin(self, position)
        for _ in range(signals):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.01)

    monkeypatch.setattr(Checkpoints, "begin", disturbed)
    before = signal.getsignal(signal.SIGINT)
    typed = ["train", str(text), "-o", str(tmp_path / "a.loom"), "--checkpoint", str(tmp_path / "run"), *TRAIN]
    assert main(typed) == 143
    assert capsys.readouterr().err.startswith(f"pairloom train: {said}")
    assert len(list((tmp_path / "run").glob("*.checkpoint"))) == 2 - signals
    assert signal.getsignal(signal.SIGINT) is before


def test_killed_before_the_first_checkpoint_it_begins_again(text, tmp_path):
    run = tmp_path / "run"
    process = started(text, "-o", tmp_path / "a.loom", "--epochs", 60, "--checkpoint", run, "--every", "1h", *TRAIN)
    until((run / "command.json").exists)
    process.kill()
    process.communicate()
    assert not list(run.glob("*.checkpoint"))
    assert main(["train", "--resume", str(run)]) == 0
    assert (tmp_path / "a.loom").exists()


def test_a_second_signal_ends_it_at_once(text, tmp_path):
    run = tmp_path / "run"
    process = started(text, "-o", tmp_path / "a.loom", "--epochs", 60, "--checkpoint", run, *TRAIN)
    until((run / "command.json").exists)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode in (130, 143)
    assert not (tmp_path / "a.loom").exists()


def test_ignored_signals_stay_ignored(text, tmp_path):
    """As under nohup."""
    before = {n: signal.signal(n, signal.SIG_IGN) for n in (signal.SIGHUP, signal.SIGINT)}
    try:
        with stop_at_checkpoint(Checkpoints(tmp_path / "run")):
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN
        assert main(["info", "missing.loom"]) == 2
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_signals_of_schedulers_and_terminals_interrupt_as_ctrl_c_does(number):
    before = signal.signal(number, signal.SIG_DFL)  # under nohup, SIGHUP is ignored
    try:
        with pytest.raises(KeyboardInterrupt) as caught, interrupt_on_signals():
            os.kill(os.getpid(), number)
            time.sleep(5)
        assert caught.value.args == (number,)
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)


def test_a_command_in_another_thread_leaves_signals_alone():
    handlers = []

    def in_a_thread():
        with interrupt_on_signals():
            handlers.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=in_a_thread)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGTERM)]


# --- Interrupts at places that forget exceptions


def test_a_forgotten_interrupt_comes_again():
    with pytest.raises(KeyboardInterrupt), interrupt_on_signals():
        with suppress(BaseException):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        time.sleep(5)


def test_a_forgotten_interrupt_is_not_printed(capfd):
    class Careless:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)

    with pytest.raises(KeyboardInterrupt), interrupt_on_signals():
        Careless()
        time.sleep(5)
    assert capfd.readouterr().err == ""


def test_an_interrupt_on_its_way_does_not_come_again():
    """Else it would disturb what cleans up."""
    cleaned = False
    with pytest.raises(KeyboardInterrupt), interrupt_on_signals():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        finally:
            time.sleep(3 * REPEAT)
            try:
                raise FileNotFoundError("what was to be removed")
            except FileNotFoundError:
                time.sleep(3 * REPEAT)
            cleaned = True
    assert cleaned


def test_llvm_is_not_left_between_a_call_and_the_note_that_it_was_made(monkeypatch):
    """A module that was given to an engine and does not know it is freed by both, and the program ends by SIGSEGV."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    module = binding.parse_assembly("")
    machine = binding.Target.from_default_triple().create_target_machine()
    leave = binding.ffi.OutputString.__exit__

    def disturbed(*args):  # called once the engine exists
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(3 * REPEAT)
        leave(*args)

    monkeypatch.setattr(binding.ffi.OutputString, "__exit__", disturbed)
    with pytest.raises(KeyboardInterrupt), interrupt_on_signals():
        binding.create_mcjit_compiler(module, machine)
        time.sleep(5)
    assert module._owned


def test_one_forgotten_at_the_very_end_does_not_matter():
    with interrupt_on_signals(), suppress(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5)
    time.sleep(3 * REPEAT)


def test_one_forgotten_inside_comes_again_outside():
    with pytest.raises(KeyboardInterrupt), interrupt_on_signals():
        with interrupt_on_signals(), suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        time.sleep(5)


def test_systems_without_timers_interrupt_once(monkeypatch):
    monkeypatch.delattr(signal, "setitimer")
    with interrupt_on_signals():
        with pytest.raises(KeyboardInterrupt):
            interrupt(signal.SIGINT, None)
        assert taken_interrupt() == signal.SIGINT
        assert taken_interrupt() is None


def ended(tmp_path, code):
    """The exit code and the message of `pairloom info x.loom`, with some code executed before it."""
    begin = "import os, signal, sys, time; from pairloom.__main__ import main; sys.argv[1:] = ['info', 'x.loom']\n"
    send = "def send(): os.kill(os.getpid(), signal.SIGTERM); time.sleep(2)\n"
    (tmp_path / "run.py").write_text(f"{begin}{send}{code}\nsys.exit(main())\n")
    done = subprocess.run([sys.executable, tmp_path / "run.py"], capture_output=True, text=True)
    return done.returncode, done.stderr


def test_a_signal_while_the_command_line_is_imported(tmp_path):
    finder = """
class Finder:
    def find_spec(name, path, target):
        if name == "pairloom.cli.arguments": send()
sys.meta_path.insert(0, Finder)
"""
    assert ended(tmp_path, finder) == (143, "pairloom: interrupted; no file is left half-written.\n")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_signal_while_a_stream_is_given_another_encoder(tmp_path, stream):
    """A stream whose new encoder could not be made has none, and writes nothing more."""
    encoder = f"""
import codecs
make = codecs.IncrementalEncoder.__init__
def disturbed(self, errors="strict"):
    make(self, errors)
    caller = sys._getframe(1)
    if caller.f_code.co_name == "_accept_all_characters" and caller.f_locals["stream"] is sys.{stream}: send()
codecs.IncrementalEncoder.__init__ = disturbed
"""
    assert ended(tmp_path, encoder) == (143, "pairloom: interrupted; no file is left half-written.\n")


@pytest.mark.parametrize("handler", ["ours.interrupt", "signal.SIG_IGN"])
def test_a_signal_while_the_handlers_are_set(tmp_path, handler):
    """They are set before the first import of a command, and ignored after its end."""
    code = f"""
import pairloom.cli.commands.info as info, pairloom.cli.signals as ours
info.run = lambda args: None
set_one = signal.signal
def disturbed(number, handler):
    before = set_one(number, handler)
    if number == signal.SIGINT and handler == {handler} and before != handler:
        set_one(signal.SIGTERM, ours.interrupt)
        send()
    return before
signal.signal = disturbed
"""
    assert ended(tmp_path, code) == (143, "pairloom: interrupted; no file is left half-written.\n")


def test_an_interrupt_forgotten_until_the_end_does_not_change_the_exit_code(tmp_path):
    code = """
import contextlib, pairloom.cli.commands.info as info
def run(args):
    with contextlib.suppress(BaseException): send()
info.run = run
import atexit; atexit.register(time.sleep, 0.3)
"""
    assert ended(tmp_path, code) == (0, "")


@pytest.mark.skipif(os.name == "nt", reason="closes stderr by a POSIX shell")
def test_a_signal_without_stderr_writes_to_no_other_file(tmp_path):
    """Without stderr, file 2 is the first one that the program opens."""
    program = (
        "import os, signal, sys, time; import pairloom.__main__ as entry; import pairloom.cli.main as command\n"
        "def run(): os.open('other', os.O_CREAT | os.O_WRONLY); os.kill(os.getpid(), signal.SIGTERM); time.sleep(2)\n"
        "command.main = run; sys.exit(entry.main())"
    )
    (tmp_path / "run.py").write_text(program)
    done = subprocess.run(["sh", "-c", f"exec {sys.executable} run.py 2>&-"], cwd=tmp_path, stdout=subprocess.PIPE)
    assert done.returncode == 143
    assert (tmp_path / "other").read_bytes() == done.stdout == b""


@pytest.mark.parametrize(
    "where",
    [
        "exec('send()')",  # Python would end by SIGINT
        "\n    try: send()\n    except KeyboardInterrupt: raise RuntimeError('what an interrupted library may say')",
    ],
)
def test_the_exit_code_of_a_signal_wherever_it_comes(tmp_path, where):
    code = f"import pairloom.cli.commands.info as info\ndef run(args): {where}\ninfo.run = run"
    assert ended(tmp_path, code) == (143, "pairloom info: interrupted; no file is left half-written.\n")


def test_an_interrupted_program_runs_what_is_to_be_run_at_its_end_but_takes_no_module_apart(tmp_path):
    """A module whose import was cut short can crash when Python takes it apart."""
    code = """
import atexit, pathlib, pairloom.cli.commands.info as info
atexit.register(pathlib.Path("cleaned").touch)
class Crashes:
    def __del__(self): os.kill(os.getpid(), signal.SIGSEGV)
info.half_loaded = Crashes()
def run(args): send()
info.run = run
os.chdir(sys.path[0])
"""
    assert ended(tmp_path, code) == (143, "pairloom info: interrupted; no file is left half-written.\n")
    assert (tmp_path / "cleaned").exists()


def test_a_signal_after_the_command_changes_nothing(tmp_path):
    """Python takes a third of a second to end."""
    code = "import atexit, pairloom.cli.commands.info as info\ninfo.run = lambda args: None\natexit.register(send)"
    assert ended(tmp_path, code) == (0, "")


def test_bugs_still_show_where_they_are(tmp_path):
    code, said = ended(tmp_path, "import pairloom.cli.commands.info as info\ninfo.run = lambda args: 1 / 0")
    assert code == 1
    assert said.startswith("Traceback")
    assert said.endswith("ZeroDivisionError: division by zero\n")
