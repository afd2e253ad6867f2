"""Certificates made by the test that needs them, so that none expires in the repository."""

import ssl
import subprocess


def _openssl(*arguments):
    done = subprocess.run(["openssl", *arguments], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"openssl {arguments[0]}: {done.stderr[-300:]}")


class Authority:
    """A certificate authority in a folder."""

    def __init__(self, directory, name="authority"):
        self.directory = directory
        self.name = name
        self.certificate, self.key = f"{directory}/{name}.pem", f"{directory}/{name}.key"
        _openssl(
            *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"),
            *("-keyout", self.key, "-out", self.certificate, "-subj", f"/CN=wsii test {name}"),
            *("-addext", "keyUsage=critical,keyCertSign,cRLSign"),
        )

    def issue(self, name, alternatives="IP:127.0.0.1,DNS:localhost", expired=False):
        """(certificate, key) of a server or client."""
        certificate, key = f"{self.directory}/{name}.pem", f"{self.directory}/{name}.key"
        request, extensions = f"{self.directory}/{name}.csr", f"{self.directory}/{name}.ext"
        with open(extensions, "w") as f:
            f.write("basicConstraints=CA:FALSE\n")
            if alternatives:
                f.write(f"subjectAltName={alternatives}\n")
        _openssl(
            *("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-keyout", key, "-out", request, "-subj", f"/CN={name}"),
        )
        if expired:
            self._sign_expired(request, certificate, extensions)
        else:
            _openssl(
                *("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial"),
                *("-days", "30", "-extfile", extensions, "-out", certificate),
            )
        return certificate, key

    def _sign_expired(self, request, certificate, extensions):
        # `x509 -req` takes no dates in OpenSSL 3.0, `ca` does.
        configuration = f"{self.directory}/ca.cnf"
        with open(configuration, "w") as f:
            f.write(
                f"[ca]\ndefault_ca=d\n[d]\nnew_certs_dir={self.directory}\ndatabase={self.directory}/index.txt\n"
                f"serial={self.directory}/serial\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n"
            )
        open(f"{self.directory}/index.txt", "w").close()
        with open(f"{self.directory}/serial", "w") as f:
            f.write("1000\n")
        _openssl(
            *("ca", "-batch", "-config", configuration, "-cert", self.certificate, "-keyfile", self.key),
            *("-in", request, "-out", certificate, "-notext", "-extfile", extensions),
            *("-startdate", "20200101000000Z", "-enddate", "20200201000000Z"),
        )


def server_context(certificate, key, client_authority=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if client_authority:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(client_authority)
    return context
