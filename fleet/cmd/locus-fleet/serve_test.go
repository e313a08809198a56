package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/locus-url/locus/internal/command/base"
)

// slowHost starts a host that responds after the channel answer is closed. It returns the flags
// that permit requests to the host, and a file with a link to the host.
func slowHost(t *testing.T, answer <-chan struct{}) (flags []string, file string) {
	t.Helper()
	address := serveRaw(t, func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
			return
		}
		select {
		case <-answer:
		case <-t.Context().Done():
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
	})
	file = filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("http://"+address+"/"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--no-robots", "--allow-private", "--allow-port", port}, file
}

// TestVerifyUI checks that the page of "verify --ui" exists only during the run, even if the run
// is interrupted.
func TestVerifyUI(t *testing.T) {
	for name, want := range map[string]int{"completes": base.StatusDone, "interrupted": base.StatusInterrupted} {
		t.Run(name, func(t *testing.T) {
			answer := make(chan struct{})
			flags, file := slowHost(t, answer)
			p := start(t, append([]string{"verify", "--store", t.TempDir(), "--ui", "127.0.0.1:0", file}, flags...)...)
			page := p.servedURL(t)
			eventually(t, "the link is not asked for", func() bool {
				_, text := getPage(t, page+"metrics")
				return strings.Contains(text, "locus_fleet_active 1\n")
			})
			status, text := getPage(t, page)
			if status != http.StatusOK || !strings.Contains(text, "<h1>Frontier run-") || !strings.Contains(text, "<tr><th>Targets<td>1") {
				t.Errorf("%d\n%s", status, text)
			}
			if want == base.StatusDone {
				close(answer)
			} else {
				p.interrupt()
			}
			p.awaitEnd(t, want)
			if status, text := getPage(t, page); status != 0 {
				t.Errorf("it is still served: %d\n%s", status, text)
			}
		})
	}
}

// TestServeOnUnusableAddress checks that an unusable address ends the run before the first request.
func TestServeOnUnusableAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("http://h.example/"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := t.TempDir()
	if status, _, errOut := run(t, "create", "--store", store); status != base.StatusDone {
		t.Fatal(errOut)
	}
	for _, c := range []struct {
		address string
		status  int
		want    string
	}{
		{l.Addr().String(), base.StatusAccess, "address already in use"},
		{"nowhere", base.StatusUsage, "is not HOST:PORT"},
		{"127.0.0.1:99999", base.StatusUsage, "is not HOST:PORT"},
		{"192.0.2.1:80", base.StatusAccess, "192.0.2.1:80"},
	} {
		for _, args := range [][]string{{"verify", "--ui", c.address, file}, {"worker", "--listen", c.address}, {"ui", "--listen", c.address}} {
			status, out, errOut := run(t, append(args, "--store", store)...)
			if status != c.status || strings.Contains(out, "h.example") || !strings.Contains(errOut, c.want) || !strings.Contains(errOut, args[1]) {
				t.Errorf("%q: status %d\n%s%s", args, status, out, errOut)
			}
		}
	}
	noLeftConnections(t)
}

// TestWorkerListen checks that a worker process serves metrics and health until a signal ends it.
func TestWorkerListen(t *testing.T) {
	t.Parallel()
	s, url := startNATS(t, &natsserver.Options{JetStream: true, StoreDir: t.TempDir(), Username: "u", Password: "secret"})
	with := strings.Replace(url, "//", "//u:secret@", 1)
	cmd := locusFleet(t.TempDir(), "worker", "--listen", "127.0.0.1:0")
	cmd.Env = append(cmd.Env, "LOCUS_FLEET_NATS="+with)
	errOut, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	said := bufio.NewScanner(errOut)
	if !said.Scan() {
		t.Fatal("it says nothing")
	}
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(said.Text())
	if address == "" {
		t.Fatal(said.Text())
	}
	var metrics string
	eventually(t, "it holds no partitions", func() bool {
		_, metrics = getPage(t, address+"metrics")
		return strings.Contains(metrics, "\nlocus_fleet_partitions 64\n")
	})
	if strings.Contains(metrics, "secret") {
		t.Error(metrics)
	}
	checkMetrics(t, metrics)
	eventually(t, "it is not healthy", func() bool {
		status, text := getPage(t, address+"healthz")
		return status == http.StatusOK && text == "ok\n"
	})
	if status, _ := getPage(t, address); status != http.StatusNotFound {
		t.Error(status)
	}
	s.Shutdown()
	s.WaitForShutdown()
	eventually(t, "it counts as healthy", func() bool {
		status, _ := getPage(t, address+"healthz")
		return status == http.StatusServiceUnavailable
	})
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for said.Scan() {
		if strings.Contains(said.Text(), "secret") {
			t.Error(said.Text())
		}
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != base.StatusInterrupted {
		t.Error(err)
	}
}

// checkMetrics checks the Prometheus text format. Each metric must have a HELP and a TYPE line
// before its values, and only the names of counters may end in "_total".
func checkMetrics(t *testing.T, text string) {
	t.Helper()
	kinds := map[string]string{}
	help, values := "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			help, _, _ = strings.Cut(rest, " ")
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, kind, _ := strings.Cut(rest, " ")
			if name != help || kinds[name] != "" || (kind == "counter") != strings.HasSuffix(name, "_total") {
				t.Error(line)
			}
			kinds[name] = kind
			continue
		}
		values++
		m := regexp.MustCompile(`^(locus_fleet_[a-z_]+)(\{verdict="[a-z]+"\})? \d+$`).FindStringSubmatch(line)
		if m == nil || kinds[m[1]] == "" || m[1] != help {
			t.Errorf("%q", line)
		}
	}
	if values < 12 || len(kinds) < 13 {
		t.Errorf("%d values of %d metrics\n%s", values, len(kinds), text)
	}
}
