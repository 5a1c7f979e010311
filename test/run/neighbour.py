"""What another user of the machine sends to a port that it has found, or hears at one that it has
taken. Each ends after some seconds.

usage: neighbour.py listen PORT SECONDS   hears whoever calls, answers as a server of HTTP/2, then
                                          as one of the proof with a secret that it does not know;
                                          prints what it heard, in hexadecimal, a line a connection
       neighbour.py KIND PORT SECONDS     big: one endless request; resets: streams opened and reset
                                          at once; idle: 400 connections that say nothing, or a byte
                                          now and then; garbage; calls: connections opened, closed
"""

import os
import random
import socket
import struct
import sys
import threading
import time

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, stream, body=b""):
    return (
        struct.pack(">I", len(body))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + body
    )


def headers(path):
    def literal(name, value):
        return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value

    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "x",
        "te": "trailers",
        "content-type": "application/grpc",
    }
    return b"".join(literal(name.encode(), value.encode()) for name, value in fields.items())


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def insist(port, end):
    """A connection as soon as there is one; None at the end."""
    while time.time() < end:
        try:
            return connect(port)
        except OSError:
            time.sleep(0.05)


def listen(port, end):
    server = socket.create_server(("127.0.0.1", port))
    server.settimeout(0.2)
    print("listens", file=sys.stderr, flush=True)
    heard = 0
    while time.time() < end:
        try:
            caller, _ = server.accept()
        except TimeoutError:
            continue
        caller.settimeout(1)
        said, answers = b"", [frame(4, 0, 0), b"graphc-3" + os.urandom(64)]
        try:
            for answer in answers if heard % 2 == 0 else answers[::-1]:
                said += caller.recv(65536)
                caller.sendall(answer)
            said += caller.recv(65536)
        except OSError:
            pass
        caller.close()
        heard += 1
        print(said.hex(), flush=True)


def big(port, end):
    """A message of 1,000 MiB, as much of it as the other end takes."""
    sent = 0
    while sent < 1000 << 20 and (s := insist(port, end)):
        try:
            s.sendall(
                PREFACE
                + frame(4, 0, 0)
                + frame(8, 0, 0, struct.pack(">I", 1 << 30))
                + frame(1, 4, 1, headers("/graphc.service.Master/Describe"))
                + frame(0, 0, 1, b"\0" + struct.pack(">I", 1000 << 20) + b"\x0a")
            )
            while time.time() < end:
                s.sendall(frame(0, 0, 1, bytes(16384)))
                sent += 16384
        except OSError:
            pass
        s.close()
    print("sent", sent)


def resets(port, end):
    block, sent = headers("/graphc.service.Master/Join"), 0
    while s := insist(port, end):
        s.settimeout(2)
        threading.Thread(target=drain, args=(s,), daemon=True).start()
        try:
            s.sendall(PREFACE + frame(4, 0, 0))
            stream = 1
            while time.time() < end:
                batch = b""
                for _ in range(100):
                    batch += frame(1, 4, stream, block) + frame(3, 0, stream, struct.pack(">I", 8))
                    stream += 2
                s.sendall(batch)
                sent += 100
        except OSError:
            pass
        s.close()
    print("sent", sent)


def drain(s):
    try:
        while s.recv(65536):
            pass
    except OSError:
        pass


def idle(port, end):
    held = []
    while time.time() < end:
        while len(held) < 400:
            try:
                held.append(connect(port))
            except OSError:
                break
        time.sleep(0.2)
        for s in held[::7]:
            try:
                s.sendall(b"g")
            except OSError:
                pass
        held = [s for s in held if alive(s)]
    print("held", len(held))


def alive(s):
    s.settimeout(0)
    try:
        return s.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def garbage(port, end):
    rng, done = random.Random(5), 0
    kinds = [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        PREFACE + frame(4, 0, 0) * 2000,
        b"graphc-3",
        b"graphc-3" + bytes(32),
        b"graphc-3" + bytes(64),
        b"graphc-1" + bytes(100000),
        PREFACE + frame(4, 0, 0) + b"\xff\xff\xff" + bytes(6),
        b"\x16\x03\x01\x02\x00\x01" + bytes(600),
        b"",
    ]
    while time.time() < end:
        data = kinds[done % 20] if done % 20 < len(kinds) else rng.randbytes(rng.randrange(1, 5000))
        try:
            s = connect(port)
            s.sendall(data)
            if rng.random() < 0.5:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            s.close()
            done += 1
        except OSError:
            pass
    print("done", done)


def calls(port, end):
    done = 0
    while time.time() < end:
        try:
            connect(port).close()
            done += 1
        except OSError:
            pass
    print("done", done)


if __name__ == "__main__":
    what, at, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    print("begins", file=sys.stderr, flush=True)
    {
        "listen": listen,
        "big": big,
        "resets": resets,
        "idle": idle,
        "garbage": garbage,
        "calls": calls,
    }[what](at, time.time() + seconds)
