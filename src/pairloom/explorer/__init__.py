"""A page in the browser to explore models, and the server that answers it: `pairloom explore`.

models.py       a model with what its questions need: coordinates, completion, classes
answers.py      one function for each question; each answers with what a call of the library returns
parameters.py   the parameters of a URL, read and checked
urls.py         the table of URLs: parameters, answer, form of the answer
openapi.py      the same table as OpenAPI
guard.py        who may ask: Host, Origin, token, methods, limits
workers.py      threads that answer, and the cache of answers
page_files.py   the files of the page, read once
application.py  all of these as one Starlette application
serving.py      uvicorn with limits and timeouts
joining.py      ES modules joined into one script
export.py       page and model in one file

`app` makes a Starlette application of models, to mount it in another one or to test it:

    uvicorn.run(pairloom.explorer.app([pairloom.load("king.loom")]))
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pairloom.system.extras import need

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from pairloom.explorer.models import ExploredModel
    from pairloom.vectors.embedding import Embedding

__all__ = ["app"]


def app(
    models: "Sequence[Embedding | ExploredModel]", *, token: str | None = None, port: int | None = None
) -> "Starlette":
    """The explorer of one or more models as a Starlette application.

    token  if given, requests must send it as `Authorization: Bearer TOKEN`. Without it everyone who reaches the
           application may ask, so protect it where you mount it.
    port   if given, the Host header must name this port

    Only requests whose Host is 127.0.0.1, localhost or [::1] are answered: web pages of strangers could otherwise ask
    under a name of theirs that leads to this machine.
    """
    need("starlette", "explore", "The explorer")
    from pairloom.explorer.application import application
    from pairloom.explorer.guard import Guard
    from pairloom.explorer.models import explored

    return application([explored(model, f"model {i}") for i, model in enumerate(models)], Guard(token=token, port=port))
