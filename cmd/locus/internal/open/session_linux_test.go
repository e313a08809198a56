package open_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
)

// sitting simulates a user at a terminal. A shell on the terminal runs the program and then prints
// the exit status.
type sitting struct {
	t       *testing.T
	person  *os.File
	screen  *bufio.Reader
	tty     *os.File // the other end of the terminal, kept open while a process needs it
	name    string
	command *exec.Cmd
	seen    strings.Builder
}

// theProgram is a shell script that runs the program with the arguments.
const theProgram = `locus "$@"; echo "status $?"; read -r end`

// maxSitting is the time limit for a sitting.
const maxSitting = 2 * time.Minute

// sit starts a shell script with the given arguments on a new terminal.
func sit(t *testing.T, script string, args ...string) *sitting {
	t.Helper()
	return sitWith(t, nil, script, args...)
}

func sitWith(t *testing.T, env []string, script string, args ...string) *sitting {
	t.Helper()
	s := &sitting{t: t}
	s.person, s.name = clitest.NewTTY(t)
	s.screen = bufio.NewReader(s.person)
	var err error
	if s.tty, err = clitest.OpenTTY(s.name)(); err != nil {
		t.Fatal(err)
	}
	s.resize(80, 24)
	s.command = exec.Command("sh", append([]string{"-c", script, "sh"}, args...)...)
	s.command.Stdin, s.command.Stdout, s.command.Stderr = s.tty, s.tty, s.tty
	s.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	// Without this setting, the race detector delays the end of each process by a second.
	s.command.Env = append(os.Environ(), append([]string{"HOME=" + t.TempDir(), "TERM=xterm", "LESS=", "PAGER=", "GORACE=atexit_sleep_ms=0"}, env...)...)
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(maxSitting, s.leave)
	t.Cleanup(func() {
		late.Stop()
		s.leave()
		s.command.Wait()
	})
	return s
}

// leave ends all processes on the terminal.
func (s *sitting) leave() {
	s.command.Process.Kill()
	// After the connection has ended, the program does not wait for more output.
	s.tty.Close()
}

// see waits until the terminal has shown all of the texts.
func (s *sitting) see(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		s.seen.WriteString(clitest.Until(s.t, s.screen, text))
	}
}

func (s *sitting) types(text string) { io.WriteString(s.person, text) }

// commands types a command for the program itself.
func (s *sitting) commands(text string) {
	s.t.Helper()
	s.types("\x1d")
	s.see("locus> ")
	s.types(text + "\r")
}

func (s *sitting) resize(columns, rows uint16) {
	s.t.Helper()
	if err := unix.IoctlSetWinsize(int(s.person.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		s.t.Fatal(err)
	}
}

// end waits for the end of the program and returns the whole output. It checks that the terminal
// is restored and that the guard process has ended.
func (s *sitting) end(status int) string {
	s.t.Helper()
	s.see(fmt.Sprintf("status %d\r\n", status))
	if pid := s.watcher(); pid != 0 {
		s.t.Errorf("process %d watches the terminal still", pid)
	}
	s.inOrder()
	s.types("\n")
	if err := s.command.Wait(); err != nil {
		s.t.Error(err)
	}
	return s.seen.String()
}

// inOrder checks that the program has restored the terminal.
func (s *sitting) inOrder() {
	s.t.Helper()
	state, err := unix.IoctlGetTermios(int(s.tty.Fd()), unix.TCGETS)
	if err != nil {
		s.t.Fatal(err)
	}
	if want := uint32(unix.ECHO | unix.ICANON | unix.ISIG); state.Lflag&want != want || state.Oflag&unix.OPOST == 0 || state.Iflag&unix.ICRNL == 0 {
		s.t.Errorf("the terminal is not as it was: %+v", state)
	}
}

// watcher returns the process ID of the terminal guard, or 0.
func (s *sitting) watcher() int {
	list, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, file := range list {
		line, _ := os.ReadFile(file)
		if !bytes.Contains(line, []byte("\x00"+"restore-terminal"+"\x00")) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if session, err := unix.Getsid(pid); err == nil && session == s.command.Process.Pid {
			return pid
		}
	}
	return 0
}

// program returns the process ID of the program.
func (s *sitting) program() int {
	s.t.Helper()
	pid := s.command.Process.Pid
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	child, err2 := strconv.Atoi(strings.TrimSpace(string(line)))
	if err := errors.Join(err, err2); err != nil {
		s.t.Fatal(err)
	}
	return child
}

// gone waits until a process has ended.
func gone(t *testing.T, fd int) {
	t.Helper()
	defer unix.Close(fd)
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(maxSitting.Milliseconds())); n != 1 {
		t.Errorf("it continues: %v", err)
	}
}

func startTelnet(t *testing.T, o *telnettest.TelnetOptions) *telnettest.Server {
	t.Helper()
	server, err := telnettest.StartTelnet(o)
	return started(t, server, err)
}

func started(t *testing.T, server *telnettest.Server, err error) *telnettest.Server {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server
}

// heard waits until the host has logged the entries.
func heard(t *testing.T, server *telnettest.Server, entries ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), maxSitting)
	defer cancel()
	for _, entry := range entries {
		if err := server.Wait(ctx, entry); err != nil {
			t.Fatalf("%q: %v; the host heard %q", entry, err, server.Log())
		}
	}
}

// The user logs in with the user name and password of the URL, which the program neither shows nor
// sends automatically. The test also changes the window size and runs all commands of locus.
func TestTerminalSession(t *testing.T) {
	server := startTelnet(t, &telnettest.TelnetOptions{Users: map[string]string{"guest": "s3cret"}})
	s := sit(t, theProgram, "open", "telnet://guest:s3cret@"+server.Addr()+"/")
	s.see("locus: connected to telnet://guest@"+server.Addr()+"/\r\n", "locus: press ^] for locus commands",
		"locus: the URL suggests the user \"guest\" and a password: \"user\" and \"password\" type them\r\n", "login: ")
	heard(t, server, "type XTERM", "window 80x24")
	s.commands("user")
	s.see("guest")
	s.types("\r")
	s.see("Password: ")
	s.commands("password")
	s.types("\r")
	s.see("Welcome, guest.", "> ")
	s.resize(100, 30)
	heard(t, server, "window 100x30")
	s.types("size\r")
	s.see("100x30\r\n> ")
	s.types("abc\x03")
	s.see("abc^C\r\n> ")
	s.commands("status")
	s.see("locus: telnet://guest@", ", at "+server.Addr(), "typing: sent at once", "protocol: telnet\r\n", "window: 100x30\r\n")
	s.commands("send ayt BRK x")
	s.see("locus: unknown command \"x\"; the service has ao, ayt, brk,", "[yes]")
	heard(t, server, "command AYT", "command BRK")
	s.commands("send")
	s.see("locus: send what? ao, ayt")
	s.commands("frob")
	s.see("locus: unknown command \"frob\"; type \"help\" for a list\r\n")
	s.commands("help")
	s.see("locus: close      end the session\r\n", "send a command of the service: ao, ayt,", "locus: Nothing goes back to the session.\r\n")
	s.commands("")
	s.commands("escape")
	s.see("^]")
	s.types("\x15size\r")
	s.see("100x30\r\n> ")
	s.types("\x1dclo\x03size\r")
	s.see("locus> clo^C\r\n", "100x30\r\n> ")
	s.types("\x1d\x04size\r")
	s.see("locus> \r\n", "100x30\r\n> ")
	s.types("\x1dclose\r")
	if seen := s.end(0); strings.Contains(seen, "s3cret") {
		t.Errorf("end() = %q, want no %q in seen", seen, "s3cret")
	}
	if log := server.Log()[0]; !strings.Contains(strings.Join(log, "\n"), "typed guest\ntyped s3cret\n") {
		t.Errorf("the host heard %q", log)
	}
}

// If the host does not echo, locus echoes lines and sends them whole.
func TestTerminalSessionLines(t *testing.T) {
	server := startTelnet(t, &telnettest.TelnetOptions{Plain: true})
	s := sit(t, theProgram, "open", "telnet://"+server.Addr()+"/")
	s.see("> ")
	s.types("x\x15hulp\x1b[D\x1b[D\x7fe\r")
	s.see("lp\r\n", "bye     ends the session\r\n", "> ")
	heard(t, server, "typed help")
	s.types("gr\u00fc\u00df\x7f\x7f\u00fcn\r")
	s.see("there is no such command\r\n> ")
	heard(t, server, "typed gr\u00fcn")
	s.commands("user")
	s.see("locus: the URL suggests no user\r\n")
	s.commands("mode character")
	s.types("size\r")
	s.see("nothing is known\r\n> ")
	if strings.HasSuffix(s.seen.String(), "size\r\nnothing is known\r\n> ") {
		t.Errorf("what is typed is shown: %q", s.seen.String())
	}
	s.commands("mode raw")
	s.see("locus: choose mode \"line\", \"character\" or \"auto\"\r\n")
	s.commands("mode auto")
	s.types("half")
	s.see("half")
	s.types("\x03")
	s.see("^C\r\n")
	s.end(0)
}

// The session works if the host turns its echo off and on again.
func TestTerminalSessionEcho(t *testing.T) {
	server := startTelnet(t, nil)
	s := sit(t, theProgram, "open", "telnet://"+server.Addr()+"/")
	s.see("> ")
	s.types("echo off\r")
	s.see("echo off\r\n> ")
	s.types("size\r")
	s.see("size\r\n", "80x24\r\n> ")
	s.types("echo on\r")
	s.see("echo on\r\n", "> ")
	s.types("siz")
	s.see("siz")
	s.types("e\r")
	s.see("e\r\n80x24\r\n> ")
	s.types("bye\r")
	s.see("Goodbye.\r\n", "locus: the host ended the session\r\n")
	s.end(0)
}

// Text typed before the host echoes is sent before the rest of the line.
func TestTerminalSessionEchoInLine(t *testing.T) {
	goOn, got := make(chan bool), make(chan string, 1)
	server := startTelnet(t, &telnettest.TelnetOptions{Plain: true, Handle: func(c io.ReadWriter) {
		<-goOn
		io.WriteString(c, "\xff\xfb\x01now")
		line := make([]byte, len("\xff\xfd\x01abcd"))
		io.ReadFull(c, line)
		got <- string(line)
	}})
	s := sit(t, theProgram, "open", "telnet://"+server.Addr()+"/")
	s.see("lists more\r\n")
	s.types("ab")
	s.see("ab")
	close(goOn)
	s.see("now")
	s.types("cd")
	if line := <-got; line != "\xff\xfd\x01abcd" {
		t.Errorf("sent %q", line)
	}
	s.end(0)
}

// When the host begins to echo, an unfinished line is sent at once, not with a later command.
func TestTerminalSessionEchoTurns(t *testing.T) {
	got := make(chan string, 4)
	server := startTelnet(t, &telnettest.TelnetOptions{Plain: true, Handle: func(c io.ReadWriter) {
		read := func(n int) string {
			b := make([]byte, n)
			io.ReadFull(c, b)
			return string(b)
		}
		read(len("go\r\n"))
		io.WriteString(c, "ready")
		read(len("x\r\n"))
		// From here on, the typed line is incomplete.
		io.WriteString(c, "\xff\xfb\x01")
		got <- read(len("\xff\xfd\x01"))
		got <- read(len("abc"))
		io.WriteString(c, "\xff\xfc\x01$ ")
		read(len("\xff\xfe\x01"))
		got <- read(len("ls\r\n"))
	}})
	s := sit(t, theProgram, "open", "telnet://"+server.Addr()+"/")
	s.see("lists more\r\n")
	s.types("go\r")
	s.see("ready")
	s.types("x\rabc")
	s.see("x\r\nabc")
	if first, second := <-got, <-got; first+second != "\xff\xfd\x01abc" {
		t.Errorf("sent %q, %q", first, second)
	}
	s.see("$ ")
	s.types("ls\r")
	if line := <-got; line != "ls\r\n" {
		t.Errorf("sent %q", line)
	}
	s.end(0)
}

func TestTerminalSessionEscape(t *testing.T) {
	server := startTelnet(t, nil)
	s := sit(t, theProgram, "open", "--escape", "^a", "telnet://"+server.Addr()+"/")
	s.see("locus: press ^a for locus commands", "> ")
	s.types("\x1d")
	s.see("^]")
	s.types("\x01")
	s.see("locus> ")
	s.types("close\r")
	s.end(0)
	s = sit(t, theProgram, "open", "--escape", "none", "telnet://"+server.Addr()+"/")
	s.see("> ")
	s.types("\x1d\x15bye\r")
	s.see("^]", "Goodbye.")
	if seen := s.end(0); strings.Contains(seen, "keyboard") {
		t.Errorf("end() = %q, want no %q in seen", seen, "keyboard")
	}
	// No message is shown without a reason.
	s = sit(t, theProgram, "open", "--quiet", "telnet://"+server.Addr()+"/")
	s.see("> ")
	s.types("bye\r")
	if seen := s.end(0); strings.Contains(seen, "locus") {
		t.Errorf("end() = %q, want no %q in seen", seen, "locus")
	}
}

// evil is the telnettest output that must not reach a terminal.
var evil = []string{"\x1b]0;owned", "\x1b]52;", "\x1b[c", "\x1b[6n", "\x1b[5i", "\x05", "\x1bc", "\x9b"}

func notEvil(t *testing.T, seen string) {
	t.Helper()
	for _, sequence := range evil {
		if strings.Contains(seen, sequence) {
			t.Errorf("%q in %q, want no %q in seen", sequence, seen, sequence)
		}
	}
}

func TestTerminalSessionSafe(t *testing.T) {
	server := startTelnet(t, nil)
	url := "telnet://" + server.Addr() + "/"
	const fromInput = `echo "$2" | locus "$1" - $3; echo "status $?"; read -r end`
	for _, test := range []struct {
		name, script string
		args         []string
		safe         bool
	}{
		{"typed", theProgram, []string{"open", url}, true},
		{"without a subcommand", theProgram, []string{url}, true},
		{"--safe", theProgram, []string{"open", "--safe", url}, true},
		{"--unsafe-terminal", theProgram, []string{"open", "--unsafe-terminal", url}, false},
		{"from standard input", fromInput, []string{"open", url}, true},
		{"from standard input, --safe=false", fromInput, []string{"open", url, "--safe=false"}, true},
		{"from standard input, --unsafe-terminal", fromInput, []string{"open", url, "--unsafe-terminal"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := sit(t, test.script, test.args...)
			s.see("> ")
			s.types("color\r")
			s.see("\x1b[1;32mbold green\x1b[0m", "> ")
			s.types("evil\r")
			s.see("before", "after", "> ")
			s.types("bye\r")
			s.see("Goodbye.")
			if seen := s.end(0); test.safe {
				notEvil(t, seen)
			} else if !strings.Contains(seen, evil[0]) {
				t.Errorf("%q, want %q in seen", seen, evil[0])
			}
		})
	}
}

// hostileSequences contains sequences from a host that must not reach a terminal.
var hostileSequences = strings.Fields("\x1b]0;title\a \x1b]2;title\x1b\\ \x1b]52;c;cm0=\a \x1b]52;c;?\x1b\\ \x1b]8;;http://h/\x1b\\ \x1b]8;;\x1b\\ \x1b]10;?\a " +
	"\x1b[c \x1b[>c \x1b[=c \x1b[5n \x1b[6n \x1b[?6n \x1b[x \x1b[?1$p \x1b[>q \x1b[14t \x1b[21t \x1b[8;9;9t \x1b[5i \x1bZ \x05 \x1bc \x1bkname\x1b\\ " +
	"\x1bP$qm\x1b\\ \x1bP+q544e\x1b\\ \x1bPq#0\x1b\\ \x1b_Gf=1\x1b\\ \x1b^private\x1b\\ \x1bXstart\x1b\\ \x1b[?1003h \x1b[?1004h")

const (
	// hostileC1 contains sequences with C1 control characters, as single bytes and in UTF-8.
	hostileC1 = "\x9a|\x9bc|\x9b6n|\x9b21t|\x9d0;t\x9c|\x90$qm\x9c|\x9f_\x9c|\x9e^\x9c|\x98X\x9c|\u009b6n|\u009d52;c;cm0=\u009c"
	// harmlessC1 is hostileC1 without the control characters.
	harmlessC1 = "|c|6n|21t|0;t|$qm|_|^|X|6n|52;c;cm0="

	drawing      = "<begin>\x1b[1;31mred\x1b[0m\x1b[2J\x1b[H\x1b[5;7Hé"
	otherDrawing = "\x1b[?1049h\x1b[?1h\x1b=\x1b[?25l\x1b[1;24r\x1b[Kscreen\x1b[?1049l\x1b[3A\x1b[?1000h\x1b[?2004h\x1b7\x1b8\x1b(0q\x1b(B<end>"
)

// In any session, no query, title or clipboard sequence of a host reaches the terminal, even if it
// arrives in pieces. Sequences for colors, cursor movement and modes reach the terminal.
func TestTerminalSessionFiltered(t *testing.T) {
	hostOutput := drawing + strings.Join(hostileSequences, "|") + "|" + hostileC1 + otherDrawing
	filteredOutput := drawing + strings.Repeat("|", len(hostileSequences)) + harmlessC1 + otherDrawing
	whole := func(c io.ReadWriter) { io.WriteString(c, hostOutput) }
	inPieces := func(c io.ReadWriter) {
		for i := range len(hostOutput) {
			io.WriteString(c, hostOutput[i:i+1])
		}
	}
	for name, handle := range map[string]func(io.ReadWriter){"whole": whole, "in pieces": inPieces} {
		telnet := startTelnet(t, &telnettest.TelnetOptions{Handle: handle}).Addr()
		plain := startTelnet(t, &telnettest.TelnetOptions{Plain: true, Handle: handle}).Addr()
		rlogin, err := telnettest.StartRlogin(&telnettest.RloginOptions{Handle: handle})
		started(t, rlogin, err)
		for _, url := range []string{"telnet://" + telnet, "telnet://" + plain, "rlogin://guest@" + rlogin.Addr(), "tn3270://" + plain} {
			for _, test := range []struct{ flag, want string }{
				{"--safe=false", filteredOutput},
				{"--safe", strings.NewReplacer("\x1b[?1049h", "", "\x1b[?1049l", "", "\x1b[?1000h", "").Replace(filteredOutput)},
				{"--unsafe-terminal", hostOutput},
			} {
				s := sit(t, theProgram, "open", test.flag, url+"/")
				s.see("<begin>", "<end>")
				seen := s.end(0)
				seen = seen[strings.Index(seen, "<begin>"):]
				if seen = seen[:strings.Index(seen, "<end>")+len("<end>")]; seen != test.want {
					t.Errorf("%s %s, %s:\n%q, want\n%q", test.flag, url, name, seen, test.want)
				}
			}
		}
	}
}

// "locus browse" filters a session of a typed URL too.
func TestBrowseSessionFiltered(t *testing.T) {
	server := startTelnet(t, &telnettest.TelnetOptions{Plain: true, Handle: func(c io.ReadWriter) {
		io.WriteString(c, drawing+strings.Join(hostileSequences, "|")+otherDrawing)
	}})
	s := sit(t, theProgram, "browse", "telnet://"+server.Addr()+"/")
	s.see(drawing+strings.Repeat("|", len(hostileSequences)-1)+otherDrawing, "Enter shows the page again.")
	s.types("\r")
	s.see("]2;locus: ") // the browser is on the screen again
	s.types("q")
	s.end(0)
}

// A session may end while the user types a command. A session with a silent host may end without
// any output.
func TestTerminalSessionEnds(t *testing.T) {
	server := startTelnet(t, nil)
	s := sit(t, theProgram, "open", "telnet://"+server.Addr()+"/")
	s.see("> ")
	s.types("\x1d")
	s.see("locus> ")
	s.types("stat")
	s.see("stat")
	server.HangUp()
	s.see("\r\nlocus: the host ended the session\r\n")
	s.end(0)

	s = sit(t, theProgram, "open", "telnet://"+server.Addr()+"/")
	s.see("> ")
	s.types("hang\r")
	heard(t, server, "hangs")
	s.types("is there anybody?\r")
	s.commands("close")
	s.end(0)

	s = sit(t, theProgram, "open", "telnet://"+server.Addr()+"/")
	s.see("> ")
	s.types("flood 100000000000\r")
	s.see("xxx")
	s.types("\x1d")
	s.see("locus> ")
	s.types("close\r")
	s.end(0)

	s = sit(t, theProgram, "open", "telnet://"+clitest.DeadAddress(t)+"/")
	s.see("no connection")
	s.end(base.StatusAccess)
}

// A host may switch to the alternate screen, turn on mouse reports, and leave both on.
func TestTerminalSessionSecondScreen(t *testing.T) {
	server := startTelnet(t, &telnettest.TelnetOptions{Handle: func(c io.ReadWriter) {
		io.WriteString(c, "\x1b[?25;1049h\x1b[?1002;1006h\x1b[4hsecond\x1b]0;")
	}})
	s := sit(t, theProgram, "open", "telnet://"+server.Addr()+"/")
	s.see("\x1b[?25;1049h\x1b[?1002;1006h\x1b[4hsecond", show.ResetTerminal, "\x1b[?1049l", "locus: the host ended the session\r\n")
	s.end(0)
	s = sit(t, theProgram, "open", "--unsafe-terminal", "telnet://"+server.Addr()+"/")
	s.see("second\x1b]0;", show.ResetTerminal, "\x1b[?1049l", "locus: the host ended the session\r\n")
	s.end(0)
}

// Signals end the session and restore the terminal. If the program is killed, the guard
// restores it.
func TestTerminalSessionSignals(t *testing.T) {
	server := startTelnet(t, nil)
	// nohup or a shell may start a program with these signals ignored, and a child inherits
	// that. A signal that is handled here has its default effect in a child.
	handled := make(chan os.Signal, 1)
	ossignal.Notify(handled, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	defer ossignal.Stop(handled)
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		s := sit(t, theProgram, "open", "telnet://"+server.Addr()+"/")
		s.see("> ")
		syscall.Kill(s.program(), signal)
		s.end(base.StatusInterrupted)
	}
}

func TestTerminalSessionKilled(t *testing.T) {
	server := startTelnet(t, nil)
	secondServer := startTelnet(t, &telnettest.TelnetOptions{Handle: func(c io.ReadWriter) {
		io.WriteString(c, "\x1b[?1049h> ")
		io.Copy(io.Discard, c)
	}})
	for address, want := range map[string]string{server.Addr(): "\x1b>\r\n", secondServer.Addr(): "\x1b>\x1b[?1049l\r\n"} {
		s := sit(t, theProgram, "open", "telnet://"+address+"/")
		s.see("> ")
		guard, err := unix.PidfdOpen(s.watcher(), 0)
		if err != nil {
			t.Fatal(err)
		}
		syscall.Kill(s.program(), syscall.SIGKILL)
		gone(t, guard)
		s.inOrder()
		s.types("\n")
		s.command.Wait()
		s.tty.Close()
		rest, _ := io.ReadAll(s.screen)
		if !strings.Contains(string(rest), show.ResetTerminal) || !strings.Contains(string(rest), want) || !strings.Contains(string(rest), "status 137") {
			t.Errorf("ReadAll() = %q, want %q in rest, %q in rest and %q in rest", rest, show.ResetTerminal, want, "status 137")
		}
	}
}

// The program stops and continues under a shell with job control.
func TestTerminalSessionSuspended(t *testing.T) {
	server := startTelnet(t, nil)
	// The trace of the data sent then is also shown in order.
	s := sit(t, `set -m; locus "$@"; echo "stopped $?"; read -r line; fg >/dev/null; echo "status $?"; read -r end`, "open", "-v", "telnet://"+server.Addr()+"/")
	s.see("> SB NAWS\r\n", "what there is.\r\n> ")
	s.commands("suspend")
	s.see("stopped 148\r\n")
	s.inOrder()
	s.types("size\n")
	heard(t, server, "window 80x24")
	s.see("> SB NAWS\r\n")
	s.types("\n")
	s.commands("status")
	s.see("window: 80x24\r\n")
	s.types("size\r")
	s.see("80x24\r\n> ")
	s.commands("close")
	s.end(0)
}

// The trace consists of complete lines, even on a terminal in raw mode.
func TestTerminalSessionTrace(t *testing.T) {
	server := startTelnet(t, &telnettest.TelnetOptions{Users: map[string]string{"guest": "s3cret"}})
	s := sit(t, theProgram, "open", "-v", "telnet://"+server.Addr()+"/")
	s.see("< WILL AUTHENTICATION\r\n> DONT AUTHENTICATION\r\n", "login: ")
	s.types("guest\r")
	s.see("Password: ")
	s.types("s3cret\r")
	s.see("Welcome, guest")
	// A trace during a command waits for the end of the command, and blocks nothing.
	s.types("\x1d")
	s.see("locus> ")
	s.resize(90, 20)
	heard(t, server, "window 90x20")
	s.types("status\r")
	s.see("window: 90x20\r\n", "> SB NAWS\r\n")
	s.commands("close")
	if seen := s.end(0); strings.Contains(strings.ReplaceAll(seen, "\r\n", ""), "\n") || strings.Contains(seen, "s3cret") {
		t.Errorf("end() = %q, want no %q in seen", seen, "s3cret")
	}
}

func TestTerminalSessionRlogin(t *testing.T) {
	server, err := telnettest.StartRlogin(nil)
	started(t, server, err)
	s := sit(t, theProgram, "open", "rlogin://guest@"+server.Addr()+"/")
	s.see("connected to rlogin://guest@", "Welcome, guest.", "> ")
	heard(t, server, "window 80x24")
	s.resize(90, 20)
	heard(t, server, "window 90x20")
	s.types("~~x\ra~.\r~y\r")
	heard(t, server, "typed ~x", "typed a~.", "typed ~y")
	s.types("~.")
	if seen := s.end(0); strings.Contains(seen, "suggests") {
		t.Errorf("end() = %q, want no %q in seen", seen, "suggests")
	}
	// The same applies if locus echoes lines.
	s = sit(t, theProgram, "open", "rlogin://guest@"+server.Addr()+"/")
	s.see("> ")
	s.commands("mode line")
	s.types("~~z\r")
	heard(t, server, "typed ~z")
	s.types("~.\r")
	s.end(0)
}

// The 3270 screen is drawn, and uses the terminal's keys. It is hidden during commands with
// output.
func TestTerminalSession3270(t *testing.T) {
	server, err := telnettest.StartTN3270(nil)
	started(t, server, err)
	s := sit(t, theProgram, "open", "tn3270://"+server.Addr()+"/")
	s.see("\x1b[?1049h", "MUSEUM", "ends")
	s.types("alice\ts3cret\r")
	s.see("alice.")
	s.types("\x1bOP")
	s.see("turquoise")
	s.commands("status")
	s.see("locus: protocol: tn3270\r\n", "locus> ")
	s.types("user\r")
	s.see("the URL suggests no user\r\n", "locus> ")
	s.types("\r")
	s.see("\x1b[?1049h", "turquoise")
	s.commands("close")
	s.see("\x1b[?1049l")
	if seen := s.end(0); strings.Contains(seen, "s3cret") || !strings.Contains(seen, "\x1b[?1049l\r\nlocus> ") {
		t.Errorf("end() = %q, want no %q in seen and %q in seen", seen, "s3cret", "\x1b[?1049l\r\nlocus> ")
	}
	// The end of the session is reported where the user can read it.
	s = sit(t, theProgram, "open", "tn3270://"+server.Addr()+"/")
	s.see("MUSEUM", "ends") // the greeting also contains "ends"
	s.types("\x1bOR")
	s.see("\x1b[?1049l", "\r\nlocus: the host ended the session\r\n")
	s.end(0)
	// A host without screens is shown as text.
	text := startTelnet(t, &telnettest.TelnetOptions{Plain: true})
	s = sit(t, theProgram, "open", "tn3270://"+text.Addr()+"/")
	s.see("Welcome, stranger.", "> ")
	s.types("bye\r")
	s.see("bye\r\n", "Goodbye.")
	s.end(0)
}

// Standard input is a pipe, and the terminal shows the output. Afterwards the terminal is
// reset.
func TestTerminalSessionPipe(t *testing.T) {
	server := startTelnet(t, &telnettest.TelnetOptions{Plain: true})
	s := sit(t, `echo evil | { cat; echo bye; } | locus "$@"; echo "status $?"; read -r end`, "open", "telnet://"+server.Addr()+"/")
	s.see("before", "after", "Goodbye.", show.ResetTerminal)
	notEvil(t, s.end(0))
	// Output from a host to a script is filtered like output from an untrusted host.
	s = sit(t, theProgram, "get", "--settle", "100ms", "--send", "evil\r", "--expect", "after", "--expect", "> ", "telnet://"+server.Addr()+"/")
	s.see("before", "after", "> ", show.ResetTerminal)
	notEvil(t, s.end(0))
}
