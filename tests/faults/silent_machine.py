"""Query a PostgreSQL server whose machine falls silent meanwhile: python -m tests.faults.silent_machine SOCKET

To be run in a network namespace of its own, whose only interface is switched off. A server elsewhere is reached through
its socket in the file system, by a relay. Prints how the error is classified.
"""

from __future__ import annotations

import fcntl
import socket
import struct
import sys
from threading import Thread, Timer

from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from scorekeeper.db import engine

SET_FLAGS, IS_UP = 0x8914, 1  # of Linux' ioctl


def switch_network(*, on: bool) -> None:
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh", b"lo", IS_UP if on else 0))


def pass_on(source: socket.socket, target: socket.socket) -> None:
    while data := source.recv(4096):
        target.sendall(data)


def relay(listener: socket.socket, address: str) -> None:
    client, _ = listener.accept()
    server = socket.socket(socket.AF_UNIX)
    server.connect(address)
    for one, other in ((client, server), (server, client)):
        Thread(target=pass_on, args=(one, other), daemon=True).start()


def main() -> None:
    switch_network(on=True)
    listener = socket.create_server(("127.0.0.1", 0))
    Thread(target=relay, args=(listener, sys.argv[1]), daemon=True).start()
    url = f"postgresql+psycopg://postgres@127.0.0.1:{listener.getsockname()[1]}/postgres?sslmode=disable"
    Timer(1, switch_network, kwargs={"on": False}).start()
    try:
        with create_engine(url, **engine.options(url)).connect() as connection:
            connection.execute(text("SELECT pg_sleep(600)"))
    except SQLAlchemyError as error:
        print(engine.classify_error(error))


if __name__ == "__main__":
    main()
