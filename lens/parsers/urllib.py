# urllib.parse.urlsplit of Python.
import base64, sys
from urllib.parse import urlsplit

def encode(text):
    return base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()

def port(u):
    try:
        return "" if u.port is None else str(u.port)
    except ValueError:  # only .port refuses it, and most callers never ask
        return u.netloc.rpartition("@")[2].rpartition("]")[2].partition(":")[2]

print("version", encode("Python " + sys.version.split()[0]))
for number, line in enumerate(sys.stdin.buffer):
    octets = base64.b64decode(line)
    try:
        u = urlsplit(octets.decode("utf-8", "surrogateescape"))
        parts = dict(scheme=u.scheme, user=u.username, password=u.password, host=u.hostname,
                     port=port(u), path=u.path, query=u.query, fragment=u.fragment)
        print(number, len(octets), "ok", *(f"{k}:{encode(v)}" for k, v in parts.items() if v or k == "path"))
    except Exception as e:
        print(number, len(octets), "no", encode(str(e) or type(e).__name__))
