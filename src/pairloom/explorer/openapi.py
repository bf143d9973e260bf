"""The URLs as OpenAPI 3.1, for people and programs that ask without the page."""

from typing import Any

from pairloom import __version__
from pairloom.explorer.parameters import LONGEST_WORD, MOST_WORDS, Parameter
from pairloom.explorer.urls import URLS, Url

ERROR = {
    "type": "object",
    "properties": {"error": {"type": "string", "description": "one line that ends in what to do"}},
    "required": ["error"],
}
ERRORS = {
    "400": "A parameter is missing, unknown or out of range.",
    "401": "The token is missing or wrong.",
    "403": "The request comes from another site, or under another name than that of this machine.",
    "404": "A word is not in the model.",
}


def document() -> dict[str, Any]:
    """The description of all URLs."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "pairloom explore",
            "version": __version__,
            "description": "Neighbours, analogies, explanations and a map of the words of models.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"token": []}, {"cookie": []}],
        "paths": {url.path: {"get": _operation(url)} for url in URLS},
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "the token that the command prints"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "pairloom", "description": "set by /?code="},
            },
            "schemas": {"Error": ERROR},
        },
    }


def _operation(url: Url) -> dict[str, Any]:
    if url.schema is None:
        content: dict[str, Any] = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    else:
        content = {"application/json": {"schema": url.schema}}
    fault = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {
        "operationId": url.path.removeprefix("/api/").replace("-", "_"),
        "summary": url.summary,
        "parameters": [_parameter(parameter) for parameter in url.parameters],
        "responses": {
            "200": {"description": url.layout or url.summary, "content": content},
            **{code: {"description": meaning, "content": fault} for code, meaning in ERRORS.items()},
        },
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": "query",
        "description": parameter.meaning,
        "required": parameter.required,
        "schema": _schema(parameter),
    }


def _schema(parameter: Parameter) -> dict[str, Any]:
    if parameter.repeats:
        one = {"type": "string", "maxLength": LONGEST_WORD}
        return {"type": "array", "items": one, "minItems": 1, "maxItems": MOST_WORDS}
    if parameter.between:
        least, most = parameter.between
        return {"type": "integer", "minimum": least, "maximum": most, "default": parameter.default}
    default = {} if parameter.default is None else {"default": parameter.default}
    choices = {"enum": list(parameter.choices)} if parameter.choices else {"maxLength": LONGEST_WORD}
    return {"type": "string", **choices, **default}
