"""ES modules joined into one script, which does what the modules do."""

import shutil
import subprocess

import pytest

from pairloom.errors import InputError
from pairloom.explorer.joining import joined
from pairloom.explorer.page_files import page_files

MODULES = {
    "main.js": """\
import "./effects.js";
import whole, { one, two as second } from './lib/numbers.js';
import * as all from "./lib/numbers.js";
import {
  three,
} from './again.js';
import pubSub from "vendored";
log(whole, one, second, three, all.Four.name, pubSub, all.five(), [...all.six()].length);
// import nothing from here
const text = ` import x`;
""",
    "effects.js": "globalThis.log = (...values) => console.log(values.join(' '));",
    "lib/numbers.js": """\
import { base } from '../base.js';
export const one = base + 1;
const two = 2;
export { two, two as deux };
export class Four {}
export async function later() {}
export function five() { return 5; }
export function* six() { yield 6; }
export default base;
""",
    "again.js": "export { deux as three } from './lib/numbers.js';",
    "base.js": "export const base = 0;",
    "vendor/vendored.js": "const x = 'vendored';\nexport { x as default };",
}
EXPECTED = "0 1 2 2 Four vendored 5 1"


def test_the_script_does_what_the_modules_do(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node here; the tests in a browser run the exported page")
    path = tmp_path / "joined.js"
    path.write_text(joined(MODULES, "main.js"))
    done = subprocess.run([node, str(path)], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == (EXPECTED, "")


def test_modules_stand_before_those_that_import_them_and_once():
    script = joined(MODULES, "main.js")
    places = [script.index(text) for text in ("globalThis", "base = 0", "one = base", "x = 'vendored'", "log(whole")]
    assert places == sorted(places)
    assert script.count("base = 0") == 1
    assert "import " not in script.replace("// import nothing", "").replace("` import x`", "")
    assert script == joined(dict(reversed(MODULES.items())), "main.js")


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ({"main.js": "import { a } from './a.js';"}, "main.js needs 'a.js', which is not there"),
        ({}, "The page needs 'main.js', which is not there"),
        (
            {"main.js": "import './a.js';", "a.js": "import './main.js';"},
            "The modules main.js and a.js import each other. Break the cycle.",
        ),
        ({"main.js": "export let a = 1;"}, "main.js cannot be joined with other modules: 'export let a = 1;'"),
        ({"main.js": "export var a = 1;"}, "cannot be joined"),
        ({"main.js": "export * from './a.js';", "a.js": ""}, "cannot be joined"),
        ({"main.js": "  export const a = 1;"}, "cannot be joined"),
        ({"main.js": "const x = await\nimport('./a.js');"}, "cannot be joined"),
        ({"main.js": "x(import.meta.url);"}, "cannot be joined"),
    ],
)
def test_what_cannot_be_joined_is_refused(modules, message):
    with pytest.raises(InputError) as error:
        joined(modules, "main.js")
    assert message in str(error.value)


def test_the_page_can_be_joined():
    sources = {path[1:]: file.content.decode() for path, file in page_files().items() if path.endswith(".js")}
    script = joined(sources, "app.js")
    assert all(name in script for name in ("createScatterplot", "class EmbeddedSource"))
    assert script.count("const $default = createPubSub;") == 1
