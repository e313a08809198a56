package peers

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// encodedPassword is the password in the escaped form for URLs.
const encodedPassword = "peer%25word%401"

// both runs a test against each FTP server.
func both(t *testing.T, test func(t *testing.T, p *peer)) {
	t.Run("vsftpd", func(t *testing.T) { test(t, vsftpd(t)) })
	t.Run("Pure-FTPd", func(t *testing.T) { test(t, pureFTPd(t)) })
}

// login returns the beginning of a URL that contains the user and password of the server.
func (p *peer) login() string {
	return "ftp://" + user + ":" + encodedPassword + "@" + p.addr()
}

// commands returns the commands that clients sent, without the login and logout commands.
func (p *peer) commands() []string {
	var list []string
	for _, line := range p.all() {
		switch verb, _, _ := strings.Cut(line, " "); verb {
		case "USER", "PASS", "QUIT", "FEAT", "OPTS", "EPSV", "PASV", "SIZE", "MDTM", "":
		default:
			list = append(list, line)
		}
	}
	return list
}

// all returns all commands that clients sent.
func (p *peer) all() []string {
	var list []string
	for line := range strings.Lines(p.log()) {
		line = strings.TrimRight(line, "\r\n")
		if _, command, ok := strings.Cut(line, "FTP command: "); ok {
			_, line, _ = strings.Cut(command, `, "`)
			line = strings.TrimSuffix(line, `"`)
		} else if strings.Contains(line, "[pid ") {
			continue // the vsftpd log does not contain only commands
		}
		list = append(list, line)
	}
	return list
}

// sent reports whether a client sent a command with the given prefix.
func (p *peer) sent(prefix string) bool {
	return slices.ContainsFunc(p.all(), func(c string) bool { return strings.HasPrefix(c, prefix) })
}

// settled waits until the log contains the QUIT command of every session, because a server may
// write its last log lines after the client has disconnected.
func (p *peer) settled(t testing.TB) []string {
	t.Helper()
	for deadline := time.Now().Add(maxSession); ; time.Sleep(time.Millisecond) {
		begun, over := 0, 0
		for _, line := range p.all() {
			switch verb, _, _ := strings.Cut(line, " "); verb {
			case "USER":
				begun++
			case "QUIT":
				over++
			}
		}
		if over == begun {
			return p.commands()
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d sessions, %d of them over:\n%s", begun, over, p.log())
		}
	}
}

// whole waits until the log no longer grows, and returns the log. A server may write its last log
// lines after the client has disconnected.
func (p *peer) whole() string {
	log := p.log()
	for quiet, end := 0, time.Now().Add(30*time.Second); quiet < 4 && time.Now().Before(end); quiet++ {
		time.Sleep(50 * time.Millisecond)
		if now := p.log(); now != log {
			log, quiet = now, -1
		}
	}
	return log
}

// Three similar URLs from RFC 1738 section 3.2.2 result in three different command sequences.
func TestThreeSequences(t *testing.T) {
	both(t, func(t *testing.T, p *peer) {
		write(t, filepath.Join(p.home, "etc/motd"), "the user's own\n", 0o644)
		system, err := os.ReadFile("/etc/motd")
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		since := func() []string {
			all := p.settled(t)
			defer func() { seen = len(all) }()
			return all[seen:]
		}

		locus(t, "get", p.login()+"/etc/motd").want(t, 0, "the user's own\n")
		if got, want := since(), []string{"CWD etc", "TYPE I", "RETR motd"}; !sameSequence(got, want) {
			t.Errorf("/etc/motd: sent %q, want %q", got, want)
		}
		locus(t, "get", p.login()+"/%2Fetc/motd").want(t, 0, string(system))
		if got, want := since(), []string{"CWD /etc", "TYPE I", "RETR motd"}; !sameSequence(got, want) {
			t.Errorf("/%%2Fetc/motd: sent %q, want %q", got, want)
		}
		r := locus(t, "get", p.login()+"//etc/motd")
		got := since()
		if len(got) == 0 || strings.TrimRight(got[0], " ") != "CWD" {
			t.Fatalf("//etc/motd: sent %q, want a CWD with a null argument first", got)
		}
		// Pure-FTPd interprets an empty CWD as the home directory, and vsftpd rejects it.
		if r.status == 0 {
			if want := []string{"CWD ", "CWD etc", "TYPE I", "RETR motd"}; !sameSequence(got, want) {
				t.Errorf("//etc/motd: sent %q, want %q", got, want)
			}
		} else {
			r.want(t, 3, "")
			r.says(t, "CWD", "--cwd")
		}
		r = locus(t, "get", "--cwd", "none", p.login()+"//etc/motd")
		r.want(t, 0, string(system))
	})
}

// sameSequence compares two command sequences. It ignores the position of the TYPE command among
// the CWD commands.
func sameSequence(got, want []string) bool {
	order := func(list []string) (path, rest []string) {
		for _, c := range list {
			if strings.HasPrefix(c, "TYPE") {
				rest = append(rest, c)
			} else {
				path = append(path, strings.TrimRight(c, " "))
			}
		}
		return path, rest
	}
	gotPath, gotType := order(got)
	wantPath, wantType := order(want)
	return slices.Equal(gotPath, wantPath) && slices.Equal(gotType, wantType)
}

func TestNames(t *testing.T) {
	both(t, func(t *testing.T, p *peer) {
		for name, path := range map[string]string{
			"b c.txt":          "b%20c.txt",
			"semi;type=a.txt":  "semi%3Btype=a.txt",
			"per%cent.txt":     "per%25cent.txt",
			"hash#mark.txt":    "hash%23mark.txt",
			"caf\xe9.txt":      "caf%E9.txt",
			"caf\u00e9.txt":    "caf%C3%A9.txt",
			"quest?ion.txt":    "quest%3Fion.txt",
			" lead.txt":        "%20lead.txt",
			"*star[1].txt":     "%2Astar%5B1%5D.txt",
			"-la":              "-la",
			"ti~lde{x}|y^.txt": "ti%7Elde%7Bx%7D%7Cy%5E.txt",
		} {
			write(t, filepath.Join(p.home, "a dir", name), "content of "+name, 0o644)
			locus(t, "get", p.login()+"/a%20dir/"+path).want(t, 0, "content of "+name)
		}
		r := locus(t, "get", p.login()+"/a%20dir/")
		if r.status != 0 || strings.Count(r.out, "\n") != 11 && strings.Count(r.out, "\n") != 9 {
			t.Errorf("the listing: status %d\n%s%s", r.status, r.out, r.err)
		}
		for _, path := range []string{"b%20c.txt", "semi%3Btype", "per%25cent.txt", "hash%23mark.txt", "caf%E9.txt"} {
			if !strings.Contains(r.out, path) {
				t.Errorf("the listing lacks %s:\n%s", path, r.out)
			}
		}
	})
}

func TestTypes(t *testing.T) {
	both(t, func(t *testing.T, p *peer) {
		write(t, filepath.Join(p.home, "sub/lines.txt"), "one\ntwo\n", 0o644)
		write(t, filepath.Join(p.home, "sub/more.txt"), "", 0o644)
		locus(t, "get", p.login()+"/sub/lines.txt;type=i").want(t, 0, "one\ntwo\n")
		locus(t, "get", p.login()+"/sub/lines.txt;type=a").want(t, 0, "one\r\ntwo\r\n")
		r := locus(t, "get", p.login()+"/sub;type=d")
		if r.status != 0 || !strings.Contains(r.out, "lines.txt") || !strings.Contains(r.out, "more.txt") {
			t.Errorf(";type=d: status %d\n%s%s", r.status, r.out, r.err)
		}
		got := p.settled(t)
		if !slices.Contains(got, "TYPE A") || !slices.Contains(got, "NLST sub") {
			t.Errorf("sent %q, which lacks TYPE A or NLST sub", got)
		}
	})
}

func TestRefusals(t *testing.T) {
	both(t, func(t *testing.T, p *peer) {
		write(t, filepath.Join(p.home, "x"), "x", 0o644)
		dir := t.TempDir()
		r := locusIn(t, dir, "get", "-o", "x", p.login()+"/missing")
		r.want(t, 3, "")
		r.says(t, "RETR missing", "550")
		r = locusIn(t, dir, "get", "-o", "x", p.login()+"/no/such/x")
		r.want(t, 3, "")
		r.says(t, "CWD no", "550")
		r = locusIn(t, dir, "get", "-o", "x", "ftp://"+user+":wrong@"+p.addr()+"/x")
		r.want(t, 3, "")
		r.says(t, "530")
		if names, _ := os.ReadDir(dir); len(names) != 0 {
			t.Errorf("left behind: %v", names)
		}
	})
}

// A line end in a path or a name would begin another command, so the client must not send
// anything.
func TestInjection(t *testing.T) {
	p := pureFTPd(t)
	for _, u := range []string{
		"ftp://u:p@" + p.addr() + "/a%0d%0aDELE%20x",
		"ftp://a%0d%0aNOOP@" + p.addr() + "/",
		"ftp://u:p%0aNOOP@" + p.addr() + "/x",
		"ftp://u:p@" + p.addr() + "/a%00b/x",
		"ftp://u:p@" + p.addr() + "/x%0a;type=d",
	} {
		// The policy denies the URL first, because the port is not the FTP port.
		if r := locus(t, "get", u); r.status != 4 || r.out != "" {
			t.Errorf("%s: status %d, output %q", u, r.status, r.out)
		}
	}
	if log := p.log(); log != "" {
		t.Errorf("sent: %q", log)
	}
}

// cutRelay relays connections to a port. It ends the first transfer after n bytes from the server.
func cutRelay(t *testing.T, to, n int) int {
	t.Helper()
	return (&cutter{t: t, after: n}).listen(to, false)
}

type cutter struct {
	t     *testing.T
	after int

	mu  sync.Mutex // guards cut
	cut bool
}

// cuts reports whether the relay must cut the current transfer.
func (c *cutter) cuts() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := !c.cut
	c.cut = true
	return first
}

// listen relays to a port. If data is true, the connection transfers a file and
// may be cut. Otherwise it is a control connection, and listen rewrites the
// replies to EPSV, so that the data also passes through the relay.
func (c *cutter) listen(to int, data bool) int {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			go c.pass(near, to, data)
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

func (c *cutter) pass(near net.Conn, to int, data bool) {
	defer near.Close()
	far, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", to))
	if err != nil {
		return
	}
	defer far.Close()
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := near.Read(buf)
			if err != nil {
				far.Close()
				return
			}
			far.Write(buf[:n])
		}
	}()
	total := 0
	buf := make([]byte, 4096)
	for {
		n, err := far.Read(buf)
		if err != nil {
			return
		}
		out := buf[:n]
		if data && total <= c.after && total+n > c.after && c.cuts() {
			near.Write(out[:c.after-total])
			return
		}
		if !data {
			var port int
			if i := bytes.Index(out, []byte("(|||")); i >= 0 {
				fmt.Sscanf(string(out[i:]), "(|||%d|)", &port)
				out = fmt.Appendf(nil, "229 Entering Extended Passive Mode (|||%d|)\r\n", c.listen(port, true))
			}
		}
		total += n
		if _, err := near.Write(out); err != nil {
			return
		}
	}
}

func TestResumeAfterCut(t *testing.T) {
	both(t, func(t *testing.T, p *peer) {
		content := make([]byte, 3<<20)
		rand.NewChaCha8([32]byte{1}).Read(content)
		write(t, filepath.Join(p.home, "big.bin"), string(content), 0o644)
		u := fmt.Sprintf("ftp://%s:%s@127.0.0.1:%d/big.bin", user, encodedPassword, cutRelay(t, p.port, 1<<20+17))
		dir := t.TempDir()
		r := locusIn(t, dir, "get", "-O", u)
		r.want(t, 3, "")
		if _, err := os.Stat(filepath.Join(dir, "big.bin")); err == nil {
			t.Fatal("half a file has the name of the whole")
		}
		r.says(t, "-C")
		locusIn(t, dir, "get", "-O", "-C", u).want(t, 0, "")
		got, err := os.ReadFile(filepath.Join(dir, "big.bin"))
		if err != nil || !bytes.Equal(got, content) {
			t.Fatalf("resumed to %d octets, %v, that differ from the %d of the server", len(got), err, len(content))
		}
		if names, _ := os.ReadDir(dir); len(names) != 1 {
			t.Errorf("left behind: %v", names)
		}
	})
}

func TestAnonymous(t *testing.T) {
	p := vsftpd(t)
	write(t, filepath.Join(p.pub, "pub/x"), "for everybody", 0o644)
	locus(t, "get", "ftp://"+p.addr()+"/pub/x").want(t, 0, "for everybody")
	locus(t, "get", "ftp://"+p.addr()+"/pub/").want(t, 0, "x\tftp://"+p.addr()+"/pub/x\n")
}

func TestActive(t *testing.T) {
	both(t, func(t *testing.T, p *peer) {
		write(t, filepath.Join(p.home, "x"), "from there to here", 0o644)
		locus(t, "get", "--active", p.login()+"/x").want(t, 0, "from there to here")
		if !p.sent("EPRT |1|127.0.0.1|") || p.sent("EPSV") {
			t.Errorf("not active: %q", p.all())
		}
	})
}

// vsftpd requires the data connection to resume the TLS session of the control connection.
func TestTLS(t *testing.T) {
	p := vsftpd(t, "require_ssl_reuse=YES")
	write(t, filepath.Join(p.home, "x"), strings.Repeat("in private\n", 100000), 0o644)
	for _, mode := range []string{"try", "require"} {
		r := locusEnv(t, []string{"SSL_CERT_FILE=" + p.cert}, "get", "-v", "--ssl", mode, p.login()+"/x")
		r.want(t, 0, strings.Repeat("in private\n", 100000))
		r.says(t, "> AUTH TLS", "> PROT P")
	}
	// No authority signed the server's certificate.
	r := locus(t, "get", "--ssl", "require", p.login()+"/x")
	r.want(t, 3, "")
	r.says(t, "certificate")
	// Without TLS, the client does not send a login.
	plain := vsftpd(t, "ssl_enable=NO")
	locus(t, "get", "--ssl", "require", plain.login()+"/x").want(t, 3, "")
	if plain.sent("USER") {
		t.Errorf("logged in without TLS: %q", plain.all())
	}
}

func TestThousandFiles(t *testing.T) {
	p := vsftpd(t)
	dir, out := filepath.Join(p.home, "many"), t.TempDir()
	var urls strings.Builder
	for i := range 1000 {
		name := fmt.Sprintf("file%04d.txt", i)
		write(t, filepath.Join(dir, name), name+"\n", 0o644)
		fmt.Fprintf(&urls, "%s/many/%s\n", p.login(), name)
	}
	r := locusReading(t, out, urls.String(), "get", "-O", "-")
	r.want(t, 0, "")
	names, err := os.ReadDir(out)
	if err != nil || len(names) != 1000 {
		t.Fatalf("%d files arrived, %v", len(names), err)
	}
	connections := strings.Count(p.log(), "OK LOGIN")
	t.Logf("1,000 files in %v over %d control connections", r.took, connections)
	if connections > 8 {
		t.Errorf("%d control connections for one folder", connections)
	}
}

// The command needs little memory for a 5 GB transfer.
func TestFiveGigabytes(t *testing.T) {
	long(t) // it writes 5 GB to the disk
	p := vsftpd(t)
	const size int64 = 5 << 30
	f, err := os.Create(filepath.Join(p.home, "huge"))
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(f.Name())
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	f.Close()
	os.Chmod(filepath.Join(p.home, "huge"), 0o644)
	dir := t.TempDir()
	r := locusIn(t, dir, "get", "-O", p.login()+"/huge")
	r.want(t, 0, "")
	if info, err := os.Stat(filepath.Join(dir, "huge")); err != nil || info.Size() != size {
		t.Fatalf("Stat(huge) = %v, %v, want size %d", info, err, size)
	}
	t.Logf("%d MB/s, %d MiB of memory", int(float64(size)/r.took.Seconds()/1e6), r.memory>>20)
	if r.memory > 64<<20 {
		t.Errorf("%d MiB of memory for a stream", r.memory>>20)
	}
}
