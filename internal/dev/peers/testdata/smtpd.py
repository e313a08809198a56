"""A mail server for tests, by aiosmtpd: it puts what it takes into a Maildir.

smtpd.py PORT MAILDIR USER PASSWORD [CERTIFICATE KEY]

With a certificate it takes mail only within TLS, which STARTTLS begins; without
one it does not know TLS at all, and takes the password in clear.
"""

import signal
import ssl
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Mailbox
from aiosmtpd.smtp import AuthResult

port, maildir, user, password = int(sys.argv[1]), *sys.argv[2:5]
login = (user.encode(), password.encode())


def authenticate(server, session, envelope, mechanism, data):
    return AuthResult(success=(data.login, data.password) == login, handled=False)


options = {"auth_require_tls": False}
if len(sys.argv) > 5:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(sys.argv[5], sys.argv[6])
    options = {"tls_context": context, "require_starttls": True}
controller = Controller(
    Mailbox(maildir), hostname="127.0.0.1", port=port,
    authenticator=authenticate, auth_required=True, **options)
# Before the threads begin, so that they inherit it.
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
controller.start()
signal.sigwait({signal.SIGTERM, signal.SIGINT})
controller.stop()
