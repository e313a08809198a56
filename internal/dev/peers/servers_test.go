// Package peers tests this module with programs of other projects. The tests start servers such as
// vsftpd, Pure-FTPd, nginx, Squid, microsocks, gophernicus, pygopherd, INN, aiosmtpd, GNU telnetd,
// two versions of rlogind, and Hercules on the loopback interface. They also run the clients lynx,
// ELinks, wget and curl with the servers of this module. The tests run only with CI=true in the
// environment; .ci/peers installs the programs.
package peers

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus/internal/certtest"
)

const (
	user     = "locus-peer"
	password = "peer%word@1"
	userHome = "/var/lib/locus-peer"
)

// peer is a running server.
type peer struct {
	port int
	home string // directory of a logged-in user
	pub  string // directory of an anonymous user
	cert string // file with the certificate
	log  func() string
}

func (p *peer) addr() string { return fmt.Sprintf("127.0.0.1:%d", p.port) }

// need returns the path of a program. It skips the test unless CI is true, and then fails
// the test if the program is missing.
func need(t testing.TB, paths ...string) string {
	t.Helper()
	needCI(t)
	if os.Getuid() != 0 {
		missing(t, "needs root")
	}
	for _, path := range paths {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	missing(t, paths[0]+" is not installed: .ci/peers does that")
	return ""
}

// needCI skips the test unless CI is true. The machine of a developer may contain only some of the
// programs, in any version.
func needCI(t testing.TB) {
	t.Helper()
	if os.Getenv("CI") != "true" {
		t.Skip("talks to programs that .ci/peers installs: set CI=true")
	}
}

func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// long skips a test that takes a long time, unless CI is true and -short is not set.
func long(t testing.TB) {
	t.Helper()
	needCI(t)
	if testing.Short() {
		t.Skip("takes long: leave out -short")
	}
}

// unpacked is the path of packages that .ci/peers unpacks without installing.
func unpacked(path string) string {
	root := os.Getenv("LOCUS_PEERS")
	if root == "" {
		root = "/opt/locus-peers"
	}
	return filepath.Join(root, path)
}

// passwordHash is the crypt(3) hash of the password.
func passwordHash(t testing.TB) string {
	t.Helper()
	hash, err := exec.Command(need(t, "openssl"), "passwd", "-6", password).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(hash))
}

// publicDir creates a directory that the user of a server process can enter. A directory from
// t.TempDir is accessible only to its owner.
func publicDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "locus-peer-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// freePort returns a port that was free a moment ago. Another program may use the port before the
// server does; runOnPort then tries another port.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// maxPorts is the maximum number of ports on which a test tries to start a server.
const maxPorts = 5

// runOnPort starts a server on a free port, and waits until the port accepts connections. The
// function command writes the server configuration for a port, and returns the program and its
// arguments. If the server ends immediately, runOnPort tries another port.
func runOnPort(t testing.TB, command func(port int) []string) (port int) {
	t.Helper()
	for try := 1; ; try++ {
		port = freePort(t)
		words := command(port)
		said, ok := start(t, port, words[0], words[1:]...)
		if ok {
			return port
		}
		if try == maxPorts {
			t.Fatalf("%s ended at once on %d ports: %s", words[0], try, said)
		}
	}
}

// start starts a server and waits until its port accepts connections. If the server ends before,
// start returns its output and false.
func start(t testing.TB, port int, name string, args ...string) (said string, ok bool) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(2 * time.Second):
			cmd.Process.Kill()
			<-ended
		}
	})
	for deadline := time.Now().Add(maxSession); time.Now().Before(deadline); {
		select {
		case <-ended:
			return out.String(), false
		default:
		}
		c, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			c.Close()
			return "", true
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%s does not answer on port %d", name, port)
	return "", false
}

// inetd runs a program for each connection. The connection is the standard input and output of the
// program.
func inetd(t testing.TB, l net.Listener, program func() *exec.Cmd) {
	t.Helper()
	var open sync.WaitGroup
	open.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				if err := serveBy(c.(*net.TCPConn), program()); err != nil {
					t.Errorf("a server ended: %v", err)
				}
			})
		}
	})
	t.Cleanup(func() { l.Close(); open.Wait() })
}

func serveBy(c *net.TCPConn, cmd *exec.Cmd) error {
	f, err := c.File()
	c.Close()
	if err != nil {
		return err
	}
	defer f.Close()
	cmd.Stdin, cmd.Stdout = f, f
	if err := cmd.Start(); err != nil {
		return err
	}
	late := time.AfterFunc(maxSession, func() { cmd.Process.Kill() })
	defer late.Stop()
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.Error() == "signal: broken pipe") {
		return nil // a client requested a missing file, or disconnected
	}
	return err
}

func write(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// vsftpd starts vsftpd with a log of every command that the server receives.
func vsftpd(t testing.TB, more ...string) *peer {
	t.Helper()
	program := need(t, "vsftpd", "/usr/sbin/vsftpd")
	dir := publicDir(t)
	p := &peer{pub: filepath.Join(dir, "pub"), home: homeOf(t)}
	for _, sub := range []string{"pub", "empty"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cert, key := certificate(t, dir)
	p.cert = cert
	config := []string{
		"listen=YES", "listen_address=127.0.0.1", "background=NO",
		"anonymous_enable=YES", "anon_root=" + p.pub, "local_enable=YES",
		"ascii_download_enable=YES", "hide_ids=YES", "connect_from_port_20=NO",
		"pam_service_name=vsftpd", "secure_chroot_dir=" + filepath.Join(dir, "empty"),
		"xferlog_enable=YES", "log_ftp_protocol=YES", "vsftpd_log_file=" + filepath.Join(dir, "log"),
		"ssl_enable=YES", "allow_anon_ssl=YES", "force_local_logins_ssl=NO", "force_local_data_ssl=NO",
		"rsa_cert_file=" + cert, "rsa_private_key_file=" + key, "ssl_ciphers=HIGH",
	}
	p.port = runOnPort(t, func(port int) []string {
		lines := slices.Concat(config, more, []string{fmt.Sprintf("listen_port=%d", port)})
		write(t, filepath.Join(dir, "conf"), strings.Join(lines, "\n")+"\n", 0o600)
		return []string{program, filepath.Join(dir, "conf")}
	})
	p.log = func() string {
		text, _ := os.ReadFile(filepath.Join(dir, "log"))
		return string(text)
	}
	return p
}

// homeOf empties the home directory of the user of the FTP servers.
func homeOf(t testing.TB) string {
	t.Helper()
	if _, err := os.Stat(userHome); err != nil {
		missing(t, "there is no user "+user+": .ci/peers makes one")
	}
	names, err := os.ReadDir(userHome)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(userHome, name.Name())); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(userHome, 0o755); err != nil {
		t.Fatal(err)
	}
	return userHome
}

// pureFTPd starts Pure-FTPd behind a relay that records the data from the client, because
// Pure-FTPd logs only to syslog.
func pureFTPd(t testing.TB) *peer {
	t.Helper()
	program := need(t, unpacked("usr/sbin/pure-ftpd"))
	manage := need(t, unpacked("usr/bin/pure-pw"))
	dir := publicDir(t)
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	// Write the password file of Pure-FTPd directly, because checking a hash from pure-pw
	// takes seconds at every login.
	write(t, filepath.Join(dir, "passwd"), fmt.Sprintf("%s:%s:65534:65534::%s/:::::::::::\n", user, passwordHash(t), home), 0o600)
	if out, err := exec.Command(manage, "mkdb", filepath.Join(dir, "db"), "-f", filepath.Join(dir, "passwd")).CombinedOutput(); err != nil {
		t.Fatalf("pure-pw: %v: %s", err, out)
	}
	port := runOnPort(t, func(port int) []string {
		return []string{program, "-S", fmt.Sprintf("127.0.0.1,%d", port), "-l", "puredb:" + filepath.Join(dir, "db"),
			"-4", "-H", "-u", "100", "-g", filepath.Join(dir, "pid"), "-D", "-E", "-c", "50", "-C", "50"}
	})
	r := startRelay(t, port)
	return &peer{port: r.port, home: home, log: r.text}
}

// nginx starts nginx with the given location blocks in its only server block.
func nginx(t testing.TB, locations string) *peer {
	t.Helper()
	program := need(t, "nginx", "/usr/sbin/nginx")
	dir := publicDir(t)
	p := &peer{pub: filepath.Join(dir, "pub")}
	if err := os.Mkdir(p.pub, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "htpasswd"), user+":{PLAIN}"+password+"\n", 0o644)
	var temp strings.Builder
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&temp, "%s_temp_path %s/%s;\n", kind, dir, kind)
	}
	p.port = runOnPort(t, func(port int) []string {
		write(t, filepath.Join(dir, "conf"), fmt.Sprintf(`daemon off;
pid %[1]s/pid;
error_log stderr;
events {}
http {
types { text/plain txt; text/html html; application/gzip gz; }
default_type application/octet-stream;
access_log %[1]s/log;
gzip on; gzip_types text/plain; gzip_min_length 0;
%[2]s
server {
listen 127.0.0.1:%[3]d;
root %[1]s/pub;
location /auth/ { auth_basic "members"; auth_basic_user_file %[1]s/htpasswd; }
%[4]s
}
}
`, dir, temp.String(), port, strings.ReplaceAll(locations, "PORT", fmt.Sprint(port))), 0o644)
		return []string{program, "-c", filepath.Join(dir, "conf")}
	})
	p.log = func() string {
		text, _ := os.ReadFile(filepath.Join(dir, "log"))
		return string(text)
	}
	return p
}

// certificate creates a key and a certificate for 127.0.0.1.
func certificate(t testing.TB, dir string) (certFile, keyFile string) {
	t.Helper()
	c, err := certtest.New()
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(t, certFile, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]})), 0o600)
	write(t, keyFile, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})), 0o600)
	return certFile, keyFile
}

// relay relays connections to a port and records the data from the client.
type relay struct {
	port int
	mu   sync.Mutex
	sent bytes.Buffer
}

func startRelay(t testing.TB, to int) *relay {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{port: l.Addr().(*net.TCPAddr).Port}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() { r.pass(near, to) })
		}
	})
	t.Cleanup(func() { l.Close(); open.Wait() })
	return r
}

func (r *relay) pass(near net.Conn, to int) {
	defer near.Close()
	far, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", to))
	if err != nil {
		return
	}
	defer far.Close()
	go func() {
		io.Copy(near, far)
		near.(*net.TCPConn).CloseWrite()
	}()
	io.Copy(io.MultiWriter(far, r), near)
	far.(*net.TCPConn).CloseWrite()
}

func (r *relay) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent.Write(p)
}

func (r *relay) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent.String()
}
