"""A CONNECT proxy small enough to be seen through."""

import base64
import select
import socket
import threading


class Proxy:
    def __init__(self, credentials=None):
        self.credentials = credentials
        self.requests = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            data = client.recv(4096)
            if not data:
                return
            head += data
        lines = head.decode("latin-1").split("\r\n")
        self.requests.append(lines[0])
        if self.credentials:
            wanted = "Basic " + base64.b64encode(self.credentials.encode()).decode()
            if not any(l.lower().startswith("proxy-authorization:") and l.split(":", 1)[1].strip() == wanted for l in lines):
                client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")
                client.close()
                return
        host, port = lines[0].split(" ")[1].rsplit(":", 1)
        server = socket.create_connection((host.strip("[]"), int(port)))
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        pair = {client: server, server: client}
        while True:
            for ready in select.select(list(pair), [], [])[0]:
                data = ready.recv(65536)
                if not data:
                    client.close()
                    server.close()
                    return
                pair[ready].sendall(data)

    def stop(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()

    def check(self):
        pass
