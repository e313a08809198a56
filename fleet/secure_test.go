package fleet

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

// authority signs certificates.
type authority struct {
	testing.TB
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	next int64
}

func newAuthority(t testing.TB) *authority {
	a := &authority{TB: t, dir: t.TempDir()}
	a.cert, a.key = a.writeCertificate("ca", pkix.Name{CommonName: "test"})
	return a
}

// writeCertificate creates a signed certificate, and writes the files NAME.pem and NAME-key.pem.
func (a *authority) writeCertificate(name string, subject pkix.Name) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.Fatal(err)
	}
	a.next++
	c := &x509.Certificate{
		SerialNumber: big.NewInt(a.next), Subject: subject, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, BasicConstraintsValid: true,
	}
	parent, by := a.cert, a.key
	if parent == nil {
		parent, by, c.IsCA = c, key, true
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, by)
	if err != nil {
		a.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{name + ".pem": {Type: "CERTIFICATE", Bytes: der}, name + "-key.pem": {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(a.file(file), pem.EncodeToMemory(block), 0o600); err != nil {
			a.Fatal(err)
		}
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		a.Fatal(err)
	}
	return made, key
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// freeAddresses returns n free TCP addresses of this machine.
func freeAddresses(t testing.TB, n int) (list []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		list = append(list, l.Addr().String())
	}
	return list
}

// startCluster starts three servers with the configuration in contrib/fleet.
func startCluster(t *testing.T, a *authority) (urls []string) {
	t.Helper()
	addresses := freeAddresses(t, 6)
	for i := range 3 {
		t.Setenv(fmt.Sprint("LOCUS_ROUTE_", i+1), fmt.Sprintf("%q", "tls://"+addresses[3+i]))
	}
	t.Setenv("LOCUS_CA", fmt.Sprintf("%q", a.file("ca.pem")))
	var servers []*server.Server
	for i := range 3 {
		name := fmt.Sprint("nats-", i+1)
		a.writeCertificate(name, pkix.Name{CommonName: name})
		for key, value := range map[string]string{
			"SERVER": name, "LISTEN": addresses[i], "CLUSTER": addresses[3+i], "STORE": t.TempDir(), "CERT": a.file(name + ".pem"), "KEY": a.file(name + "-key.pem"),
		} {
			t.Setenv("LOCUS_"+key, fmt.Sprintf("%q", value))
		}
		o, err := server.ProcessConfigFile("../contrib/fleet/nats.conf")
		if err != nil {
			t.Fatal(err)
		}
		o.NoSigs, o.NoLog = true, true
		s, err := server.NewServer(o)
		if err != nil {
			t.Fatal(err)
		}
		go s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		servers = append(servers, s)
		urls = append(urls, "tls://"+addresses[i])
	}
	eventually(t, func() bool {
		return slices.ContainsFunc(servers, (*server.Server).JetStreamIsLeader) && !slices.ContainsFunc(servers, func(s *server.Server) bool { return !s.JetStreamIsCurrent() })
	})
	return urls
}

// eventually waits until condition returns true.
func eventually(t testing.TB, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not happen in time")
		}
	}
}

// connectAs connects as one of the users in contrib/fleet/users.conf.
func (a *authority) connectAs(name string, urls []string, options ...nats.Option) *nats.Conn {
	a.Helper()
	a.writeCertificate(name, pkix.Name{CommonName: name, Organization: []string{"locus-fleet"}})
	nc, err := nats.Connect(strings.Join(urls, ","), append(options, nats.RootCAs(a.file("ca.pem")), nats.ClientCert(a.file(name+".pem"), a.file(name+"-key.pem")), nats.Timeout(time.Minute))...)
	if err != nil {
		a.Fatal(name, err)
	}
	a.Cleanup(nc.Close)
	return nc
}

// denials counts the operations that the server denied a user.
type denials struct {
	mu   sync.Mutex
	list []string
}

func (d *denials) option() nats.Option {
	return nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.list = append(d.list, err.Error())
	})
}

func (d *denials) of(text string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.list, func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(text)) })
}

// TestUsers checks that the users in contrib/fleet have the permissions for their work, and no
// others.
func TestUsers(t *testing.T) {
	a := newAuthority(t)
	urls := startCluster(t, a)
	var refused denials
	admin := a.connectAs("admin", urls)
	var f *Frontier
	eventually(t, func() (ok bool) { // the cluster may still be electing its leaders
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var err error
		if f, err = OpenFrontier(ctx, admin, "default", Settings{Partitions: 4, Replicas: 3}); err != nil {
			t.Log(err)
		}
		return err == nil
	})
	frontier := func(user string) (*Frontier, *nats.Conn) {
		nc := a.connectAs(user, urls, refused.option())
		f, err := OpenFrontier(t.Context(), nc, "default", Settings{})
		if err != nil {
			t.Fatal(user, err)
		}
		return f, nc
	}
	hosts := newFixture(t, redirecting)
	workerFrontier, workerConn := frontier("worker")
	submitterFrontier, submitterConn := frontier("submitter")
	readerFrontier, readerConn := frontier("reader")
	worker := hosts.worker(workerFrontier, hosts.options())
	second := hosts.worker(workerFrontier, hosts.options()) // a second worker, for permits
	s, err := NewSubmitter(hosts.worker(submitterFrontier, hosts.options()))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, w := range []*Worker{worker, second} {
		end := hosts.startWorker(w)
		defer end()
	}
	count := 0
	for range s.Run(t.Context(), slices.Values([]verify.Source{manyHosts(200, 20)})) {
		count++
	}
	if err := s.Err(); err != nil || count != 200 {
		t.Fatal(count, err)
	}
	// The submitter itself checks a URL with a password. The owner of the host grants a permit
	// for the request.
	hosts.passwords = true
	secret, err := NewSubmitter(hosts.worker(submitterFrontier, hosts.options()))
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	for r := range secret.Run(t.Context(), slices.Values([]verify.Source{document("secret", "http://u:secret@h1.example/x")})) {
		if r.Verdict != verify.Alive {
			t.Errorf("%s %s", r.Verdict, r.Detail)
		}
	}
	if status, err := readerFrontier.Status(t.Context()); err != nil || status.Verdicts != 200 || len(status.Workers) != 2 {
		t.Errorf("%+v %v", status, err)
	}
	if names, err := Frontiers(t.Context(), readerConn); err != nil || !slices.Equal(names, []string{"default"}) {
		t.Error(names, err)
	}
	if n, err := submitterFrontier.Retry(t.Context(), true); err != nil || n == 0 {
		t.Error(n, err)
	}
	refused.mu.Lock()
	if len(refused.list) > 0 {
		t.Errorf("their own work was refused: %q", refused.list)
	}
	refused.mu.Unlock()
	target := "locus.default.targets.0.0123456789abcdef.0123456789abcdef0123456789abcdef"
	for _, c := range []struct {
		user    string
		nc      *nats.Conn
		subject string
	}{
		{"worker", workerConn, "$JS.API.STREAM.DELETE.locus-default-targets"},
		{"worker", workerConn, "$JS.API.STREAM.PURGE.locus-default-verdicts"},
		{"worker", workerConn, "$JS.API.STREAM.UPDATE.locus-default-verdicts"},
		{"worker", workerConn, "$JS.API.STREAM.CREATE.mine"},
		{"worker", workerConn, "$JS.API.STREAM.MSG.DELETE.locus-default-verdicts"},
		{"worker", workerConn, "$JS.API.CONSUMER.CREATE.locus-default-targets"},
		{"worker", workerConn, "$KV.locus-default-settings.settings"},
		{"worker", workerConn, "$KV.locus-default-settings.mode"},
		{"worker", workerConn, "anything"},
		{"submitter", submitterConn, "locus.default.verdicts.0.0123456789abcdef.0123456789abcdef0123456789abcdef"},
		{"submitter", submitterConn, "$KV.locus-default-leases.p-0"},
		{"submitter", submitterConn, "$JS.API.STREAM.DELETE.locus-default-targets"},
		{"reader", readerConn, target},
		{"reader", readerConn, "locus.default.links.0.0"},
		{"reader", readerConn, "$KV.locus-default-settings.mode"},
		{"reader", readerConn, "locus.default.permit.0"},
	} {
		if err := c.nc.Publish(c.subject, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() bool { return refused.of(fmt.Sprintf("Permissions Violation for Publish to %q", c.subject)) })
	}
	for user, nc := range map[string]*nats.Conn{"worker": workerConn, "submitter": submitterConn, "reader": readerConn} {
		if _, err := nc.SubscribeSync("locus.default." + user + ".>"); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() bool { return refused.of(`Permissions Violation for Subscription to "locus.default.` + user) })
	}
	if s, err := f.Status(t.Context()); err != nil || s.Targets != 200 || s.Mode != Run {
		t.Errorf("%+v %v", s, err)
	}
	// A user without a certificate, or with a certificate from another authority, can't
	// connect.
	if _, err := nats.Connect(urls[0], nats.RootCAs(a.file("ca.pem"))); err == nil {
		t.Error("connected without a certificate")
	}
	other := newAuthority(t)
	other.writeCertificate("admin", pkix.Name{CommonName: "admin", Organization: []string{"locus-fleet"}})
	if _, err := nats.Connect(urls[0], nats.RootCAs(a.file("ca.pem")), nats.ClientCert(other.file("admin.pem"), other.file("admin-key.pem"))); err == nil {
		t.Error("connected with the certificate of another authority")
	}
	if _, err := nats.Connect(urls[0], nats.Secure(&tls.Config{})); err == nil {
		t.Error("trusted an unknown authority")
	}
	if _, err := FindFrontier(t.Context(), readerConn, "none"); !errors.Is(err, ErrNoFrontier) {
		t.Error(err)
	}
	if err := f.Delete(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := f.js.Stream(t.Context(), f.stream(targetStream)); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Error(err)
	}
}
