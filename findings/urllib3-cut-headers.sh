#!/usr/bin/env bash
# urllib3 2.8.0, requests 2.34.2, httpx 0.28.1, aiohttp 3.14.5, and http.client of Python 3.11.
# A server ends the connection within the headers of an answer. urllib3, requests and http.client return the answer as if it was
# complete, with status 200, the headers so far and no content, because the parser of the headers takes the end of the stream for
# the empty line. httpx and aiohttp raise an error:
#   http.client (200, b'')   urllib3 (200, b'')   requests (200, b'')   httpx RemoteProtocolError   aiohttp ServerDisconnectedError
# Exits with 1 if this changes. Needs Python 3.11.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --only-binary :all: urllib3==2.8.0 requests==2.34.2 httpx==0.28.1 aiohttp==3.14.5
venv/bin/python - <<'PYTHON'
import asyncio
import http.client
import socket
import threading

import aiohttp
import httpx
import requests
import urllib3

listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
url = f"http://127.0.0.1:{port}/"


def serve():
    while True:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Le")


threading.Thread(target=serve, daemon=True).start()


def plain():
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=9)
    connection.request("GET", "/")
    answer = connection.getresponse()
    return answer.status, answer.read()


def with_urllib3():
    answer = urllib3.PoolManager().request("GET", url, retries=False, timeout=9)
    return answer.status, answer.data


def with_requests():
    answer = requests.get(url, timeout=9)
    return answer.status_code, answer.content


def with_httpx():
    answer = httpx.get(url, timeout=9)
    return answer.status_code, answer.content


async def read():
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        return answer.status, await answer.read()


def outcome(program):
    try:
        return str(program())
    except Exception as fault:
        return type(fault).__name__


programs = {
    "http.client": plain,
    "urllib3": with_urllib3,
    "requests": with_requests,
    "httpx": with_httpx,
    "aiohttp": lambda: asyncio.run(read()),
}
seen = [f"{name} {outcome(program)}" for name, program in programs.items()]
print("   ".join(seen))
empty = "(200, b'')"
expected = [f"http.client {empty}", f"urllib3 {empty}", f"requests {empty}", "httpx RemoteProtocolError", "aiohttp ServerDisconnectedError"]
assert seen == expected, "changed"
PYTHON
