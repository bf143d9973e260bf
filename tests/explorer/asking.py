"""Asks an application without a server. (Starlette's own client warns about the httpx that it needs.)"""

import asyncio

import httpx


class Client:
    """Each request has an event loop of its own."""

    def __init__(self, app, host="127.0.0.1"):
        self.app, self.base = app, f"http://{host}"

    def request(self, method, url, **options):
        async def send():
            transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=True)
            async with httpx.AsyncClient(transport=transport, base_url=self.base) as client:
                return await client.request(method, url, **options)

        return asyncio.run(send())

    def get(self, url, **options):
        return self.request("GET", url, **options)
