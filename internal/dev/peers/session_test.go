package peers

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	locusurl "github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/nvt"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/telnet"
)

// maxSession is the deadline of a session or a server. It is long enough for
// a busy machine.
const maxSession = 2 * time.Minute

// shellPrompt is the prompt of the user's shell.
const shellPrompt = `\$ $`

// sessionServer starts a server that runs a program for each connection, with its
// standard error on the connection too, as inetd does.
func sessionServer(t testing.TB, path string, args ...string) *peer {
	t.Helper()
	name := need(t, path)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	inetd(t, l, func() *exec.Cmd {
		return exec.Command("/bin/sh", append([]string{"-c", `exec "$0" "$@" 2>&1`, name}, args...)...)
	})
	return &peer{port: l.Addr().(*net.TCPAddr).Port, home: homeOf(t)}
}

func telnetd(t testing.TB) *peer { return sessionServer(t, unpacked("usr/sbin/telnetd"), "-h") }

// rloginds maps the names of rlogin servers to their programs.
var rloginds = map[string]string{
	"redone": "rsh-redone/usr/sbin/in.rlogind",
	"netkit": "rsh-netkit/usr/sbin/in.rlogind",
}

func rlogind(t testing.TB, name string) *peer {
	t.Helper()
	if _, err := os.Stat("/etc/pam.d/rlogin"); err != nil {
		missing(t, "PAM does not know rlogin: .ci/peers tells it")
	}
	return sessionServer(t, unpacked(rloginds[name]))
}

// trusting writes a line to .rhosts, so that the user needs no password.
func (p *peer) trusting(t testing.TB, line string) {
	t.Helper()
	rhosts := filepath.Join(p.home, ".rhosts")
	write(t, rhosts, line+"\n", 0o600)
	if out, err := exec.Command("chown", user, rhosts).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// openSession opens a session in the same way as the command, in a window of 80 columns and 24
// rows.
func openSession(t testing.TB, u string, o telnet.Options) (*scheme.Session, error) {
	t.Helper()
	terminal := telnet.New(&o)
	registry, err := all.Registry(telnet.Schemes(terminal)...)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New(policy.Rules{TypedPrivate: true, Passwords: true})
	if err != nil {
		t.Fatal(err)
	}
	client := access.New(registry, rules, nil)
	t.Cleanup(func() { client.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), maxSession)
	t.Cleanup(cancel)
	result, err := client.Do(ctx, access.Request{URL: locusurl.MustParse(u)})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { result.Resource.Close() })
	return result.Resource.(*scheme.Session), nil
}

// shellSession is a session that types input and waits for output.
type shellSession struct {
	scheme.Terminal
	came string // output that no call of expect has consumed
}

func openShell(t testing.TB, u string) *shellSession {
	t.Helper()
	s, err := openSession(t, u, telnet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &shellSession{Terminal: s.Conn}
}

// expect waits for a match and returns the output up to its end.
func (k *shellSession) expect(t testing.TB, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	octets := make([]byte, 4096)
	for {
		if at := re.FindStringIndex(k.came); at != nil {
			seen := k.came[:at[1]]
			k.came = k.came[at[1]:]
			return seen
		}
		n, err := k.Read(octets)
		k.came += string(octets[:n])
		if err != nil {
			t.Fatalf("%v, and %q does not match %q", err, k.came, pattern)
		}
	}
}

func (k *shellSession) send(t testing.TB, text string) {
	t.Helper()
	if _, err := io.WriteString(k, text); err != nil {
		t.Fatal(err)
	}
}

// run runs a command in the shell and returns its output.
func (k *shellSession) run(t testing.TB, command string) string {
	t.Helper()
	k.send(t, command+"\r")
	k.expect(t, regexp.QuoteMeta(command)+"\r\n")
	printed, _ := strings.CutSuffix(k.expect(t, shellPrompt), "$ ")
	return printed
}

// leave exits the shell, and waits until the server ends the session.
func (k *shellSession) leave(t testing.TB) {
	t.Helper()
	k.send(t, "exit\r")
	if _, err := io.Copy(io.Discard, k); err != nil {
		t.Errorf("the end of a session: %v", err)
	}
}

// login types the user and the password after their prompts. The program login may have
// printed something before.
func (k *shellSession) login(t testing.TB, name string) {
	t.Helper()
	if name != "" {
		k.expect(t, `login: $`)
		k.send(t, name+"\r")
	}
	k.expect(t, `Password: $`)
	k.send(t, password+"\r")
	k.expect(t, shellPrompt)
}

func (k *shellSession) status(name string) any {
	for _, field := range k.Status() {
		if field.Name == name {
			return field.Value
		}
	}
	return nil
}

// shellWorks checks the features that every shell session supports.
func (k *shellSession) shellWorks(t *testing.T, terminal string) {
	t.Helper()
	if got := k.run(t, "stty size; echo $TERM; id -un"); got != "24 80\r\n"+terminal+"\r\n"+user+"\r\n" {
		t.Errorf("the shell says %q", got)
	}
	if err := k.SetWindow(132, 43); err != nil {
		t.Error(err)
	}
	// The window size may reach the server after the next command.
	for got := ""; got != "43 132\r\n"; {
		if got = k.run(t, "stty size"); got != "43 132\r\n" && got != "24 80\r\n" {
			t.Fatalf("the window is %q", got)
		}
	}
	if !k.Echoes() {
		t.Error("the service does not echo")
	}
	if got := k.run(t, `printf 'a\377\303\251b\r\n'`); got != "a\xff\u00e9b\r\r\n" {
		t.Errorf("the octets that came are %q", got)
	}
	if got := k.run(t, "printf %s '\u00e9\u00ff' | od -An -tx1"); got != " c3 a9 c3 bf\r\n" {
		t.Errorf("the octets that were sent are %q", got)
	}
	if got := k.run(t, "seq 20000 | cksum; seq 20000"); len(got) < 108894 || !strings.HasSuffix(got, "\r\n19999\r\n20000\r\n") {
		t.Errorf("much output is %d octets", len(got))
	}
}

// interrupt interrupts a program that runs on the host.
func (k *shellSession) interrupt(t *testing.T, by func() error) {
	t.Helper()
	// The quotes split the word, so that the echo of the command does not contain the expected
	// output.
	k.send(t, "sh -c 'echo run\"\"ning; exec sleep 1000'\r")
	k.expect(t, "running\r\n")
	if err := by(); err != nil {
		t.Error(err)
	}
	k.expect(t, shellPrompt)
	if got := k.run(t, "echo $?"); got != "130\r\n" {
		t.Errorf("what was interrupted ended with %q", got)
	}
}

func TestTelnetd(t *testing.T) {
	p := telnetd(t)
	k := openShell(t, "telnet://"+user+":secret@"+p.addr()+"/")
	k.login(t, user)
	k.shellWorks(t, "vt100")
	if got := k.run(t, "env | grep -c -e ^USER="+user+" -e secret"); got != "1\r\n" {
		t.Errorf("the environment has %q of the URL", got)
	}
	for name, want := range map[string]any{"protocol": "telnet", "echo": true, "suppressGoAhead": true, "windowTold": true, "terminalTypeTold": true} {
		if got := k.status(name); got != want {
			t.Errorf("status: %s is %v", name, got)
		}
	}
	if err := k.Command("ayt"); err != nil {
		t.Error(err)
	}
	k.expect(t, `(?i)\[.*yes.*\]`)
	k.interrupt(t, func() error { return k.Command("ip") })
	k.leave(t)
}

// A real server treats the Enter key that the library and scripts send as one key.
func TestTelnetdEnter(t *testing.T) {
	readsKeys := func(t *testing.T, k *shellSession) {
		t.Helper()
		k.send(t, "stty -icrnl -icanon -echo min 1; echo rea''dy; head -c 5 | od -An -tx1; stty sane\r")
		k.expect(t, "ready\r\n")
		k.send(t, "a\rb\r")
		k.send(t, "c")
		if got := k.expect(t, `\r\n`); strings.TrimSpace(got) != "61 0d 62 0d 63" {
			t.Errorf("the program reads %q", got)
		}
		k.expect(t, shellPrompt)
	}
	// This server requests binary mode.
	k := openShell(t, "telnet://"+telnetd(t).addr()+"/")
	k.login(t, user)
	if got := k.status("enter"); got != "CR" {
		t.Errorf("Enter is %v", got)
	}
	readsKeys(t, k)
	k.leave(t)
	for _, nul := range []bool{false, true} {
		c, err := net.Dial("tcp", telnetd(t).addr())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(maxSession))
		plain := nvt.New(c, &nvt.Options{Keyboard: true, Options: []nvt.Option{{Code: nvt.Echo, Them: true}, {Code: nvt.SGA, Us: true, Them: true}}})
		plain.SetEnter(nul)
		k := &shellSession{Terminal: scheme.PlainTerminal(plain)}
		k.login(t, user)
		readsKeys(t, k)
		if plain.Enabled(true, nvt.Binary) {
			t.Error("it is binary")
		}
		k.leave(t)
	}
	r := locus(t, append([]string{"get", "telnet://" + telnetd(t).addr() + "/"}, "--expect", "login: $", "--send", user+`\r`, "--expect", "Password: $", "--send", password+`\r`, "--expect", shellPrompt,
		"--send", `cat -A <<e''nd\rone\r\rtwo\rend\r`, "--expect", `two\$`, "--send", `exit\r`)...)
	r.want(t, 0, r.out)
	if !strings.Contains(r.out, "one$\r\n$\r\ntwo$\r\n") {
		t.Errorf("a script sends %q", r.out)
	}
}

func TestTelnetdRefuses(t *testing.T) {
	k := openShell(t, "telnet://"+telnetd(t).addr())
	k.expect(t, `login: $`)
	k.send(t, user+"\r")
	k.expect(t, `Password: $`)
	k.send(t, "wrong\r")
	if got := k.expect(t, `login: $`); !strings.Contains(got, "Login incorrect") {
		t.Errorf("it said %q", got)
	}
}

// When the client disconnects, the server's programs end. The test waits for them.
func TestTelnetdLeft(t *testing.T) {
	k := openShell(t, "telnet://"+telnetd(t).addr())
	k.login(t, user)
	k.send(t, "exec sh -c 'echo run\"\"ning; exec sleep 1000'\r")
	k.expect(t, "running\r\n")
	k.Close()
}

func TestRlogind(t *testing.T) {
	for name := range rloginds {
		t.Run(name, func(t *testing.T) {
			p := rlogind(t, name)
			u := "rlogin://" + user + "@" + p.addr() + "/"
			k := openShell(t, u)
			k.login(t, "")
			k.shellWorks(t, "vt100")
			if got := k.status("windowTold"); got != true {
				t.Errorf("status: windowTold is %v", got)
			}
			k.interrupt(t, func() error { _, err := io.WriteString(k, "\x03"); return err })
			k.leave(t)
		})
	}
}

// A trusted user gets no password prompt.
func TestRlogindTrusts(t *testing.T) {
	for name := range rloginds {
		t.Run(name, func(t *testing.T) {
			p := rlogind(t, name)
			p.trusting(t, "localhost friend")
			u := "rlogin://" + user + ":secret@" + p.addr() + "/"
			for local, want := range map[string]string{"friend": shellPrompt, "stranger": `Password: $`} {
				s, err := openSession(t, u, telnet.Options{LocalUser: local, TerminalTypes: []string{"XTERM"}})
				if err != nil {
					t.Fatal(err)
				}
				k := &shellSession{Terminal: s.Conn}
				if k.expect(t, want); want == shellPrompt {
					k.shellWorks(t, "xterm")
					k.leave(t)
				}
				k.Close()
			}
		})
	}
}

func TestRlogindRefuses(t *testing.T) {
	for name := range rloginds {
		t.Run(name, func(t *testing.T) {
			p := rlogind(t, name)
			k := openShell(t, "rlogin://"+user+"@"+p.addr()+"/")
			k.expect(t, `Password: $`)
			k.send(t, "wrong\r")
			// One server repeats the prompt, and the other server does not.
			k.expect(t, `Password: $|Authentication failure`)
			k.Close()
			// Connect from an unprivileged port.
			r, err := telnet.Parse(locusurl.MustParse("rlogin://" + user + "@" + p.addr() + "/"))
			if err != nil {
				t.Fatal(err)
			}
			_, err = telnet.New(nil).Get(t.Context(), new(net.Dialer), r)
			if !errors.Is(err, scheme.ErrAuth) || !strings.Contains(err.Error(), "below 1024") || name == "netkit" && !strings.Contains(err.Error(), "Permission denied") {
				t.Errorf("from any port: %v", err)
			}
		})
	}
}

// loginScript returns the flags that log in and run a command.
func loginScript(name string) (flags []string) {
	if name != "" {
		flags = []string{"--expect", "login: $", "--send", name + `\r`}
	}
	return append(flags, "--expect", "Password: $", "--send", password+`\r`, "--expect", shellPrompt,
		// The shell must end last, because some servers then drop its output.
		"--send", `stty size; id -un\r`, "--expect", `24 80\r\n`+user+`\r\n`+shellPrompt, "--send", `exit\r`)
}

func TestSessionScripts(t *testing.T) {
	for _, c := range []struct {
		name, url string
		start     func(testing.TB) *peer
		script    []string
	}{
		{"telnet", "telnet://", telnetd, loginScript(user)},
		{"rlogin of redone", "rlogin://" + user + "@", func(t testing.TB) *peer { return rlogind(t, "redone") }, loginScript("")},
		{"rlogin of netkit", "rlogin://" + user + "@", func(t testing.TB) *peer { return rlogind(t, "netkit") }, loginScript("")},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := c.url + c.start(t).addr() + "/"
			r := locus(t, append([]string{"get", "-v", u}, c.script...)...)
			if r.want(t, 0, r.out); !strings.Contains(r.out, "24 80\r\n"+user+"\r\n") || strings.Contains(r.out, password) {
				t.Errorf("the transcript is %q", r.out)
			}
		})
	}
	t.Run("not as expected", func(t *testing.T) {
		r := locus(t, "get", "telnet://"+telnetd(t).addr(), "--expect", "no such words", "--timeout", "1s")
		r.want(t, 3, r.out)
		r.says(t, "no such words")
	})
}

// A user opens a session, enlarges the window, and leaves with the escape key.
func TestSessionTerminal(t *testing.T) {
	p := telnetd(t)
	home := t.TempDir()
	x := onTerminal(t, home, program, "open", "telnet://"+p.addr()+"/")
	x.wait(t, "login:")
	x.press(t, user+"\r")
	x.wait(t, "Password:")
	x.press(t, password+"\r")
	x.wait(t, "\n$\n")
	x.press(t, "stty size\r")
	x.wait(t, "\n24 80\n$\n")
	if err := pty.Setsize(x.keys, &pty.Winsize{Rows: 31, Cols: 97}); err != nil {
		t.Fatal(err)
	}
	x.press(t, "until stty size | grep '31 97'; do :; done\r")
	x.wait(t, "\n31 97\n")
	x.press(t, "\x1d")
	x.wait(t, "locus>")
	x.press(t, "close\r")
	<-x.ended
	if strings.Contains(x.text(), password) {
		t.Errorf("the screen shows\n%s", x.text())
	}
}
