package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/base"
)

// served is "locus gateway" as a process.
type served struct {
	t    *testing.T
	cmd  *exec.Cmd
	base string
	log  *strings.Builder
	done bool
}

func serveGateway(t *testing.T, env []string, args ...string) *served {
	t.Helper()
	locus, err := exec.LookPath("locus")
	if err != nil {
		t.Fatal(err)
	}
	s := &served{t: t, cmd: exec.Command(locus, append([]string{"gateway", "--listen", "127.0.0.1:0"}, args...)...), log: new(strings.Builder)}
	s.cmd.Env = append(os.Environ(), append([]string{"HOME=" + t.TempDir(), "XDG_CONFIG_HOME=", "XDG_CACHE_HOME="}, env...)...)
	s.cmd.Stderr = s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !s.done {
			s.cmd.Process.Kill()
			s.cmd.Wait()
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.cmd.Wait()
		t.Fatalf("%v: %s, want no error", err, s.log)
	}
	if slices.Contains(args, "--json") {
		var at struct{ URL string }
		if err := json.Unmarshal([]byte(line), &at); err != nil {
			t.Fatalf("%v: %s, want no error", err, line)
		}
		line = at.URL
	}
	s.base = strings.TrimSuffix(strings.TrimSpace(line), "/")
	return s
}

// end sends a signal, and returns the exit status.
func (s *served) end(signal os.Signal) int {
	s.t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
	s.done = true
	if err := s.cmd.Wait(); err != nil && s.cmd.ProcessState.ExitCode() < 0 {
		s.t.Error(err)
	}
	return s.cmd.ProcessState.ExitCode()
}

func (s *served) get(path string) (status int, body string) {
	s.t.Helper()
	resp, err := http.Get(s.base + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// The demonstration reaches only its own servers. A signal ends the demonstration, as it
// ends a service.
func TestGatewayDemo(t *testing.T) {
	s := serveGateway(t, nil, "--demo", "--log-format", "json")
	status, home := s.get("/")
	i := strings.Index(home, `href="/gopher/127.0.0.1`)
	if status != 200 || i < 0 {
		t.Fatalf("%d %s, want status 200 and i at least 0", status, home)
	}
	path, _, _ := strings.Cut(home[i+len(`href="`):], `"`)
	if status, page := s.get(path); status != 200 || !strings.Contains(page, "</html>") {
		t.Errorf("%s: %d %s, want status 200 and %q in page", path, status, page, "</html>")
	}
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if status, page := s.get("/http/" + other.Addr().String() + "/"); status != 403 {
		t.Errorf("%d %s, want status 403", status, page)
	}
	if status, body := s.get("/healthz"); status != 200 || body != "{\"ok\":true,\"problems\":[]}\n" {
		t.Errorf("get(/healthz) = %d %s, want status 200 and body %q", status, body, "{\"ok\":true,\"problems\":[]}\n")
	}
	if got := s.end(syscall.SIGTERM); got != base.StatusDone || !strings.Contains(s.log.String(), `"msg":"request"`) {
		t.Errorf("exit status %d, %s", got, s.log)
	}
}

func TestGatewayOptions(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	far, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		fmt.Fprint(w, "from afar")
	})}
	go server.Serve(far)
	defer server.Close()
	at := "/http/" + far.Addr().String() + "/"

	s := serveGateway(t, []string{"LOCUS_GATEWAY_DENY=telnet: .example.com", "LOCUS_GATEWAY_ALLOW=http: file:"}, "--allow-private", "--files", dir, "--name", "gw.example")
	for range 2 {
		if status, body := s.get("/-/raw" + at); status != 200 || body != "from afar" {
			t.Errorf("%d %s, want status 200 and body %q", status, body, "from afar")
		}
	}
	if status, body := s.get("/-/raw/file/" + filepath.ToSlash(dir) + "/a.txt"); status != 200 || body != "a file\n" {
		t.Errorf("%d %s, want status 200 and body %q", status, body, "a file\n")
	}
	for _, path := range []string{"/-/raw/file//etc/passwd", "/-/raw/http/a.example.com/", "/-/raw/gopher/127.0.0.1:7070/"} {
		if status, body := s.get(path); status != 403 {
			t.Errorf("%s: %d %s, want status 403", path, status, body)
		}
	}
	if got := s.end(os.Interrupt); got != base.StatusInterrupted {
		t.Errorf("exit status %d, %s", got, s.log)
	}
	if log := s.log.String(); !strings.Contains(log, "; hit") {
		t.Errorf("the store gave nothing: %s", log)
	}

	s = serveGateway(t, nil, "--quiet", "--no-cache")
	if status, _ := s.get(at); status != 403 {
		t.Errorf("a private address: %d", status)
	}
	if got := s.end(syscall.SIGTERM); got != base.StatusDone || s.log.Len() != 0 {
		t.Errorf("exit status %d, %s", got, s.log)
	}
}

func TestGatewayRefused(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	locus, err := exec.LookPath("locus")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args, env string
		status    int
		says      string
	}{
		{"--listen " + taken.Addr().String(), "", base.StatusAccess, "in use"},
		{"--deny a..b", "", base.StatusUsage, "192.0.2.0"},
		{"--files relative", "", base.StatusUsage, "absolute"},
		{"--name a..b", "", base.StatusUsage, "invalid host name"},
		{"--log-format loud", "", base.StatusUsage, "is not \"text\""},
		{"x", "", base.StatusUsage, "unknown command"},
		{"", "LOCUS_GATEWAY_MAIL=true", base.StatusUsage, "mail.from"},
		{"", "LOCUS_GATEWAY_REQUESTS=0", base.StatusUsage, "at least 1"},
	} {
		cmd := exec.Command(locus, append([]string{"gateway", "--no-cache"}, strings.Fields(test.args)...)...)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", test.env)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != test.status || !strings.Contains(string(out), test.says) {
			t.Errorf("%s %s: %v, %s, want cmd.ProcessState.ExitCode() %d and %q in out", test.args, test.env, err, out, test.status, test.says)
		}
	}
}

// Without a cache directory, the gateway reports that it stores no responses.
func TestGatewayWithoutHome(t *testing.T) {
	const says = "locus: responses are not cached: neither XDG_CACHE_HOME nor HOME is set"
	for _, row := range []struct {
		args []string
		says bool
	}{{nil, true}, {[]string{"--no-cache"}, false}, {[]string{"--cache", t.TempDir()}, false}} {
		// The test interrupts the gateway before it begins, so that it opens everything and
		// serves nothing.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		got := commandtest.Run(t, func(a *base.App) {
			a.Context = ctx
			a.Getenv = func(string) string { return "" }
		}, append([]string{"gateway", "--listen", "127.0.0.1:0"}, row.args...)...)
		if strings.Contains(got.Err, says) != row.says || !strings.HasPrefix(got.Out, "http://127.0.0.1:") {
			t.Errorf("%v: %+v, want the note %t and %q at the start of out", row.args, got, row.says, "http://127.0.0.1:")
		}
	}
}
