"""URLs in running text: which URLs each program finds, and how fast."""

import ast
import glob
import json
import os
import re
import shutil
import sys
import tempfile

import rivals

TITLE = "URLs in text"
SMALL = bool(os.environ.get("RIVALS_SMALL"))
FOREIGN = os.path.join(rivals.TREE, "extract", "testdata", "foreign")
ROUNDS = 1 if SMALL else 3
FIRST, WHOLE = (100_000, 1_000_000) if SMALL else (1_000_000, 100_000_000)
# A program that would need more than this many seconds for the large text, at its speed on the small one, does not read it.
PATIENCE = 60


class Case:
    """Case is a text of a suite and the URLs that the suite expects."""

    def __init__(self, suite, options, text, want):
        self.suite, self.text, self.want = suite, text, want
        self.first, self.markdown, self.schemeless = ("first" in options, "markdown" in options, "schemeless" in options)


class Tool:
    """Tool is a program with one setting. own is the suites of its own project; commands maps
    "cases" and "text" to commands without the file; suits is the share of the cases that the
    setting is for, as a function of a case."""

    def __init__(self, name, setting, own, command, suits=lambda case: True):
        self.name, self.setting, self.own, self.command, self.suits = name, setting, own, command, suits
        self.found, self.failure = {}, ""


def cases():
    """cases reads the suites. Each line is a text, "->" and the URLs, quoted as in Go."""
    list_ = []
    for path in sorted(glob.glob(os.path.join(FOREIGN, "*.txt"))):
        suite = os.path.basename(path)[:-4]
        if suite == "expected_differences":
            continue
        options = []
        with open(path, encoding="utf-8", newline="\n") as f:
            for line in f:
                if line.startswith("# options:"):
                    options = line.split(":", 1)[1].split()
                if line.startswith("#") or not line.strip():
                    continue
                texts = [unquote(t) for t in re.findall(r'"(?:[^"\\]|\\.)*"|`[^`]*`', line)]
                list_.append(Case(suite.removesuffix("-not"), options, texts[0], texts[1:]))
    for name in ("rfc1738", "uri-in-www-draft"):
        with open(os.path.join(FOREIGN, "..", name + ".txt"), encoding="utf-8") as f:
            text = f.read()
        with open(os.path.join(FOREIGN, "..", name + ".urls"), encoding="utf-8") as f:
            want = [line.rstrip("\n").split("\t")[2] for line in f]
        list_.append(Case("RFC 1738 and its draft", [], text, want))
    return list_


def unquote(quoted):
    """unquote returns the value of a string literal of Go."""
    if quoted[0] == "`":
        return quoted[1:-1]
    # Go and Python have the same escapes, except that \\x and octal escapes of Go are bytes.
    return ast.literal_eval(quoted)


def key(url, text):
    """key is the form in which URLs are compared. Programs and suites differ in the scheme that they
    add to a name without one, and in the escapes of characters; neither changes where a URL begins and ends."""
    if url not in text:
        if url.replace("%25", "%") in text:
            return url.replace("%25", "%")
        for scheme in ("http://", "https://", "mailto:", "//"):
            if url.lower().startswith(scheme) and url[len(scheme):] in text:
                return url[len(scheme):]
    return url


def reasons():
    """reasons reads the reasons why Locus departs from the suites: pairs of a suite with a text or pattern, and the reason."""
    list_, reason = [], ""
    with open(os.path.join(FOREIGN, "expected_differences.txt"), encoding="utf-8", newline="\n") as f:
        for line in f.read().split("\n"):
            if line.startswith("- "):
                reason = line.split(": ", 1)[1]
            elif line and not line.startswith("#"):
                suite, text = line.split(" ", 1)
                match = re.compile(text[1:]).search if text.startswith("~") else unquote(text).__eq__
                list_.append((suite.removesuffix("-not"), match, reason))
    return list_


class Score:
    def __init__(self):
        self.right = self.found = self.want = self.exact = self.cases = 0

    def add(self, case, found):
        got = [key(u, case.text) for u in found]
        want = [key(u, case.text) for u in case.want]
        if case.first:
            got = got[:1]
        self.cases += 1
        self.exact += got == want
        self.found += len(got)
        self.want += len(want)
        rest = list(want)
        for url in got:
            if url in rest:
                rest.remove(url)
                self.right += 1
        return got == want

    def precision(self):
        return self.right / self.found if self.found else 0.0

    def recall(self):
        return self.right / self.want if self.want else 0.0


def percent(value):
    return "%.1f %%" % (100 * value)


def tools(locus):
    """tools returns the programs with their settings, and the commands that find URLs."""
    node, python = rivals.program("node") or "node", os.path.join(rivals.HOME, "python", "bin", "python")
    rust = os.path.join(rivals.HOME, "rust-linkify", "release", "rivals-linkify")
    mjs = os.path.join(rivals.HERE, "programs", "node", "extract.mjs")
    py = os.path.join(rivals.HERE, "programs", "python", "extract.py")
    gfm = ("gfm", "cmark-gfm", "micromark")
    return [
        Tool("Locus", "default", (), None),
        Tool("Locus", "`--schemeless` and `--as markdown` where the suite is about them", (), None),
        Tool("linkify", "only URLs with a scheme", ("linkify-rs", "autolink-java"), ([rust, "MODE"])),
        Tool("linkify", "also names without a scheme and mail", ("linkify-rs", "autolink-java"), ([rust, "MODE", "all"])),
        Tool("linkify-it", "default", ("linkify-it",), ([node, mjs, "linkify-it", "default", "MODE"])),
        Tool("linkify-it", "only URLs with a scheme", ("linkify-it",), ([node, mjs, "linkify-it", "schemes", "MODE"])),
        Tool("mdast with GFM autolinks", "default", gfm, ([node, mjs, "gfm", "default", "MODE"])),
        Tool("bleach", "default", ("bleach",), ([python, py, "bleach", "default", "MODE"])),
        Tool("bleach", "also mail", ("bleach",), ([python, py, "bleach", "mail", "MODE"])),
        Tool("urlextract", "default", (), ([python, py, "urlextract", "default", "MODE"])),
        Tool("urlextract", "only URLs with a scheme", (), ([python, py, "urlextract", "schemes", "MODE"])),
        Tool("urlextract", "also mail", (), ([python, py, "urlextract", "mail", "MODE"])),
    ]


def find_cases(tool, list_, folder):
    """find_cases runs a tool on all cases."""
    path = os.path.join(folder, "cases.jsonl")
    with open(path, "w", encoding="utf-8") as f:
        for case in list_:
            f.write(json.dumps(case.text) + "\n")
    command = [mode.replace("MODE", "cases") for mode in tool.command]
    if not os.access(command[0], os.X_OK):
        tool.failure = "not installed: rivals/install"
        return
    done = rivals.run(command + [path], env={"LOCUS_RIVALS": rivals.HOME})
    lines = done.out.decode("utf-8", "surrogatepass").splitlines()
    if not done.finished:
        tool.failure = "not finished in %d s" % rivals.LIMIT
    elif done.status != 0 or len(lines) != len(list_):
        tool.failure = "failed: " + message(done)
    else:
        tool.found = {id(case): json.loads(line) for case, line in zip(list_, lines)}


def message(done):
    """message returns the line of a program's messages that names its error."""
    lines = done.err.decode("utf-8", "replace").strip().splitlines() or ["status %d" % done.status]
    return next((line for line in lines if "Error" in line), lines[-1])


def find_locus(tool, locus, list_, folder):
    """find_locus runs "locus extract" once for each kind of suite, on a folder with a file for each case."""
    groups = {}
    for case in list_:
        flags = ("--as", "text") if tool.setting == "default" else (
            ("--as", "markdown" if case.markdown else "text") + (("--schemeless",) if case.schemeless else ()))
        groups.setdefault(flags, []).append(case)
    for number, (flags, group) in enumerate(groups.items()):
        below = os.path.join(folder, tool.setting[:9].strip("`-") + str(number))
        os.makedirs(below)
        for i, case in enumerate(group):
            with open(os.path.join(below, "%05d.txt" % i), "wb") as f:
                f.write(case.text.encode("utf-8", "surrogatepass"))
        done = rivals.run([locus, "extract", "-r", "--json", *flags, "."], cwd=below)
        if done.status not in (0, 1):
            tool.failure = "failed: " + done.err.decode("utf-8", "replace").strip()
            return
        for case in group:
            tool.found[id(case)] = []
        for line in done.out.decode().splitlines():
            link = json.loads(line)
            case = group[int(os.path.basename(link["file"])[:5])]
            tool.found[id(case)].append(written(link, case))


def written(link, case):
    """written returns a link as the text has it, like the other programs, without escapes that Locus adds."""
    span = case.text.encode("utf-8", "surrogatepass")[link["start"]:link["end"]].decode("utf-8", "replace")
    if link["form"] == "bare" or link.get("assumed"):
        return span
    return link["url"]


def text(folder):
    """text makes the text for the speed: the documentation of the machine, as valid UTF-8."""
    path = os.path.join(folder, "documents.txt")
    size = 0
    with open(path, "wb") as out:
        for root, folders, names in os.walk("/usr/share/doc"):
            folders.sort()
            for name in sorted(names):
                at = os.path.join(root, name)
                if os.path.islink(at) or not os.path.isfile(at) or name.endswith((".gz", ".png", ".zip", ".xz")):
                    continue
                with open(at, "rb") as f:
                    content = f.read()
                if b"\0" in content[:4096]:
                    continue
                content = content.decode("utf-8", "replace").encode()[: WHOLE - size].decode("utf-8", "ignore").encode()
                out.write(content + b"\n")
                size += len(content) + 1
                if size >= WHOLE:
                    return path, size
    return path, size


def suites(report, list_, all_tools):
    names = list(dict.fromkeys(case.suite for case in list_))
    report.text("**Which URLs are found.** The texts are the test suites of %d projects, as far as they are about the URLs in a text, with the "
                "URLs that each suite expects (%d texts, %d URLs), and the texts of RFC 1738 and of its draft, with a list that was read by eye. "
                "Projects differ about what a link is: a suite of Markdown expects `www.example.com`, and another one only URLs with a scheme. "
                "No suite is the truth. Locus was developed with all of these suites and departs from them where "
                "`extract/testdata/foreign/expected_differences.txt` gives a reason; here, each departure counts as a mistake of Locus. "
                "URLs are compared as the text has them. The suites of a program's own project do not count for it, and not for Locus "
                "in the same row; autolink-java counts as linkify's own, because it has the same author and tests. Precision is the share of the found URLs that the suite expects, and recall the share of the "
                "expected URLs that were found. Higher is better."
                % (len(names) - 1, sum(c.suite != names[-1] for c in list_), sum(len(c.want) for c in list_ if c.suite != names[-1])))
    ours = all_tools[1]
    rows = []
    for tool in all_tools:
        if tool.failure:
            rows.append([tool.name, tool.setting, tool.failure, "", "", "", ""])
            continue
        their, our = Score(), Score()
        for case in list_:
            if case.suite not in tool.own:
                their.add(case, tool.found[id(case)])
                our.add(case, ours.found[id(case)])
        rows.append([tool.name, tool.setting, percent(their.precision()), percent(their.recall()),
                     percent(their.exact / their.cases), " / ".join(percent(v) for v in (our.precision(), our.recall(), our.exact / our.cases)),
                     ", ".join(tool.own) or "none"])
    report.table(["program", "setting", "precision", "recall", "texts with exactly the expected URLs",
                  "Locus with the flags of the suite, on the same texts", "left out: its own suites"], rows)
    report.text("The share of texts with exactly the expected URLs, by suite. Each program has its best setting of the table above for that suite. "
                "\"own\" marks the suite of the program's own project.")
    programs = list(dict.fromkeys(tool.name for tool in all_tools))
    rows = []
    for suite in names:
        group = [c for c in list_ if c.suite == suite]
        row = [suite, len(group), sum(len(c.want) for c in group)]
        for name in programs:
            best = None
            for tool in all_tools:
                if tool.name == name and not tool.failure:
                    score = Score()
                    for case in group:
                        score.add(case, tool.found[id(case)])
                    best = max(best or 0.0, score.exact / score.cases)
            own = any(suite in tool.own for tool in all_tools if tool.name == name)
            row.append("failed" if best is None else percent(best) + (" (own)" if own else ""))
        rows.append(row)
    report.table(["suite", "texts", "URLs"] + programs, rows)
    ahead(report, names, list_, all_tools)


def ahead(report, names, list_, all_tools):
    """ahead adds the causes for each suite in which another project's program is ahead of Locus."""
    ours, known, rows = all_tools[1], reasons(), []
    for suite in names:
        group = [c for c in list_ if c.suite == suite]
        right = lambda tool: [c for c in group if Score().add(c, tool.found[id(c)])]
        rivals_ = [t for t in all_tools if t.command and not t.failure and suite not in t.own]
        best = max(rivals_, key=lambda t: len(right(t)), default=None)
        if best is None or len(right(best)) <= max(len(right(t)) for t in all_tools if t.command is None):
            continue
        causes = departures([c for c in right(best) if not Score().add(c, ours.found[id(c)])], known)
        rows.append([suite, "%s (%s)" % (best.name, best.setting), "%d of %d" % (len(right(best)), len(group)),
                     "%d of %d" % (len(right(ours)), len(group)), causes])
    if rows:
        report.text("The suites in which a program of another project is ahead of Locus. The causes are the reasons in "
                    "`expected_differences.txt` for the texts that the other program has right and Locus has not, the three most frequent ones.")
        report.table(["suite", "program ahead", "its exact texts", "exact texts of Locus", "causes: number of texts, and the reason why Locus departs"], rows)


    rows = []
    for tool in all_tools:
        if tool.command is None or tool.failure:
            continue
        group = [c for c in list_ if c.suite not in tool.own]
        their, our = Score(), Score()
        for case in group:
            their.add(case, tool.found[id(case)])
            our.add(case, ours.found[id(case)])
        if their.precision() > our.precision():
            worse = [c for c in group if not wrong(c, tool.found[id(c)]) and wrong(c, ours.found[id(c)])]
            rows.append([tool.name, tool.setting, "%s against %s" % (percent(their.precision()), percent(our.precision())),
                         "%s against %s" % (percent(their.recall()), percent(our.recall())), departures(worse, known)])
    if rows:
        report.text("The programs with a higher precision than Locus. The causes count the texts in which Locus finds a URL that the suite does not "
                    "expect, and the program finds none.")
        report.table(["program ahead", "setting", "precision", "recall", "causes: number of texts, and the reason why Locus departs"], rows)


def wrong(case, found):
    """wrong reports whether a program found a URL that the suite does not expect."""
    score = Score()
    score.add(case, found)
    return score.right < score.found


def departures(list_, known):
    """departures counts the reasons for texts, and returns the three most frequent ones."""
    count = {}
    for case in list_:
        why = next((why for of, match, why in known if of == case.suite and match(case.text)), "none is written down")
        count[why] = count.get(why, 0) + 1
    return "; ".join("%d: %s" % (n, why) for why, n in sorted(count.items(), key=lambda one: -one[1])[:3])


def speed(report, locus, all_tools, folder):
    path, size = text(folder)
    first = os.path.join(folder, "first.txt")
    with open(path, "rb") as f, open(first, "wb") as out:
        out.write(f.read(FIRST).decode("utf-8", "ignore").encode())
    commands = [("Locus", "`--as text`", [locus, "extract", "--as", "text"]),
                ("Locus", "`--as markdown`", [locus, "extract", "--as", "markdown"]),
                ("Locus", "`--as text`, one processor", ["taskset", "-c", "0", locus, "extract", "--as", "text"])]
    commands += [(t.name, t.setting, [mode.replace("MODE", "text") for mode in t.command]) for t in all_tools if t.command and not t.failure]
    report.text("**Speed.** Each program reads one file, finds the URLs, and writes them one per line: the time of the whole process, with its "
                "start. The small text is the first %.1f MB of the documentation in `/usr/share/doc`, the large one %.0f MB of it. Medians of %d "
                "interleaved rounds. A program that would need more than %d s for the large text does not read it. The programs that are written "
                "in an interpreted language need up to half a second to start. Lower times are better. \"Ratio\" is the time divided by Locus's "
                "time with `--as text`." % (os.path.getsize(first) / 1e6, size / 1e6, ROUNDS, PATIENCE))
    results = {}
    for part, file in (("small", first), ("large", path)):
        for _ in range(ROUNDS):
            for name, setting, command in commands:
                runs = results.setdefault((part, name, setting), [])
                if part == "large":
                    small = results["small", name, setting]
                    guess = rivals.median(small, "wall") * size / os.path.getsize(first)
                    if guess > PATIENCE or not small[-1].finished or small[-1].status not in (0, 1):
                        continue
                if runs and not runs[-1].finished:
                    continue
                runs.append(rivals.run(command + [file], env={"LOCUS_RIVALS": rivals.HOME}))
    rows = []
    for name, setting, _ in commands:
        row = [name, setting]
        for part, file in (("small", first), ("large", path)):
            runs = results[part, name, setting]
            if not runs:
                guess = rivals.median(results["small", name, setting], "wall") * size / os.path.getsize(first)
                row += ["not run: about %.0f s" % guess] + [""] * 5
            elif not runs[-1].finished:
                row += ["not finished in %d s" % rivals.LIMIT] + [""] * 5
            elif runs[-1].status not in (0, 1):
                row += ["failed: " + message(runs[-1])] + [""] * 5
            else:
                wall = rivals.median(runs, "wall")
                row += ["%.3f s" % wall, "%.3f s" % rivals.median(runs, "cpu"), os.path.getsize(file) / 1e6 / wall, wall / rivals.median(results[part, "Locus", "`--as text`"], "wall"),
                        "%.0f MiB" % rivals.median(runs, "memory"), runs[-1].out.count(b"\n")]
        rows.append(row)
    rows += [[t.name, t.setting, "not run: it failed above"] + [""] * 11 for t in all_tools if t.failure]
    report.table(["program", "setting", "small: time", "processor", "MB/s", "ratio", "memory", "URLs",
                  "large: time", "processor", "MB/s", "ratio", "memory", "URLs"], rows)
    faster = [part for part in ("small", "large") for name, setting, _ in commands if name == "linkify" and results[part, name, setting]
              and rivals.median(results[part, name, setting], "wall") < rivals.median(results[part, "Locus", "`--as text`"], "wall")]
    if faster:
        report.text("linkify is ahead on the %s text. A cause is the start: the command of Locus needs about 10 ms before it reads a file, because it "
                    "initializes all schemes and the packages of its HTTP client; the program around linkify contains only linkify."
                    % " and the ".join(dict.fromkeys(faster)))


def run(report):
    locus = rivals.locus()
    all_tools, list_ = tools(locus), cases()
    pinned = {}
    with open(os.path.join(rivals.HERE, "node.json")) as f:
        pinned.update(json.load(f)["dependencies"])
    with open(os.path.join(rivals.HERE, "python.txt")) as f:
        pinned.update(line.strip().split("==") for line in f if "==" in line)
    with open(os.path.join(rivals.HERE, "programs", "rust-linkify", "Cargo.toml")) as f:
        pinned["linkify"] = re.search(r'^linkify = "=(.*)"', f.read(), re.M)[1]
    report.versions([
        ("Locus", rivals.version([locus, "version"]), "locus extract"),
        ("linkify (Rust)", pinned["linkify"], "programs/rust-linkify"),
        ("linkify-it (JavaScript)", pinned["linkify-it"], "programs/node/extract.mjs linkify-it"),
        ("mdast with GFM autolinks (JavaScript)", "micromark-extension-gfm-autolink-literal " + pinned["micromark-extension-gfm-autolink-literal"]
         + ", mdast-util-gfm-autolink-literal " + pinned["mdast-util-gfm-autolink-literal"], "programs/node/extract.mjs gfm"),
        ("bleach (Python)", pinned["bleach"], "programs/python/extract.py bleach"),
        ("urlextract (Python)", pinned["urlextract"], "programs/python/extract.py urlextract"),
    ])
    with tempfile.TemporaryDirectory(prefix="rivals-extraction-") as folder:
        for tool in all_tools:
            if tool.command is None:
                find_locus(tool, locus, list_, folder)
            else:
                find_cases(tool, list_, folder)
        suites(report, list_, all_tools)
        speed(report, locus, all_tools, folder)
