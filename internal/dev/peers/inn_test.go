package peers

import (
	"fmt"
	"net"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inn is a news server that a test starts. It consists of the program innd, which receives
// articles, and any number of nnrpd processes for readers. All processes share one spool.
type inn struct {
	peer
	dir string
	bin string
	as  []string // arguments of env(1) before each INN program, such as its variables
}

// The newsgroups of the server. Only a logged-in user sees the second newsgroup, which stays
// empty.
const (
	newsgroup       = "local.test"
	secretNewsgroup = "local.secret"
)

// innConfig is the content of inn.conf. In it, %[1]s is the directory of the test, %[2]s is the
// directory of the unpacked INN package, and %[3]d is the port.
const innConfig = `mta: "/bin/true"
organization: "Peers"
domain: local.test
fromhost: local.test
pathhost: news.local.test
hismethod: hisv6
ovmethod: tradindexed
enableoverview: true
wireformat: true
sourceaddress: 127.0.0.1
nnrpdloadlimit: 0
bindaddress: 127.0.0.1
port: %[3]d
runasuser: news
runasgroup: news
tlscertfile: %[1]s/cert.pem
tlskeyfile: %[1]s/key.pem
pathnews: %[2]s
pathbin: %[2]s/bin
pathcontrol: %[2]s/bin/control
pathetc: %[1]s/etc
pathdb: %[1]s/db
pathrun: %[1]s/run
pathlog: %[1]s/log
pathhttp: %[1]s/http
pathtmp: %[1]s/tmp
pathfilter: %[1]s/filter
pathspool: %[1]s/spool
patharticles: %[1]s/spool/articles
pathoverview: %[1]s/spool/overview
pathincoming: %[1]s/spool/incoming
pathoutgoing: %[1]s/spool/outgoing
patharchive: %[1]s/spool/archive
`

// innReaders holds the access rules for readers. %s is the password file.
var innReaders = map[string]string{
	"readers.conf": `auth "open" { hosts: "127.0.0.1" default: "<anon>" auth: "ckpasswd -f %s" }
access "open" { users: "<anon>" newsgroups: "*,!local.secret" access: RPN }
access "full" { users: "` + user + `*" newsgroups: "*" access: RPNA }
`,
	"readers-auth.conf": `auth "closed" { hosts: "127.0.0.1" auth: "ckpasswd -f %s" }
access "full" { users: "` + user + `*" newsgroups: "*" access: RPNA }
`,
	"readers-only.conf": `auth "open" { hosts: "127.0.0.1" default: "<anon>" }
access "open" { users: "<anon>" newsgroups: "*,!local.secret" access: R }
# %s
`,
	"readers-deny.conf": `auth "elsewhere" { hosts: "192.0.2.1" default: "<anon>" }
access "open" { users: "<anon>" newsgroups: "*" access: R }
# %s
`,
}

// startINN starts innd. A new connection is in transit mode. The command MODE READER passes the
// connection to an nnrpd process.
func startINN(t testing.TB) *inn {
	t.Helper()
	root := unpacked("usr/lib/news")
	dir := publicDir(t)
	n := &inn{dir: dir, bin: filepath.Join(root, "bin")}
	n.as = []string{
		"LD_LIBRARY_PATH=" + root, "INNCONF=" + filepath.Join(dir, "etc/inn.conf"),
		need(t, "setpriv"), "--reuid", "news", "--regid", "news", "--clear-groups",
	}
	innd := need(t, filepath.Join(n.bin, "innd"))
	runOnPort(t, func(port int) []string {
		first := n.port == 0
		n.port = port
		n.configure(t, root)
		if first {
			n.do(t, "makedbz", "-i", "-o", "-s", "1000", "-f", filepath.Join(dir, "db", "history"))
		}
		return slices.Concat([]string{"env"}, n.as, []string{innd, "-f", "-P", fmt.Sprint(port), "-4", "127.0.0.1"})
	})
	// A signal would wait for the next connection.
	t.Cleanup(func() { n.do(t, "ctlinnd", "-t", "5", "shutdown", "end of the test") })
	return n
}

// configure writes the INN configuration and creates the directories to which INN writes.
func (n *inn) configure(t testing.TB, root string) {
	t.Helper()
	n.cert, _ = certificate(t, n.dir)
	etc, db := filepath.Join(n.dir, "etc"), filepath.Join(n.dir, "db")
	users := filepath.Join(etc, "users")
	files := map[string]string{
		"inn.conf":      fmt.Sprintf(innConfig, n.dir, root, n.port),
		"storage.conf":  "method tradspool {\n class: 0\n newsgroups: *\n}\n",
		"expire.ctl":    "/remember/:10\n*:A:1:never:never\n",
		"newsfeeds":     "ME:*::\n",
		"incoming.conf": "peer ME { hostname: \"localhost, 127.0.0.1\" }\n",
		"control.ctl":   "all:*:*:drop\n",
		"users":         user + ":" + passwordHash(t) + "\n",
	}
	for _, name := range []string{"moderators", "localgroups", "nntpsend.ctl", "passwd.nntp", "distrib.pats", "motd.nnrpd"} {
		files[name] = ""
	}
	for name, text := range innReaders {
		files[name] = fmt.Sprintf(text, users)
	}
	for name, text := range files {
		write(t, filepath.Join(etc, name), text, 0o644)
	}
	var active strings.Builder
	for _, group := range []string{"control", "control.cancel", "junk"} {
		active.WriteString(group + " 0000000000 0000000001 n\n")
	}
	for _, group := range []string{newsgroup, "local.other", "local.empty", secretNewsgroup} {
		active.WriteString(group + " 0000000000 0000000001 y\n")
	}
	active.WriteString("local.moderated 0000000000 0000000001 m\n")
	write(t, filepath.Join(db, "active"), active.String(), 0o644)
	write(t, filepath.Join(db, "newsgroups"), newsgroup+"\tTests of all kinds, caf\u00e9 included\nlocal.other\tOther things\n", 0o644)
	for _, name := range []string{"active.times", "history"} {
		write(t, filepath.Join(db, name), "", 0o644)
	}
	for _, name := range []string{"run", "log", "http", "tmp", "filter", "spool/articles", "spool/overview", "spool/incoming", "spool/outgoing", "spool/archive"} {
		if err := os.MkdirAll(filepath.Join(n.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("chown", "-R", "news:news", n.dir).CombinedOutput(); err != nil {
		t.Fatalf("chown: %v: %s", err, out)
	}
}

// do runs a program of INN and waits until the program ends.
func (n *inn) do(t testing.TB, program string, args ...string) {
	t.Helper()
	cmd := n.command(program, args...)
	cmd.Dir = filepath.Join(n.dir, "db")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", program, err, out)
	}
}

func (n *inn) command(program string, args ...string) *exec.Cmd {
	return exec.Command("env", slices.Concat(n.as, []string{filepath.Join(n.bin, program)}, args)...)
}

// reader starts an nnrpd with the access rules in the named configuration file.
func (n *inn) reader(t testing.TB, config string, args ...string) *peer {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	args = append(args, "-c", filepath.Join(n.dir, "etc", config))
	inetd(t, l, func() *exec.Cmd { return n.command("nnrpd", args...) })
	return &peer{port: l.Addr().(*net.TCPAddr).Port, cert: n.cert}
}

// post puts articles into the spool, in order, without the client of this module.
func (n *inn) post(t testing.TB, articles ...string) {
	t.Helper()
	c, err := textproto.Dial("tcp4", n.addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	say := func(code int, format string, args ...any) {
		t.Helper()
		if _, err := c.Cmd(format, args...); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.ReadCodeLine(code); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := c.ReadCodeLine(200); err != nil {
		t.Fatal(err)
	}
	say(200, "MODE READER")
	for _, article := range articles {
		say(340, "POST")
		w := c.DotWriter()
		if _, err := w.Write([]byte(article)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.ReadCodeLine(240); err != nil {
			t.Fatalf("%v, for the article\n%s", err, clip(article))
		}
	}
	say(205, "QUIT")
}
