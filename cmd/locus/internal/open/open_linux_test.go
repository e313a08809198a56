package open_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// answered is one step of a user at a terminal. The user waits for the output seen and then types
// the text typed.
type answered struct{ seen, typed string }

// play performs the steps and returns the whole output. After the last step, it waits for the
// step's output.
func play(t *testing.T, person *os.File, steps []answered) (all chan string) {
	all = make(chan string, 1)
	go func() {
		r := bufio.NewReader(person)
		var seen strings.Builder
		for _, step := range steps {
			seen.WriteString(clitest.Until(t, r, step.seen))
			fmt.Fprint(person, step.typed)
		}
		all <- seen.String()
	}()
	return all
}

// openForm runs "locus open" on a form and performs the steps.
func openForm(t *testing.T, s *commandtest.Survey, steps []answered, args ...string) (got clitest.Result, seen string) {
	t.Helper()
	person, name := clitest.NewTTY(t)
	// A read from a terminal fails after its other end is closed.
	hold, err := clitest.OpenTTY(name)()
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	all := play(t, person, steps)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got = commandtest.Run(t, func(a *base.App) {
		s.In(a)
		a.Context, a.ErrTTY, a.OpenTerminal, a.Interrupt = ctx, true, clitest.OpenTTY(name), cancel
	}, append([]string{"open"}, args...)...)
	if !hasEcho(t, hold) {
		t.Error("the terminal has no echo any more")
	}
	return got, <-all
}

func hasEcho(t *testing.T, tty *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// The user answers every kind of field. Fields that can reject an answer first receive a wrong
// answer.
func TestOpenForm(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("picture", []byte("\x00GIF"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("there", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	s := commandtest.EveryKind()
	s.Refuse = "refused"
	got, seen := openForm(t, s, []answered{
		{"A survey\\x1b[2J\r\nAbout you\r\nYour name [Anna]: ", "refused\n"},
		{"Password (not shown): ", "s3cret\r"},
		{"Comments\r\n  End with a line that contains only \".\", or with Ctrl-D.\r\n> ", "one\n"},
		{"> ", "\n"}, {"> ", "..\n"}, {"> ", ".\n"},
		{"Color:\r\n    1  Red (default)\r\n    2  gr\u00fcn\r\n    3  2\r\nNumber or text [Red]: ", "blue\n"},
		{"  invalid choice: choose 1 \"Red\", 2 \"gr\u00fcn\", 3 \"2\"\r\n", ""},
		{"Number or text [Red]: ", "G\n"},
		{"a=b (y/n) [y]: ", "perhaps\n"},
		{"write y for yes or n for no", ""},
		{"a=b (y/n) [y]: ", "No\n"},
		{"Keep as (file for the reply; \"-\" for none) [re_ply.txt]: ", "there\n"},
		{"already exists: choose another name", ""},
		{"[re_ply.txt]: ", "no/where\n"},
		{"no such file or directory", ""},
		{"[re_ply.txt]: ", "..\n"},
		{"is not a file name", ""},
		{"[re_ply.txt]: ", "\n"},
		{"Picture (path of a file to send; empty for none): ", "/\n"},
		{"not a regular file", ""},
		{"empty for none): ", "./picture\n"},
		// If the form rejects an answer only on submission, the command repeats the question.
		{"field 1 \"Your name\": can't be sent\r\n", ""},
		{"Your name [Anna]: ", "Bob\n"},
		{"Bob\r\n", ""},
	}, "x-form://h/")
	want := []string{"", "Bob", "s3cret", "one\n\n..", "gr\xfcn", "0", "re_ply.txt", "\x00GIF"}
	if !slices.Equal(s.Last(), want) || got.Status != 0 || got.Out != "" {
		t.Errorf("%q, want %q; %+v", s.Last(), want, got)
	}
	if strings.Contains(seen+got.Err, "s3cret") || !strings.Contains(seen, "The connection is not encrypted") {
		t.Errorf("seen: %q, %s", seen, got.Err)
	}
	reply := strings.Join(want, "|") + "\n"
	for _, note := range []string{
		"locus: the URL that repeats this submission is not shown, because it contains a hidden answer\n",
		fmt.Sprintf("locus: wrote %d bytes to re_ply.txt\n", len(reply)),
	} {
		if !strings.Contains(got.Err, note) {
			t.Errorf("%q lacks %q", got.Err, note)
		}
	}
	if octets, err := os.ReadFile("re_ply.txt"); err != nil || string(octets) != reply {
		t.Errorf("ReadFile(re_ply.txt) = %q, %v, want no error and octets %q", octets, err, reply)
	}
}

// Enter accepts the default, and the printed URL works in a shell.
func TestOpenFormDefaults(t *testing.T) {
	s := commandtest.EveryKind()
	// If a hidden field has no answer, the command shows the URL.
	got, _ := openForm(t, s, []answered{
		{": ", "\n"}, {"shown): ", "\r"}, {"> ", "\x04"}, {"text [Red]: ", "\n"},
		{"[y]: ", "\n"}, {"]: ", "-\n"}, {"none): ", "\n"},
	}, "x-form://h/")
	if want := "|Anna|||Red|1||"; strings.Join(s.Last(), "|") != want || got.Out != want+"\n" || got.Status != 0 {
		t.Errorf("openForm(x-form://h/) = %q; %+v, want s.Last() %q, out %q and status 0", s.Last(), got, want, want+"\n")
	}
	_, command, _ := strings.Cut(got.Err, "locus: to repeat this submission: locus get ")
	out, err := exec.Command("sh", "-c", "printf %s "+command).Output()
	if err != nil || string(out) != "x-form://h:7070/sent'%7CAnna%7C%7C%7CRed%7C1%7C%7C" {
		t.Errorf("%q, %v, want no error and out %q", out, err, "x-form://h:7070/sent'%7CAnna%7C%7C%7CRed%7C1%7C%7C")
	}
	s.Long = true
	got, _ = openForm(t, s, []answered{
		{": ", "\n"}, {"shown): ", "\r"}, {"> ", ".\n"}, {"text [Red]: ", "\n"},
		{"[y]: ", "\n"}, {"]: ", "-\n"}, {"none): ", "\n"},
	}, "x-form://h/")
	if got.Status != 0 || !strings.Contains(got.Err, "no URL repeats this submission: it would exceed 65536 bytes") {
		t.Errorf("openForm(x-form://h/) = %+v, want status 0 and %q in err", got, "no URL repeats this submission: it would exceed 65536 bytes")
	}
}

// A hidden answer that the server proposes is as hidden as one that is typed.
func TestOpenFormHiddenDefault(t *testing.T) {
	s := &commandtest.Survey{Name: "x-form", Fields: []scheme.FormField{{Kind: scheme.FieldHidden, Prompt: "Password", Default: "pr0posed"}}}
	got, seen := openForm(t, s, []answered{{"Password (not shown): ", "\r"}}, "x-form://h/")
	if !slices.Equal(s.Last(), []string{"pr0posed"}) || got.Status != 0 {
		t.Errorf("openForm(x-form://h/) = %q, %+v, want s.Last() %q and status 0", s.Last(), got, []string{"pr0posed"})
	}
	if strings.Contains(seen+got.Err, "pr0posed") || !strings.Contains(got.Err, "is not shown") {
		t.Errorf("%q, %s, want no %q in seen + got.Err and %q in err", seen, got.Err, "pr0posed", "is not shown")
	}
}

// An encrypted scheme gives no warning.
func TestOpenFormSecure(t *testing.T) {
	s := &commandtest.Survey{Name: "gophers", Secure: true, Fields: []scheme.FormField{{Kind: scheme.FieldHidden, Prompt: "Password"}}}
	got, seen := openForm(t, s, []answered{{"Password (not shown): ", "s3cret\r"}}, "gophers://h/")
	if strings.Contains(seen, "encrypted") || !slices.Equal(s.Last(), []string{"s3cret"}) || got.Status != 0 {
		t.Errorf("openForm(gophers://h/) = %q, %+v, want no %q in seen, s.Last() %q and status 0", seen, got, "encrypted", []string{"s3cret"})
	}
}

// After the end of input, Ctrl-C, or too many wrong answers, the command sends nothing.
func TestOpenFormEnds(t *testing.T) {
	for _, test := range []struct {
		name   string
		steps  []answered
		status int
		want   string
	}{
		{"Ctrl-D", []answered{{"[Anna]: ", "\x04"}}, base.StatusAccess, `no answer: the input ended at field 1 "Your name"; nothing was submitted`},
		{"Ctrl-D, hidden", []answered{{"[Anna]: ", "\n"}, {"(not shown): ", "\x04"}}, base.StatusAccess, `no answer: the input ended at field 2 "Password"`},
		{"Ctrl-C, hidden", []answered{{"[Anna]: ", "\n"}, {"(not shown): ", "s3\x03"}}, base.StatusInterrupted, "nothing was submitted"},
		{
			"wrong", []answered{
				{"[Anna]: ", "\n"}, {"shown): ", "\r"}, {"> ", ".\n"},
				{"[Red]: ", "blue\n"}, {"[Red]: ", "4\n"}, {"[Red]: ", "0\n"}, {"[Red]: ", "\u00fc\n"}, {"[Red]: ", "-1\n"},
			},
			base.StatusAccess, `no answer: 5 invalid answers for field 4 "Color"; nothing was submitted`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := commandtest.EveryKind()
			got, _ := openForm(t, s, test.steps, "x-form://h/")
			if got.Status != test.status || !strings.Contains(got.Err, test.want) || got.Out != "" || s.Last() != nil {
				t.Errorf("%+v, want %q; %q", got, test.want, s.Last())
			}
		})
	}
}

// The JSON output also reports the failure.
func TestOpenFormEndsJSON(t *testing.T) {
	got, _ := openForm(t, commandtest.EveryKind(), []answered{{"[Anna]: ", "\x04"}}, "--json", "x-form://h/")
	if got.Status != base.StatusAccess || !strings.HasPrefix(got.Out, `{"url":"x-form://h/","error":{"kind":"input","message":"`) {
		t.Errorf("openForm(--json, x-form://h/) = %+v, want status %d and %q at the start of out", got, base.StatusAccess, `{"url":"x-form://h/","error":{"kind":"input","message":"`)
	}
}

// The terminal converts Ctrl-C to a signal.
func TestOpenFormInterrupted(t *testing.T) {
	person, name := clitest.NewTTY(t)
	ctx, cancel := context.WithCancel(t.Context())
	s := commandtest.EveryKind()
	go func() {
		clitest.Until(t, bufio.NewReader(person), "[Anna]: ")
		cancel()
	}()
	got := commandtest.Run(t, func(a *base.App) {
		s.In(a)
		a.Context, a.ErrTTY, a.OpenTerminal = ctx, true, clitest.OpenTTY(name)
	}, "open", "x-form://h/")
	if got.Status != base.StatusInterrupted || s.Last() != nil || !strings.Contains(got.Err, "nothing was submitted") {
		t.Errorf("Run(open, x-form://h/) = %+v, %q, want status %d, s.Last() nil and %q in err", got, s.Last(), base.StatusInterrupted, "nothing was submitted")
	}
	fmt.Fprint(person, "\n") // ends the abandoned read
}

func TestOpenSearch(t *testing.T) {
	s := &commandtest.Survey{Fields: []scheme.FormField{{Kind: scheme.FieldText, Prompt: "Words"}}}
	got, _ := openForm(t, s, []answered{{"Words: ", "two words\n"}}, "x-form://h/")
	if got.Out != "two words\n" || got.Status != 0 || !strings.HasSuffix(got.Err, "locus: to repeat this submission: locus get 'x-form://h:7070/sent'\\''two+words'\n") {
		t.Errorf("openForm(x-form://h/) = %+v, want out %q, status 0 and %q at the end of err", got, "two words\n", "locus: to repeat this submission: locus get 'x-form://h:7070/sent'\\''two+words'\n")
	}
	if got, _ = openForm(t, s, []answered{{"Words: ", "x\n"}}, "--quiet", "x-form://h/"); got.Out != "x\n" || got.Err != "" {
		t.Errorf("openForm(--quiet, x-form://h/) = %+v, want out %q and no err", got, "x\n")
	}
	// Without a terminal, the command does not prompt.
	got = commandtest.Run(t, func(a *base.App) {
		s.In(a)
		a.OpenTerminal = func() (*os.File, error) { return nil, os.ErrNotExist }
		a.ErrTTY = true
	}, "open", "x-form://h/")
	if got.Status != 0 || got.Out != "A survey\\x1b[2J\t\n1  text     Words\t\n" {
		t.Errorf("Run(open, x-form://h/) = %+v, want status 0 and out %q", got, "A survey\\x1b[2J\t\n1  text     Words\t\n")
	}
}

// An interrupted response is stored up to the interruption.
func TestOpenKeepsPartialResponse(t *testing.T) {
	t.Chdir(t.TempDir())
	s := &commandtest.Survey{Fields: []scheme.FormField{{Kind: scheme.FieldSaveAs, Prompt: "Keep"}}}
	s.Reply = &scheme.Object{Size: 10, Body: struct {
		*strings.Reader
		nothing
	}{Reader: strings.NewReader("12345")}}
	got, _ := openForm(t, s, []answered{{"none): ", "x\n"}}, "x-form://h/")
	if octets, err := os.ReadFile("x"); string(octets) != "12345" || got.Status != base.StatusAccess || !strings.Contains(got.Err, "(wrote 5 bytes to x)") {
		t.Errorf("%+v, %q, %v, want octets %q, status %d and %q in err", got, octets, err, "12345", base.StatusAccess, "(wrote 5 bytes to x)")
	}
	// A menu is stored as its lines.
	s.Reply = clitest.MenuOf(scheme.Item{Title: "a", Size: -1})
	got, _ = openForm(t, s, []answered{{"none): ", "~/menu\n"}, {"no such file", ""}, {"none): ", "menu\n"}}, "x-form://h/")
	if octets, err := os.ReadFile("menu"); string(octets) != "a\t\n" || got.Status != 0 {
		t.Errorf("%+v, %q, %v, want octets %q and status 0", got, octets, err, "a\t\n")
	}
}

type nothing struct{}

func (nothing) Close() error { return nil }

// atTerminal runs the program with a terminal for standard input, output and errors, and
// performs the steps.
func atTerminal(t *testing.T, env []string, steps []answered, args ...string) (seen string, status int) {
	t.Helper()
	// The shell stays until all output was read: when the first process of a terminal ends,
	// unread output is lost.
	s := sitWith(t, env, "trap : INT\n"+theProgram, args...)
	for _, step := range steps {
		s.see(step.seen)
		s.types(step.typed)
	}
	s.see("status ")
	text := clitest.Until(t, s.screen, "\r\n")
	status, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Error(err)
	}
	if !hasEcho(t, s.tty) {
		t.Error("the terminal has no echo any more")
	}
	return strings.TrimSuffix(s.seen.String(), "status "), status
}

// unended starts a server that sends some lines and then stays silent without closing the
// connection.
func unended(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := range 60 {
			fmt.Fprintf(w, "line %d of many\n", i+1)
		}
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// The pager shows the first screen before all data has arrived. The key "q" in the pager
// immediately ends the program.
func TestOpenPagerProcess(t *testing.T) {
	if _, err := exec.LookPath("less"); err != nil {
		t.Skip(err)
	}
	steps := []answered{{"line 1 of", ""}, {"line 23 of", ""}, {":\x1b[K", "q"}}
	if seen, status := atTerminal(t, nil, steps, "open", unended(t)); status != 0 || strings.Contains(seen, "locus:") {
		t.Errorf("atTerminal(open) = status %d, %q, want status 0 and no %q in seen", status, seen, "locus:")
	}
}

// Only the pager receives Ctrl-C.
func TestOpenPagerInterrupted(t *testing.T) {
	server := unended(t)
	const pager = `PAGER=trap "echo heard" INT; read -r line; echo "first: $line"; until read -r key </dev/tty; do :; done; echo "key: $key"`
	steps := []answered{{"first: line 1 of many\r\n", "\x03"}, {"^C", "x\n"}, {"key: x\r\n", ""}}
	if seen, status := atTerminal(t, []string{pager}, steps, "open", server); status != 0 || strings.Contains(seen, "locus:") || !strings.Contains(seen, "heard") {
		t.Errorf("atTerminal(open, %q) = status %d, %q, want status 0, no %q in seen and %q in seen", server, status, seen, "locus:", "heard")
	}
	// A pager that does not handle Ctrl-C ends, which counts as an interrupt.
	if seen, status := atTerminal(t, []string{"PAGER=cat"}, []answered{{"line 60 of many", "\x03"}}, "open", server); status != base.StatusInterrupted {
		t.Errorf("atTerminal(open, %q) = status %d, %q, want status %d", server, status, seen, base.StatusInterrupted)
	}
}

// When the program ends, its pager also ends.
func TestOpenPagerTerminated(t *testing.T) {
	if seen, status := atTerminal(t, []string{"PAGER=kill -TERM $PPID; exec sleep 60"}, nil, "open", unended(t)); status != base.StatusInterrupted {
		t.Errorf("atTerminal(open) = status %d, %q, want status %d", status, seen, base.StatusInterrupted)
	}
}

// The user presses Ctrl-C at a prompt of the program. In some prompts the terminal sends a signal,
// and in others it does not.
func TestOpenInterruptedProcess(t *testing.T) {
	server, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{
		{Name: "survey", Selector: "survey", Ask: []string{"AskP: Password", "Ask: Name"}},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	url := "gopher://" + server.Addr() + "/0survey%09%09?"
	for _, steps := range [][]answered{
		{{"(not shown): ", "s3\x03"}, {"nothing was submitted", ""}},
		{{"(not shown): ", "s3\r"}, {"Name: ", "x\x03"}, {"nothing was submitted", ""}},
	} {
		if seen, status := atTerminal(t, nil, steps, "open", url); status != base.StatusInterrupted || strings.Contains(seen, "s3") {
			t.Errorf("atTerminal(open, %q) = status %d, %q, want status %d and no %q in seen", url, status, seen, base.StatusInterrupted, "s3")
		}
	}
	for _, request := range server.Log() {
		if strings.Contains(request, "\t1\r\n") {
			t.Errorf("submitted: %q", request)
		}
	}
}

// The command that locus shows after a submission submits the same answers again, even at a port
// other than the Gopher port.
func TestOpenRepeats(t *testing.T) {
	server, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{
		{Name: "survey", Selector: "it's", Ask: []string{"Ask: Name", "AskL: More", "Choose: Color\tRed\tGreen"}, Reply: gophertest.Echo},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	seen, status := atTerminal(t, []string{"PAGER=cat"}, []answered{
		{"Name: ", "Bob\n"}, {"> ", "one\n"}, {"> ", ".\n"}, {"[Red]: ", "gre\n"}, {"locus: to repeat this submission: ", ""}, {"\r\n", ""},
	}, "open", "gopher://"+server.Addr()+"/0it's%09%09?")
	_, command, _ := strings.Cut(seen, "locus: to repeat this submission: ")
	if _, port, _ := net.SplitHostPort(server.Addr()); status != 0 || !strings.HasPrefix(command, "locus get --allow-port "+port+" 'gopher://") {
		t.Fatalf("status %d, %q, want status 0 and %q at the start of command", status, seen, "locus get --allow-port "+port+" 'gopher://")
	}
	out, err := exec.Command("sh", "-c", command).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "[Bob]") {
		t.Fatalf("%s: %v, want no error and %q in out", out, err, "[Bob]")
	}
	log := server.Log()
	const want = "it's\t+\t1\r\n+-1\r\nBob\r\n1\r\none\r\nGreen\r\n.\r\n"
	if len(log) != 3 || log[1] != want || log[2] != want {
		t.Errorf("%q, want 3 of log, log[1] %q and log[2] %q", log, want, want)
	}
}
