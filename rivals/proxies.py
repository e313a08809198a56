"""Proxies and caches: the gateway beside squid and nginx on the same requests, and http-cache-tests on all three."""

import json
import os
import pwd
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import time

import rivals

TITLE = "Proxies and caches"
SMALL = bool(os.environ.get("RIVALS_SMALL"))
ROUNDS, SECONDS = (1, 1) if SMALL else (5, 5)
LARGE = (10 if SMALL else 100) << 20
IDLE = 500 if SMALL else 10_000
SUITE = os.environ.get("RIVALS_CACHE_TESTS")  # a checkout of github.com/http-tests/cache-tests
NAMES = ["locus gateway", "squid", "nginx"]
MEMORY = "squid, in memory"

LUA = """
local requests, at = {}, 0
init = function(args)
  for i = 0, 99 do
    requests[i] = ("GET %s/small%02d HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n"):format(args[2] or "", i, args[1])
  end
end
request = function()
  at = (at + 1) % 100
  return requests[at]
end
done = function(summary, latency)
  local errors = summary.errors
  print("RESULT", summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), summary.bytes,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout)
end
"""

NGINX = """
%(user)sdaemon off;
pid %(dir)s/pid;
error_log %(dir)s/error.log;
worker_processes auto;
events { worker_connections 20000; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  client_body_temp_path %(dir)s/body;
  fastcgi_temp_path %(dir)s/fastcgi;
  uwsgi_temp_path %(dir)s/uwsgi;
  scgi_temp_path %(dir)s/scgi;
  proxy_temp_path %(dir)s/proxy;
  %(http)s
}
"""

NGINX_ORIGIN = """server {
    listen 127.0.0.1:%(port)d;
    root %(files)s;
    add_header Cache-Control max-age=100000;
  }"""

NGINX_PROXY = """proxy_cache_path %(dir)s/cache levels=1:2 keys_zone=cache:8m max_size=4g inactive=600m use_temp_path=off;
  server {
    listen 127.0.0.1:%(port)d;
    location / {
      proxy_pass http://127.0.0.1:%(origin)d;
      proxy_cache cache;
      proxy_cache_revalidate on;
      proxy_http_version 1.1;
      add_header X-Cache $upstream_cache_status;
    }
  }"""

SQUID = """
http_port 127.0.0.1:%(port)d
visible_hostname localhost
pid_filename %(dir)s/pid
cache_log %(dir)s/cache.log
access_log none
cache_store_log none
coredump_dir %(dir)s
netdb_filename none
pinger_enable off
icp_port 0
snmp_port 0
shutdown_lifetime 0 seconds
maximum_object_size 1 GB
%(store)s
http_access allow localhost
http_access deny all
refresh_pattern ^ftp: 1440 20%% 10080
refresh_pattern . 0 20%% 4320
%(user)s"""

SQUID_DISK = """cache_mem 256 MB
cache_dir aufs %s/cache 4096 16 256"""

SQUID_MEMORY = """cache_mem 2 GB
maximum_object_size_in_memory 1 GB"""

VSFTPD = """listen=YES
listen_address=127.0.0.1
listen_port=%(port)d
background=NO
anonymous_enable=YES
anon_root=%(files)s
local_enable=NO
connect_from_port_20=NO
seccomp_sandbox=NO
secure_chroot_dir=%(dir)s
"""


class Missing(Exception):
    """Missing says why a program cannot be measured."""


# ---- processes


def free_port():
    """free_port returns a port that the kernel chooses."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def need(name):
    path = rivals.program(name) or rivals.program("/usr/sbin/" + name)
    if not path:
        raise Missing("%s is not installed" % name)
    return path


class Server:
    """Server is a running program that listens on a port of the loopback interface. If the
    port is None, the program prints its address."""

    def __init__(self, command, port=None, env=None):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE if port is None else subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, text=True, env={**os.environ, **(env or {})})
        self.pid, self.port = self.process.pid, port
        if port is None:
            found = re.search(r":(\d+)/?$", self.process.stdout.readline().strip())
            if not found:
                self.stop()
                raise Missing("%s does not start" % command[0])
            self.port = int(found[1])
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.stop()
                    raise Missing("%s does not start" % command[0]) from None
                time.sleep(0.02)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()

    def family(self):
        """family returns the process ids of the program and its children."""
        found = [self.pid]
        for pid in found:
            try:
                for task in os.listdir("/proc/%d/task" % pid):
                    with open("/proc/%d/task/%s/children" % (pid, task)) as f:
                        found += [int(child) for child in f.read().split()]
            except OSError:
                pass
        return found

    def memory(self):
        """memory returns the resident memory of the program and its children in KiB. It
        divides pages that they share among them."""
        total = 0
        for pid in self.family():
            with open("/proc/%d/smaps_rollup" % pid) as f:
                total += int(re.search(r"^Pss:\s+(\d+)", f.read(), re.M)[1])
        return total

    def cpu(self):
        """cpu returns the processor seconds of the program and its children."""
        ticks = 0
        for pid in self.family():
            with open("/proc/%d/stat" % pid) as f:
                fields = f.read().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


class Bench:
    """Bench is a temporary folder with the files, and the programs that run."""

    def __init__(self, folder):
        self.dir, self.servers, self.count = folder, [], 0
        self.files = self.folder("files")
        self.ftp = None

    def folder(self, name, owner=None):
        self.count += 1
        path = os.path.join(self.dir, "%s%d" % (name, self.count))
        os.mkdir(path)
        os.chmod(path, 0o755)
        if owner and os.getuid() == 0:
            user = pwd.getpwnam(owner)
            os.chown(path, user.pw_uid, user.pw_gid)
        return path

    def write(self, folder, name, text):
        path = os.path.join(folder, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def start(self, *args, **more):
        server = Server(*args, **more)
        self.servers.append(server)
        return server

    def stop(self, server):
        self.servers.remove(server)
        server.stop()

    def nginx(self, http, **more):
        program, port, folder = need("nginx"), free_port(), self.folder("nginx", "www-data")
        settings = {"dir": folder, "port": port, "files": self.files, **more}
        conf = self.write(folder, "conf", NGINX % {"dir": folder, "http": http % settings, "user": "user www-data;\n" if os.getuid() == 0 else ""})
        return self.start([program, "-c", conf, "-e", os.path.join(folder, "error.log")], port)

    def squid(self, memory=False):
        program, port, folder = need("squid"), free_port(), self.folder("squid", "proxy")
        user = "cache_effective_user proxy\n" if os.getuid() == 0 else ""
        conf = self.write(folder, "conf", SQUID % {"dir": folder, "port": port, "user": user,
                                                          "store": SQUID_MEMORY if memory else SQUID_DISK % folder})
        made = subprocess.run([program, "-N", "-z", "-f", conf], capture_output=True, text=True)
        if made.returncode:
            raise Missing("squid -z: " + made.stderr.strip()[-200:])
        return self.start([program, "-N", "-f", conf], port)

    def vsftpd(self):
        program, port = need("vsftpd"), free_port()
        if os.getuid() != 0:
            raise Missing("vsftpd needs root")
        # vsftpd wants an empty folder.
        conf = self.write(self.folder("vsftpd"), "conf", VSFTPD % {"dir": self.folder("empty"), "port": port, "files": self.files})
        return self.start([program, conf], port)

    def gateway(self, *ports):
        folder = self.folder("gateway")
        command = [self.locus, "gateway", "--listen", "127.0.0.1:0", "--allow-private", "--cache", os.path.join(folder, "cache"),
                   "--cache-size", "4G", "--log-format", "none"]
        for port in ports:
            command += ["--allow-port", str(port)]
        return self.start(command, env={"HOME": folder, "XDG_CONFIG_HOME": folder})

    def proxy(self, name, origin, *ports):
        """proxy starts a proxy for the HTTP server on port origin, and servers on other ports."""
        if name in ("squid", MEMORY):
            return self.squid(name == MEMORY)
        if name == "nginx":
            return self.nginx(NGINX_PROXY, origin=origin)
        return self.gateway(origin, *ports)


# ---- measurements


def small(bench, report, origin, proxies):
    """small measures stored objects of 4 KiB with wrk."""
    report.text("### Small stored objects\n\n"
                "100 objects of 4 KiB, stored by each proxy before the measurement. `wrk -t1 -c8` requests them in turn over 8 connections that "
                "stay open, for %d s; medians of %d interleaved rounds. The proxies receive complete URLs. The file servers are a baseline without "
                "a proxy. The last column is the processor time of the server alone." % (SECONDS, ROUNDS))
    try:
        wrk = need("wrk")
    except Missing as e:
        report.table(["server", "result"], [("all", str(e))])
        return
    script = bench.write(bench.dir, "wrk.lua", LUA)
    subjects = [("file server of nginx", origin, ""), ("file server of net/http", bench.net_http, "")]
    subjects += [(name, proxies[name], "http://127.0.0.1:%d" % origin.port) for name in NAMES]
    found = {name: [] for name, _, _ in subjects}

    def load(server, prefix, seconds):
        before = server.cpu()
        command = [wrk, "-t1", "-c8", "-d%ds" % seconds, "-s", script, "http://127.0.0.1:%d" % server.port, "--", "127.0.0.1:%d" % origin.port]
        done = rivals.run(command + ([prefix] if prefix else []))
        result = re.search(rb"RESULT\s+(.*)", done.out)
        if not result:
            raise Missing("wrk: " + (done.out + done.err).decode()[-200:])
        requests, duration, half, most, size, errors = (float(n) for n in result[1].split())
        if errors or size < requests * 4096:
            raise Missing("%d of %d requests failed" % (errors, requests))
        return requests / duration * 1e6, half / 1e3, most / 1e3, (server.cpu() - before) / requests * 1e6

    failed = {name: str(server) for name, server, _ in subjects if isinstance(server, Missing)}
    for turn in range(ROUNDS + 1):
        for name, server, prefix in subjects:
            if name in failed:
                continue
            try:
                result = load(server, prefix, SECONDS if turn else 1)
            except Missing as e:
                failed[name] = str(e)
                continue
            if turn:  # The first turn stores the objects.
                found[name].append(result)
    ours = statistics.median(one[0] for one in found[NAMES[0]]) if found[NAMES[0]] else None
    rows = []
    for name, _, _ in subjects:
        if name in failed:
            rows.append((name, failed[name], "", "", "", ""))
            continue
        rate, half, most, cpu = (statistics.median(column) for column in zip(*found[name]))
        rows.append((name, "%.0f" % rate, "%.2f" % (rate / ours) if ours else "", "%.2f" % half, "%.2f" % most, "%.0f" % cpu))
    report.table(["server", "requests per second (higher is better)", "ratio to Locus", "median latency, ms", "99 of 100 requests within, ms (lower is better)",
                  "processor time per request, µs (lower is better)"], rows)


def tcp_copy(size):
    """tcp_copy returns the MB/s of a copy between two sockets."""
    block = bytes(1 << 20)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def send():
            conn, _ = listener.accept()
            with conn:
                for _ in range(size // len(block)):
                    conn.sendall(block)
        sender = threading.Thread(target=send)
        begin = time.monotonic()
        sender.start()
        into, received = bytearray(1 << 20), 0
        with socket.create_connection(listener.getsockname()) as conn:
            while n := conn.recv_into(into):
                received += n
        took = time.monotonic() - begin
        sender.join()
    return received / took / 1e6


def curl(url, proxy=None):
    """curl downloads a URL, and returns MB/s and the response header."""
    command = [need("curl"), "--silent", "--show-error", "--output", "/dev/null", "--dump-header", "-", "--write-out", "\nRESULT %{size_download} %{time_total} %{http_code}"]
    if proxy:
        command += ["--proxy", "http://127.0.0.1:%d" % proxy.port]
    clean = {name: "" for name in ("http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy", "NO_PROXY", "ALL_PROXY", "FTP_PROXY", "HTTPS_PROXY")}
    done = rivals.run(command + [url], env=clean)
    result = re.search(rb"RESULT (\d+) ([\d.]+) (\d+)", done.out)
    if not done.finished:
        raise Missing("not finished within %d s" % rivals.LIMIT)
    if done.status or not result or int(result[1]) != LARGE:
        raise Missing("curl: status %d, %s" % (done.status, (done.err or done.out).decode(errors="replace").strip()[-200:]))
    return LARGE / float(result[2]) / 1e6, done.out.decode("latin-1")


def stored(header):
    """stored reports whether the header of a response says that it comes from a cache."""
    return bool(re.search(r"^(X-Cache(-Status)?:.*HIT|Age: *[0-9]|Cache-Status:.*hit)", header, re.M | re.I))


def large(bench, report, origin, proxies):
    """large measures downloads of 100 MiB with curl."""
    report.text("### Large objects\n\n"
                "curl downloads %d MiB to /dev/null over loopback: first an object that the proxy has not stored, then, after the other proxies, the same object again. MB/s, higher "
                "is better; medians of %d interleaved rounds, a new object in each round. nginx serves HTTP, and vsftpd serves FTP. The proxies store on disk; a second squid stores in memory."
                % (LARGE >> 20, ROUNDS))
    hosts = {"HTTP": "http://127.0.0.1:%d" % origin.port}
    if isinstance(bench.ftp, Server):
        hosts["FTP"] = "ftp://127.0.0.1:%d" % bench.ftp.port
    names = NAMES + [MEMORY]
    found, failed, hits = {}, {}, {}
    if not isinstance(bench.ftp, Server):
        failed.update({("FTP", name): str(bench.ftp) for name in names + ["curl alone"]})
    failed["FTP", "nginx"] = "nginx has no FTP client"
    copies = []
    for turn in range(ROUNDS):
        copies.append(tcp_copy(LARGE))
        for kind, host in hosts.items():
            url = "%s/large%d" % (host, turn)
            # A proxy may still write the first object while the others are measured.
            for fetch, name in [(1, "curl alone")] + [(fetch, name) for fetch in (1, 2) for name in names]:
                if (kind, name) in failed:
                    continue
                proxy = proxies.get(name)
                if isinstance(proxy, Missing):
                    failed[kind, name] = str(proxy)
                    continue
                try:
                    rate, header = curl(url, proxy)
                except Missing as e:
                    failed[kind, name] = str(e)
                    continue
                found.setdefault((kind, name, fetch), []).append(rate)
                if fetch == 2:
                    hits.setdefault((kind, name), []).append(stored(header))
    rows = [("TCP", "copy between two sockets, no curl", "%.0f" % statistics.median(copies), "", "", "", "")]
    for kind in ("HTTP", "FTP"):
        for name in ["curl alone"] + names:
            if (kind, name) in failed:
                rows.append((kind, name, failed[kind, name], "", "", "", ""))
                continue
            row = [kind, name]
            for fetch in (1, 2):
                runs, ours = found.get((kind, name, fetch)), found.get((kind, NAMES[0], fetch))
                if not runs:
                    row += ["", ""]
                    continue
                row += ["%.0f" % statistics.median(runs), "%.2f" % (statistics.median(runs) / statistics.median(ours)) if ours else ""]
            rows.append((*row, "%d of %d" % (sum(hits[kind, name]), len(hits[kind, name])) if (kind, name) in hits else ""))
    report.table(["protocol", "client or proxy", "first download, MB/s", "ratio to Locus", "second download, MB/s", "ratio to Locus", "second from the cache, by the response header"], rows)


def idle(bench, report, origin):
    """idle measures the memory of idle connections, and a request beside them."""
    report.text("### Idle connections\n\n"
                "%d clients connect to a new proxy and stay connected. Each one sends nothing, or one request for a stored object of 4 KiB and no more. Memory is the growth of "
                "the proxy's processes divided by the number of connections; the kernel's buffers are not in it. Then another client connects 100 times "
                "and requests the stored object." % IDLE)
    rows = []
    for name in NAMES:
        for kind in ("nothing", "one request"):
            try:
                rows.append((name, kind, *idle_one(bench, name, kind, origin)))
            except (Missing, OSError) as e:
                rows.append((name, kind, "failed: %s" % e, "", "", "", ""))
    report.table(["proxy", "each client sends", "still connected at the end", "memory before, MiB", "memory per connection, KiB (lower is better)",
                  "another request, median ms (lower is better)", "another request, longest ms"], rows)


def exchange(conn, request):
    """exchange sends a request for a small object, and reads the response."""
    conn.sendall(request)
    got = b""
    while b"\r\n\r\n" not in got:
        part = conn.recv(65536)
        if not part:
            raise Missing("the proxy closed the connection")
        got += part
    head, _, body = got.partition(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n")[0]:
        raise Missing("the response is " + head.split(b"\r\n")[0].decode())
    while len(body) < 4096:
        part = conn.recv(65536)
        if not part:
            raise Missing("the response is too short")
        body += part


def idle_one(bench, name, kind, origin):
    proxy = bench.proxy(name, origin.port)
    request = b"GET http://127.0.0.1:%d/small00 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % (origin.port, origin.port)

    def connect():
        conn = socket.create_connection(("127.0.0.1", proxy.port), 30)
        conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return conn

    conns = []
    try:
        for _ in range(200):  # fills the cache and warms the proxy
            with connect() as conn:
                exchange(conn, request)
        before = proxy.memory()
        for _ in range(IDLE):
            conns.append(connect())
            if kind == "one request":
                exchange(conns[-1], request)
        took = []
        for _ in range(100):
            begin = time.monotonic()
            with connect() as conn:
                exchange(conn, request)
            took.append((time.monotonic() - begin) * 1e3)
        after = proxy.memory()
        open_ = 0
        for conn in conns:
            conn.setblocking(False)
            try:
                conn.recv(1)
            except BlockingIOError:
                open_ += 1
            except OSError:
                pass
        return open_, "%.0f" % (before / 1024), "%.1f" % ((after - before) / IDLE), "%.2f" % statistics.median(took), "%.2f" % max(took)
    finally:
        for conn in conns:
            conn.close()
        bench.stop(proxy)


def cache_tests(bench, report):
    """cache_tests runs http-cache-tests against each proxy."""
    report.text("### http-cache-tests\n\n"
                "The suite of https://cache-tests.fyi/ sends requests through a proxy and looks at the responses. Required tests follow from the "
                "specification. Optional tests are for behavior that it permits and a good cache has. Checks only observe. A test counts as passed if the tests that it depends on pass too, as on the suite's page. More passed tests are better. The client sends "
                "complete URLs, and does not send the three request fields by which the suite marks its requests: the gateway would store a response for each value. "
                "nginx has the settings of the suite's authors; squid and the gateway have the settings of the other measurements.")
    try:
        if not SUITE or not os.path.isdir(os.path.join(SUITE, "test-engine")):
            raise Missing("RIVALS_CACHE_TESTS names no checkout of github.com/http-tests/cache-tests")
        node, modules = need("node"), os.path.join(rivals.HOME, "node", "node_modules")
        if not os.path.isdir(os.path.join(modules, "undici-7")):
            raise Missing("undici is not installed: rivals/install node does that")
    except Missing as e:
        report.table(["proxy", "result"], [("all", str(e))])
        return
    results, failed = {}, {}

    def one(name):
        process = subprocess.Popen([node, os.path.join(rivals.HERE, "programs", "node", "cache-tests.mjs"), os.path.abspath(SUITE), modules,
                                    *(["freshness-none", "freshness-max-age", "freshness-max-age-stale", "interim-103"] if SMALL else [])],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            proxy = bench.proxy(name, int(process.stdout.readline()))
            try:
                out, _ = process.communicate("%d\n" % proxy.port, rivals.LIMIT)
                results[name] = {test["id"]: test for test in json.loads(out)}
            finally:
                bench.stop(proxy)
        except subprocess.TimeoutExpired:
            failed[name] = "not finished within %d s" % rivals.LIMIT
        except (Missing, ValueError, OSError) as e:
            failed[name] = str(e)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    # The tests mostly wait, so the proxies are tested at the same time.
    threads = [threading.Thread(target=one, args=(name,)) for name in NAMES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kinds = {"required": "required", "optimal": "optional", "check": "checks"}
    rows = []
    for name in NAMES:
        if name in failed:
            rows.append((name, failed[name], "", ""))
            continue
        counts = [[passed(results[name], id_) for id_, test in results[name].items() if test["kind"] == kind] for kind in kinds]
        rows.append((name, *("%d of %d" % (sum(count), len(count)) for count in counts)))
    report.table(["proxy"] + list(kinds.values()), rows)
    if NAMES[0] not in results:
        return
    rows, dependent, causes = [], [], read_causes()
    for id_, test in results[NAMES[0]].items():
        others = [name for name in NAMES[1:] if name in results and passed(results[name], id_)]
        if not others or test["kind"] == "check" or passed(results[NAMES[0]], id_):
            continue
        if test["result"] is True:
            dependent.append(id_)
        else:
            rows.append((id_, kinds[test["kind"]], ", ".join(others), test["result"][-1], causes.get(id_, "not examined")))
    report.text("The gateway does not pass these required and optional tests that another proxy passes (%d):" % len(rows))
    if rows:
        report.table(["test", "kind", "passes with", "the suite's reason", "cause"], rows)
    if dependent:
        report.text("Another proxy passes %d further tests. The gateway does as they require, but they do not count, because it does not pass a test that they depend on: %s."
                    % (len(dependent), ", ".join(dependent)))


def passed(tests, id_):
    """passed reports whether a test and all tests that it depends on passed."""
    return id_ in tests and tests[id_]["result"] is True and all(passed(tests, other) for other in tests[id_]["depends"])


def read_causes():
    """read_causes returns the known causes of tests that the gateway does not pass, by the test's name."""
    found = {}
    with open(os.path.join(rivals.HERE, "cache-tests.tsv")) as f:
        for line in f:
            ids, _, cause = line.strip().partition("\t")
            for id_ in ids.split() if cause else []:
                found[id_] = cause
    return found


def package(name):
    """package returns the version of a Debian package."""
    done = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", name], capture_output=True, text=True)
    return "Debian " + done.stdout if done.returncode == 0 and done.stdout else "not installed"


def suite_version():
    if not SUITE:
        return "not found"
    done = subprocess.run(["git", "-C", SUITE, "log", "-1", "--format=commit %h of %cs"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def run(report):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # for idle connections
    folder = tempfile.mkdtemp(prefix="locus-rivals-")
    os.chmod(folder, 0o755)
    bench = Bench(folder)
    try:
        measure(bench, report)
    finally:
        for server in list(bench.servers):
            bench.stop(server)
        shutil.rmtree(folder)


def measure(bench, report):
    bench.locus = rivals.locus()
    file_server = os.path.join(rivals.HOME, "bin", "locus-bench-gateway")
    rivals.go("bench", "build", "-o", file_server, "./cmd/gateway")
    report.versions([
        ("locus gateway", rivals.version([bench.locus, "--version"]), "locus gateway --allow-private --cache DIR --cache-size 4G --log-format none"),
        ("squid", package("squid"), "squid -N -f CONF (cache_mem 256 MB, cache_dir aufs, no access log, one process)"),
        (MEMORY, package("squid"), "squid -N -f CONF (cache_mem 2 GB, maximum_object_size_in_memory 1 GB, no cache_dir)"),
        ("nginx", package("nginx"), "nginx -c CONF (proxy_cache on disk, worker_processes auto, sendfile, no access log, no other origin than ours)"),
        ("net/http", rivals.version(["go", "version"]), "bench/cmd/gateway -files DIR"),
        ("vsftpd", package("vsftpd"), "vsftpd CONF"),
        ("wrk", package("wrk"), "wrk -t1 -c8 -d%ds -s LUA URL" % SECONDS),
        ("curl", package("curl"), "curl --proxy URL"),
        ("http-cache-tests", suite_version(), "node cache-tests.mjs SUITE MODULES (Node %s)" % rivals.version(["node", "--version"])),
    ])
    block = os.urandom(4096)
    for i in range(100):
        with open(os.path.join(bench.files, "small%02d" % i), "wb") as f:
            f.write(block)
    big = os.path.join(bench.files, "large0")
    with open(big, "wb") as f:
        for _ in range(LARGE >> 20):
            f.write(os.urandom(1 << 20))
    for i in range(1, ROUNDS):
        os.link(big, os.path.join(bench.files, "large%d" % i))

    def attempt(start, *args):
        try:
            return start(*args)
        except Missing as e:
            return e

    origin = attempt(bench.nginx, NGINX_ORIGIN)
    if isinstance(origin, Missing):
        report.table(["server", "result"], [("nginx as the origin of all measurements", str(origin))])
        return
    bench.ftp = attempt(bench.vsftpd)
    bench.net_http = attempt(bench.start, [file_server, "-files", bench.files])
    ports = [bench.ftp.port] if isinstance(bench.ftp, Server) else []
    proxies = {name: attempt(bench.proxy, name, origin.port, *ports) for name in NAMES + [MEMORY]}
    small(bench, report, origin, proxies)
    large(bench, report, origin, proxies)
    for proxy in proxies.values():
        if isinstance(proxy, Server):
            bench.stop(proxy)
    idle(bench, report, origin)
    cache_tests(bench, report)
