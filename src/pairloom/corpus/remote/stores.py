"""Where an address leads, with which credentials, and what a failed request means.

Nothing is contacted but the host of the address, hosts to which it redirects, and what the user's own environment
variables name. obstore would otherwise ask the metadata services of clouds for credentials. So without credentials in
the environment, requests are not signed.
"""

import base64
import ipaddress
import os
import re
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

from pairloom.errors import InputError, PairloomError
from pairloom.system.addresses import SCHEMES, is_path_of_address, scheme_of, shown, user_of
from pairloom.system.extras import need

ALLOW_HTTP = "PAIRLOOM_ALLOW_HTTP"

# The overall time of a request is not limited, since files may be large. obstore's own limit is 30 seconds.
CONNECT_SECONDS, SILENT_SECONDS, ALL_SECONDS = 10, 60, 7 * 24 * 3600
RETRIES = 6  # after 0.2, 0.4, ... seconds, 13 in total
_RETRY = {
    "max_retries": RETRIES,
    "retry_timeout": timedelta(minutes=5),
    "backoff": {"init_backoff": timedelta(seconds=0.2), "max_backoff": timedelta(seconds=15), "base": 2},
}

_AWS_CREDENTIALS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
_AWS_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
_GOOGLE_CREDENTIALS = (
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_SERVICE_ACCOUNT",
    "GOOGLE_SERVICE_ACCOUNT_PATH",
    "GOOGLE_SERVICE_ACCOUNT_KEY",
    "GOOGLE_BEARER_TOKEN",
)

_SIGN_IN = {
    "s3": "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, for example by: "
    'eval "$(aws configure export-credentials --format env)"',
    "gs": "Set GOOGLE_APPLICATION_CREDENTIALS to a file of credentials, for example that of: "
    "gcloud auth application-default login",
}
_RETRIED = f"It was tried {RETRIES + 1} times."


class Location(NamedTuple):
    """A file, folder or glob on a store."""

    address: str
    store: Any  # of obstore
    path: str  # in the store; empty on web servers, whose addresses are kept as they are

    @property
    def name(self) -> str:
        """The address without secrets."""
        return shown(self.address)

    @property
    def has_listing(self) -> bool:
        """Whether the store can say which files it has. Web servers cannot."""
        return scheme_of(self.address) in ("s3", "gs")


def located(address: str) -> Location:
    """Where an address leads. Contacts nothing."""
    stores = {"s3": _s3, "gs": _gs, "https": _web, "http": _web}
    if is_path_of_address(address):
        raise InputError(f"{shown(address)} lost a slash when it became a Path. Give the address as a string.")
    if (scheme := scheme_of(address)) not in stores:
        known = ", ".join(f"{name}://" for name in SCHEMES[:3])
        raise InputError(f"{shown(address)}: {scheme}:// is not read. Use {known} or a path.")
    need("obstore", "remote", f"{scheme}://")
    return stores[scheme](address)


def _s3(address: str) -> Location:
    from obstore.store import S3Store

    bucket, path = _bucket_and_path(address)
    endpoint = next((os.environ[name] for name in _AWS_ENDPOINTS if os.environ.get(name)), "")
    unsigned = not any(map(os.environ.get, _AWS_CREDENTIALS))
    return Location(address, S3Store(bucket, skip_signature=unsigned, **_options(address, endpoint)), path)


def _gs(address: str) -> Location:
    from obstore.store import GCSStore

    bucket, path = _bucket_and_path(address)
    unsigned = not any(map(os.environ.get, _GOOGLE_CREDENTIALS)) and not _gcloud_credentials().exists()
    options = _options(address, os.environ.get("GOOGLE_BASE_URL", ""))
    return Location(address, GCSStore(bucket, skip_signature=unsigned, **options), path)


def _gcloud_credentials() -> Path:
    """Where `gcloud auth application-default login` writes, and obstore reads."""
    home = Path(os.environ["APPDATA"]) if os.name == "nt" else Path("~/.config").expanduser()
    return home / "gcloud" / "application_default_credentials.json"


def _web(address: str) -> Location:
    from obstore.store import HTTPStore

    options = _options(address, address)
    user = user_of(address)
    if user:
        token = base64.b64encode(unquote(user).encode()).decode()
        options["client_options"]["default_headers"] = {"Authorization": f"Basic {token}"}
    try:
        parts = urlsplit(address)
        plain = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))
        return Location(address, HTTPStore(plain, **options), "")
    except Exception:  # its text may repeat the address
        raise InputError(f"{shown(address)} is not an address. Check it.") from None


def _bucket_and_path(address: str) -> tuple[str, str]:
    if user_of(address):
        raise InputError(
            f"{shown(address)}: a key before the bucket is not read, since commands are seen by others. "
            f"{_SIGN_IN[scheme_of(address)]}."
        )
    bucket, _, path = address.partition("://")[2].partition("/")
    if not bucket:
        raise InputError(f"{address} has no bucket. Write {scheme_of(address)}://bucket/path.")
    return bucket, path


def _options(address: str, endpoint: str) -> dict[str, Any]:
    """Limits of time, retries, and whether the connection may be unencrypted. endpoint: the address of the server."""
    plain = endpoint.lower().startswith("http://")
    if plain and not _is_loopback(endpoint) and os.environ.get(ALLOW_HTTP) != "1":
        raise InputError(
            f"{shown(address)} would be read by http://, and on its way anyone could read and change it. Use https://; "
            f"or set {ALLOW_HTTP}=1 if the network is yours."
        )
    client = {
        "allow_http": plain,
        "connect_timeout": timedelta(seconds=CONNECT_SECONDS),
        "read_timeout": timedelta(seconds=SILENT_SECONDS),
        "timeout": timedelta(seconds=ALL_SECONDS),
    }
    return {"client_options": client, "retry_config": _RETRY}


def _is_loopback(address: str) -> bool:
    """Whether the host is this machine, by its number or as localhost."""
    with suppress(ValueError):
        host = urlsplit(address).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    return False


# --- What a failed request means


def failure(error: Exception, location: Location) -> PairloomError:
    """What is so and what to do, for an error of obstore. Its own text may hold secrets, so it is not shown."""
    name, text = location.name, str(error)
    status = re.search(r"status code: (\d{3})", text)
    code = int(status[1]) if status else 0
    if isinstance(error, FileNotFoundError) or code == 404:
        what = "no such bucket" if "NoSuchBucket" in text else "not found (404)"
        return InputError(f"{name}: {what}. Check the address.")
    if code in (401, 403):
        return _refused(location, code, text)
    for sign, what in _SIGNS.items():
        if sign in text:
            return InputError(f"{name}: {what}")
    if code:
        again = f" {_RETRIED}" if code >= 500 else ""
        return InputError(f"{name}: the server answered {code}.{again} Try again later, or copy the file here first.")
    return InputError(f"{name} cannot be read ({type(error).__name__}). Copy the file here first, and give its path.")


# Parts of obstore's texts. The first that is found counts.
_SIGNS = {
    "dns error": "the host is not known. Check the address and the network.",
    "InvalidCertificate": "the certificate of the server is not valid. If it is your own, set SSL_CERT_FILE to it.",
    "TooManyRedirects": "it is redirected in circles. Check the address.",
    "error following redirect": "it is redirected to an address that is not read. Check the address.",
    "BareRedirect": "the bucket is in another region. Set AWS_REGION to it.",
    "BadScheme": "it is redirected to an address that is not read. Check the address.",
    "code: 30": "it is redirected to an address that is not read. Check the address.",
    "MissingContentLength": "the server does not say how long the file is, so one that is cut short would not be "
    "noticed. Copy the file here first, and give its path.",
    "TimedOut": f"the server was silent for too long. {_RETRIED} Try again later.",
    "kind: Timeout": f"the server was silent for too long. {_RETRIED} Try again later.",
    "ConnectionRefused": f"the server refuses connections. {_RETRIED} Check the address.",
    "kind: Connect": f"no connection. {_RETRIED} Check the address and the network.",
    "RangeNotSupported": "the connection broke, and the server cannot resume. Try again later.",
    "kind: Interrupted": "the connection broke again and again. Try again later, or copy the file here first.",
    "InvalidPath": "this is not a path that a store can have. Check the address.",
}


def _refused(location: Location, code: int, text: str) -> InputError:
    """The error for missing or wrong credentials."""
    reason = re.search(r"<Code>(\w+)</Code>", text)
    why = f"{code}, {reason[1]}" if reason else str(code)
    scheme = scheme_of(location.address)
    advice = f"{_SIGN_IN[scheme]}." if scheme in _SIGN_IN else "It needs a password or a signed address. Check it."
    return InputError(f"{location.name}: access is denied ({why}). {advice}")
