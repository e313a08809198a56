"""Web archives: whether other programs read archives of Locus, whether Locus reads theirs, how replay looks, and how fast it is."""

import collections
import contextlib
import gzip
import html
import html.parser
import http.client
import http.server
import json
import os
import random
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse

import rivals

TITLE = "Web archives"
SMALL = bool(os.environ.get("RIVALS_SMALL"))
ROUNDS = 1 if SMALL else 5
RECORDS, BYTES = (400, 4_000_000) if SMALL else (20_000, 200_000_000)
SITE = 18 if SMALL else 200  # pages of the local web site
PROGRAMS = os.path.join(rivals.HERE, "programs", "python")
PICTURES = os.path.join(rivals.HOME, "pictures")


def venv(name):
    return os.path.join(rivals.HOME, "python", "bin", name)


# ---- servers

class Site(http.server.BaseHTTPRequestHandler):
    """Site is a web site on loopback with pages, pictures, redirects and errors."""

    protocol_version = "HTTP/1.1"
    resources = {}

    def do_GET(self):
        status, kind, body, how = self.resources.get(self.path, (404, "text/html", b"<p>not found: " + self.path.encode(), ""))
        self.send_response(status)
        if how.startswith("/"):
            self.send_header("Location", how)
        if how == "gzip" and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, mtime=0)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", kind)
        if how == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for at in range(0, len(body), 1000):
                piece = body[at:at + 1000]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
            return
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def resources():
    """resources returns the site: path to status, type, body and a peculiarity."""
    source, found = random.Random(1), {}
    words = "one two three four five six seven eight nine ten".split()
    for i in range(SITE):
        text = " ".join(source.choices(words, k=200 + source.randrange(2000)))
        kinds = [
            ("/page-%d.html", "text/html; charset=utf-8", ("<p>%d<p>%s" % (i, text)).encode(), ""),
            ("/packed-%d.html", "text/html", ("<p>%d<p>%s" % (i, text)).encode(), "gzip"),
            ("/chunks-%d.txt", "text/plain; charset=iso-8859-1", ("%d é %s" % (i, text)).encode("latin-1"), "chunked"),
            ("/picture-%d.bin", "application/octet-stream", source.randbytes(100 + source.randrange(100_000)), ""),
            ("/find?q=%d&lang=en", "text/html", ("<p>found %d" % i).encode(), "gzip"),
            ("/%%C3%%A9t%%C3%%A9/%d.html", "text/html", ("<p>summer %d" % i).encode(), "chunked"),
            ("/same-%d.txt", "text/plain", b"the same text\n", ""),
            ("/folder-%d/", "text/html", ("<p>folder %d" % i).encode(), ""),
            ("/empty-%d.txt", "text/plain", b"", ""),
        ]
        path, kind, body, how = kinds[i % len(kinds)]
        found[path % i] = (200, kind, body, how)
    found["/moved"] = (301, "text/html", b"<p>moved", "/page-0.html")
    found["/gone.html"] = (404, "text/html", b"<p>not here", "")
    found["/broken.html"] = (503, "text/html", b"<p>later", "")
    return found


@contextlib.contextmanager
def site():
    Site.resources = resources()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield "http://localhost:%d" % server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextlib.contextmanager
def service(command, ready, cwd=None, env=None):
    """service runs a program until the block ends, and yields the match of a line that it writes, or of the
    port that it opens: ready is a pattern or a port."""
    with tempfile.NamedTemporaryFile("r") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=open(out.name, "w"), stderr=subprocess.STDOUT,
                                   cwd=cwd, env={**os.environ, **(env or {})})
        try:
            end = time.monotonic() + 60
            while True:
                match = None
                if isinstance(ready, int):
                    with contextlib.suppress(OSError):
                        socket.create_connection(("127.0.0.1", ready), 1).close()
                        match = ready
                else:
                    out.seek(0)
                    match = re.search(ready, out.read())
                if match:
                    break
                if process.poll() is not None or time.monotonic() > end:
                    out.seek(0)
                    raise RuntimeError("%s did not start: %s" % (command[0], out.read()[-500:]))
                time.sleep(0.05)
            yield match
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def pywb(folder, *flags, proxy=""):
    """pywb serves the collections of a folder and yields its address."""
    # Frameless replay shows a page without pywb's banner.
    with open(os.path.join(folder, "config.yaml"), "w") as f:
        f.write("framed_replay: false\ncollections:\n  live: $live\nrecorder: live\n")
        if proxy:
            f.write("proxy:\n  coll: %s\n  use_banner: false\n  use_head_insert: false\n" % proxy)
    port = free_port()
    with service([venv("wayback"), "-p", str(port), "-b", "127.0.0.1", *flags], port, cwd=folder):
        yield "127.0.0.1:%d" % port


def collection(folder, name, archive=None):
    """collection makes a collection of pywb from an archive. pywb writes its index."""
    subprocess.run([venv("wb-manager"), "init", name], cwd=folder, check=True, capture_output=True)
    if archive:
        subprocess.run([venv("wb-manager"), "add", name, archive], cwd=folder, check=True, capture_output=True)


def fetch(address, target):
    """fetch returns the status and the decoded body of a response. Redirects are not followed."""
    connection = http.client.HTTPConnection(address, timeout=60)
    try:
        connection.request("GET", target, headers={"Accept-Encoding": "gzip"})
        response = connection.getresponse()
        body = response.read()
        return response.status, gzip.decompress(body) if response.getheader("Content-Encoding") == "gzip" else body
    finally:
        connection.close()


# ---- readers

Count = collections.namedtuple("Count", "records types good bad none note")


def read_locus(archive):
    done = rivals.run([os.path.join(rivals.HOME, "bin", "locus-warc"), archive])
    found = json.loads(done.out)
    return Count(found["records"], found["types"], found["good"], found["bad"], found["none"], found["error"])


def read_jwat(archive):
    done = rivals.run(jwat() + [archive])
    if done.status:
        raise RuntimeError(last(done.err))
    found = json.loads(done.out)
    note = "all records comply" if found["compliant"] == found["records"] and found["whole"] else (
        "%d of %d records comply: %s" % (found["compliant"], found["records"],
                                         ", ".join("%s (%d)" % one for one in found["diagnostics"].items())))
    return Count(found["records"], found["types"], found["good"], found["bad"], found["none"], note)


def jwat():
    folder = os.path.join(rivals.HOME, "java-warc")
    return [rivals.program("java") or "java", "-cp", folder + "/classes:" + folder + "/lib/*", "Check"]


def read_warcio(archive):
    """read_warcio counts with "warcio check -v", which has two lines or more for each record."""
    done = rivals.run([venv("warcio"), "check", "-v", archive])
    types, good, bad, none = collections.Counter(), 0, 0, 0
    for block in re.split(r"^  offset ", done.out.decode(), flags=re.M)[1:]:
        head, *rest = block.splitlines()
        types[head.split()[-1]] += 1
        text = " ".join(rest)
        if "digest pass" in text:
            good += 1
        elif "no digest" in text or "not checked" in text:
            none += 1
        else:
            bad += 1
    note = re.search(r"saw exception.*", done.out.decode())
    return Count(sum(types.values()), dict(types), good, bad, none, note[0] if note else "")


def last(output):
    return (output.decode("utf-8", "replace").strip().splitlines() or ["no message"])[-1]


def described(types):
    return ", ".join("%d %s" % (n, name) for name, n in sorted(types.items(), key=lambda one: (-one[1], one[0])))


# ---- the tables

def ours(report, locus, base, tour, folder):
    """ours makes archives with Locus and gives them to other programs."""
    urls = [base + path for path in Site.resources]
    env = {"XDG_CACHE_HOME": os.path.join(folder, "cache")}
    archives = {}
    for name in ("site.warc.gz", "plain.warc"):
        for _ in range(2):  # the second run writes revisit records
            subprocess.run([locus, "get", "--allow-private", "--quiet", "--warc", name, *urls], cwd=folder, env={**os.environ, **env},
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        archives[name] = "`locus get --warc`, twice, of a web site on loopback (%d URLs)" % len(urls)
    subprocess.run([locus, "mirror", "--allow-private", "--quiet", "--no-robots", "--warc", "museum.warc.gz", "-d", "copy", tour["http"]],
                   cwd=folder, check=False, env={**os.environ, **env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    archives["museum.warc.gz"] = "`locus mirror --warc` of the web pages of `locus tour --serve`"
    subprocess.run([locus, "get", "--allow-private", "--quiet", "--warc", "schemes.warc.gz", *tour["all"]], cwd=folder,
                   env={**os.environ, **env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=120)
    archives["schemes.warc.gz"] = "`locus get --warc` of %d URLs of FTP, gopher, news, WAIS and other servers of `locus tour --serve`" % len(tour["all"])
    report.text("**Archives that Locus writes.** Each program reads the archives of Locus and verifies the digests (SHA-1) of all records that have "
                "some. \"Locus\" is a program over package warc (`bench/cmd/warc`), because Locus has no command that verifies digests. "
                "cdx-indexer writes an index and verifies nothing; wget reads no archives. warcio does not verify the digest of a revisit record, "
                "because the record does not contain the body. A result is good if its two numbers are equal and no digest is wrong.")
    rows = []
    for name, how in archives.items():
        path = os.path.join(folder, name)
        truth = read_locus(path)
        for program, reader in (("Locus", read_locus), ("warcio check", read_warcio), ("JWAT", read_jwat)):
            try:
                count = reader(path)
            except (OSError, RuntimeError, ValueError) as e:
                rows.append([name, program, "failed: %s" % e, "", ""])
                continue
            rows.append([name, program, "%d of %d records%s" % (count.records, truth.records, "" if count.types == truth.types else ", other types: " + described(count.types)),
                         "%d right, %d wrong, %d without or not verified" % (count.good, count.bad, count.none), count.note or "none"])
        with open(path.removesuffix(".gz").removesuffix(".warc") + ".cdxj") as f:
            index = f.read().splitlines()
        try:
            lines = rivals.run([venv("cdx-indexer"), "-j", path])
            # The first line of an index may be a header.
            rows.append([name, "pywb (cdx-indexer)", "%d index lines; the index of Locus has %d" % (
                sum(not line.startswith(" CDX") for line in lines.out.decode().splitlines()), len(index)), "", last(lines.err) if lines.err else "none"])
        except OSError as e:
            rows.append([name, "pywb (cdx-indexer)", "failed: %s" % e, "", ""])
        if name.endswith(".gz"):
            rows.append([name, "gzip --test", "the file is %s" % ("sound" if rivals.run(["gzip", "--test", path]).status == 0 else "damaged"), "", "none"])
    report.table(["archive", "read by", "records", "digests", "messages"], rows)
    report.table(["archive", "written by", "records by type"],
                 [[name, how, described(read_locus(os.path.join(folder, name)).types)] for name, how in archives.items()])
    rows = []
    for indexer in ("pywb", "Locus"):
        try:
            rows += replayed_by_pywb(indexer, base, folder)
        except (OSError, RuntimeError, subprocess.CalledProcessError) as e:
            rows.append(["indexed by " + indexer, "pywb", "failed: %s" % e])
    rows.append(["site.warc.gz, indexed by Locus", "`locus get --from`", replayed(locus, os.path.join(folder, "site.warc.gz"), base, folder)])
    made = os.path.join(folder, "pywb-pywb/collections/pages")
    rows.append(["site.warc.gz, in a collection that pywb indexed", "`locus get --from`",
                 replayed(locus, made, base, folder) if os.path.exists(made) else "not made: pywb is missing"])
    report.text("pywb and Locus replay the archives that Locus wrote, without changes to pages (`id_` in pywb's URLs). The status and the body are "
                "compared byte for byte with those of the server. The web site is at `localhost`, and the museum at `127.0.0.1`. In an index, pywb looks up a key that it makes of a URL. "
                "Locus makes the same key, except that pywb also removes some session identifiers from it.")
    report.table(["archive", "replayed by", "result"], rows)


def replayed_by_pywb(indexer, base, folder):
    """replayed_by_pywb opens every URL of two archives of Locus with pywb, and returns the rows."""
    home, rows = os.path.join(folder, "pywb-" + indexer), []
    os.makedirs(home)
    for name, coll in (("site", "pages"), ("museum", "tour")):
        archive = os.path.join(folder, name + ".warc.gz")
        collection(home, coll, archive if indexer == "pywb" else None)
        if indexer == "Locus":
            shutil.copy(archive, os.path.join(home, "collections", coll, "archive"))
            shutil.copy(os.path.join(folder, name + ".cdxj"), os.path.join(home, "collections", coll, "indexes", "index.cdxj"))
    with pywb(home) as address:
        different = []
        for path, (status, _, body, _) in Site.resources.items():
            if fetch(address, "/pages/id_/" + base + path) != (status, body):
                different.append(path)
        rows.append(["site.warc.gz, indexed by " + indexer, "pywb", equal(Site.resources, different)])
        pages = {url: fetch(urllib.parse.urlsplit(url).netloc, url) for url in museum_pages(folder)}
        different = [url for url, page in pages.items() if fetch(address, "/tour/id_/" + url) != page]
        rows.append(["museum.warc.gz, indexed by " + indexer, "pywb", equal(pages, different)])
    return rows


def equal(all_, different):
    return "%d of %d URLs equal" % (len(all_) - len(different), len(all_)) + ("; not: " + ", ".join(different[:3]) if different else "")


def museum_pages(folder):
    """museum_pages returns the URLs of the archive of the museum."""
    with open(os.path.join(folder, "museum.cdxj")) as f:
        return [json.loads(line.split(" ", 2)[2])["url"] for line in f]


def replayed(locus, archive, base, folder):
    """replayed opens every URL of the site from an archive with Locus, and compares the bodies."""
    equal = errors = pages = failures = 0
    different = []
    for path, (status, _, body, how) in Site.resources.items():
        done = rivals.run([locus, "get", "--from", archive, base + path], env={"XDG_CACHE_HOME": os.path.join(folder, "cache")})
        if status >= 400:
            failures += 1
            errors += done.status != 0 and str(status).encode() in done.err
            if not (done.status != 0 and str(status).encode() in done.err):
                different.append(path)
            continue
        pages += 1
        if how.startswith("/"):
            body = Site.resources[how][2]
        equal += done.out == body and done.status == 0
        if done.out != body or done.status != 0:
            different.append(path + " (" + last(done.err) + ")")
    text = "%d of %d URLs: body equal; %d of %d errors of the server reported as errors" % (equal, pages, errors, failures)
    return text + ("; not: " + ", ".join(different[:3]) if different else "")


def theirs(report, locus, base, folder):
    """theirs makes archives with other programs and reads them with Locus."""
    urls = [base + path for path in Site.resources]
    listed = os.path.join(folder, "urls.txt")
    with open(listed, "w") as f:
        f.write("\n".join(urls) + "\n")
    archives = []

    def make(name, program, command, file):
        try:
            done = rivals.run(command, cwd=folder)
        except OSError as e:
            archives.append((name, program, None, "not installed: %s" % e))
            return
        path = os.path.join(folder, file)
        archives.append((name, program, path if os.path.exists(path) else None, last(done.err)))

    # One program adds ".warc.gz" to the name itself. Redirects are not followed, so that each URL is requested once.
    make("wget.warc.gz", "wget --warc-file", ["wget", "--quiet", "--tries=1", "--max-redirect=0", "--warc-file=wget", "-P", "wget-files", "-i", listed], "wget.warc.gz")
    make("wget-plain.warc", "wget --warc-file --no-warc-compression",
         ["wget", "--quiet", "--tries=1", "--max-redirect=0", "--warc-file=wget-plain", "--no-warc-compression", "-P", "wget-files", "-i", listed], "wget-plain.warc")
    make("wget-gzip.warc.gz", "wget --warc-file --compression=auto",
         ["wget", "--quiet", "--tries=1", "--max-redirect=0", "--warc-file=wget-gzip", "--compression=auto", "-P", "wget-files", "-i", listed], "wget-gzip.warc.gz")
    for name in ("warcio.warc.gz", "warcio.warc"):
        make(name, "warcio (capture_http)", [venv("python"), os.path.join(PROGRAMS, "record.py"), name, *urls], name)
    make("recompressed.warc.gz", "warcio recompress (of warcio.warc)", [venv("warcio"), "recompress", "warcio.warc", "recompressed.warc.gz"], "recompressed.warc.gz")
    home = os.path.join(folder, "pywb-record")
    os.makedirs(home)
    try:
        collection(home, "rec")
        with pywb(home) as address:
            for url in urls:
                fetch(address, "/rec/record/id_/" + url)
        below = os.path.join(home, "collections/rec/archive")
        archives.append(("pywb.warc.gz", "pywb (recorder)", os.path.join(below, sorted(os.listdir(below))[0]), ""))
    except (OSError, RuntimeError, IndexError, subprocess.CalledProcessError) as e:
        archives.append(("pywb.warc.gz", "pywb (recorder)", None, str(e)))
    report.text("**Archives that other programs write.** Each program recorded the same web site: %d URLs with pages, "
                "compressed and chunked responses, equal bodies, a redirect and two errors. Locus reads the archive; its counts should be those of "
                "warcio. Then `locus get --from` opens each URL, and the bodies are compared byte for byte with the server's." % len(urls))
    rows = []
    for name, program, path, problem in archives:
        if path is None:
            rows.append([name, program, "not made: " + problem, "", "", ""])
            continue
        count = read_locus(path)
        try:
            other = read_warcio(path)
        except OSError:
            rows.append([name, program, described(count.types), "%d records; warcio is missing" % count.records, "Locus: %d right, %d wrong" % (count.good, count.bad),
                         replayed(locus, path, base, folder)])
            continue
        rows.append([name, program, described(count.types), "%d of %d records%s" % (count.records, other.records, "; " + count.note if count.note else ""),
                     "Locus: %d right, %d wrong; warcio: %d right, %d wrong" % (count.good, count.bad, other.good, other.bad),
                     replayed(locus, path, base, folder)])
    report.table(["archive", "written by", "records", "read by Locus", "digests", "`locus get --from`"], rows)


# ---- pictures

class Text(html.parser.HTMLParser):
    """Text collects the visible text of a page, or of one element of it."""

    HIDDEN = {"script", "style", "head", "title", "template", "noscript"}

    def __init__(self, element=None, css=None):
        super().__init__()
        self.element, self.css = element, css
        self.depth = 0 if element else 1
        self.hidden = 0
        self.words = []

    def handle_starttag(self, tag, attributes):
        if tag in self.HIDDEN:
            self.hidden += 1
        if self.element and tag == self.element:
            if self.depth or self.css in (dict(attributes).get("class") or "").split():
                self.depth += 1

    def handle_endtag(self, tag):
        if tag in self.HIDDEN:
            self.hidden -= 1
        if self.element and tag == self.element and self.depth:
            self.depth -= 1

    def handle_data(self, data):
        if self.depth and not self.hidden:
            self.words += data.split()


def chromium(folder, url, picture=None, proxy=None):
    """chromium returns the DOM of a page, or writes its picture."""
    with tempfile.TemporaryDirectory(dir=folder) as profile:
        command = ["/usr/bin/chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
                   "--user-data-dir=" + profile, "--window-size=1000,1400", "--virtual-time-budget=10000"]
        if proxy:
            command += ["--proxy-server=http://" + proxy, "--proxy-bypass-list=<-loopback>"]
        command += ["--screenshot=" + picture] if picture else ["--dump-dom"]
        done = rivals.run(command + [url], limit=60)
        if done.status or not done.finished:
            raise RuntimeError("chromium failed: " + last(done.err))
        return done.out.decode("utf-8", "replace")


PATHS = ["/", "/schemes.html"] if SMALL else ["/", "/url.html", "/history.html", "/schemes.html", "/find?gopher"]


def live(tour, folder):
    """live takes the pictures and the words of the pages of the museum, by URL."""
    shutil.rmtree(PICTURES, ignore_errors=True)
    os.makedirs(PICTURES)
    pages = {}
    for number, path in enumerate(PATHS):
        url = tour["http"].rstrip("/") + path
        picture = os.path.join(PICTURES, "%d-live.png" % number)
        chromium(folder, url, picture)
        pages[url] = picture, words(chromium(folder, url))
    return pages


def replay(report, locus, pages, folder):
    """replay compares pages of the museum from the archive with the live ones, in a browser."""
    archive = os.path.join(folder, "museum.warc.gz")
    views = [
        ("pywb, rewritten page", lambda url, a: ("http://%s/tour/%s" % (a["pywb"], url), None, None)),
        ("pywb, as a proxy", lambda url, a: (url, a["pywb-proxy"], None)),
        ("Locus, page of the gateway", lambda url, a: ("http://%s/http/%s" % (a["locus"], url.removeprefix("http://")), None, ("article", "foreign"))),
        ("Locus, \"Original, in a frame\"", lambda url, a: ("http://%s/-/raw/http/%s" % (a["locus"], url.removeprefix("http://")), None, None)),
        ("Locus, as a proxy", lambda url, a: (url, a["locus"], None)),
    ]
    report.text("**Replay in a browser.** pywb and `locus gateway --from` replay %d pages of `museum.warc.gz`, and Chromium opens the pages "
                "(1000 by 1400 pixels). The live pages were opened before; then their server ended. The table compares the words of the text, "
                "without words that pywb or the gateway adds, and counts the pixels that differ from the live page in any color. "
                "Fewer are better. pywb rewrites links and scripts, and here adds no banner. "
                "The page of the gateway shows the text and the pictures in the gateway's own design and below its own head, without the styles of the page: "
                "nearly all pixels differ on purpose. \"Original, in a frame\" is the other view of that page; the picture is of the content of the frame. "
                "Its pictures are missing if the page names them by absolute URLs, because that view changes no URLs and opens no other server. "
                "As a proxy, both send the archived page unchanged. The pictures of the last run are in `pictures` in the folder of the installed programs."
                % len(PATHS))
    with contextlib.ExitStack() as stack:
        addresses, missing = {}, ""
        try:
            for name, proxy in (("pywb", ""), ("pywb-proxy", "tour")):
                home = os.path.join(folder, name + "-replay")
                os.makedirs(home)
                collection(home, "tour", archive)
                addresses[name] = stack.enter_context(pywb(home, proxy=proxy))
        except (OSError, RuntimeError, subprocess.CalledProcessError) as e:
            missing = str(e)
        started = stack.enter_context(service([locus, "gateway", "--from", archive, "--listen", "127.0.0.1:0", "--log-format", "none"],
                                              r"http://(127\.0\.0\.1:\d+)", env={"XDG_CACHE_HOME": os.path.join(folder, "cache")}))
        addresses["locus"] = started[1]
        totals = {name: [0, [], []] for name, _ in views}
        for number, (url, (original, truth)) in enumerate(pages.items()):
            for name, view in views:
                if name.startswith("pywb") and missing:
                    totals[name][2].append(missing)
                    continue
                address, proxy, element = view(url, addresses)
                picture = os.path.join(PICTURES, "%d-%s.png" % (number, re.sub(r"\W+", "-", name.lower()).strip("-")))
                try:
                    chromium(folder, address, picture, proxy)
                    got = words(chromium(folder, address, None, proxy), *(element or ()))
                    share = float(rivals.run([venv("python"), os.path.join(PROGRAMS, "pictures.py"), original, picture]).out)
                except (OSError, RuntimeError, ValueError) as e:
                    totals[name][2].append("%s: %s" % (PATHS[number], e))
                    continue
                if got == truth:
                    totals[name][0] += 1
                else:
                    totals[name][2].append("%s: %d words, live %d" % (PATHS[number], len(got), len(truth)))
                totals[name][1].append(share)
    report.table(["replay", "pages with the same words", "share of different pixels: mean", "largest", "differences"],
                 [[name, "%d of %d" % (same, len(PATHS)),
                   "%.2f %%" % (100 * sum(shares) / len(shares)) if shares else "none", "%.2f %%" % (100 * max(shares)) if shares else "none",
                   "; ".join(dict.fromkeys(notes)) or "none"] for name, (same, shares, notes) in totals.items()])
    mean = {name: sum(shares) / len(shares) for name, (_, shares, _) in totals.items() if shares}
    ahead = [name for name in mean if name.startswith("Locus, \"") and mean.get("pywb, rewritten page", 1) < mean[name]]
    if ahead:
        report.text("pywb's rewritten page is ahead of both views of Locus. Cause: pywb rewrites all URLs of a page, so that the page keeps its own "
                    "styles and pictures. Locus either draws the page in its own design or shows it unchanged, without pictures that have absolute URLs.")


def words(dom, element=None, css=None):
    text = Text(element, css)
    text.feed(dom)
    return text.words


# ---- speed

def speed(report, locus, folder):
    archive = os.path.join(folder, "large.warc.gz")
    try:
        subprocess.run([venv("python"), os.path.join(PROGRAMS, "large.py"), archive, str(RECORDS), str(BYTES)], check=True)
    except (OSError, subprocess.CalledProcessError) as e:
        report.text("**Speed.** Not measured, because warcio could not write the archive: %s" % e)
        return
    size = os.path.getsize(archive)
    url = "http://www.example.com/%d/page-%d.html" % (RECORDS // 4 % 100, RECORDS // 4)
    cache = os.path.join(folder, "cache-speed")
    listed = rivals.run([venv("warcio"), "index", "-f", "offset,warc-type,warc-target-uri", archive]).out.decode().splitlines()
    offset = next(json.loads(line)["offset"] for line in listed if '"response"' in line and url in line)
    report.text("**Speed.** The archive has %d records, as many responses as requests, and %.0f MB. warcio wrote it; half of the data "
                "can be compressed. Medians of %d interleaved rounds; the file was in the page cache. Lower is better. \"Ratio\" is the time divided by "
                "Locus's for the same work." % (RECORDS, size / 1e6, ROUNDS))
    work = [
        ("verify all digests", "Locus (`bench/cmd/warc`)", [os.path.join(rivals.HOME, "bin", "locus-warc"), archive], None),
        ("verify all digests", "warcio check", [venv("warcio"), "check", archive], None),
        ("verify all digests", "JWAT", jwat() + [archive], None),
        ("write an index", "Locus (`locus get --from`, first time; also opens a URL)", [locus, "get", "--from", archive, url], "new"),
        ("write an index", "warcio index", [venv("warcio"), "index", archive], None),
        ("write an index", "pywb (cdx-indexer -j)", [venv("cdx-indexer"), "-j", archive], None),
        ("open one URL with an index", "Locus (`locus get --from`)", [locus, "get", "--from", archive, url], "old"),
        ("open one URL with an index", "warcio extract --payload (its offset is known)", [venv("warcio"), "extract", "--payload", archive, offset], None),
    ]
    results = {}
    for _ in range(ROUNDS):
        for job, program, command, state in work:
            if state == "new":
                shutil.rmtree(cache, ignore_errors=True)
            runs = results.setdefault((job, program), [])
            if runs and not runs[-1].finished:
                continue
            try:
                runs.append(rivals.run(command, env={"XDG_CACHE_HOME": cache}))
            except OSError as e:
                runs.append(rivals.Run(1, 0, 0, 0, True, b"", str(e).encode()))
    rows, best = [], {}
    for job, program, _, _ in work:
        runs = results[job, program]
        if not runs[-1].finished:
            rows.append([job, program, "not finished in %d s" % rivals.LIMIT, "", "", "", ""])
        elif runs[-1].status:
            rows.append([job, program, "failed: " + last(runs[-1].err), "", "", "", ""])
        else:
            wall = rivals.median(runs, "wall")
            best.setdefault(job, wall)
            rows.append([job, program, "%.3f s" % wall, wall / best[job], "%.3f s" % rivals.median(runs, "cpu"),
                         "%.0f MiB" % rivals.median(runs, "memory"), size / 1e6 / wall if "one URL" not in job else ""])
    report.table(["work", "program", "time", "ratio", "processor time", "memory", "MB/s"], rows)
    if any(isinstance(row[3], float) and row[3] < 1 for row in rows if "one URL" not in row[0]):
        report.text("Cause where another program is ahead: most of the work is decompression, and Locus decompresses with Go's package compress/flate. "
                    "warcio and cdx-indexer call zlib, which is written in C and needs less processor time for the same data. "
                    "Python computes SHA-1 with OpenSSL.")


# ---- the run

@contextlib.contextmanager
def museum(locus):
    """museum runs the demo servers of Locus, and yields the URL of the web pages and the URLs of the other schemes."""
    with service([locus, "tour", "--serve"], r"(http://127\.0\.0\.1:(\d+)/)") as match:
        status, page = fetch("127.0.0.1:" + match[2], "/")
        links = [html.unescape(link) for link in re.findall(r'href="(/\w+/127\.0\.0\.1:\d+/[^"]*)"', page.decode())]
        urls = [re.sub(r"^/(\w+)/", r"\1://", link) for link in links]
        web = next(url for url in urls if url.startswith("http:"))
        others = [url for url in dict.fromkeys(urls) if url.split(":")[0] in ("ftp", "gopher", "nntp", "wais", "prospero", "finger")]
        yield {"http": web, "all": others}


def run(report):
    locus = rivals.locus()
    rivals.go("bench", "build", "-o", os.path.join(rivals.HOME, "bin", "locus-warc"), "./cmd/warc")
    with open(os.path.join(rivals.HERE, "python.txt")) as f:
        pinned = dict(line.strip().split("==") for line in f if "==" in line)
    with open(os.path.join(rivals.HERE, "programs", "warc", "pom.xml")) as f:
        pinned["jwat"] = re.search(r"jwat-warc</artifactId>\s*<version>(.*?)<", f.read())[1]
    report.versions([
        ("Locus", rivals.version([locus, "version"]), "locus get, locus mirror, locus gateway"),
        ("warcio (Python)", pinned["warcio"], "warcio check, warcio index, capture_http"),
        ("pywb (Python)", pinned["pywb"], "wayback, wb-manager, cdx-indexer"),
        ("JWAT (Java)", pinned["jwat"], "programs/warc"),
        ("wget", rivals.version(["wget", "--version"]), "wget --warc-file"),
        ("Chromium", rivals.version(["/usr/bin/chromium", "--version"]), "chromium --headless"),
    ])
    with tempfile.TemporaryDirectory(prefix="rivals-archives-") as folder:
        with site() as base, museum(locus) as tour:
            ours(report, locus, base, tour, folder)
            theirs(report, locus, base, folder)
            try:
                pages = live(tour, folder)
            except (OSError, RuntimeError) as e:
                pages = {}
                report.text("**Replay in a browser.** Not measured: %s" % e)
        # The servers of the museum have ended, so every page below comes from the archive.
        if pages:
            replay(report, locus, pages, folder)
        speed(report, locus, folder)
