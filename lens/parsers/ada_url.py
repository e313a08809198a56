# ada_url.URL.
import base64, sys
from importlib.metadata import version
import ada_url

def encode(text):
    return base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()

print("version", encode("ada-url " + version("ada-url")))
for number, line in enumerate(sys.stdin.buffer):
    octets = base64.b64decode(line)
    try:
        u = ada_url.URL(octets.decode("utf-8", "surrogateescape"))
        parts = dict(scheme=u.protocol[:-1], user=u.username, password=u.password, host=u.hostname, port=u.port,
                     path=u.pathname, query=u.search[1:], fragment=u.hash[1:])
        print(number, len(octets), "ok", *(f"{k}:{encode(v)}" for k, v in parts.items() if v or k == "path"))
    except Exception as e:
        print(number, len(octets), "no", encode(str(e) or type(e).__name__))
