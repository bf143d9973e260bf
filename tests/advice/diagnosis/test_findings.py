"""pairloom doctor and pairloom compile: what they find, on machines and installations made up here."""

import json
import os
import subprocess
import sys
from importlib import metadata

import pytest

from pairloom.advice.diagnosis import findings as module
from pairloom.advice.diagnosis import kernels, machine, packages, published
from pairloom.advice.diagnosis.findings import findings
from pairloom.cli.main import main
from pairloom.errors import InputError


def of(topic, found):
    return [finding for finding in found if finding.topic == topic]


@pytest.fixture
def all_found():
    return list(findings(kernels=False))


def test_a_sound_installation_is_all_good(capsys):
    assert main(["doctor", "--fast", "-q"]) == 0
    assert capsys.readouterr().out.endswith("\nall good\n")
    assert main(["doctor", "--fast", "-q", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["good"] and {"topic", "what", "status", "advice"} == told["findings"][0].keys()


def test_every_package_and_extra_of_the_metadata_is_reported(all_found):
    topics = {finding.topic for finding in all_found}
    assert {f"extra {extra}" for extra in metadata.metadata("pairloom").get_all("Provides-Extra")} <= topics
    assert {"numba", "numpy", "llvmlite", "rich"} <= {finding.what.split()[0] for finding in of("package", all_found)}
    assert [finding for finding in all_found if finding.status == "wrong"] == []


def test_a_package_that_cannot_be_imported_is_wrong_and_ends_with_code_2(monkeypatch, capsys):
    real = packages.import_module

    def broken(name):
        if name == "faiss":
            raise OSError("libgomp.so.1: cannot open shared object file\nmore")
        return real(name)

    monkeypatch.setattr(packages, "import_module", broken)
    with pytest.raises(SystemExit) as end:
        main(["doctor", "--fast", "-q"])
    out = capsys.readouterr().out
    assert end.value.code == 2
    assert "! extra ann" in out and "cannot be imported: libgomp.so.1: cannot open shared object file\n" in out
    assert "pip install --force-reinstall 'pairloom[ann]'" in out and out.endswith("1 problem: see the lines with !\n")


def test_every_package_of_the_metadata_has_a_module_to_import():
    named = {packages._normalised(packages._parsed(one)[0]) for one in metadata.requires("pairloom")}
    assert named | {"llvmlite"} == packages.MODULES.keys()


def test_missing_packages_are_wrong_only_if_they_are_always_needed(monkeypatch):
    monkeypatch.setattr(packages, "is_installed", lambda name: name not in ("rich", "ray"))
    found = list(module._packages())
    assert [finding.status for finding in found if "rich" in finding.what] == ["wrong"]
    assert [finding.status for finding in found if finding.what.startswith("ray ")] == ["ok"]


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "150000 100000\n"}, 1.5),
        ({"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "max 100000\n"}, None),
        (
            {
                "proc/self/cgroup": "4:cpu,cpuacct:/x\n3:memory:/x\n",
                "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "50000",
                "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000",
            },
            0.5,
        ),
        ({"proc/self/cgroup": "4:cpu:/\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1"}, None),
        ({}, None),
    ],
)
def test_the_processor_time_of_a_container(files, quota, tmp_path):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert machine.cpu_quota(tmp_path) == quota


def test_a_limit_below_the_cores_advises_threads(monkeypatch):
    monkeypatch.setattr(machine, "cores", lambda: machine.Cores(8, 8, 2.5))
    finding = module._cores()
    assert (finding.status, finding.advice) == ("note", "More threads than that wait for each other. Use --threads 2.")


def test_a_processor_without_the_usual_instructions_is_noted(monkeypatch):
    old = machine.Processor("Old", "x86_64", "nehalem", (), ("avx2", "fma"))
    monkeypatch.setattr(machine, "processor", lambda: old)
    assert "slower without avx2 and fma" in module._processor().advice


def test_the_processor_has_the_name_that_linux_reports(tmp_path):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text("processor : 0\nmodel name\t: Fast 9000\n")
    assert machine.model_name(tmp_path) == "Fast 9000"
    assert machine.model_name(tmp_path / "none") == ""


@pytest.mark.parametrize(("free", "status"), [(None, "ok"), (10**8, "note"), (10**10, "ok")])
def test_little_memory_is_noted(free, status, monkeypatch):
    monkeypatch.setattr(module, "available", lambda: free)
    assert module._memory().status == status


def test_a_cache_that_cannot_be_written_is_noted(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PAIRLOOM_CACHE", str(tmp_path / "file" / "cache"))
    finding = module._text_cache()
    assert finding.status == "note" and "Set PAIRLOOM_CACHE" in finding.advice
    monkeypatch.setenv("PAIRLOOM_CACHE", str(tmp_path))
    monkeypatch.setenv("PAIRLOOM_CACHE_SIZE", "lots")
    assert module._text_cache().status == "wrong"
    monkeypatch.setenv("PAIRLOOM_CACHE_SIZE", "2GB")
    assert module._text_cache().what == f"{tmp_path}: 0 texts, 0.0 MB, at most 2.0 GB"


def test_a_folder_for_temporary_files_that_cannot_be_written_or_is_full(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path / "file"))
    assert module._temporary_files().status == "wrong"
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(module, "_LITTLE_SPACE", 1e30)
    assert module._temporary_files().status == "note"


# --- Kernels


def test_every_case_that_is_checked_is_published():
    assert published.CHECKED.keys() <= json.loads(published.EXPECTED.read_bytes()).keys()


def test_the_digests_are_part_of_the_package():
    """The wheel takes all files of the package, so it is enough that they are inside."""
    assert published.EXPECTED.parent.name == "diagnosis" and published.EXPECTED.is_file()


def test_other_bytes_are_wrong(monkeypatch):
    name = "text, skip-gram by negative sampling"
    assert module._kernels(name).what == f"{name}: the published bytes"
    monkeypatch.setitem(published.CHECKED, name, lambda folder, threads: "0" * 64)
    finding = module._kernels(name)
    assert (finding.status, finding.what) == ("wrong", f"{name}: other bytes than published, with 1 thread")

    def fails(folder, threads):
        raise InputError("no luck")

    monkeypatch.setitem(published.CHECKED, name, fails)
    assert module._kernels(name).status == "wrong"


def test_what_was_compiled_is_found_by_the_check(capsys):
    assert main(["compile", "--json", "-q"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["folder"] == str(kernels.cache_place()) and len(told["steps"]) > 15
    command = [sys.executable, "-m", "pairloom", "compile", "--check", "--quiet", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    again = json.loads(done.stdout)
    assert again["compiled"] == 0 and again["loaded"] > 50


def test_the_check_fails_where_nothing_is_compiled(tmp_path):
    command = [sys.executable, "-m", "pairloom", "compile", "--check", "--quiet"]
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "new")}
    )
    assert done.returncode == 2
    assert done.stderr.endswith("is not compiled yet, or not for this CPU. Compile it with: pairloom compile\n")
    assert done.stderr.count("\n") == 1 and list(tmp_path.rglob("*.nbc")) == []
