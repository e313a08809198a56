"""What the tables of this folder share: programs, measurements and the report.

Each table is a module with NAME, TITLE and run(report). The module measures and calls
report.text and report.table. Nothing is skipped silently: a program that is missing or
not finished has a row that says so.
"""

import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(HERE)
HOME = os.environ.get("LOCUS_RIVALS") or os.path.expanduser("~/.cache/locus-rivals")
RESULTS = os.path.join(HERE, "RESULTS.md")
LIMIT = 300  # seconds: a program that needs more on one list is recorded as not finished


class Run:
    """Run is the result of one process and its children: status, wall and processor
    seconds, peak memory in MiB of the largest process, and whether the time limit ended it."""

    def __init__(self, status, wall, cpu, memory, finished, out, err):
        self.status, self.wall, self.cpu, self.memory = status, wall, cpu, memory
        self.finished, self.out, self.err = finished, out, err


def run(command, limit=LIMIT, stdin=None, env=None, cwd=None, group=True):
    """run runs a command and returns its Run. Its output is kept in memory as bytes."""
    if not shutil.which(command[0]):
        raise FileNotFoundError(command[0])
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.NamedTemporaryFile("r") as peak:
        begin = time.monotonic()
        # A new process starts with the memory size of its parent. GNU time is a small parent.
        measured = ["/usr/bin/time", "--quiet", "--format=%M", "--output=" + peak.name, *command]
        process = subprocess.Popen(measured, stdin=stdin or subprocess.DEVNULL, stdout=out, stderr=err,
                                   env={**os.environ, **(env or {})}, cwd=cwd, start_new_session=group)
        finished = True
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - begin > limit:
                finished = False
                os.killpg(process.pid, signal.SIGKILL)
                _, status, usage = os.wait4(process.pid, 0)
                break
            time.sleep(0.005)
        wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        memory = int(peak.read() or 0) or usage.ru_maxrss
        out.seek(0)
        err.seek(0)
        return Run(process.returncode, wall, usage.ru_utime + usage.ru_stime, memory / 1024,
                   finished, out.read(), err.read())


def median(runs, field):
    """median returns the median of a field of several runs."""
    return statistics.median(getattr(one, field) for one in runs)


def program(*names):
    """program returns the path of an installed program, or None. The folders of
    rivals/install come before PATH."""
    for name in names:
        for folder in ("cargo/bin", "python/bin", "node/node_modules/.bin", "bin"):
            path = os.path.join(HOME, folder, name)
            if os.access(path, os.X_OK):
                return path
        path = shutil.which(name)
        if path:
            return path
    return None


def version(command):
    """version returns the first line of a command's output that has a digit."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as e:
        return "unknown (%s)" % e
    for line in (done.stdout + "\n" + done.stderr).splitlines():
        if any(c.isdigit() for c in line):
            return line.strip()
    return "unknown"


def locus():
    """locus builds this checkout's command and returns its path."""
    path = os.path.join(HOME, "bin", "locus")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run(["go", "build", "-o", path, "./cmd/locus"], cwd=TREE, check=True)
    return path


def go(folder, *args, **more):
    """go runs the go command in a folder of this checkout."""
    return subprocess.run(["go", *args], cwd=os.path.join(TREE, folder), check=True, **more)


class Report:
    """Report collects the section of one table."""

    def __init__(self, title):
        self.lines = ["## " + title, ""]

    def text(self, text):
        self.lines += [text, ""]

    def table(self, header, rows):
        """table adds a table of Markdown. Cells are strings or numbers."""
        self.lines.append("| " + " | ".join(header) + " |")
        self.lines.append("|" + "---|" * len(header))
        for row in rows:
            self.lines.append("| " + " | ".join(cell(c) for c in row) + " |")
        self.lines.append("")

    def versions(self, rows):
        """versions adds the table of programs: name, version, command."""
        self.table(["program", "version", "command"], [(n, v, "`%s`" % c if c else "") for n, v, c in rows])


def cell(value):
    if isinstance(value, float):
        return "%.3g" % value if abs(value) < 100 else "%.0f" % value
    return str(value).replace("|", "\\|").replace("\n", " ")


def machine():
    """machine describes the machine in one line."""
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown processor")
    return "%d processors (%s), Linux, %s" % (os.cpu_count(), cpu, time.strftime("%Y-%m-%d", time.gmtime()))
