package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// town is the servers of the tour, hostile ones, and a gateway in a process of its own.
type town struct {
	museum  *tour.Museum
	enemies *hostile
	folder  string
	wait    time.Duration // as in the setting of the gateway

	gateway process
	address string // of the gateway
	base    string // its URL
	http    *http.Client

	stops, forms, letters, sessions []tour.Stop
	large                           locus.URL
	names                           []string // of schemes whose URLs have a host
	web, secure                     string   // addresses of servers of the tour
	trust                           *tls.Config
}

// process is the gateway's process.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *json.Decoder
}

func openTown(wait time.Duration) (*town, error) {
	t := &town{wait: wait}
	if err := t.open(); err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

func (t *town) open() (err error) {
	registry, err := all.Registry()
	if err != nil {
		return err
	}
	if t.museum, err = tour.Open(registry.All()...); err != nil {
		return err
	}
	if t.enemies, err = startHostile(); err != nil {
		return err
	}
	if t.folder, err = os.MkdirTemp("", "locus-soak-"); err != nil {
		return err
	}
	for _, s := range registry.All() {
		if s.Opener != nil && s.Port != 0 && !s.Traits.Has(scheme.Composes) {
			t.names = append(t.names, s.Name)
		}
	}
	if err := t.findStops(registry); err != nil {
		return err
	}
	if t.large, err = locus.Parse("http://" + t.enemies.large + "/large"); err != nil {
		return err
	}
	if err := t.startGateway(); err != nil {
		return err
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	t.http = &http.Client{Jar: jar, Transport: &http.Transport{
		MaxIdleConnsPerHost: 16, IdleConnTimeout: 10 * time.Second,
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) { return dialFrom(ctx, address) },
	}}
	return nil
}

// dialFrom connects from any address of loopback, so that the gateway sees many clients.
// Only Linux has all of 127.0.0.0/8.
func dialFrom(ctx context.Context, address string) (net.Conn, error) {
	var d net.Dialer
	if runtime.GOOS == "linux" {
		d.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, byte(rand.Uint32()), byte(rand.Uint32()), byte(1+rand.IntN(250)))}
	}
	return d.DialContext(ctx, "tcp", address)
}

func (t *town) findStops(registry *scheme.Registry) error {
	t.trust = t.museum.TLS().Clone()
	t.trust.ServerName = t.museum.News().Host()
	for _, s := range t.museum.Stops() {
		row, _ := registry.Lookup(s.URL.Scheme())
		switch {
		case s.Missing || !s.From.IsZero():
			continue
		case row.Traits.Has(scheme.Composes):
			t.letters = append(t.letters, s)
		case row.Traits.Has(scheme.Interactive):
			t.sessions = append(t.sessions, s)
		case s.Kind == scheme.KindForm && len(s.Answers) > 0:
			t.forms = append(t.forms, s)
		}
		switch s.Name {
		case "http-home":
			t.web = address(s.URL)
		case "https-page":
			t.secure = address(s.URL)
		}
		t.stops = append(t.stops, s)
	}
	for name, missing := range map[string]bool{
		"form": len(t.forms) == 0, "letter": len(t.letters) == 0, "session": len(t.sessions) == 0, "HTTP server": t.web == "", "HTTPS server": t.secure == "",
	} {
		if missing {
			return errors.New("the tour has no " + name)
		}
	}
	return nil
}

func address(u locus.URL) string {
	port, _ := u.Port()
	return net.JoinHostPort(u.Host(), fmt.Sprint(port))
}

// setting returns what the gateway needs to know of the tour.
func (t *town) setting() (*setting, error) {
	conn, err := tls.Dial("tcp", t.secure, t.trust)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	s := &setting{
		News: t.museum.News().String(), Mail: t.museum.MailFile(), Files: filepath.Dir(t.museum.MailFile()), Folder: t.folder,
		Certificate: conn.ConnectionState().PeerCertificates[0].Raw, Ports: t.museum.Ports(), Wait: t.wait,
	}
	for _, a := range append([]string{t.enemies.large}, t.enemies.addresses...) {
		port, err := net.LookupPort("tcp", a[strings.LastIndexByte(a, ':')+1:])
		if err != nil {
			return nil, err
		}
		s.Ports = append(s.Ports, uint16(port))
	}
	return s, nil
}

func (t *town) startGateway() error {
	s, err := t.setting()
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), gatewayVar+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	t.gateway = process{cmd, in, json.NewDecoder(bufio.NewReader(out))}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := t.gateway.ask(string(text), &t.address); err != nil {
		return fmt.Errorf("the gateway did not start: %w", err)
	}
	t.base = "http://" + t.address
	return nil
}

// ask sends a line to the gateway's process and reads the answer.
func (p *process) ask(line string, answer any) error {
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		return err
	}
	return p.answers.Decode(answer)
}

// end ends the gateway's process, after requests under way. One that does not end is
// killed.
func (p *process) end() error {
	if p.cmd == nil {
		return nil
	}
	p.in.Close()
	kill := time.AfterFunc(time.Minute, func() { p.cmd.Process.Kill() })
	defer kill.Stop()
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("the gateway: %w", err)
	}
	return nil
}

func (t *town) close() error {
	var errs []error
	if t.http != nil {
		t.http.CloseIdleConnections()
	}
	errs = append(errs, t.gateway.end())
	if t.enemies != nil {
		errs = append(errs, t.enemies.close())
	}
	if t.museum != nil {
		errs = append(errs, t.museum.Close())
	}
	if t.folder != "" {
		errs = append(errs, os.RemoveAll(t.folder))
	}
	return errors.Join(slices.DeleteFunc(errs, func(err error) bool { return err == nil })...)
}
