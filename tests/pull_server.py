"""pull_server.py ROOT [SEED] - a web server on 127.0.0.1 that errs on purpose, for tests of `bareking pull`.

Prints its port, and serves the files of ROOT until its stdin ends.  The first part of a path says how:

    /good/PATH             as a server should, by ranges, too
    /FAULT:K/PATH          the first K requests for each table err (0: all of them)
    /random:PERCENT/PATH   so many of the requests for tables err, each in some way
    /list-FAULT:K/PATH     the same for everything, lists too
"""
import os
import random
import socket
import struct
import sys
import threading
import time
import urllib.parse

STALL = 2.5  # seconds
FAULTS = ("cut reset empty garbage wrong short long more nolength full shifted norange lied gzip 404 416 500 503 "
          "loop elsewhere there nothing unplaced stall").split()


class Server:
    def __init__(self, root, seed=1):
        self.root, self.chance, self.lock = root, random.Random(seed), threading.Lock()
        self.asked, self.met = {}, {}
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection = self.socket.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.converse, args=(connection,), daemon=True).start()

    def converse(self, connection):
        try:
            with connection, connection.makefile("rb") as lines:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                while self.answer(connection, lines):
                    pass
        except OSError:
            pass  # the client has gone

    def draw(self, first, last):
        with self.lock:
            return self.chance.randint(first, last)

    def fault(self, how, path):
        """The fault that a request meets, or None."""
        name, _, number = how.partition(":")
        if name == "good" or (not path.endswith((".bkw", ".bkd")) and not name.startswith("list-")):
            return None
        if name == "random":
            found = FAULTS[self.draw(0, len(FAULTS) - 1)] if self.draw(1, 100) <= int(number) else None
            return None if found == "stall" and self.draw(0, 3) else found  # that takes long
        with self.lock:
            asked = self.asked[how, path] = self.asked.get((how, path), 0) + 1
        return name.replace("list-", "") if int(number) == 0 or asked <= int(number) else None

    def answer(self, connection, lines):
        """Answers a request; False: the connection ends."""
        request = lines.readline().split()
        fields = {}
        for line in iter(lines.readline, b"\r\n"):
            if not line:
                return False
            name, _, value = line.decode("latin-1").partition(":")
            fields[name.lower()] = value.strip()
        if len(request) < 2:
            return False
        target = urllib.parse.unquote(request[1].decode("latin-1"))
        _, how, path = target.split("/", 2)
        fault = self.fault(how, path)
        with self.lock:
            self.met[fault] = self.met.get(fault, 0) + 1
        try:
            with open(os.path.join(self.root, path), "rb") as file:
                whole = file.read()
        except OSError:
            return self.say(connection, "404 Not Found", b"no such file")
        start = int(fields["range"][6:].split("-")[0]) if fields.get("range", "").startswith("bytes=") else None
        if start is not None and start >= len(whole) and not fault:
            return self.say(connection, "416 Range Not Satisfiable", b"")
        return self.send(connection, target, whole, start, fault)

    def say(self, connection, status, body, *fields):
        head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *fields, "", ""]
        connection.sendall("\r\n".join(head).encode() + body)
        return True

    def send(self, connection, target, whole, start, fault):
        if fault in ("404", "416", "500", "503"):
            return self.say(connection, f"{fault} No", b"<html>no</html>")
        if fault == "loop":
            return self.say(connection, "302 Found", b"", f"Location: {urllib.parse.quote(target)}")
        if fault == "elsewhere":
            return self.say(connection, "302 Found", b"", "Location: file:///etc/passwd")
        if fault == "there":  # a redirection that is none
            return self.say(connection, "302 Found", b"", "Location: /good/" + urllib.parse.quote(target.split("/", 2)[2]))
        if fault == "nothing":
            return self.say(connection, "200 OK", b"")
        if fault == "unplaced":
            return self.say(connection, "206 Partial Content", b"")
        if fault == "empty":
            return False
        if fault == "garbage":
            connection.sendall(bytes(self.draw(0, 255) for _ in range(200)))
            return False
        if fault == "full":
            start = None
        body = whole[start or 0:]
        told, range_, extra = len(body), start, []
        n = len(body)
        at = self.draw(0, max(n - 1, 0))
        if fault == "wrong" and n:
            body = body[:at] + bytes([body[at] ^ self.draw(1, 255)]) + body[at + 1:]
        elif fault == "short":
            body, told = body[:at], at
        elif fault == "long":
            told = n + self.draw(1, 1000)
        elif fault == "more":
            body += b"more" * self.draw(1, 1000)
            told = len(body)
        elif fault == "nolength":
            body, told = body[:at], None
        elif fault == "shifted" and start is not None:
            range_ = max(0, start - self.draw(1, 100))
        elif fault == "lied":
            body = whole[-len(body) - 7:][:n] if start else body
            body = body if start else bytes(reversed(body))
        elif fault == "gzip":
            extra.append("Content-Encoding: gzip")
            body = body[:at] + b"\x1f\x8b" + body[at + 2:]
        head = ["HTTP/1.1 200 OK" if start is None else "HTTP/1.1 206 Partial Content", *extra]
        if told is not None:
            head.append(f"Content-Length: {told}")
        if start is not None and fault != "norange":
            head.append(f"Content-Range: bytes {range_}-{len(whole) - 1}/{len(whole)}")
        connection.sendall("\r\n".join([*head, "", ""]).encode())
        if fault in ("cut", "reset", "stall"):
            body = body[:at]
        for i in range(0, len(body), 8192):
            connection.sendall(body[i:i + 8192])
        if fault == "stall":
            time.sleep(STALL)
        if fault == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return fault not in ("cut", "reset", "stall", "long", "nolength")


if __name__ == "__main__":
    print(Server(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1).port, flush=True)
    sys.stdin.read()
