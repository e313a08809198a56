# urllib3.util.parse_url.
import base64, sys
import urllib3
from urllib3.util import parse_url

def encode(text):
    return base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()

print("version", encode("urllib3 " + urllib3.__version__))
for number, line in enumerate(sys.stdin.buffer):
    octets = base64.b64decode(line)
    try:
        u = parse_url(octets.decode("utf-8", "surrogateescape"))
        user, colon, password = (u.auth or "").partition(":")
        parts = dict(scheme=u.scheme, user=user, password=password, host=u.host, port=str(u.port or ""),
                     path=u.path, query=u.query, fragment=u.fragment)
        if u.port == 0:
            parts["port"] = "0"
        print(number, len(octets), "ok", *(f"{k}:{encode(v)}" for k, v in parts.items() if v))
    except Exception as e:
        print(number, len(octets), "no", encode(str(e) or type(e).__name__))
