"""What surrounds the code: metadata, the README on PyPI, the definition of CI, the citation."""

import re
import tomllib

import pytest

import hatch_build
import pairloom
from tests.pages import ROOT, text_of

PROJECT = tomllib.loads(text_of("pyproject.toml"))["project"]
HOME = "https://github.com/pairloom/pairloom"


def test_on_pypi_the_readme_links_to_pages_that_are_there():
    text = hatch_build.with_absolute_links(text_of("README.md"))
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links and all(link.startswith(("https://", "#")) for link in links)
    ours = [link.removeprefix(hatch_build.HOME) for link in links if link.startswith(hatch_build.HOME)]
    assert len(ours) > 10 and [link for link in ours if not (ROOT / link.partition("#")[0]).exists()] == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[a](docs/a.md#b)", f"[a]({hatch_build.HOME}docs/a.md#b)"),
        ("[a](https://a.org)", "[a](https://a.org)"),
        ("[a](#b)", "[a](#b)"),
        ("`x[1](y)` is code too", f"`x[1]({hatch_build.HOME}y)` is code too"),
    ],
)
def test_only_links_to_files_change(before, after):
    assert hatch_build.with_absolute_links(before) == after


def test_the_readme_has_no_code_that_looks_like_a_link():
    """The last case above is wrong, but does not occur."""
    without_links = re.sub(r"\[[^\]]*\]\([^)]*\)", "", text_of("README.md"))
    assert "](" not in without_links


def test_the_build_puts_the_readme_into_the_metadata():
    metadata = {}
    hatch_build.AbsoluteLinks(str(ROOT), {}).update(metadata)
    assert metadata["readme"]["content-type"] == "text/markdown"
    assert f"({HOME}/blob/main/docs/options.md)" in metadata["readme"]["text"]
    assert "readme" in PROJECT["dynamic"]


def test_urls_and_classifiers_name_the_project_and_its_pythons():
    assert all(url.startswith(HOME) for url in PROJECT["urls"].values())
    versions = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert versions[0] == PROJECT["requires-python"].removeprefix(">=")


def test_ci_tries_every_python_on_every_system_and_pins_what_it_uses():
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load(text_of(".github/workflows/ci.yml"))
    matrix = workflow["jobs"]["test"]["strategy"]["matrix"]
    assert [name.partition("-")[0] for name in matrix["os"]] == ["ubuntu", "macos", "windows"]
    classified = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert matrix["python"] == classified
    assert workflow["permissions"] == {"contents": "read"} and "{{ secrets." not in text_of(".github/workflows/ci.yml")
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"]) for step in steps if "uses" in step)
    targets = re.findall(r"make ([\w-]+)", " ".join(step.get("run", "") for step in steps))
    assert {"test", "test-lowest"} <= set(targets) and all(f"\n{name}:" in text_of("Makefile") for name in targets)


@pytest.mark.parametrize("name", ["bug.yml", "idea.yml", "config.yml"])
def test_templates_of_issues_are_sound(name):
    yaml = pytest.importorskip("yaml")
    template = yaml.safe_load(text_of(f".github/ISSUE_TEMPLATE/{name}"))
    assert template.get("body") or template.get("contact_links")


def test_the_citation_is_of_this_version():
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load(text_of("CITATION.cff"))
    assert (citation["version"], citation["license"]) == (pairloom.__version__, PROJECT["license"])
    assert citation["repository-code"] == HOME


def test_hooks_before_a_commit_are_local():
    yaml = pytest.importorskip("yaml")
    assert [repo["repo"] for repo in yaml.safe_load(text_of(".pre-commit-config.yaml"))["repos"]] == ["local"]


def test_the_changelog_begins_with_what_is_unreleased_and_then_has_versions():
    heads = re.findall(r"^## (.*)$", text_of("CHANGELOG.md"), re.MULTILINE)
    assert heads[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", head) for head in heads[1:])


def test_the_image_runs_commands_that_exist_as_a_user_without_privileges():
    from pairloom.cli.commands import NAMES

    text = text_of("Dockerfile")
    assert text.index("\nUSER pairloom") < text.index("RUN pairloom compile")
    assert set(re.findall(r"(?:RUN|&&) pairloom (\w+)", text)) <= set(NAMES)
    extras = re.search(r"/src\[([\w,]+)\]", text)[1].split(",")
    assert set(extras) <= PROJECT["optional-dependencies"].keys()
