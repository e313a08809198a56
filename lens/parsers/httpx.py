# httpx.URL: the parts that the client sends.
import base64, sys
import httpx

def encode(octets):
    return base64.b64encode(octets).decode()

print("version", encode(b"httpx " + httpx.__version__.encode()))
for number, line in enumerate(sys.stdin.buffer):
    octets = base64.b64decode(line)
    try:
        u = httpx.URL(octets.decode("utf-8", "surrogateescape"))
        user, colon, password = u.userinfo.partition(b":")
        path, question, query = u.raw_path.partition(b"?")
        port = b"" if u.port is None else str(u.port).encode()
        parts = dict(scheme=u.raw_scheme, user=user, password=password, host=u.raw_host, port=port,
                     path=path, query=query, fragment=str(u).partition("#")[2].encode())
        print(number, len(octets), "ok", *(f"{k}:{encode(v)}" for k, v in parts.items() if v))
    except Exception as e:
        print(number, len(octets), "no", encode(str(e).encode("utf-8", "surrogateescape") or type(e).__name__.encode()))
