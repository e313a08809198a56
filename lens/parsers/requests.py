# What requests prepares, and reads again to connect.
import base64, sys
import requests
from requests.models import PreparedRequest
from requests.utils import get_auth_from_url
from urllib3.util import parse_url

def encode(text):
    return base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()

print("version", encode("requests " + requests.__version__))
for number, line in enumerate(sys.stdin.buffer):
    octets = base64.b64decode(line)
    try:
        request = PreparedRequest()
        request.prepare_url(octets.decode("utf-8", "surrogateescape"), None)
        u = parse_url(request.url)
        user, password = get_auth_from_url(request.url)
        port = "" if u.port is None else str(u.port)
        parts = dict(scheme=u.scheme, user=user, password=password, host=u.host, port=port,
                     path=u.path, query=u.query, fragment=u.fragment)
        print(number, len(octets), "ok", *(f"{k}:{encode(v)}" for k, v in parts.items() if v))
    except Exception as e:
        print(number, len(octets), "no", encode(str(e) or type(e).__name__))
