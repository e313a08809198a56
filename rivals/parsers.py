"""Locus beside URL parsers in Go, C++, Rust, C, Java, Python and Ruby: speed, and URLs on which they disagree."""

import json
import os
import re
import shlex
import statistics
import subprocess
import tempfile

import rivals
from rivals import HOME, TREE

TITLE = "URL parsers"
SMALL = bool(os.environ.get("RIVALS_SMALL"))
ROUNDS = 3 if SMALL else 5
LEAST = 30 if SMALL else 200  # milliseconds of processor time of one measurement
RUST = os.path.join(HOME, "rust", "release", "parsers")
JAVA = os.path.join(HOME, "java", "rivals-parsers-1.jar")
PYTHON = os.path.join(HOME, "python", "bin", "python")

# Names in the report of what the programs print.
NAMES = {
    "net/url": "net/url (Go)", "locus.Parse": "Locus, parse", "locus verdict": "Locus, parse and verdict",
    "rfc3986.Parse": "Locus, RFC 3986 parts", "whatwg-url": "whatwg-url (Go)",
    "ada::can_parse": "ada, can_parse (C++)", "ada::parse": "ada, parse (C++)",
    "Url::parse": "url (Rust)", "Uri::from_str": "http::Uri (Rust)",
    "locus canonical": "Locus, canonical form", "purell": "purell (Go)",
}

# Why a parser is faster than Locus where it is, from the source and a profile.
CAUSES = {
    "ada, can_parse (C++)": "For http, https, ws, wss and ftp it looks only at the scheme, the host and the port, and skips the path, query and "
        "fragment, because the URL Standard accepts any text there. Locus reads every byte. For file: URLs, and for hosts whose last character "
        "is a digit, a to f or x, ada runs its whole parser, and Locus is faster.",
    "ada, parse (C++)": "ada writes the normalized URL into one string while it parses. Locus parses first, writes the canonical form part by part into "
        "a new string, and scans that string again. Both scans take about 30 % of its time on `doc-mixed.others`. If the URL is already canonical, Locus writes nothing "
        "and is faster.",
    "url (Rust)": "Like ada, it writes the normalized URL into one string while it parses, and does not scan the result again.",
}


def speed_programs():
    """speed_programs returns commands that measure functions on the lines of a file, or reasons why they can't."""
    rust = RUST if os.access(RUST, os.X_OK) else None
    return [("ada", rivals.program("rival-ada"), "rivals/install debian"), ("Rust", rust, "rivals/install rust")]


def versions():
    """versions returns the pinned versions of what is measured, and the commands."""
    def pinned(path, pattern):
        with open(os.path.join(TREE, path)) as f:
            return re.search(pattern, f.read())[1]

    go, rust, cpp = "parsers speed LIST %d read|write" % LEAST, "parsers speed LIST %d" % LEAST, "rival-ada speed LIST %d" % LEAST
    cargo = "rivals/programs/rust/Cargo.toml"
    return [
        ("Locus", "this checkout", go),
        ("net/url (Go)", rivals.version(["go", "version"]), go),
        ("whatwg-url (Go)", pinned("bench/go.mod", r"nlnwa/whatwg-url (\S+)"), go),
        ("purell (Go)", pinned("bench/go.mod", r"purell (\S+)"), go),
        ("url (Rust)", pinned(cargo, r'url = "=([^"]+)"') + ", " + rivals.version(["rustc", "--version"]), rust),
        ("http::Uri (Rust)", pinned(cargo, r'http = "=([^"]+)"'), rust),
        ("ada (C++)", pinned(cargo, r'ada-url = \{ version = "=([^"]+)"') + ", " + rivals.version(["g++", "--version"]), cpp),
    ]


def measure(command):
    """measure runs a program that prints name, nanoseconds and a checksum, and returns the names and nanoseconds."""
    done = rivals.run(command)
    if not done.finished or done.status != 0:
        raise RuntimeError("not finished" if not done.finished else done.err.decode(errors="replace")[-200:].strip())
    fields = [line.split("\t") for line in done.out.decode().splitlines()]
    return {NAMES.get(f[0], f[0]): (float(f[1]), int(f[2])) for f in fields}


def rounds(commands, names):
    """rounds measures all commands in turn, ROUNDS times. It returns the lists of times of each
    name, and the checksums."""
    times, sums, failed = {name: [] for name in names}, {}, {}
    for n in range(ROUNDS):
        order = commands[n % len(commands):] + commands[:n % len(commands)]
        for label, command in order:
            try:
                for name, (ns, total) in measure(command).items():
                    if name in times:
                        times[name].append(ns)
                        sums[name] = total
            except (RuntimeError, ValueError, IndexError) as e:
                failed[label] = str(e)
    return times, sums, failed


def speed(report, helper, folder):
    subprocess.run([helper, "lists", folder], check=True)
    lists = ["go", "doc", "doc-mixed", "file", "web", "ten"]
    if SMALL:
        lists = ["go"]
    lists = [name for name in lists if os.path.exists(os.path.join(folder, name + ".txt"))]
    report.text("### Speed")
    report.text(
        "All programs read the same lists of URLs, a line for each, from files: `go`, `doc` and `doc-mixed` are URLs in the documents of "
        "this machine, `file` are file: URLs of its files, `web` and `ten` are generated. net/url and Locus accept all of them. A figure is the "
        "median of %d interleaved rounds of at least %d ms: nanoseconds of processor time per URL, lower is better. Only parsing is "
        "measured, not reading the file. Settings: ada is its C++ library in one program with `-O3 -flto`, "
        "class `ada::url_aggregator`. The Rust crates are built with `opt-level = 3`, `lto` and one code generation unit. Locus and the other "
        "Go packages are built by `go build` without settings. All use one core." % (ROUNDS, LEAST))
    report.versions(versions())
    programs = speed_programs()
    missing = [(name, hint) for name, path, hint in programs if not path]
    for name, hint in missing:
        report.text("%s is not installed (`%s`): its rows have no figures." % (name, hint))

    readers = ["locus.Parse", "locus verdict", "rfc3986.Parse", "net/url", "whatwg-url", "Url::parse", "Uri::from_str", "ada::can_parse", "ada::parse"]
    table(report, helper, programs, folder, lists, "read", [NAMES[n] for n in readers],
          [("Locus, parse", "Time of each parser divided by the time of Locus's parse. Above 1, Locus is faster."),
           ("Locus, parse and verdict", "Time of each parser divided by the time of Locus's parse and verdict. The verdict says whether the URL "
            "conforms to RFC 1738, and cites the rule that it violates; no other parser here does that.")])

    halves = [name + half for name in lists for half in (".canonical", ".others")]
    halves = [name for name in halves if os.path.exists(os.path.join(folder, name + ".txt"))]
    report.text("### Speed of the canonical form")
    report.text(
        "Parsing and writing the normalized URL. `canonical` are the URLs of a list that are already in Locus's canonical form, `others` the rest. The "
        "programs do different work: Locus writes the canonical form of the URL's scheme, ada and url write the serialization of the URL "
        "Standard, purell its safe rules with dot segments and fragments removed, net/url only joins the parts.")
    writers = ["locus canonical", "net/url", "purell", "Url::parse", "ada::parse"]
    table(report, helper, programs, folder, halves, "write", [NAMES[n] for n in writers],
          [("Locus, canonical form", "Time divided by the time of Locus's canonical form. Above 1, Locus is faster.")])


def table(report, helper, programs, folder, lists, work, names, bases):
    """table measures names on lists, and adds a table of times, a table of ratios for each base, and the
    causes of the rows in which a rival is ahead."""
    found = {}
    for one in lists:
        file = os.path.join(folder, one + ".txt")
        commands = [("Go", [helper, "speed", file, str(LEAST), work])]
        commands += [(name, [path, "speed", file, str(LEAST)]) for name, path, _ in programs if path]
        times, sums, failed = rounds(commands, names)
        found[one] = times
        for label, why in failed.items():
            report.text("%s failed on the list `%s`: %s" % (label, one, why))
        if "ada, can_parse (C++)" in sums:
            with open(file) as f:
                n = sum(1 for _ in f)
            report.text("List `%s`: %d URLs, of which ada accepts %d." % (one, n, sums["ada, can_parse (C++)"]))

    def row(name, cell):
        return [name] + [cell(found[one], name) if found[one][name] else "not measured" for one in lists]

    report.table(["nanoseconds per URL"] + lists, [row(n, lambda t, n: "%.0f" % statistics.median(t[n])) for n in names])
    ahead = {}
    for base, text in bases:
        report.text(text)

        def ratio(times, name):
            return statistics.median(a / b for a, b in zip(times[name], times[base]))

        report.table(["times as long as " + base] + lists, [row(n, lambda t, n: "%.2f" % ratio(t, n)) for n in names if n != base])
        for one in lists:
            for n in names:
                if not n.startswith("Locus") and found[one][n] and found[one][base] and ratio(found[one], n) < 1:
                    ahead.setdefault((n, base), []).append(one)
    for (n, base), on in ahead.items():
        report.text("**%s is faster than %s** on %s. %s" % (n, base, ", ".join("`%s`" % one for one in on), CAUSES.get(n, "The cause is unknown.")))
    if not ahead:
        report.text("No other parser is faster than Locus in this table.")


def wrapper(folder, name, *command):
    """wrapper writes a program that runs a command, because the lens passes arguments of its own."""
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write("#!/bin/sh\nexec " + shlex.join(command) + "\n")
    os.chmod(path, 0o755)
    return path


def readers(folder):
    """readers returns the programs of the matrix: name, title, path or None, and the part of rivals/install."""
    def built(name, title, program, part, *args):
        there = program and os.access(program, os.X_OK)
        return name, title, wrapper(folder, name, program, *args) if there else None, part

    java = rivals.program("java") if os.path.exists(JAVA) else None
    classes = JAVA + ":" + os.path.join(HOME, "java", "lib", "*")
    python = PYTHON if os.access(PYTHON, os.X_OK) else None
    rows = [
        built("ada", "ada (C++)", rivals.program("rival-ada"), "debian"),
        built("url", "url (Rust)", RUST, "rust", "url"),
        built("http-uri", "http::Uri (Rust)", RUST, "rust", "http"),
        built("glib", "GUri of GLib (C)", rivals.program("rival-glib"), "debian"),
        built("uriparser", "uriparser (C)", rivals.program("rival-uriparser"), "debian"),
        built("qt", "QUrl of Qt, tolerant", rivals.program("rival-qt"), "debian"),
        built("qt-strict", "QUrl of Qt, strict", rivals.program("rival-qt"), "debian", "strict"),
    ]
    for name, title in (("okhttp", "HttpUrl of OkHttp (Java)"), ("httpclient-builder", "URIBuilder of HttpClient 5 (Java)"),
                        ("httpclient-host", "URIUtils.extractHost of HttpClient 5 (Java)"), ("spring", "UriComponentsBuilder of Spring, RFC"),
                        ("spring-whatwg", "UriComponentsBuilder of Spring, WHATWG")):
        rows.append(built(name, title, java, "java", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-cp", classes, "Parsers", name))
    rows += [(name, title, python, "python") for name, title in (("yarl", "yarl (Python)"), ("httpx", "httpx (Python)"), ("ada-url", "ada-url (Python)"))]
    rows.append(("addressable", "Addressable (Ruby)", rivals.program("ruby"), "debian"))
    return rows


def matrix(report, helper, folder):
    rows = readers(folder)
    there = ["%s=%s" % (name, path) for name, _, path, _ in rows if path]
    done = rivals.run([helper, "matrix", *there])
    report.text("### Disagreements")
    if not done.finished or done.status != 0:
        report.text("The comparison was not finished: %s" % (done.err.decode(errors="replace")[-300:].strip() or "more than 5 minutes"))
        return
    result = json.loads(done.out)
    by = {p["Name"]: p for p in result["Programs"]}
    report.text(
        "Each program parses the %d confusing URLs of `lens/corpus.tsv`, from advisories, papers, standards and test suites. The results are compared "
        "with Locus, with the URL Standard (WHATWG) and with Go's net/url, by the rules of `locus lens`: parts that mean the same are the same. A "
        "number counts URLs. `accept` is the number that only one of the two accepts. The other columns count URLs that both accept: with "
        "different schemes, hosts, ports or paths, and with different `servers`, for which the two would contact another scheme, host or port. "
        "Lower is better if your other programs follow the same reading. Locus rejects most of these URLs, so a large `accept` means that the "
        "other program accepts URLs that programs read differently. Two programs accept few schemes by design: OkHttp only http and https, http::Uri only "
        "URLs with `//`, or a path or host alone." % result["URLs"])
    for base, title, columns in (("locus", "Locus", ["Accept", "Scheme", "Host", "Port", "Path", "Target"]),
                                 ("whatwg", "the URL Standard (WHATWG)", ["Accept", "Host", "Port", "Target"]),
                                 ("net/url", "net/url", ["Accept", "Host", "Port", "Target"])):
        report.text("Differences from %s:" % title)
        cells = []
        for name, title, path, part in rows:
            p = by.get(name)
            if not p:
                cells.append([title, "not installed: `rivals/install %s`" % part] + [""] * (1 + len(columns)))
            elif p["Failure"]:
                cells.append([title, "failed: " + p["Failure"]] + [""] * (1 + len(columns)))
            else:
                cells.append([title, p["Version"], p["Accepted"]] + [p["Against"][base][c] for c in columns])
        report.table(["program", "version", "accepted"] + [{"Target": "servers"}.get(c, c.lower()) for c in columns], cells)
    report.text(
        "The ten URLs for which most pairs of these programs would contact different servers, at most two of each kind of trick. Only hosts that are plain "
        "names or addresses count. A filter with one of "
        "the programs does not protect a client with another. Passwords are masked, and bytes outside printable ASCII are escaped.")
    lines = []
    for one in result["Dangerous"]:
        readings = "; ".join("**%s**: %s" % (show(r["Target"]), ", ".join(r["Names"])) for r in sorted(one["Readings"], key=lambda r: r["Target"] == "rejected"))
        lines.append(["`%s`" % show(one["Input"]), one["Class"] + ", " + one["Source"], readings])
    report.table(["URL", "kind of trick, source", "host that each program finds"], lines)


def show(text):
    """show escapes what a terminal or Markdown would not show."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    text = re.sub(r"[^ -~]", lambda c: c[0].encode("unicode_escape").decode(), text)
    if len(text) > 100:
        text = text[:100] + "..."
    return text.replace("`", "\\x60")


def run(report):
    with tempfile.TemporaryDirectory(prefix="rivals-parsers-") as folder:
        helper = os.path.join(folder, "parsers")
        rivals.go("bench", "build", "-o", helper, "./cmd/parsers")
        lists = os.path.join(folder, "lists")
        os.mkdir(lists)
        speed(report, helper, lists)
        matrix(report, helper, folder)
