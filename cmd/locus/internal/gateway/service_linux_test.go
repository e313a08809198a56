package gateway_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/creack/pty"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

// service is "locus gateway" as a service manager runs it.
type service struct {
	t    *testing.T
	cmd  *exec.Cmd
	base string // first line of standard output, without the final slash
	log  *lines // standard error
}

// lines contains the lines that a process has written.
type lines struct {
	mu    sync.Mutex
	more  *sync.Cond
	text  string
	ended bool
}

func readLines(r io.Reader) *lines {
	l := new(lines)
	l.more = sync.NewCond(&l.mu)
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := r.Read(buf)
			l.mu.Lock()
			l.text += string(buf[:n])
			l.ended = err != nil
			l.mu.Unlock()
			l.more.Broadcast()
			if err != nil {
				return
			}
		}
	}()
	return l
}

// await waits until the process has written text n times.
func (l *lines) await(t *testing.T, text string, n int) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for strings.Count(l.text, text) < n {
		if l.ended {
			t.Fatalf("the process ended without %q: %s", text, l.text)
		}
		l.more.Wait()
	}
}

// lacks fails if the process has written text.
func (l *lines) lacks(t *testing.T, text string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.Contains(l.text, text) {
		t.Errorf("%q is in %s", text, l.text)
	}
}

// all waits for the end of the process.
func (l *lines) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.ended {
		l.more.Wait()
	}
	return l.text
}

// serviceEnv returns an environment with an empty home.
func serviceEnv(t *testing.T, env ...string) []string {
	return append(os.Environ(), append([]string{"HOME=" + t.TempDir(), "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "GORACE=atexit_sleep_ms=0"}, env...)...)
}

// startService starts a command that runs the gateway, and waits for its first line.
func startService(t *testing.T, cmd *exec.Cmd) *service {
	t.Helper()
	s := &service{t: t, cmd: cmd}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errOut, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	cmd.Stderr = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.log = readLines(errOut)
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
		errOut.Close()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		w.Close()
		t.Fatalf("%v: %s", err, s.log.all())
	}
	s.base = strings.TrimSuffix(strings.TrimSpace(line), "/")
	return s
}

// gatewayCmd returns the command for a gateway with these arguments.
func gatewayCmd(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	locus, err := exec.LookPath("locus")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(locus, append([]string{"gateway", "--no-cache"}, args...)...)
	cmd.Env = serviceEnv(t)
	return cmd
}

func (s *service) signal(signal os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
}

// wait returns the exit status.
func (s *service) wait() int {
	s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

// get returns the status of a request, and the body.
func get(t *testing.T, c *http.Client, u string) (status int, body string) {
	t.Helper()
	resp, err := c.Get(u)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// unixClient returns a client of the Unix socket at path.
func unixClient(t *testing.T, path string) *http.Client {
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// passed starts a gateway that receives the socket l in the way that systemd passes
// sockets.
func passed(t *testing.T, l *os.File, args ...string) *service {
	t.Helper()
	cmd := gatewayCmd(t, args...)
	// The shell has the process ID that the gateway will have.
	cmd.Args = append([]string{"sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`}, cmd.Args...)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = sh
	cmd.ExtraFiles = []*os.File{l}
	cmd.Env = append(cmd.Env, "LISTEN_FDS=1", "LISTEN_FDNAMES=locus-gateway.socket")
	return startService(t, cmd)
}

// If a gateway with a systemd socket restarts, it loses no requests, although clients connect all
// the time.
func TestPassedSocketUnderLoad(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	socket, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	far := commandtest.Serve(t, "from afar")
	const clients = 4
	var done, failed atomic.Int64
	progress := make(chan struct{}, 1)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	load := func() {
		transport := &http.Transport{DisableKeepAlives: true}
		client := &http.Client{Transport: transport}
		for {
			select {
			case <-stop:
				return
			default:
			}
			resp, err := client.Get("http://" + l.Addr().String() + "/-/raw/" + strings.Replace(far, "://", "/", 1) + "/")
			if err == nil {
				var text []byte
				text, err = io.ReadAll(resp.Body)
				resp.Body.Close()
				if err == nil && (resp.StatusCode != 200 || string(text) != "from afar") {
					err = fmt.Errorf("%s %s", resp.Status, text)
				}
			}
			if err != nil {
				failed.Add(1)
				t.Error(err)
			} else {
				done.Add(1)
			}
			select {
			case progress <- struct{}{}:
			default:
			}
		}
	}
	// more waits for more responses than there were requests in progress.
	more := func() {
		for goal := done.Load() + 5*clients; done.Load() < goal && failed.Load() == 0; {
			<-progress
		}
	}
	s := passed(t, socket, "--allow-private", "--listen", "127.0.0.1:1")
	if s.base != "http://"+l.Addr().String() {
		t.Errorf("it listens on %s, want %s", s.base, l.Addr())
	}
	for range clients {
		wg.Go(load)
	}
	for range 2 {
		more()
		s.signal(syscall.SIGTERM)
		if got := s.wait(); got != base.StatusDone {
			t.Errorf("exit status %d, %s", got, s.log.all())
		}
		s = passed(t, socket, "--allow-private")
	}
	more()
	close(stop)
	wg.Wait()
}

func TestPassedWrongSocket(t *testing.T) {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	socket, err := c.(*net.UDPConn).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	cmd := gatewayCmd(t)
	cmd.Args = append([]string{"sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`}, cmd.Args...)
	if cmd.Path, err = exec.LookPath("sh"); err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{socket}
	cmd.Env = append(cmd.Env, "LISTEN_FDS=1", "LISTEN_FDNAMES=wrong.socket")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != base.StatusAccess || !strings.Contains(string(out), `the socket "wrong.socket" of systemd is not a TCP or Unix stream socket`) {
		t.Errorf("%v %s", err, out)
	}
}

// program returns the path of a program. If it is missing, the test fails in CI.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	} else if err != nil {
		t.Skip(err)
	}
	return path
}

// systemd-socket-activate starts the gateway at the first connection, and the gateway serves that
// connection.
func TestSocketActivate(t *testing.T) {
	activate := program(t, "systemd-socket-activate")
	path := filepath.Join(t.TempDir(), "s")
	gateway := gatewayCmd(t)
	cmd := exec.Command(activate, append([]string{"-l", path, "-E", "HOME=" + t.TempDir()}, gateway.Args...)...)
	errOut, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	log := readLines(errOut)
	log.await(t, "Listening on", 1)
	if status, body := get(t, unixClient(t, path), "http://localhost/readyz"); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "unix:"+path+"\n" {
		t.Errorf("%q %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if text := log.all(); !strings.Contains(text, "shutting down") {
		t.Errorf("%s", text)
	}
}

// The gateway listens on a Unix socket with a given mode. It replaces the socket of a dead process,
// but not the socket of a running process and not another file.
func TestListenUnix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	s := startService(t, gatewayCmd(t, "--listen", "unix:"+path+",mode=620", "--name", "gw.example"))
	if s.base != "unix:"+path {
		t.Errorf("%q", s.base)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode() != os.ModeSocket|0o620 {
		t.Errorf("%v %v", info, err)
	}
	client := unixClient(t, path)
	for host, want := range map[string]int{"localhost": 200, "gw.example": 200, "other.example": 421} {
		if status, body := get(t, client, "http://"+host+"/livez"); status != want {
			t.Errorf("%s: %d %s, want %d", host, status, body, want)
		}
	}
	refused := func(path, says string) {
		t.Helper()
		cmd := gatewayCmd(t, "--listen", "unix:"+path)
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != base.StatusAccess || !strings.Contains(string(out), says) {
			t.Errorf("%s: %v %s, want %q", path, cmd.ProcessState, out, says)
		}
	}
	refused(path, "another process listens on")
	if status, _ := get(t, client, "http://localhost/livez"); status != 200 {
		t.Errorf("after another start: %d", status)
	}
	s.signal(syscall.SIGKILL)
	s.wait()
	s = startService(t, gatewayCmd(t, "--listen", "unix:"+path))
	if status, _ := get(t, unixClient(t, path), "http://localhost/livez"); status != 200 {
		t.Errorf("after a dead process: %d", status)
	}
	s.signal(syscall.SIGTERM)
	if got := s.wait(); got != base.StatusDone {
		t.Errorf("exit status %d, %s", got, s.log.all())
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want no socket", err)
	}
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(path, "is not a socket")
	if text, err := os.ReadFile(path); string(text) != "precious" {
		t.Errorf("%q %v", text, err)
	}
	refused("/"+strings.Repeat("x/", 60), "shorter")
}

// notified is a socket that receives messages for systemd.
type notified struct {
	t    *testing.T
	conn *net.UnixConn
}

func listenNotify(t *testing.T) *notified {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "notify"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &notified{t, conn}
}

// next returns the lines of the next message.
func (n *notified) next() []string {
	n.t.Helper()
	buf := make([]byte, 4096)
	n.conn.SetReadDeadline(time.Now().Add(time.Minute))
	k, err := n.conn.Read(buf)
	if err != nil {
		n.t.Fatal(err)
	}
	return strings.Fields(string(buf[:k]))
}

// wants fails the test unless the next message begins with state.
func (n *notified) wants(state string) {
	n.t.Helper()
	if got := n.next(); got[0] != state {
		n.t.Errorf("systemd gets %q, want %s", got, state)
	}
}

// SIGHUP replaces the rules and limits. An invalid file changes nothing, and the gateway writes the
// reason to standard error.
func TestReload(t *testing.T) {
	far := commandtest.Serve(t, "from afar")
	file := filepath.Join(t.TempDir(), "gateway.toml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("[policy]\nallow_private = true\n[gateway]\nlisten = \"127.0.0.1:0\"\n")
	systemd := listenNotify(t)
	cmd := gatewayCmd(t, "--config", file, "--deny", "telnet:", "--cache-size", "7")
	cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+systemd.conn.LocalAddr().String())
	s := startService(t, cmd)
	systemd.wants("READY=1")
	opens := func(when string, want int) {
		t.Helper()
		if status, body := get(t, http.DefaultClient, s.base+"/-/raw/"+strings.Replace(far, "://", "/", 1)+"/"); status != want {
			t.Errorf("%s: %d %s, want %d", when, status, body, want)
		}
	}
	reloads := 0
	reload := func() {
		t.Helper()
		s.signal(syscall.SIGHUP)
		if got := systemd.next(); got[0] != "RELOADING=1" || !strings.HasPrefix(got[1], "MONOTONIC_USEC=") {
			t.Errorf("systemd gets %q", got)
		}
		systemd.wants("READY=1")
		reloads++
	}
	opens("at first", 200)
	const private = "[policy]\nallow_private = true\n[gateway]\n"
	write(private + "listen = \"127.0.0.1:0\"\ndeny = [\"127.0.0.0/8\"]\n")
	reload()
	s.log.await(t, "locus: reload: the new configuration is in use\n", 1)
	s.log.lacks(t, "after a restart")
	opens("with a deny flag", 200) // the flag takes precedence over the key
	write("")
	reload()
	s.log.await(t, "in use\n", 2)
	opens("without allow_private", 403)
	write(private + "denny = [\"http:\"]\nfiles = [\"relative\"]\n")
	reload()
	s.log.await(t, "locus: reload: the former configuration stays in use\n", 1)
	s.log.await(t, "locus: reload: "+file+":4: gateway.denny: unknown key\n", 1)
	s.log.await(t, "locus: reload: "+file+":5: gateway.files: \"relative\" is not an absolute path\n", 1)
	opens("with a broken file", 403)
	write(private + "listen = \"127.0.0.1:1\"\nlog_format = \"json\"\ncache_size = 8\ncache = \"/other\"\nconnections = 1\n[mail]\nstores = [\"/mail\"]\ncache = \"/mail-cache\"\n")
	reload()
	// --cache-size takes precedence over the key cache_size.
	s.log.await(t, "locus: reload: these settings change only after a restart: gateway.listen, gateway.cache, gateway.log_format, gateway.connections, mail.stores, mail.cache\n", 1)
	opens("with allow_private", 200)
	s.signal(syscall.SIGTERM)
	systemd.wants("STOPPING=1")
	if got := s.wait(); got != base.StatusDone {
		t.Errorf("exit status %d, %s", got, s.log.all())
	}
}

// nohup makes a process ignore SIGHUP. The gateway still reloads.
func TestReloadUnderNohup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gateway.toml")
	if err := os.WriteFile(file, []byte("[gateway]\nlisten = \"127.0.0.1:0\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := gatewayCmd(t, "--config", file)
	cmd.Path, cmd.Args = program(t, "nohup"), append([]string{"nohup"}, cmd.Args...)
	s := startService(t, cmd)
	for n := range 2 {
		s.signal(syscall.SIGHUP)
		s.log.await(t, "in use\n", n+1)
	}
	s.signal(syscall.SIGTERM)
	if got := s.wait(); got != base.StatusDone {
		t.Errorf("exit status %d, %s", got, s.log.all())
	}
}

// After SIGHUP, a new deny rule in the file applies to new requests, while a transfer and a
// terminal continue.
func TestReloadDuringTransfer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gateway.toml")
	if err := os.WriteFile(file, []byte("[policy]\nallow_private = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startService(t, gatewayCmd(t, "--config", file, "--listen", "127.0.0.1:0"))
	slow := beginTransfer(t, s)
	session := openSession(t, s)
	if err := os.WriteFile(file, []byte("[policy]\nallow_private = true\n[gateway]\ndeny = [\"127.0.0.0/8\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.signal(syscall.SIGHUP)
	s.log.await(t, "in use\n", 1)
	if status, body := get(t, http.DefaultClient, slow.url); status != 403 || !strings.Contains(body, "deny list") {
		t.Errorf("%d %s, want status 403", status, body)
	}
	session.echoes("hello")
	slow.finishes()
	s.signal(syscall.SIGTERM)
	session.ends("the gateway is shutting down")
	if got := s.wait(); got != base.StatusDone {
		t.Errorf("exit status %d, %s", got, s.log.all())
	}
}

// transfer is a download in progress.
type transfer struct {
	t    *testing.T
	url  string
	body io.ReadCloser
	next chan struct{}
}

// beginTransfer begins a download through the gateway.
func beginTransfer(t *testing.T, s *service) *transfer {
	t.Helper()
	d := &transfer{t: t, next: make(chan struct{})}
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "first")
		http.NewResponseController(w).Flush()
		select {
		case <-d.next:
			io.WriteString(w, " last")
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(far.Close)
	d.url = s.base + "/-/raw/" + strings.Replace(far.URL, "://", "/", 1) + "/"
	resp, err := http.Get(d.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	d.body = resp.Body
	first := make([]byte, 5)
	if _, err := io.ReadFull(d.body, first); err != nil || string(first) != "first" {
		t.Fatalf("%q %v", first, err)
	}
	return d
}

func (d *transfer) finishes() {
	d.t.Helper()
	close(d.next)
	if rest, err := io.ReadAll(d.body); err != nil || string(rest) != " last" {
		d.t.Errorf("%q %v", rest, err)
	}
}

// session is an open terminal.
type session struct {
	t    *testing.T
	conn *websocket.Conn
	told string
}

// openSession opens a terminal of a host that echoes lines.
func openSession(t *testing.T, s *service) *session {
	t.Helper()
	host := commandtest.StartTelnet(t, func(rw io.ReadWriter) {
		io.WriteString(rw, "ready\r\n")
		io.Copy(rw, rw)
	})
	at := "ws" + strings.TrimPrefix(s.base, "http") + "/-/terminal?url=" + url.QueryEscape("telnet://"+host+"/")
	conn, _, err := websocket.Dial(t.Context(), at, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {s.base}}, Subprotocols: []string{"locus.terminal.2"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	c := &session{t: t, conn: conn}
	c.awaits("ready")
	return c
}

func (c *session) awaits(text string) {
	c.t.Helper()
	for !strings.Contains(c.told, text) {
		_, data, err := c.conn.Read(c.t.Context())
		if err != nil {
			c.t.Fatalf("%v after %q, want %q", err, c.told, text)
		}
		c.told += string(data)
	}
}

func (c *session) echoes(text string) {
	c.t.Helper()
	if err := c.conn.Write(c.t.Context(), websocket.MessageBinary, []byte("<"+text+">\r")); err != nil {
		c.t.Fatal(err)
	}
	c.awaits("<" + text + ">")
}

// ends waits for the end of the session, and fails the test unless the session ends for the
// given reason.
func (c *session) ends(reason string) {
	c.t.Helper()
	c.awaits(`{"end":"` + reason + `"}`)
	_, _, err := c.conn.Read(c.t.Context())
	var end websocket.CloseError
	if !errors.As(err, &end) || end.Reason != reason {
		c.t.Errorf("%v, want reason %q", err, reason)
	}
}

// After SIGTERM the gateway accepts no connection, is not ready, finishes a transfer, and ends a
// terminal with a message.
func TestDrain(t *testing.T) {
	s := startService(t, gatewayCmd(t, "--listen", "127.0.0.1:0", "--allow-private"))
	slow := beginTransfer(t, s)
	session := openSession(t, s)
	addr := strings.TrimPrefix(s.base, "http://")
	probe, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close()
	io.WriteString(probe, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n")
	// When the response to a later connection arrives, the gateway has accepted the earlier
	// connection.
	later := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if status, body := get(t, later, s.base+"/readyz"); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	s.signal(syscall.SIGTERM)
	s.log.await(t, "locus: shutting down: requests in progress may take 10s\n", 1)
	for {
		c, err := net.Dial("tcp", addr)
		if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	io.WriteString(probe, "\r\n")
	if text, err := io.ReadAll(probe); err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 503") || !strings.Contains(string(text), `{"part":"shutdown","message":"the gateway is shutting down"}`) {
		t.Errorf("%v %s", err, text)
	}
	session.echoes("still here")
	slow.finishes()
	session.ends("the gateway is shutting down")
	if got := s.wait(); got != base.StatusDone {
		t.Errorf("exit status %d, %s", got, s.log.all())
	}
}

// SIGHUP also reloads the configuration of a gateway in a terminal, but closing the
// terminal ends the gateway.
func TestHangupOfTerminal(t *testing.T) {
	cmd := gatewayCmd(t, "--listen", "127.0.0.1:0", "--log-format", "none")
	screen, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	shown := bufio.NewReader(screen)
	clitest.Until(t, shown, "http://127.0.0.1:")
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	clitest.Until(t, shown, "reload: the new configuration is in use")
	screen.Close()
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != base.StatusInterrupted {
		t.Errorf("exit status %d", got)
	}
}
