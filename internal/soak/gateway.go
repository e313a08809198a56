package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/mailstore"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/gopher"
	web "github.com/locus-url/locus/scheme/http"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/submit"
)

// The gateway's process reads a setting and then commands from its standard input, a line
// each, and answers each with a line of JSON. It ends at the end of the input.

// gatewayVar is the environment variable that makes the program the gateway's process.
const gatewayVar = "LOCUS_SOAK_GATEWAY"

func isGateway() bool { return os.Getenv(gatewayVar) != "" }

// setting is what the gateway's process is told.
type setting struct {
	News        string        // the server for URLs that name none
	Mail        string        // an mbox
	Files       string        // the folder of file URLs
	Folder      string        // for the cache and the index of the mail
	Certificate []byte        // of the tour's servers, in DER
	Ports       []uint16      // that redirects and CONNECT may lead to
	Wait        time.Duration // limit of a silence of a server
}

const (
	// sampleCommand collects garbage and answers with a sample.
	sampleCommand = "sample"
	// idleCommand closes idle connections to servers, and answers with a sample.
	idleCommand = "idle"
	// stacksCommand answers with the stacks of all goroutines, as a string.
	stacksCommand = "stacks"
	// heapCommand collects garbage and answers with a profile of the heap.
	heapCommand = "heap"
)

// sample is what the gateway's process uses. Sizes are in bytes. -1: not measured on this system.
type sample struct {
	Time       time.Duration `json:"-"` // since the load began
	Requests   int64         `json:"-"` // so far
	Heap       int64         // in use, after a collection
	RSS        int64
	Goroutines int
	Files      int // open file descriptors
}

func serveGateway(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() {
		return errors.New("no setting")
	}
	var s setting
	if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
		return err
	}
	w, err := openWorld(&s)
	if err != nil {
		return err
	}
	answers := json.NewEncoder(out)
	err = answers.Encode(w.listener.Addr().String())
	for err == nil && lines.Scan() {
		switch lines.Text() {
		case sampleCommand:
			err = answers.Encode(measure())
		case idleCommand:
			w.closeIdle()
			err = answers.Encode(measure())
		case stacksCommand:
			var text strings.Builder
			pprof.Lookup("goroutine").WriteTo(&text, 1)
			err = answers.Encode(text.String())
		case heapCommand:
			measure()
			var profile bytes.Buffer
			pprof.WriteHeapProfile(&profile)
			err = answers.Encode(profile.Bytes())
		default:
			err = fmt.Errorf("unknown command %q", lines.Text())
		}
	}
	return errors.Join(err, lines.Err(), w.close())
}

// measure returns a sample, after garbage was collected twice: what a finalizer or a
// sync.Pool holds survives one collection.
func measure() sample {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s := sample{Heap: int64(m.HeapInuse), RSS: -1, Goroutines: runtime.NumGoroutine(), Files: -1}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64)
			s.RSS = pages * int64(os.Getpagesize())
		}
	}
	if list, err := os.ReadDir("/proc/self/fd"); err == nil {
		s.Files = len(list) - 1 // without that of the folder itself
	}
	return s
}

// gatewayWorld is a gateway with all that it needs.
type gatewayWorld struct {
	listener net.Listener
	registry *scheme.Registry
	gateway  *gateway.Gateway
	server   *gateway.Server
	served   chan error
	closers  []io.Closer
}

func openWorld(s *setting) (*gatewayWorld, error) {
	w := &gatewayWorld{served: make(chan error, 1)}
	if err := w.open(s); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *gatewayWorld) open(s *setting) error {
	certificate, err := x509.ParseCertificate(s.Certificate)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	trust := &tls.Config{RootCAs: roots}
	mail, err := mailstore.Open(context.Background(), mailstore.Options{Sources: []string{s.Mail}, Cache: filepath.Join(s.Folder, "mail")})
	if err != nil {
		return err
	}
	w.closers = append(w.closers, mail)
	if err := w.openRegistry(s.News, mail, trust); err != nil {
		return err
	}
	rules, err := policy.New(policy.Rules{AllowPrivate: true, Files: true, Ports: s.Ports})
	if err != nil {
		return err
	}
	client := access.New(w.registry, rules, &access.Options{
		Lookup:  loopback,
		Connect: s.Wait, Idle: s.Wait, Timeout: 2 * s.Wait, Total: 4 * s.Wait, Limit: 8 << 20,
	})
	w.closers = append(w.closers, client)
	store, err := cache.Open(filepath.Join(s.Folder, "cache"), w.registry, &cache.Options{Size: 32 << 20, Memory: 2 << 20})
	if err != nil {
		return err
	}
	w.closers = append(w.closers, store)
	files, err := gateway.Within([]string{s.Files})
	if err != nil {
		return err
	}
	w.gateway, err = gateway.New(client, &gateway.Options{
		ConnectPorts: s.Ports, Files: files, TLS: trust,
		Around: func(next http.RoundTripper) http.RoundTripper { return store.Transport(next) },
		Mail: &gateway.Mail{
			From: submit.Mailbox{Address: "soak@gateway.example"}, Relay: "soak", PerHour: 1000,
			Send: func(context.Context, *submit.Message) (string, error) { return "250 taken", nil },
		},
	})
	if err != nil {
		return err
	}
	w.closers = append(w.closers, w.gateway)
	if w.listener, err = net.Listen("tcp4", "127.0.0.1:0"); err != nil {
		return err
	}
	w.server = gateway.NewServer(w.gateway)
	go func() { w.served <- w.server.Serve(w.listener) }()
	return nil
}

func (w *gatewayWorld) openRegistry(server string, mail *mailstore.Store, trust *tls.Config) error {
	u, err := locus.Parse(server)
	if err != nil {
		return err
	}
	files, pages, menus := ftp.New(&ftp.Options{TLSConfig: trust}), web.New(&web.Options{TLS: trust}), gopher.New(&gopher.Options{TLSConfig: trust})
	w.registry, err = all.Registry(slices.Concat(
		news.Schemes(news.New(&news.Options{Server: u, TLSConfig: trust})), mid.Schemes(mid.New(&mid.Options{Store: mail})),
		[]scheme.Scheme{
			ftp.Scheme(files), ftp.SecureScheme(files), web.Scheme(pages), web.SecureScheme(pages), gopher.Scheme(menus), gopher.SecureScheme(menus),
		},
	)...)
	return err
}

// loopback is the address of every name, so that each request can name a host that no
// other did.
func loopback(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
}

// closeIdle closes the idle connections to servers. The gateway serves on.
func (w *gatewayWorld) closeIdle() {
	w.gateway.Close()
	for _, s := range w.registry.All() {
		if opener, ok := s.Opener.(io.Closer); ok {
			opener.Close()
		}
	}
}

func (w *gatewayWorld) close() error {
	var errs []error
	if w.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		errs = append(errs, w.server.Shutdown(ctx), <-w.served)
	}
	if w.registry != nil {
		w.closeIdle()
	}
	for _, c := range slices.Backward(w.closers) {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
