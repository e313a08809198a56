package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

// runIn is like run, but with a context.
func runIn(ctx context.Context, args ...string) (status int, out, errOut string) {
	var o, e clitest.Screen
	status = runArgs(base.New(ctx, strings.NewReader(""), &o, &e, clitest.NoEnv), args)
	return status, o.String(), e.String()
}

// startNATS starts a NATS server on this machine and returns its URL. The server stops at the end
// of the test.
func startNATS(t *testing.T, o *natsserver.Options) (s *natsserver.Server, url string) {
	t.Helper()
	o.Host, o.NoSigs, o.NoLog = "127.0.0.1", true, true
	if o.Port == 0 {
		o.Port = natsserver.RANDOM_PORT
	}
	s, err := natsserver.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	return s, "nats://" + s.Addr().String()
}

func TestParseServers(t *testing.T) {
	for text, want := range map[string]string{
		"h":                                 `"nats://h"`,
		"h:4222, tls://[::1]:4222/":         `"nats://h:4222, tls://[::1]:4222"`,
		"nats://user:secret@h:4222":         `"nats://h:4222"`,
		"user:secret@h":                     `"nats://h"`,
		"nats://secret@h":                   `"nats://h"`,
		"nats://u:sec@ret@h":                `"nats://h"`,
		"wss://h/,nats://u:secret@h2":       `"wss://h, nats://h2"`,
		"nats://u:secret%40%2F%2C@h":        `"nats://h"`,
		"tls://u:a%40secret@h,u:secret@h:2": `"tls://h, nats://h:2"`,
	} {
		s, err := parseServers(text)
		if err != nil || s.visible != want {
			t.Errorf("%s: %s, want %s; %v", text, s.visible, want, err)
		}
	}
	for text, want := range map[string]string{
		",": "server 1", "h,": "server 2", "http://h": `"http://h"`, "nats://": "nats://HOST:4222", "nats://h:0": "nats://h:0", "nats://h:99999": "invalid",
		"nats://h:port": "invalid", "nats://h/path": "invalid", "nats://h?x": "invalid", "nats://h?": "invalid", "nats://h#x": "invalid", "h h": "invalid", "nats://h\n": "",
		"nats://u:se/cret@h":           "%2F",
		"nats://u:se,cret@h":           "%2C",
		"nats://u:secret@h:port":       "%40",
		"nats://u:secret@h/secret":     "%40",
		"u:secret@http://h":            "%40",
		"nats:u:secret@h":              "%40",
		"nats://u:%zzsecret@h":         "%40",
		"nats://u:secret@":             "%40",
		"http://u:secret@h":            "%40",
		"nats://u:sec\x00ret@h":        "%40",
		"nats://u:cret,nats://x:se@h:": "",
	} {
		s, err := parseServers(text)
		if want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "cret") || s.visible != "" {
			t.Errorf("%q: %+v, %v", text, s, err)
		}
	}
}

// FuzzParseServers checks that no error contains a part of a text with "@", and that the visible
// text contains no user name.
func FuzzParseServers(f *testing.F) {
	for _, text := range []string{"nats://u:pass@h:4222,tls://h", "u:p@ss@h", "nats://u:p/a@h", "::@", "nats:u:p@h", "h", "a,b@c,d"} {
		f.Add(text)
	}
	fixed, err := parseServers("@@")
	if err == nil {
		f.Fatal(fixed)
	}
	same := strings.TrimPrefix(err.Error(), "--nats: server 1: ")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseServers(text)
		if err != nil {
			if strings.Contains(text, "@") && !strings.HasSuffix(err.Error(), ": "+same) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if strings.Contains(s.visible, "@") {
			t.Errorf("%q: %s", text, s.visible)
		}
		for _, one := range s.urls {
			if _, err := url.Parse(one); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}

// serveRaw accepts connections on a local port, and calls answer for each of them.
func serveRaw(t *testing.T, answer func(net.Conn)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				answer(c)
			}()
		}
	}()
	return l.Addr().String()
}

// TestNotNATS checks that the command soon detects that a port belongs to another service,
// without sending a password.
func TestNotNATS(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(net.Conn)
		want   string
		waits  bool // the command waits, because the server may start later
	}{
		"http": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
		}, "is not a NATS server: check the port", false},
		"silent":  {func(c net.Conn) { io.Copy(io.Discard, c) }, "within 5s", true},
		"endless": {func(c net.Conn) { endless(c, "x") }, "is not a NATS server: check the port", false},
		"damaged": {func(c net.Conn) { io.WriteString(c, "INFO {\"\r\n"); io.Copy(io.Discard, c) }, "is not a NATS server: check the port", false},
		"other":   {func(c net.Conn) { io.WriteString(c, "INFO [1]\r\n"); io.Copy(io.Discard, c) }, "is not a NATS server: check the port", false},
		"closed":  {func(net.Conn) {}, `"nats://127.0.0.1:`, true},
		"lines":   {func(c net.Conn) { endless(c, "x\r\n") }, "is not a NATS server: check the port", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := serveRaw(t, c.answer)
			if c.waits {
				start(t, "status", "--nats", "nats://u:secret@"+address).awaitWaitNote(t, c.want)
				return
			}
			status, out, errOut := runIn(t.Context(), "status", "--nats", "nats://u:secret@"+address)
			if status != base.StatusAccess || out != "" || !strings.Contains(errOut, c.want) || strings.Contains(errOut, "secret") || strings.Count(errOut, "\n") != 1 {
				t.Errorf("status %d\n%s%s", status, out, errOut)
			}
		})
	}
}

func endless(c net.Conn, text string) {
	block := []byte(strings.Repeat(text, 4096))
	for {
		if _, err := c.Write(block); err != nil {
			return
		}
	}
}

// TestInterruptConnect checks that Ctrl-C ends the wait for a silent server.
func TestInterruptConnect(t *testing.T) {
	t.Parallel()
	accepted := make(chan struct{}, 1)
	address := serveRaw(t, func(c net.Conn) { accepted <- struct{}{}; io.Copy(io.Discard, c) })
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-accepted
		cancel()
	}()
	begin := time.Now()
	status, out, errOut := runIn(ctx, "worker", "--nats", address)
	if status != base.StatusInterrupted || out != "" || errOut != "" {
		t.Errorf("status %d after %s\n%s%s", status, time.Since(begin), out, errOut)
	}
}

// TestDamagedFiles checks that the command reads the files of --creds and similar flags before it
// connects.
func TestDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad")
	if err := os.WriteFile(bad, []byte("-----BEGIN NATS USER JWT-----\nsecret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"--creds: ", []string{"--creds", missing}},
		{"--creds: ", []string{"--creds", dir}},
		{"--creds: \"" + bad + "\" does not contain a JWT and a seed", []string{"--creds", bad}},
		{"--tls-ca: ", []string{"--tls-ca", missing}},
		{"--tls-ca: \"" + bad + "\" does not contain certificates", []string{"--tls-ca", bad}},
		{"--tls-cert: ", []string{"--tls-cert", missing, "--tls-key", bad}},
		{"does not contain a certificate for the key of --tls-key", []string{"--tls-cert", bad, "--tls-key", bad}},
		{"--tls-cert and --tls-key must be used together", []string{"--tls-key", bad}},
	} {
		status, out, errOut := run(t, append([]string{"status", "--nats", "nats://127.0.0.1:1"}, c.args...)...)
		if status != base.StatusUsage || out != "" || !strings.Contains(errOut, c.want) || strings.Contains(errOut, "secret") {
			t.Errorf("%q: status %d\n%s%s", c.args, status, out, errOut)
		}
	}
}

// TestRefusals checks the messages about missing features and denied permissions of a NATS server.
func TestRefusals(t *testing.T) {
	t.Parallel()
	_, plain := startNATS(t, new(natsserver.Options))
	_, locked := startNATS(t, &natsserver.Options{JetStream: true, StoreDir: t.TempDir(), Username: "u", Password: "right"})
	// The user r has read permissions.
	_, limited := startNATS(t, &natsserver.Options{JetStream: true, StoreDir: t.TempDir(), Users: []*natsserver.User{
		{Username: "a", Password: "right"},
		{Username: "r", Password: "right", Permissions: &natsserver.Permissions{Publish: &natsserver.SubjectPermission{Deny: []string{"$KV.>", "$JS.API.STREAM.CREATE.>", "locus.>"}}}},
	}})
	reader := strings.Replace(limited, "//", "//r:right@", 1)
	if status, _, errOut := run(t, "create", "--nats", strings.Replace(limited, "//", "//a:right@", 1)); status != base.StatusDone {
		t.Fatal(errOut)
	}
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("http://h.example/"), 0o600); err != nil {
		t.Fatal(err)
	}
	with := strings.Replace(locked, "//", "//u:wrong@", 1)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"has no JetStream for this user", []string{"status", "--nats", plain}},
		{"has no JetStream for this user", []string{"submit", "--nats", plain, file}},
		{"has no JetStream for this user", []string{"verify", "--nats", plain, file}},
		{"has no JetStream for this user", []string{"worker", "--nats", plain}},
		{"does not use TLS", []string{"status", "--nats", strings.Replace(plain, "nats:", "tls:", 1)}},
		{"rejected the login", []string{"status", "--nats", locked}},
		{"denies this user access to the frontier default", []string{"pause", "--nats", reader}},
		{"denies this user access to the frontier other", []string{"create", "--frontier", "other", "--nats", reader}},
		{"rejected the login", []string{"worker", "--nats", with}},
	} {
		status, out, errOut := run(t, c.args...)
		if status != base.StatusAccess || out != "" || !strings.Contains(errOut, c.want) || strings.Contains(errOut, "wrong") || strings.Contains(errOut, "right") {
			t.Errorf("%q: status %d\n%s%s", c.args, status, out, errOut)
		}
	}
}

// TestPasswordInEnvironment checks that passwords can be set outside the command line.
func TestPasswordInEnvironment(t *testing.T) {
	_, url := startNATS(t, &natsserver.Options{JetStream: true, StoreDir: t.TempDir(), Username: "u", Password: "secret"})
	env := func(name string) string {
		if name == "LOCUS_FLEET_NATS" {
			return strings.Replace(url, "//", "//u:secret@", 1)
		}
		return ""
	}
	var out, errOut bytes.Buffer
	status := runArgs(base.New(t.Context(), strings.NewReader(""), &out, &errOut, env), []string{"create"})
	if status != base.StatusDone || out.Len() > 0 || errOut.Len() > 0 {
		t.Errorf("status %d\n%s%s", status, out.String(), errOut.String())
	}
}
