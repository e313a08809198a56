# yarl.URL: the parts that aiohttp sends.
import base64, sys
import yarl

def encode(text):
    return base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()

print("version", encode("yarl " + yarl.__version__))
for number, line in enumerate(sys.stdin.buffer):
    octets = base64.b64decode(line)
    try:
        u = yarl.URL(octets.decode("utf-8", "surrogateescape"))
        port = "" if u.explicit_port is None else str(u.explicit_port)
        parts = dict(scheme=u.scheme, user=u.raw_user, password=u.raw_password, host=u.raw_host, port=port,
                     path=u.raw_path, query=u.raw_query_string, fragment=u.raw_fragment)
        print(number, len(octets), "ok", *(f"{k}:{encode(v)}" for k, v in parts.items() if v))
    except Exception as e:
        print(number, len(octets), "no", encode(str(e) or type(e).__name__))
