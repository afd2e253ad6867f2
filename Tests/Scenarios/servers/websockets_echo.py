"""Echoes over Python's websockets. argv: [certificate key]; prints the port it got."""

import asyncio
import ssl
import sys

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed


async def echo(link):
    try:
        async for message in link:
            if message == '"close"':
                await link.close(4000, "as you wish")
            else:
                await link.send(message)
    except ConnectionClosed:
        pass


async def main():
    context = None
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*sys.argv[1:3])
    # Deflate stays on and pings are frequent: a server as it comes, only livelier.
    async with serve(echo, "127.0.0.1", 0, ssl=context, ping_interval=0.5, max_size=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


asyncio.run(main())
