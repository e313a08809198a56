package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
	"github.com/locus-url/locus/tn3270"
)

// talks starts a host that does as f has it.
func talks(t *testing.T, f func(io.ReadWriter)) string {
	t.Helper()
	server, err := telnettest.StartTelnet(&telnettest.TelnetOptions{Plain: true, Handle: f})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server.Addr()
}

// Hosts that negotiate for ever, or never say a word.
func TestGetSessionHostile(t *testing.T) {
	t.Parallel()
	ever := func(begin, text string) func(io.ReadWriter) {
		return func(c io.ReadWriter) {
			go io.Copy(io.Discard, c)
			io.WriteString(c, begin)
			for {
				if _, err := io.WriteString(c, text); err != nil {
					return
				}
			}
		}
	}
	silent := func(c io.ReadWriter) { io.Copy(io.Discard, c) }
	line := func(c io.ReadWriter) {
		io.WriteString(c, "host\r\nlogin: ")
		io.Copy(io.Discard, c)
	}
	storm := strings.Repeat("\xff\xfd\x18\xff\xfe\x18\xff\xfb\x01\xff\xfc\x01", 100)
	for _, test := range []struct {
		name, scheme string
		talk         func(io.ReadWriter)
		timeout      string
		want         string
	}{
		{"options", "telnet", ever("", storm), "60s", `"kind":"protocol","message":".*endless negotiation`},
		{"a subnegotiation", "telnet", ever("\xff\xfa\x18", strings.Repeat("x", 1000)), "60s", `"kind":"protocol","message":".*endless negotiation`},
		{"options", "tn3270", ever("", storm), "60s", `"kind":"protocol","message":".*endless negotiation`},
		{"silence", "telnet", silent, "10s", `"kind":"timeout","message":".*nothing that matches \\"sesame\\" came within 10s"`},
		{"a line", "telnet", line, "10s", `came within 10s, and its last line was \\"login:\\""`},
		{"silence", "tn3270", silent, "10s", `"kind":"protocol","message":".*the host sends no 3270 screen"`},
		{"text", "tn3270", ever("", "\x1b[2Jtext "), "10s", `sends no 3270 screen, but says \\".*text`},
		{"nothing", "tn3270", func(io.ReadWriter) {}, "60s", `"kind":"protocol","message":".*the host sends no 3270 screen"`},
		{"records of nothing", "tn3270", ever("", "\xff\xfd\x19\xff\xfb\x19\xff\xfd\x00\xff\xfb\x00\xff\xef\xff\xef"), "10s", `"kind":"(protocol|timeout)"`},
	} {
		t.Run(test.scheme+", "+test.name, func(t *testing.T) {
			t.Parallel()
			got := runGet(t, nil, "--json", "--timeout", test.timeout, "--expect", "sesame", test.scheme+"://"+talks(t, test.talk)+"/")
			if got.status != base.StatusAccess || got.err != "" || !regexp.MustCompile(test.want).MatchString(got.out) {
				t.Errorf("status %d, %s, %.500q", got.status, got.err, got.out[max(0, len(got.out)-500):])
			}
		})
	}
}

func startHost(t *testing.T, run func(*telnettest.Host) error) string {
	t.Helper()
	server, err := telnettest.StartTN3270(&telnettest.HostOptions{Run: run})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server.Addr()
}

// A host that locks the keyboard for good, one that ends behind its screen, and one
// that takes its time to write it.
func TestGetScreens(t *testing.T) {
	t.Parallel()
	locked := startHost(t, func(h *telnettest.Host) error {
		err := h.Show(h.Builder().EraseWrite(0).At(1, 1).Text("wait"))
		h.Receive()
		return err
	})
	url := "tn3270://" + locked + "/"
	shows := "tn3270://" + startHost(t, func(h *telnettest.Host) error {
		err := h.Show(h.Builder().EraseWrite(tn3270.KeyboardRestore).At(1, 1).Text("wait"))
		h.Receive()
		return err
	}) + "/"
	// Each waits out its time, which is long enough for a machine that is busy.
	const patience = "10s"
	t.Run("a screen", func(t *testing.T) {
		t.Parallel()
		if got := runGet(t, nil, "--timeout", patience, url); got.status != 0 || !strings.HasPrefix(got.out, "wait\n") {
			t.Errorf("%+v", got)
		}
	})
	t.Run("JSON", func(t *testing.T) {
		t.Parallel()
		if got := runGet(t, nil, "--timeout", patience, "--json", url); got.status != 0 || !strings.Contains(got.out, `"locked":"X SYSTEM"`) {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a text", func(t *testing.T) {
		t.Parallel()
		got := runGet(t, nil, "--timeout", patience, "--json", "--expect", "sesame", shows)
		if want := `"kind":"timeout","message":".*nothing that matches \\"sesame\\" was shown within 10s; the screen begins with \\"wait\\""`; got.status != base.StatusAccess || !regexp.MustCompile(want).MatchString(got.out) {
			t.Errorf("%+v, want %s", got, want)
		}
	})
	t.Run("a key", func(t *testing.T) {
		t.Parallel()
		if got := runGet(t, nil, "--timeout", patience, "--send", "x", url); got.status != base.StatusAccess || !strings.Contains(got.err, "keeps the keyboard locked") {
			t.Errorf("%+v", got)
		}
	})
	ends := startHost(t, func(h *telnettest.Host) error {
		return h.Show(h.Builder().EraseWrite(0).At(1, 1).Text("Goodbye"))
	})
	if got := runGet(t, nil, "tn3270://"+ends+"/"); got.status != 0 || !strings.HasPrefix(got.out, "Goodbye\n") {
		t.Errorf("%+v", got)
	}
	got := runGet(t, nil, "--expect", "sesame", "tn3270://"+ends+"/")
	if want := `the host ended the session before anything matched "sesame"; the screen begins with "Goodbye"`; got.status != base.StatusAccess || !strings.Contains(got.err, want) {
		t.Errorf("%+v, want %q", got, want)
	}
	pieces := startHost(t, func(h *telnettest.Host) error {
		err := h.Show(h.Builder().EraseWrite(tn3270.KeyboardRestore).At(1, 1).Text("one"))
		for i := range 3 {
			err = errors.Join(err, h.Show(h.Builder().Write(tn3270.KeyboardRestore).At(2+i, 1).Text(fmt.Sprint(i))))
		}
		h.Receive()
		return err
	})
	if got := runGet(t, nil, "--settle", "2s", "tn3270://"+pieces+"/"); got.status != 0 || !strings.HasPrefix(got.out, "one\n0\n1\n2\n") {
		t.Errorf("%+v", got)
	}
}

// What the terminal of tn3270 is: by flags, by the configuration, and without colours
// for who wants none.
func TestGetScreenTerminal(t *testing.T) {
	t.Parallel()
	server, err := telnettest.StartTN3270(&telnettest.HostOptions{CodePage: "500", Extended: true, Run: func(h *telnettest.Host) error {
		return h.Show(h.Builder().EraseWriteAlternate(tn3270.KeyboardRestore).At(1, 1).Text("[!]^"))
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	url := "tn3270://" + server.Addr() + "/"
	variables := func(list map[string]string) func(*base.App) {
		return func(a *base.App) {
			a.OutTTY = true
			a.Getenv = func(name string) string { return list[name] }
		}
	}
	for i, test := range []struct {
		change     func(*base.App)
		args       []string
		rows       int
		Text, told string
	}{
		{nil, nil, 24, "¢|!¬", "device LU0001"},
		{nil, []string{"--model", "5", "--code-page", "500", "--device", "LU7"}, 27, "[!]^", "device LU7"},
		{variables(map[string]string{"LOCUS_TN3270_MODEL": "4", "LOCUS_TN3270_CODE_PAGE": "273"}), []string{"--code-page", "500"}, 43, "[!]^", "type IBM-3278-4-E"},
		{variables(map[string]string{"LOCUS_TN3270_BASIC": "true"}), nil, 24, "¢|!¬", "type IBM-3279-2-E"},
		{variables(map[string]string{"LOCUS_TN3270_BASIC": "true", "NO_COLOR": "1"}), nil, 24, "¢|!¬", "type IBM-3278-2-E"},
	} {
		got := runGet(t, test.change, append(test.args, url)...)
		if text, _, _ := strings.Cut(got.out, "\n"); got.status != 0 || text != test.Text || strings.Count(got.out, "\n") != test.rows {
			t.Errorf("%d: %+v, want %d rows that begin with %q", i, got, test.rows, test.Text)
		}
		if log := server.Log()[i]; !slices.Contains(log, test.told) {
			t.Errorf("%d: the host heard %q, and no %q", i, log, test.told)
		}
	}
	for flag, value := range map[string]string{"--model": "6", "--code-page": "437"} {
		for _, command := range []string{"get", "open"} {
			if got := run(t, nil, command, flag, value, url); got.status != base.StatusUsage || !strings.Contains(got.err, flag+": ") {
				t.Errorf("%s %s: %+v", command, flag, got)
			}
		}
	}
}

// badInput is a standard input that breaks.
type badInput struct{}

func (badInput) Read([]byte) (int, error) { return 0, os.ErrPermission }

// What goes wrong between pipes.
func TestOpenPipe(t *testing.T) {
	t.Parallel()
	url := "telnet://" + talks(t, func(c io.ReadWriter) {
		io.WriteString(c, "hello\r\n")
		io.Copy(io.Discard, c)
	}) + "/"
	got := run(t, func(a *base.App) { a.In = badInput{} }, "open", url)
	if got.status != base.StatusAccess || !strings.Contains(got.err, "permission denied") || got.out != "hello\r\n" {
		t.Errorf("%+v", got)
	}
	// A host that ends does not care for the rest of the input.
	url = "telnet://" + talks(t, func(c io.ReadWriter) { io.WriteString(c, "bye\r\n") }) + "/"
	got = run(t, func(a *base.App) { a.In = manyLines{} }, "open", url)
	if got.status != 0 && !strings.Contains(got.err, "reset") || got.out != "bye\r\n" {
		t.Errorf("%+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	url = "telnet://" + talks(t, func(c io.ReadWriter) {
		io.WriteString(c, "hello\r\n")
		cancel()
		io.Copy(io.Discard, c)
	}) + "/"
	got = run(t, func(a *base.App) {
		a.Context = ctx
		a.In, _ = io.Pipe()
	}, "open", url)
	if got.status != base.StatusInterrupted {
		t.Errorf("%+v", got)
	}
}

// manyLines is an input that never ends.
type manyLines struct{}

func (manyLines) Read(p []byte) (int, error) { return copy(p, "line\n"), nil }

// A pipe gets the octets of the host, and only --safe filters them.
func TestOpenPipeLevels(t *testing.T) {
	t.Parallel()
	const hello = "\x1b[1mhello\x1b[?1049h\x1b[c\r\n"
	url := "telnet://" + talks(t, func(c io.ReadWriter) { io.WriteString(c, hello) }) + "/"
	for flags, want := range map[string]string{"": hello, "--unsafe-terminal": hello, "--safe": "\x1b[1mhello\r\n"} {
		args := append([]string{"open", url}, strings.Fields(flags)...)
		if got := run(t, func(a *base.App) { a.In = strings.NewReader("") }, args...); got.out != want {
			t.Errorf("%s: %q, want %q", flags, got.out, want)
		}
	}
	got := run(t, nil, "open", "--safe", "--unsafe-terminal", url)
	if got.status != base.StatusUsage || !strings.Contains(got.err, "choose one") {
		t.Errorf("%+v", got)
	}
}
