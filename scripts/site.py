"""Build the site of docs/: python -m scripts.site ZENSICAL

Copies the pages to build/docs, writes the reference beside them, has zensical make HTML of them in build/site, and
follows every link. Nothing is fetched, and the pages load nothing from another host.
"""

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from scripts.reference import commands_page, python_page

ROOT = Path(__file__).parent.parent
HOME = "https://github.com/pairloom/pairloom/blob/main/"
# Pages from elsewhere in the project, and where they stand in the site.
MOVED = {
    "README.md": "index.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "SECURITY.md": "SECURITY.md",
    "benchmarks/README.md": "benchmarks.md",
}
LOADS = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "video": "src"}
# What the theme's script would fetch other scripts for.
FETCHES = re.compile(r'class="[^"]*\b(?:mermaid|glightbox|pyodide)\b|data-md-component="source"')


def main() -> None:
    pages, site = ROOT / "build/docs", ROOT / "build/site"
    for folder in (pages, site):
        shutil.rmtree(folder, ignore_errors=True)
    write_pages(pages)
    done = subprocess.run([sys.argv[1], "build", "--clean"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"zensical failed:\n{done.stdout}{done.stderr}")
    faults = site_faults(site)
    if faults:
        sys.exit("\n".join(faults))
    print(f"build/site/index.html: {len(list(site.glob('*.html')))} pages, all links lead somewhere")


def write_pages(target: Path) -> None:
    """All pages of the site in one folder, with their pictures."""
    target.mkdir(parents=True)
    for path in sorted((ROOT / "docs").iterdir()):
        if path.suffix == ".md":
            (target / path.name).write_text(moved_links(path), encoding="utf-8")
        else:
            shutil.copy(path, target)
    for source, name in MOVED.items():
        (target / name).write_text(moved_links(ROOT / source), encoding="utf-8")
    (target / "reference-commands.md").write_text(commands_page(), encoding="utf-8")
    (target / "reference-python.md").write_text(python_page(), encoding="utf-8")


def moved_links(page: Path) -> str:
    """The text of a page, with links to what is in the site as they are there, and others to the project's home."""

    def moved(match: re.Match[str]) -> str:
        path, mark, anchor = match[1].partition("#")
        target = (page.parent / path).resolve().relative_to(ROOT).as_posix()
        if target in MOVED:
            return f"]({MOVED[target]}{mark}{anchor})"
        if target.startswith("docs/"):
            return f"]({target.removeprefix('docs/')}{mark}{anchor})"
        return f"]({HOME}{target}{mark}{anchor})"

    return re.sub(r"\]\((?![a-z]+:|#)([^)\s]+)\)", moved, page.read_text(encoding="utf-8"))


class Links(HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attrs if value}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in LOADS and LOADS[tag] in found and found.get("rel") not in ("canonical", "next", "prev"):
            self.loads.append(found[LOADS[tag]])


def site_faults(site: Path) -> list[str]:
    """One line for each link that leads nowhere, and for each thing that comes from another host."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(site.glob("*.html"))}
    pages = {path: Links(text) for path, text in texts.items()}
    faults = []
    for path, page in pages.items():
        if path.name == "404.html":  # its links are from the root of a server
            continue
        faults += [f"{path.name} loads {link}" for link in page.loads if urlsplit(link).netloc]
        faults += [f"{path.name} loads {found[0]}" for found in FETCHES.finditer(texts[path])]
        faults += [
            f"{path.name}: {link} leads nowhere"
            for link in [*page.links, *page.loads]
            if leads_nowhere(link, path, pages)
        ]
    styles = [path for path in sorted(site.rglob("*.css")) if re.search(r"url\([\"']?(?:https?:)?//", path.read_text())]
    return faults + [f"{path.name} loads from another host" for path in styles]


def leads_nowhere(link: str, path: Path, pages: dict[Path, Links]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return False  # another host, which is not asked
    target = (path.parent / unquote(parts.path)).resolve() if parts.path not in ("", ".") else path
    target = target / "index.html" if target.is_dir() else target
    anchor = unquote(parts.fragment)
    return not target.exists() or bool(anchor and target in pages and anchor not in pages[target].anchors)


if __name__ == "__main__":
    main()
