"""large.py FILE RECORDS BYTES writes a WARC file with warcio: pairs of a response and a request. Half of the
bytes of a response cannot be compressed, as in a picture, and half are words. BYTES is the size of the file."""

import io
import random
import sys

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

name, records, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
source = random.Random(1)
words = ["".join(source.choices("abcdefghijklmnopqrstuvwxyz", k=source.randint(2, 9))) for _ in range(3000)]
with open(name, "wb") as out:
    writer = WARCWriter(out, gzip=True)
    for i in range(records // 2):
        url = "http://www.example.com/%d/page-%d.html" % (i % 100, i)
        noise = source.randbytes(int(size / (records / 2) * 0.8))
        prose = " ".join(source.choices(words, k=max(1, len(noise) // 14))).encode()
        body = b"<html><body><p>" + prose + b"</p><!--" + noise + b"--></body></html>"
        head = StatusAndHeaders("200 OK", [("Content-Type", "text/html"), ("Content-Length", str(len(body)))], protocol="HTTP/1.1")
        response = writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=head)
        head = StatusAndHeaders("GET /%d/page-%d.html HTTP/1.1" % (i % 100, i), [("Host", "www.example.com")], is_http_request=True)
        request = writer.create_warc_record(url, "request", payload=io.BytesIO(b""), http_headers=head)
        writer.write_request_response_pair(request, response)
