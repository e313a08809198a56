package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

// process is a run of the command in this process.
type process struct {
	name        string
	out, errOut clitest.Screen
	interrupt   context.CancelFunc
	status      chan int
}

func start(t *testing.T, args ...string) *process {
	ctx, cancel := context.WithCancel(t.Context())
	p := &process{name: args[0], interrupt: cancel, status: make(chan int, 1)}
	a := base.New(ctx, strings.NewReader(""), &p.out, &p.errOut, clitest.NoEnv)
	go func() { p.status <- runArgs(a, args) }()
	return p
}

// awaitEnd waits for the end of the process, and checks the exit status.
func (p *process) awaitEnd(t *testing.T, want int) {
	t.Helper()
	select {
	case status := <-p.status:
		if status != want {
			t.Errorf("%s: status %d, want %d\n%s%s", p.name, status, want, p.out.String(), p.errOut.String())
		}
	case <-time.After(time.Minute):
		all := make([]byte, 1<<20)
		t.Fatalf("%s does not end\n%s\n%s", p.name, p.errOut.String(), all[:runtime.Stack(all, true)])
	}
}

// awaitWaitNote waits until the process has written why it waits for servers, and interrupts the
// process. The note must be the only line.
func (p *process) awaitWaitNote(t *testing.T, why string) {
	t.Helper()
	p.awaitRetryNote(t, why)
	p.interrupt()
	p.awaitEnd(t, base.StatusInterrupted)
	if said := p.errOut.String(); strings.Contains(said, "context") || strings.Contains(said, "secret") || strings.Count(said, "\n") != 1 || p.out.String() != "" {
		t.Errorf("%s: %s%s", p.name, p.out.String(), said)
	}
}

// awaitRetryNote waits until the process has written that it retries, with why as the reason.
func (p *process) awaitRetryNote(t *testing.T, why string) {
	t.Helper()
	tries := "retrying for 2m0s"
	if p.name == "worker" || p.name == "ui" {
		tries = "retrying until it succeeds"
	}
	eventually(t, p.name+" does not say why it waits", func() bool {
		said := p.errOut.String()
		return strings.Contains(said, why) && strings.Contains(said, tries)
	})
	if said := p.errOut.String(); strings.Contains(said, "err_code") {
		t.Errorf("%s: %s", p.name, said)
	}
}

// eventually waits until condition returns true.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// getPage returns the HTTP status and the text of a page. If the request fails, the status is 0.
func getPage(t *testing.T, url string) (status int, text string) {
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(all)
}

// servedURL waits until the process serves a URL, and returns the URL.
func (p *process) servedURL(t *testing.T) (url string) {
	eventually(t, p.name+" serves nothing", func() bool {
		url = regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(p.errOut.String())
		return url != ""
	})
	return url
}

func publishChange(t *testing.T, server, text string) {
	t.Helper()
	nc, err := nats.Connect(server)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), fmt.Sprintf("locus.default.changes.%x", text), fmt.Appendf(nil, `{"url":%q,"change":"died"}`, text)); err != nil {
		t.Fatal(err)
	}
}

// isConnected reports whether a goroutine of a connection or worker is running.
func isConnected() bool {
	all := make([]byte, 4<<20)
	stacks := string(all[:runtime.Stack(all, true)])
	return strings.Contains(stacks, "nats%2ego.(*Conn)") || strings.Contains(stacks, "fleet.(*Worker)")
}

func noLeftConnections(t *testing.T) {
	t.Helper()
	eventually(t, "goroutines of connections are left", func() bool { return !isConnected() })
}

// TestServerComesBack checks that long-running commands continue after a NATS server is killed and
// restarted.
func TestServerComesBack(t *testing.T) {
	dir := t.TempDir()
	options := func(port int) *natsserver.Options {
		return &natsserver.Options{JetStream: true, StoreDir: dir, Port: port, SyncAlways: true}
	}
	s, url := startNATS(t, options(0))
	port := s.Addr().(*net.TCPAddr).Port
	if status, _, errOut := run(t, "create", "--nats", url); status != base.StatusDone {
		t.Fatal(errOut)
	}
	publishChange(t, url, "http://first.example/")
	follow := start(t, "changes", "--follow", "--nats", url)
	ui := start(t, "ui", "--listen", "127.0.0.1:0", "--nats", url)
	worker := start(t, "worker", "--listen", "127.0.0.1:0", "--nats", url)
	page, metrics := ui.servedURL(t), worker.servedURL(t)+"metrics"
	eventually(t, "no change", func() bool { return strings.Contains(follow.out.String(), "first.example") })
	allHeld := func() bool {
		_, text := getPage(t, metrics)
		return strings.Contains(text, "locus_fleet_partitions 64\n")
	}
	eventually(t, "no leases", allHeld)
	if status, _ := getPage(t, page); status != 200 || !isConnected() {
		t.Error(status)
	}

	s.Shutdown()
	s.WaitForShutdown()
	start(t, "status", "--nats", url).awaitWaitNote(t, "no NATS server responds at")
	if status, text := getPage(t, page); status != 502 || !strings.Contains(text, "the NATS server does not respond") {
		t.Error(status, text)
	}
	for _, p := range []*process{follow, ui, worker} {
		eventually(t, p.name+" does not tell", func() bool { return strings.Contains(p.errOut.String(), "lost the connection to the NATS server") })
	}

	s, _ = startNATS(t, options(port))
	for _, p := range []*process{follow, ui, worker} {
		eventually(t, p.name+" is not back", func() bool { return strings.Contains(p.errOut.String(), "reconnected to the NATS server") })
	}
	publishChange(t, url, "http://second.example/")
	eventually(t, "no second change", func() bool { return strings.Contains(follow.out.String(), "second.example") })
	eventually(t, "no leases again", allHeld)
	if status, _ := getPage(t, page); status != 200 {
		t.Error(status)
	}

	// The commands also end without the server.
	ui.interrupt()
	ui.awaitEnd(t, base.StatusInterrupted)
	s.Shutdown()
	s.WaitForShutdown()
	for _, p := range []*process{follow, worker} {
		p.interrupt()
		p.awaitEnd(t, base.StatusInterrupted)
	}
	noLeftConnections(t)
}

// relay forwards data between a command and a server. When isDead returns true for the data
// received from the command so far, the relay drops all further data from the command.
func relay(t *testing.T, server net.Addr, isDead func(said string) bool) (url string) {
	return "nats://" + serveRaw(t, func(c net.Conn) {
		to, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.String())
		if err != nil {
			return
		}
		defer to.Close()
		go func() { io.Copy(c, to); c.Close() }()
		b := make([]byte, 4096)
		for said := ""; ; {
			n, err := c.Read(b)
			if err != nil {
				return
			}
			if isDead(said) {
				continue
			}
			said += string(b[:n])
			to.Write(b[:n])
		}
	})
}

// TestSilentServer checks that commands wait for a server that is silent after the login, and
// write one note.
func TestSilentServer(t *testing.T) {
	s, url := startNATS(t, &natsserver.Options{JetStream: true, StoreDir: t.TempDir()})
	if status, _, errOut := run(t, "create", "--nats", url); status != base.StatusDone {
		t.Fatal(errOut)
	}
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("http://h.example/"), 0o600); err != nil {
		t.Fatal(err)
	}
	url = relay(t, s.Addr(), func(said string) bool { return strings.Contains(said, "PING\r\n") })
	var all []*process
	for _, args := range [][]string{
		{"status"}, {"results"}, {"changes"}, {"pause"}, {"ui"}, {"create"}, {"delete", "default"}, {"worker"}, {"submit", file}, {"verify", file}, {"status", "--frontier", "none"},
	} {
		all = append(all, start(t, append(args, "--nats", url)...))
	}
	for _, p := range all {
		p.awaitWaitNote(t, "the NATS server does not respond")
	}
	noLeftConnections(t)
}

// TestSilentDuringVerify checks that Ctrl-C ends a run if the server became silent during the
// checks.
func TestSilentDuringVerify(t *testing.T) {
	s, _ := startNATS(t, &natsserver.Options{JetStream: true, StoreDir: t.TempDir()})
	var dead atomic.Bool
	asked := make(chan struct{}, 1)
	host := serveRaw(t, func(c net.Conn) {
		if _, err := c.Read(make([]byte, 1)); err != nil {
			return
		}
		dead.Store(true)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		select {
		case asked <- struct{}{}:
		default:
		}
	})
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("http://"+host+"/"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		t.Fatal(err)
	}
	url := relay(t, s.Addr(), func(string) bool { return dead.Load() })
	p := start(t, "verify", "--no-robots", "--allow-private", "--allow-port", port, "--nats", url, file)
	<-asked
	eventually(t, "it tells nothing", func() bool { return strings.Contains(p.errOut.String(), "retrying for") })
	p.interrupt()
	p.awaitEnd(t, base.StatusInterrupted)
	if !strings.Contains(p.errOut.String(), "run the same command again to resume") {
		t.Error(p.errOut.String())
	}
	noLeftConnections(t)
}

// TestFullServer checks that commands report a server whose JetStream storage is full, both
// during the retries and at the end.
func TestFullServer(t *testing.T) {
	t.Parallel()
	_, url := startNATS(t, &natsserver.Options{JetStream: true, StoreDir: t.TempDir(), JetStreamMaxStore: 40_000})
	if status, _, errOut := run(t, "create", "--nats", url); status != base.StatusDone {
		t.Fatal(errOut)
	}
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte(links(2000)), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, "submit", "--nats", url, file)
	eventually(t, "it tells nothing", func() bool {
		return strings.Contains(p.errOut.String(), "has no space left")
	})
	p.interrupt()
	p.awaitEnd(t, base.StatusInterrupted)
	c := new(command)
	if err := c.explain("default", fmt.Errorf("x: %w", &jetstream.APIError{Code: 503, ErrorCode: 10023, Description: "insufficient resources"})); !strings.Contains(err.Error(), "has no space left") {
		t.Error(err)
	}
}

func links(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "http://h%d.example.edu/%d\n", i, i)
	}
	return b.String()
}
