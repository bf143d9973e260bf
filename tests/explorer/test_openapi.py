"""The description fits the routes, and the answers fit the description."""

import re

import pytest

from pairloom.explorer.openapi import document
from pairloom.explorer.page_files import page_files
from pairloom.explorer.urls import URLS

EXAMPLES = {
    "/api/models": [""],
    "/api/words": ["n=3"],
    "/api/complete": ["prefix=ki"],
    "/api/near": ["word=king", "word=king&word=queen&against=contexts", "word=king&of=contexts&n=2"],
    "/api/analogy": ["a=kin&b=king&c=queen", "a=kin&b=king&c=queen&method=mul"],
    "/api/odd": ["word=king&word=queen&word=the"],
    "/api/path": ["from=king&to=the"],
    "/api/pair": ["a=king&b=queen"],
    "/api/probability": ["w=king&c=queen"],
    "/api/compare": ["word=king"],
}


def faults(value, schema, where="answer"):
    """Where a value does not have the form of a schema: the few words of JSON Schema that we use."""
    kinds = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
    }
    known = {"type", "properties", "required", "additionalProperties", "items", "minItems", "maxItems"}
    assert schema.keys() <= known | {"anyOf", "enum", "const", "description"}, schema
    found = []
    if "anyOf" in schema and all(faults(value, one) for one in schema["anyOf"]):
        found.append(f"{where}: none of the forms")
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        found.append(f"{where}: {value!r}")
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(isinstance(value, kinds[one]) for one in types):
        return [f"{where} is {type(value).__name__}"]
    if isinstance(value, dict) and "properties" in schema:
        found += [f"{where} lacks {name}" for name in schema["required"] if name not in value]
        found += [f"{where} has {name}" for name in value if name not in schema["properties"]]
        for name, one in value.items():
            found += faults(one, schema["properties"].get(name, {}), f"{where}.{name}")
    if isinstance(value, list):
        fits = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
        found += [] if fits else [f"{where} has {len(value)} items"]
        for one in value:
            found += faults(one, schema.get("items", {}), f"{where}[]")
    return found


def test_every_route_is_described_and_every_description_is_a_route(client):
    described = client.get("/openapi.json").json()
    assert described == document()
    routes = {route.path for route in client.app.routes}
    assert set(described["paths"]) == {path for path in routes if path.startswith("/api/")}
    assert routes == set(described["paths"]) | {"/openapi.json", *page_files()}


def test_the_document_has_the_parts_that_openapi_demands():
    described = document()
    assert re.fullmatch(r"3\.1\.\d+", described["openapi"])
    assert {"title", "version"} <= described["info"].keys()
    operations = [operation for path in described["paths"].values() for operation in path.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations)
    for operation in operations:
        assert set(operation["responses"]) == {"200", "400", "401", "403", "404"}
        assert all(answer["description"] for answer in operation["responses"].values())
        for parameter in operation["parameters"]:
            assert parameter["in"] == "query" and parameter["description"] and "type" in parameter["schema"]
    assert set(described["components"]["securitySchemes"]) == {name for one in described["security"] for name in one}


@pytest.mark.parametrize("url", URLS, ids=lambda url: url.path)
def test_every_parameter_is_described_as_it_is_read(url, client):
    described = {one["name"]: one for one in document()["paths"][url.path]["get"]["parameters"]}
    assert list(described) == [parameter.name for parameter in url.parameters]
    needed = {parameter.name: "king" for parameter in url.parameters if parameter.required}
    for name, one in described.items():
        missing = {key: value for key, value in needed.items() if key != name}
        if one["required"]:
            assert client.get(url.path, params=missing).json()["error"].startswith(f"The parameter {name} is missing.")
        if "maximum" in one["schema"]:
            above = {**needed, name: one["schema"]["maximum"] + 1}
            assert client.get(url.path, params=above).json()["error"].startswith(f"{name}=")
        if "enum" in one["schema"]:
            assert client.get(url.path, params={**needed, name: "other"}).status_code == 400


@pytest.mark.parametrize(("path", "query"), [(path, query) for path, queries in EXAMPLES.items() for query in queries])
def test_answers_have_the_form_that_is_described(path, query, client):
    operation = document()["paths"][path]["get"]
    response = client.get(f"{path}?{query}" if query else path)
    content = operation["responses"]["200"]["content"]
    assert response.status_code == 200 and response.headers["content-type"] in content
    assert faults(response.json(), content["application/json"]["schema"]) == []


def test_the_check_of_forms_finds_faults():
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    assert faults({"a": 1}, schema) == []
    assert faults({"a": "1"}, schema) and faults({}, schema) and faults({"a": 1, "b": 2}, schema) and faults([], schema)


def test_all_urls_that_answer_in_json_are_tried():
    assert {url.path for url in URLS if url.schema is not None} == set(EXAMPLES)
