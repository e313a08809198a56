#!/usr/bin/env python3
"""Link checkers: links whose state is known, repositories, and sites.

TestTruth of internal/dev/peers and TestTraps of verify start the servers of the known links, and then start this file
with the path of a JSON file: see judge.
"""

import concurrent.futures
import copy
import csv
import html
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import rivals

TITLE = "Link checkers"
SMALL = bool(os.environ.get("RIVALS_SMALL"))
WAIT = "5"  # seconds that each tool waits for a response
FAILURES = ("dead", "fragment", "tls", "malformed")  # verdicts of locus verify
LINKCHECKER, LINKINATOR, MLC = "linkchecker", "linkinator", "markdown-link-check"
REMARK = os.path.join(rivals.HOME, "node/node_modules/remark-validate-links/index.js")


def run(report):
    begin = time.monotonic()
    rivals.locus()
    report.text("Each tool reads the same links on the same machine in the same run. All servers are on the loopback "
                "device. Precision comes first, then recall, then time, then the number of requests.")
    versions(report)
    known(report)
    report.text("### Repositories")
    repositories(report, begin)
    report.text("### Time, memory and requests")
    sites(report, begin)


def locus():
    return os.path.join(rivals.HOME, "bin", "locus")


def linkchecker():
    """linkchecker returns the beginning of its commands. As root, the program switches to the user nobody, which cannot
    read its plugins. So root starts it as another user in a user namespace."""
    path = rivals.program(LINKCHECKER)
    if path and os.geteuid() == 0:
        return ["unshare", "--user", "--map-user=1000", path]
    return [path]


def versions(report):
    rows = [["Locus", rivals.version([locus(), "version"]), "locus verify"]]
    for name in ("lychee", LINKCHECKER, LINKINATOR, MLC, "remark"):
        path = rivals.program(name)
        rows.append([name, rivals.version([path, "--version"]) if path else "not installed", name if path else ""])
    if rivals.program("remark"):
        with open(os.path.join(os.path.dirname(REMARK), "package.json")) as f:
            rows.append(["remark-validate-links", json.load(f)["version"], "remark --use remark-validate-links"])
    report.versions(rows)


def public():
    """public makes a folder that any user can read."""
    folder = tempfile.mkdtemp(prefix="rivals-")
    os.chmod(folder, 0o755)
    return folder


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    return path


# Links whose state is known.

def known(report):
    """known runs the two tests that start the servers."""
    report.text("### Links whose state is known")
    report.text("Precision is the share of broken links among the links that a tool reports. Recall is the share of broken links "
                "that it reports. Higher is better for both. A false death is a working link that the tool reports. A link "
                "is unknown if the responses prove neither state. Lower is better for these. Each tool waits %s s for a "
                "response. Locus and lychee ran alone, and the other tools at the same time. Each link is the only link of one page, or of one Markdown file for %s." % (WAIT, MLC))
    folder = public()
    try:
        # .ci/peers installs the ordinary servers: nginx, vsftpd, gophernicus and INN.
        for package, test, isolate in (("internal/dev/peers", "TestTruth$", False), ("verify", "TestTraps$", True)):
            binary, out = os.path.join(folder, test[:-1]), os.path.join(folder, test[:-1] + ".md")
            rivals.go(".", "test", "-c", "-o", binary, "./" + package)
            command = [binary, "-test.run", test, "-test.timeout", "60m", "-truth", os.path.abspath(__file__)]
            if isolate:
                command = ["unshare", "--net", "--mount", sys.executable, os.path.abspath(__file__), "--isolate", *command]
            done = rivals.run(command, limit=3600, env={"RIVALS_SECTION": out, "CI": "true"}, cwd=os.path.join(rivals.TREE, package), group=True)
            if os.path.exists(out):
                with open(out) as f:
                    report.text(f.read().strip())
            if done.status != 0 or not os.path.exists(out):
                report.text("Not measured: %s of %s failed: %s" % (test.rstrip("$"), package, tail(done.out + done.err)))
    finally:
        shutil.rmtree(folder)


def tail(text):
    return " ".join(text.decode(errors="replace").split())[-300:] or "no output"


def isolate(command):
    """isolate runs a command in this process's own network namespace. The loopback device gets the addresses of the
    servers, and a small DNS server knows their names: "none" does not exist, and "broken" has a server that fails."""
    names = ["1.1.1.%d" % n for n in range(1, 40)] + ["1.1.1.200", "10.53.53.53"]
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for address in names:
        subprocess.run(["ip", "address", "add", address + "/32", "dev", "lo"], check=True)
    folder = public()
    table = os.path.join(folder, "hosts.json")
    resolv = put(os.path.join(folder, "resolv.conf"), "nameserver 10.53.53.53\noptions timeout:2 attempts:1\n")
    subprocess.run(["mount", "--bind", resolv, "/etc/resolv.conf"], check=True)
    import socket
    import threading
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("10.53.53.53", 53))
    threading.Thread(target=answer, args=(server, table), daemon=True).start()
    try:
        return subprocess.run(command, env={**os.environ, "RIVALS_HOSTS": table}).returncode
    finally:
        subprocess.run(["umount", "/etc/resolv.conf"], check=True)
        shutil.rmtree(folder)


def answer(server, table):
    """answer answers DNS queries (RFC 1035): A records of the names in a JSON file."""
    while True:
        query, client = server.recvfrom(4096)
        name, at = [], 12
        while query[at]:
            name.append(query[at + 1:at + 1 + query[at]].decode(errors="replace").lower())
            at += query[at] + 1
        question, kind = query[12:at + 5], query[at + 1:at + 3]
        hosts = {}
        if os.path.exists(table):
            with open(table) as f:
                hosts = {n.lower(): a for n, a in json.load(f).items()}
        address = hosts.get(".".join(name))
        code = 0 if address else 2 if name[:1] == ["broken"] else 3
        record = b""
        if address and kind == b"\0\1":
            record = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + bytes(int(p) for p in address.split("."))
        head = query[:2] + bytes([0x85, 0x80 | code]) + b"\0\1" + (b"\0\1" if record else b"\0\0") + b"\0\0\0\0"
        server.sendto(head + question + record, client)


class Known:
    """Known is a list of links whose state is known, and their documents."""

    def __init__(self, file):
        with open(file) as f:
            self.given = json.load(f)
        self.folder = public()
        self.trust = os.path.join(self.folder, "trust.pem")
        shutil.copyfile(self.given["trust"], self.trust)
        os.chmod(self.trust, 0o644)
        self.links = self.given["links"]
        if SMALL:
            self.links = self.links[::30]
        self.index = self.given.get("index") or os.path.join(self.folder, "pages")
        for link in self.links:
            if not link.get("document"):
                link["document"] = put(os.path.join(self.folder, "pages", link["name"] + ".html"),
                                       '<!doctype html><title>%s</title><p id="here"><a href="%s">x</a></p>\n' % (link["name"], link["link"]))
        self.env = {"SSL_CERT_FILE": self.trust, "REQUESTS_CA_BUNDLE": self.trust, "NODE_EXTRA_CA_CERTS": self.trust,
                    "NO_COLOR": "1", "HOME": self.folder}
        if self.given.get("hosts") and os.environ.get("RIVALS_HOSTS"):
            put(os.environ["RIVALS_HOSTS"], json.dumps(self.given["hosts"]))

    def own(self, number):
        """own returns a copy with a folder of its own for the files of one tool."""
        k = copy.copy(self)
        k.work = os.path.join(self.folder, "tool%d" % number)
        os.makedirs(k.work)
        return k

    def patient(self, link):
        """patient reports whether some tools stop at a link, or wait an hour as its server requests."""
        return any(part in link["link"] for part in ("/busy/", "/redirect/bad", "/later", "location/invalid"))


def document(text):
    found = re.search(r"(\d{3})\.(html|md)", text)
    return found[1] if found else None


def locus_known(strict):
    def check(k, links, limit):
        command = [locus(), "verify", "--json", "--all", "--no-cache", "--rate", "0", "--per-host", "16", "--timeout", WAIT + "s", "--max-wait", "5s"]
        if k.given.get("news"):
            command += ["--allow-private", "--allow-port", k.given["news"]]
        if strict == "get":
            command += ["--method", "get"]
        if strict == "strict":
            command += ["--method", "get", "--strict", "--soft-404"]
        done = rivals.run(command + [k.index], limit=limit, env=k.env)
        broken = set()
        for line in done.out.decode().splitlines():
            one = json.loads(line)
            bad = FAILURES + (("warning", "denied") if strict == "strict" else ())
            if document(one["document"]) and one["verdict"] in bad:
                broken.add(document(one["document"]))
        return done, broken, None
    return check


def lychee_known(strict):
    def check(k, links, limit):
        inputs = put(os.path.join(k.work, "inputs"), "\n".join(one["document"] for one in links) + "\n")
        command = [rivals.program("lychee"), "--format", "json", "--no-progress", "--timeout", WAIT, "--files-from", inputs]
        if strict:
            command += ["--include-fragments=full", "--include-mail"]
        done = rivals.run(command, limit=limit, env=k.env, cwd=k.folder)
        got = whole(done.out)
        if got is None:
            return done, set(), "failed: " + tail(done.err)
        return done, {document(name) for kind in ("error_map", "timeout_map") for name in got[kind] if document(name)}, None
    return check


def whole(out):
    """whole returns the JSON value in the output of a program, or None."""
    text = out.decode(errors="replace")
    try:
        return json.loads(text[text.index("{"):])
    except ValueError:
        return None


def linkchecker_rows(out):
    text = "\n".join(line for line in out.decode(errors="replace").splitlines() if not line.startswith("#"))
    return list(csv.DictReader(io.StringIO(text), delimiter=";"))


def linkchecker_known(strict):
    def check(k, links, limit):
        plugin = "[AnchorCheck]\n" if strict else ""
        config = put(os.path.join(k.work, "linkcheckerrc"), plugin + "[checking]\nmaxrequestspersecond=1000\nsslverify=%s\n" % k.trust)
        done = rivals.run([*linkchecker(), "-f", config, "--check-extern", "--no-status", "-o", "csv", "-r", "1",
                           "--timeout", WAIT, *(one["document"] for one in links)], limit=limit, env=k.env, cwd=k.folder)
        broken = set()
        for row in linkchecker_rows(done.out):
            name = document(row.get("parentname") or "")
            if name and (row["valid"] == "False" or strict and row["warningstring"]):
                broken.add(name)
        crashes = done.err.count(b"internal error occurred")
        return done, broken, "%d internal errors" % crashes if crashes else None
    return check


def linkinator_known(strict):
    def check(k, links, limit):
        command = [rivals.program(LINKINATOR), "--timeout", WAIT + "000", "--format", "json"]
        if strict:
            command += ["--check-fragments", "--retry", "--retry-errors", "--retry-errors-count", "2"]
        places = [one["document"] for one in links]
        if places and not places[0].startswith("http"):
            places = [os.path.relpath(p, k.folder) for p in places]
        done = rivals.run(command + places, limit=limit, env=k.env, cwd=k.folder)
        got = whole(done.out)
        if got is None:
            return done, set(), None if not done.finished else "failed: " + tail(done.err)
        return done, {document(one.get("parent") or "") for one in got["links"] if one["state"] == "BROKEN"} - {None}, None
    return check


def mlc_known(strict):
    def check(k, links, limit):
        files = []
        for one in links:
            link = html.unescape(one["link"]).strip()
            base = one["document"]
            if base.startswith("http") and not link.startswith("#"):
                try:
                    link = urllib.parse.urljoin(base, link)
                except ValueError:
                    pass  # an invalid link stays as it is
            files.append(put(os.path.join(k.work, "markdown", one["name"] + ".md"), '<a id="here"></a>\n\n[x](<%s>)\n' % link))
        config = put(os.path.join(k.work, "mlc.json"), json.dumps({"timeout": WAIT + "s", "retryOn429": strict, "fallbackRetryDelay": "1s"}))
        command = [rivals.program(MLC), "--config", config] + (["--retry"] if strict else [])
        broken, wall, runs = set(), 0, 0
        # The program ends at some links. The next run reads the files after such a link.
        while files and wall < limit:
            done = rivals.run(command + files, limit=limit - wall, env=k.env, cwd=k.folder)
            wall, runs, read, name = wall + done.wall, runs + 1, 0, None
            for line in done.out.decode(errors="replace").splitlines():
                found = re.match(r"FILE: (.*)", line)
                if found:
                    name, read = document(found[1]), read + 1
                elif re.match(r"\s*\[✖\]", line):
                    broken.add(name)
            files = files[max(read, 1):]
        done.wall = wall
        return done, broken, None if runs == 1 else "in %d runs, because it ended early" % runs
    return check


TOOLS = [
    ("Locus", "`locus verify`", locus_known("")),
    ("Locus", "`--method get`", locus_known("get")),
    ("Locus", "strict: `--method get --strict --soft-404`", locus_known("strict")),
    ("lychee", "default", lychee_known(False)),
    ("lychee", "strict: `--include-fragments=full --include-mail`", lychee_known(True)),
    (LINKCHECKER, "`--check-extern`", linkchecker_known(False)),
    (LINKCHECKER, "strict: AnchorCheck, and warnings count", linkchecker_known(True)),
    (LINKINATOR, "default", linkinator_known(False)),
    (LINKINATOR, "strict: `--check-fragments --retry --retry-errors`", linkinator_known(True)),
    (MLC, "default", mlc_known(False)),
    (MLC, "strict: `--retry`", mlc_known(True)),
]


def judge(file):
    """judge runs all tools on the links of a JSON file and prints a section. Its keys: links (name, link, truth, why,
    document), index (a URL), trust (a file of certificates), news (a port) and hosts (addresses by name)."""
    k = Known(file)
    section = rivals.Report("x")
    section.lines = []
    count = {state: sum(one["truth"] == state for one in k.links) for state in ("good", "broken", "unsure")}
    section.text("**%d links to %s**: %d work, %d are broken, %d are unknown." % (len(k.links), k.given["list"], count["good"], count["broken"], count["unsure"]))
    rows, details, ours = [], [], None
    if not os.path.exists(locus()):
        rivals.locus()
    # Most of the time, the tools wait for servers. Those that wait longest run at the same time.
    with concurrent.futures.ThreadPoolExecutor() as pool:
        checks = []
        for number, (name, settings, check) in enumerate(TOOLS):
            path = locus() if name == "Locus" else rivals.program(name)
            checks.append(pool.submit(check_all, k.own(number), name, check) if path else None)
            if path and name in ("Locus", "lychee"):
                concurrent.futures.wait(checks[-1:])
    for (name, settings, _), check in zip(TOOLS, checks):
        if not check:
            rows.append([name, settings, "not installed", "", "", "", ""])
            continue
        done, broken, note = check.result()
        found = [one for one in k.links if one["truth"] == "broken" and one["name"] in broken]
        deaths = [one for one in k.links if one["truth"] == "good" and one["name"] in broken]
        unsure = [one for one in k.links if one["truth"] == "unsure" and one["name"] in broken]
        missed = [one for one in k.links if one["truth"] == "broken" and one["name"] not in broken]
        took = "%.0f s" % done.wall if done.finished else "not finished in %d s" % rivals.LIMIT
        rows.append([name, settings, ratio(len(found), len(found) + len(deaths)), ratio(len(found), count["broken"]),
                     "%d of %d" % (len(deaths), count["good"]), "%d of %d" % (len(unsure), count["unsure"]),
                     took + (" (%s)" % note if note else "")])
        if name == "Locus" and ours is None:
            ours = {one["name"] for one in missed}, {one["name"] for one in deaths}
        elif name != "Locus":
            ahead = [one for one in found if one["name"] in ours[0]]
            if ahead:
                details.append("- %s, %s: %s" % (name, settings, reasons(ahead)))
    section.table(["program", "settings", "precision", "recall", "false deaths", "unknown links reported", "time"], rows)
    if k.given.get("hosts"):
        section.text("The servers have names such as `web.trap` and public addresses, in a network namespace with a DNS server.")
    section.text("remark-validate-links checks only links to files and headings, and sends no requests, so it is not in this table.")
    if details:
        section.text("Broken links that Locus does not report with its defaults, but that the other program reports:")
        section.text("\n".join(details))
    shutil.rmtree(k.folder)
    text = "\n".join(section.lines)
    if os.environ.get("RIVALS_SECTION"):
        put(os.environ["RIVALS_SECTION"], text)
    else:
        print(text)


def check_all(k, name, check):
    """check_all runs a tool on all links. Links that some tools stop at are in another run."""
    if name == "Locus":
        return check(k, k.links, rivals.LIMIT)
    done, broken, note = check(k, [one for one in k.links if not k.patient(one)], rivals.LIMIT)
    rest = [one for one in k.links if k.patient(one)]
    if not done.finished or not rest:
        return done, broken, note
    more, others, trouble = check(k, rest, min(20, rivals.LIMIT))
    done.wall += more.wall
    if not more.finished:
        trouble = "%d links that request a long delay were given to another run, which did not finish in 20 s" % len(rest)
    return done, broken | others, "; ".join(n for n in (note, trouble) if n)


def reasons(links):
    count = {}
    for one in links:
        count[one["why"]] = count.get(one["why"], 0) + 1
    return "; ".join(why + (" (%d links)" % n if n > 1 else "") for why, n in count.items())


def ratio(part, all_):
    return "%.3f" % (part / all_) if all_ else "-"


# Sites.

def sites(report, begin):
    """sites measures time, memory and requests."""
    binary = os.path.join(rivals.HOME, "bin", "site")
    rivals.go("bench", "build", "-o", binary, "./cmd/verify")
    small, large, hosts = (100, 300, 100) if SMALL else (2000, 20000, 5000)
    slow = site(report, binary, "%d pages with %d links on one host" % (small, small * 10), ["-pages", str(small)], small, 3, {}, begin)
    markdown(report, small)
    fast = {name: took * large / small for name, took in slow.items()}
    site(report, binary, "%d pages with %d links on one host" % (large, large * 10), ["-pages", str(large)], large, 1, fast, begin)
    site(report, binary, "%d hosts: %d pages, each with 8 links to other hosts" % (hosts, hosts // 8), ["-pages", str(hosts // 8), "-hosts", str(hosts)], hosts // 8, 1, slow, begin)


def site(report, binary, title, flags, pages, rounds, expected, begin):
    """site measures the tools on one site, and returns the median seconds of each. expected has the seconds that a
    tool would need: a tool that would not finish is not started."""
    server = subprocess.Popen([binary, "-serve", *flags], stdout=subprocess.PIPE, text=True)
    folder = public()
    try:
        url = server.stdout.readline().strip()
        inputs = put(os.path.join(folder, "inputs"), "".join("%spages/%d.html\n" % (url, n) for n in range(pages)))
        config = put(os.path.join(folder, "linkcheckerrc"), "[checking]\nthreads=16\nmaxrequestspersecond=100000\n")
        extern = ["--check-extern"] if "-hosts" in flags else []
        tools = [
            ("Locus", "`--rate 0 --per-host 16`", [locus(), "verify", "--quiet", "--no-cache", "--rate", "0", "--per-host", "16", "--max-pages", "100000", "--allow-private", url]),
            ("lychee", "list of all pages; `--host-concurrency 16 --host-request-interval 0ms`", [rivals.program("lychee"), "--quiet", "--quiet", "--no-progress", "--host-concurrency", "16", "--host-request-interval", "0ms", "--files-from", inputs]),
            (LINKCHECKER, "16 threads; the server permits any rate", [*linkchecker(), "-f", config, *extern, "--no-status", "--no-warnings", url]),
            (LINKINATOR, "`--recurse --concurrency 100`", [rivals.program(LINKINATOR), url, "--recurse", "--concurrency", "100", "--verbosity", "none"]),
        ]
        took, counts, reason = {}, {}, {}
        for _ in range(rounds):
            for name, _, command in tools:
                if not command[0]:
                    reason[name] = "not installed"
                elif expected and name not in expected:
                    reason[name] = "not run, because it did not finish a smaller site"
                elif expected.get(name, 0) > 240:
                    reason[name] = "not run: it would need %.0f s, ten times its time above" % expected[name]
                elif time.monotonic() - begin > 1080:
                    reason[name] = "not run: the 20 minutes of this table were over"
                if name in reason:
                    continue
                print("site:", title, name, file=sys.stderr, flush=True)
                asked(url)
                done = rivals.run(command, env={"HOME": folder}, cwd=folder)
                counts[name] = asked(url)
                if not done.finished:
                    reason[name] = "not finished in %d s" % rivals.LIMIT
                elif done.status not in (0, 1, 2) or counts[name] < pages:
                    reason[name] = "failed (status %d, %d requests): %s" % (done.status, counts[name], tail(done.err))
                else:
                    took.setdefault(name, []).append(done)
        report.text("**%s.** One link in 100 is dead. %s. Lower is better. lychee does not crawl, so it gets a list of all pages, and requests most pages twice: as a page and as the target of links. "
                    "The others get the first page and follow links. No tool limits its rate here. By default, Locus and linkchecker send at most 10 requests a second to a host, and lychee 20.%s"
                    % (title, "Medians of %d interleaved runs" % rounds if rounds > 1 else "One run",
                       " The tools verify the links to other hosts, but follow no links there." if extern else ""))
        rows = []
        ours = took.get("Locus")
        for name, settings, _ in tools:
            if name in reason or name not in took:
                rows.append([name, settings, reason.get(name, "not run"), "", "", "", ""])
                continue
            wall = rivals.median(took[name], "wall")
            rows.append([name, settings, "%.2f s" % wall, "%.1f×" % (wall / rivals.median(ours, "wall")) if ours else "",
                         "%.2f s" % rivals.median(took[name], "cpu"), "%.0f MiB" % rivals.median(took[name], "memory"), counts[name]])
        report.table(["program", "settings", "time", "relative to Locus", "processor time", "peak memory", "requests"], rows)
        return {name: rivals.median(runs, "wall") for name, runs in took.items() if name not in reason}
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(folder)


def asked(url):
    with urllib.request.urlopen(url + "requests") as response:
        return int(response.read())


def markdown(report, pages):
    """markdown measures the tools that read files on Markdown files that link to each other."""
    folder = public()
    tree = os.path.join(folder, "tree")
    r = random.Random(1738)
    for n in range(pages):
        lines = ["# Page %d\n" % n]
        for _ in range(10):
            to = r.randrange(pages) + (pages if r.randrange(100) == 0 else 0)
            lines.append("Some text around it, and [page %d](%d.md) in it.\n" % (to, to))
        put(os.path.join(tree, "%d.md" % n), "\n".join(lines))
    rows, ours = [], None
    for tool in OFFLINE:
        if not tool.path():
            rows.append([tool.name, tool.settings, "not installed", "", "", ""])
            continue
        print("files:", tool.name, file=sys.stderr, flush=True)
        runs = [tool.run(tree, folder, rivals.LIMIT) for _ in range(1 if SMALL else 3)]
        last = runs[-1]
        if not all(one.finished for one in runs):
            rows.append([tool.name, tool.settings, "not finished in %d s" % rivals.LIMIT, "", "", ""])
            continue
        wall = rivals.median(runs, "wall")
        ours = ours or wall
        rows.append([tool.name, tool.settings, "%.2f s" % wall, "%.1f×" % (wall / ours), "%.0f MiB" % rivals.median(runs, "memory"), len(tool.reports(last, tree))])
    report.text("**%d Markdown files with %d links to each other**, without a network. One link in 100 is broken. Lower is better. "
                "The last column shows that the tools do the same work." % (pages, pages * 10))
    report.table(["program", "settings", "time", "relative to Locus", "peak memory", "links reported"], rows)
    shutil.rmtree(folder)


# Repositories.

class Offline:
    """Offline is a tool that verifies the links of files. reports returns pairs of a file and a target."""

    def __init__(self, name, settings, command, reports):
        self.name, self.settings, self.command, self.read = name, settings, command, reports

    def path(self):
        if self.name == "Locus":
            return locus()
        return rivals.program("remark" if self.name.startswith("remark") else self.name)

    def run(self, tree, folder, limit):
        return rivals.run(self.command(self.path(), tree, folder), limit=limit, env={"HOME": folder, "NO_COLOR": "1"}, cwd=tree)

    def reports(self, done, tree):
        return set(self.read(done, tree))


def clean(tree, text):
    """clean returns a path in a tree, or a target, without the folder and the scheme."""
    text = urllib.parse.unquote(text)
    for prefix in ("file://", tree + "/", "./"):
        text = text.removeprefix(prefix)
    return text


def locus_offline(done, tree):
    for line in done.out.decode().splitlines():
        one = json.loads(line)
        if one["verdict"] in FAILURES:
            yield clean(tree, one["document"]), clean(tree, one["url"] or one["written"])


def lychee_offline(done, tree):
    got = whole(done.out) or {"error_map": {}}
    for name, list_ in got["error_map"].items():
        for one in list_:
            yield clean(tree, name), clean(tree, one["url"])


def linkchecker_offline(done, tree):
    for row in linkchecker_rows(done.out):
        if row.get("valid") == "False":
            yield clean(tree, row["parentname"] or ""), clean(tree, row["urlname"] or "")


def linkinator_offline(done, tree):
    for one in (whole(done.out) or {"links": []})["links"]:
        if one["state"] == "BROKEN":
            yield clean(tree, re.sub(r"^http://localhost:\d+/", "", one.get("parent") or "")), clean(tree, re.sub(r"^http://localhost:\d+/", "/", one["url"]))


def mlc_offline(done, tree):
    name = ""
    for line in done.out.decode(errors="replace").splitlines():
        found = re.match(r"FILE: (.*)", line)
        if found:
            name = found[1]
        found = re.match(r"\s*\[✖\] (.*?)( → Status.*)?$", line)
        if found:
            yield clean(tree, name), clean(tree, found[1])


def remark_offline(done, tree):
    name = ""
    for line in (done.out + done.err).decode(errors="replace").splitlines():
        found = re.search(r"Cannot find (?:file|heading for) `([^`]*)`(?: in `([^`]*)`)?", line)
        if found:
            yield clean(tree, name), found[1]
        elif line and not line[0].isspace() and not line.startswith(("✖", "⚠")):
            name = line.removesuffix(": no issues found").strip()


def config(folder, name, text):
    return put(os.path.join(folder, name), text)


OFFLINE = [
    Offline("Locus", "`--offline`", lambda p, tree, folder: [p, "verify", "--offline", "--json", "--no-cache", "."], locus_offline),
    Offline("lychee", "`--offline --include-fragments=full --root-dir TREE`",
            lambda p, tree, folder: [p, "--config", config(folder, "lychee.toml", ""), "--offline", "--include-fragments=full", "--root-dir", tree,
                                     "--format", "json", "--no-progress", "."], lychee_offline),
    Offline(LINKCHECKER, "MarkdownCheck and AnchorCheck",
            lambda p, tree, folder: [*linkchecker(), "-f", config(folder, "linkcheckerrc", "[MarkdownCheck]\nfilename_re=.*[.]md$\n[AnchorCheck]\n"), "--no-status", "-o", "csv", tree + "/"],
            linkchecker_offline),
    Offline(LINKINATOR, "`--markdown --check-fragments`, and `--skip` for other hosts",
            lambda p, tree, folder: [p, "**/*.md", "--config", config(folder, "linkinator.json", "{}"), "--markdown", "--check-fragments", "--skip",
                                     "^https?://(?!localhost:)", "--format", "json"], linkinator_offline),
    Offline(MLC, "`ignorePatterns` for http and https",
            lambda p, tree, folder: [p, "--config", config(folder, "mlc.json", json.dumps({"ignorePatterns": [{"pattern": "^(https?|mailto|ftp):"}]})), "."],
            mlc_offline),
    Offline("remark-validate-links", "`repository:false`",
            lambda p, tree, folder: [p, ".", "--no-config", "--no-stdout", "--quiet", "--no-color", "--use", REMARK + "=repository:false"], remark_offline),
]


def repositories(report, begin):
    given = os.environ.get("RIVALS_REPOSITORIES")
    if not given:
        report.text("Not measured: the repositories were not given. Set RIVALS_REPOSITORIES to a folder with one checkout in each folder.")
        return
    limit = 20 if SMALL else 60
    names = sorted(os.listdir(given))
    if SMALL:
        names = names[:1] + [n for n in names if "cobra" in n or "task" in n]
    folder = public()
    total = {tool.name: {"reported": 0, "works": 0, "source": 0, "found": 0, "planted": 0, "wall": 0.0, "ended": 0, "failed": ""} for tool in OFFLINE}
    rows = []
    done_names = []
    for name in names:
        if time.monotonic() - begin > 840:
            break
        done_names.append(name)
        tree = os.path.join(folder, "tree")
        shutil.copytree(os.path.join(given, name), tree, symlinks=True)
        planted = plant(tree)
        commit = subprocess.run(["git", "-c", "safe.directory=*", "rev-parse", "--short=8", "HEAD"], cwd=os.path.join(given, name), capture_output=True, text=True).stdout.strip()
        row = [name.replace("+", "/") + " `%s`" % commit, len(planted)]
        for tool in OFFLINE:
            sums = total[tool.name]
            if not tool.path():
                row.append("not installed")
                sums["failed"] = "not installed"
                continue
            print("repository:", name, tool.name, file=sys.stderr, flush=True)
            done = tool.run(tree, folder, min(limit, max(5, 900 - (time.monotonic() - begin))))
            sums["wall"] += done.wall
            if not done.finished:
                sums["ended"] += 1
                row.append("not finished")
                continue
            reports = tool.reports(done, tree)
            hits = {p for p in planted for r in reports if r[0] == p[0] and p[1] in r[1]}
            others = {r for r in reports if not any(r[0] == p[0] and p[1] in r[1] for p in planted)}
            kinds = [sort(tree, *r) for r in others]
            sums["found"] += len(hits)
            sums["planted"] += len(planted)
            sums["reported"] += len(others)
            sums["works"] += kinds.count("works")
            sums["source"] += kinds.count("source")
            row.append("%d found; %d other reports, %d false" % (len(hits), len(others), kinds.count("works")))
        rows.append(row)
        shutil.rmtree(tree)
    shutil.rmtree(folder)
    if len(done_names) < len(names):
        report.text("%d of the %d repositories were not measured, because the time for them was over: %s."
                    % (len(names) - len(done_names), len(names), ", ".join(n.replace("+", "/") for n in names[len(done_names):])))
    report.text("In each repository, a script changed one letter of up to 28 working links in Markdown files: links to files, fragments and pictures (the same links in each "
                "run). It reads only files with the name `*.md`. Each tool verified the changed files without a network, for at most %d s. linkinator and markdown-link-check have no offline mode, so a pattern "
                "excludes links to other hosts; linkinator serves the files on the loopback device. linkchecker reads Markdown only with its MarkdownCheck plugin. "
                "Configuration files of the repositories for these tools are not read." % limit)
    report.text("A report is false if the target of the relative link is a file or folder of the repository. It is a page of the generator if only the source of the page is there "
                "(`page.md` for `page/` or `page.html`): such a link works on the built site. The other reports were not judged. Higher is better for breaks found, lower for both kinds of wrong reports.")
    table = []
    for tool in OFFLINE:
        s = total[tool.name]
        if s["failed"]:
            table.append([tool.name, tool.settings, s["failed"], "", "", "", "", ""])
            continue
        table.append([tool.name, tool.settings, "%d of %d" % (s["found"], s["planted"]), s["reported"], s["works"], s["source"], "%.0f s" % s["wall"], s["ended"]])
    report.table(["program", "settings", "breaks found", "other reports", "false: the file exists", "pages of the generator", "time", "repositories not finished"], table)
    report.table(["repository", "breaks", *(tool.name for tool in OFFLINE)], rows)


def sort(tree, document, target):
    """sort returns "works", "source" or "unknown" for a report, by the files of the tree."""
    path, hash_, _ = target.partition("#")
    path = path.partition("?")[0]
    if hash_ or not path or re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+:", path):
        return "unknown"
    base = os.path.dirname(os.path.join(tree, document))
    places = [os.path.join(tree, path.lstrip("/")), os.path.join(base, path)]
    if any(os.path.exists(p) for p in places):
        return "works"
    for p in places:
        stem = re.sub(r"(/|\.html|/index\.html)$", "", p)
        if any(os.path.exists(stem + end) for end in (".md", ".mdx", ".markdown", ".adoc", ".rst", "/index.md", "/_index.md", "/README.md", "/index.mdx")):
            return "source"
    return "unknown"


LINK = re.compile(r"(!?)\[[^\]\[]*\]\(([^()\s<>]+)\)")


def plant(tree):
    """plant changes one letter of up to 28 working links of Markdown files, and returns pairs of a file and a part
    of the new target that is in no other link."""
    r = random.Random(1738)
    links = {"file": [], "fragment": [], "picture": []}
    names = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "*.md"], cwd=tree, capture_output=True, text=True).stdout.splitlines()
    for name in names:
        path = os.path.join(tree, name)
        if not os.path.isfile(path) or os.path.islink(path) or name.startswith(".") or "/." in name or "testdata" in name or "fixture" in name or "node_modules" in name:
            continue
        fence = False
        for number, line in enumerate(open(path, errors="surrogateescape").read().split("\n")):
            if line.lstrip().startswith(("```", "~~~")):
                fence = not fence
            if fence or line.startswith("    ") or "`" in line or "<" in line or "{{" in line or "{%" in line:
                continue
            for found in LINK.finditer(line):
                kind = works(tree, name, found[2], found[1] == "!")
                if kind:
                    links[kind].append((name, number, found.start(2), found[2]))
    planted = []
    chosen = []
    for kind, count in (("file", 10), ("fragment", 9), ("picture", 9)):
        r.shuffle(links[kind])
        chosen += links[kind][:count]
    seen = set()
    for name, number, at, target in sorted(chosen, reverse=True):
        if (name, number) in seen:
            continue
        path, hash_, fragment = target.partition("#")
        old = fragment if hash_ else os.path.basename(path)
        stem = os.path.splitext(old)[0]
        letters = [i for i, c in enumerate(stem) if c.isascii() and c.isalpha()]
        if not letters:
            continue
        i = letters[len(letters) // 2]
        new = old[:i] + ("q" if old[i] != "q" else "z") + old[i + 1:]
        whole_ = (path + "#" + new) if hash_ else os.path.join(os.path.dirname(path), new)
        full = os.path.join(tree, name)
        lines = open(full, errors="surrogateescape").read().split("\n")
        lines[number] = lines[number][:at] + whole_ + lines[number][at + len(target):]
        open(full, "w", errors="surrogateescape").write("\n".join(lines))
        seen.add((name, number))
        planted.append((name, urllib.parse.unquote(new)))
    return planted


def works(tree, name, target, picture):
    """works returns the kind of a link to a file or heading that exists, or None."""
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|/|\?", target):
        return None
    path, hash_, fragment = target.partition("#")
    full = os.path.join(tree, os.path.dirname(name), urllib.parse.unquote(path)) if path else os.path.join(tree, name)
    if not os.path.isfile(full) or "?" in path:
        return None
    if picture:
        return None if hash_ else "picture"
    if not hash_:
        return "file"
    if not fragment or not full.endswith(".md"):
        return None
    headings = re.findall(r"^#{1,6} +([A-Za-z0-9 -]+?)\s*$", open(full, errors="replace").read(), re.M)
    return "fragment" if fragment in {h.strip().lower().replace(" ", "-") for h in headings} else None


if __name__ == "__main__":
    if sys.argv[1:2] == ["--isolate"]:
        sys.exit(isolate(sys.argv[2:]))
    judge(sys.argv[1])
