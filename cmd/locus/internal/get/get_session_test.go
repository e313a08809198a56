package get_test

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
	"github.com/locus-url/locus/tn3270"
)

// The command stops if a host negotiates forever or sends nothing.
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
		{"options", "telnet", ever("", storm), "60s", `"kind":"protocol","message":".*the negotiation does not end`},
		{"a subnegotiation", "telnet", ever("\xff\xfa\x18", strings.Repeat("x", 1000)), "60s", `"kind":"protocol","message":".*the negotiation does not end`},
		{"options", "tn3270", ever("", storm), "60s", `"kind":"protocol","message":".*the negotiation does not end`},
		{"silence", "telnet", silent, "10s", `"kind":"timeout","message":".*no output matched \\"sesame\\" within 10s"`},
		{"a line", "telnet", line, "10s", `no output matched \\"sesame\\" within 10s, and its last line was \\"login:\\""`},
		{"silence", "tn3270", silent, "10s", `"kind":"protocol","message":".*the host sent no 3270 screen"`},
		{"text", "tn3270", ever("", "\x1b[2Jtext "), "10s", `sent no 3270 screen, but the text \\".*text`},
		{"nothing", "tn3270", func(io.ReadWriter) {}, "60s", `"kind":"protocol","message":".*the host sent no 3270 screen"`},
		{"records of nothing", "tn3270", ever("", "\xff\xfd\x19\xff\xfb\x19\xff\xfd\x00\xff\xfb\x00\xff\xef\xff\xef"), "10s", `"kind":"(protocol|timeout)"`},
	} {
		t.Run(test.scheme+", "+test.name, func(t *testing.T) {
			t.Parallel()
			got := runGet(t, nil, "--json", "--timeout", test.timeout, "--expect", "sesame", test.scheme+"://"+commandtest.StartTelnet(t, test.talk)+"/")
			if got.Status != base.StatusAccess || got.Err != "" || !regexp.MustCompile(test.want).MatchString(got.Out) {
				t.Errorf("runGet(--json, --timeout, %q, --expect, sesame) = status %d, %s, %.500q, want status %d and no err", test.timeout, got.Status, got.Err, got.Out[max(0, len(got.Out)-500):], base.StatusAccess)
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

// The command handles a host that never unlocks the keyboard, a host that disconnects after its
// screen, and a host that writes its screen slowly.
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
	// Each test waits for the whole timeout, which is long enough for a busy machine.
	const stepTimeout = "10s"
	t.Run("a screen", func(t *testing.T) {
		t.Parallel()
		if got := runGet(t, nil, "--timeout", stepTimeout, url); got.Status != 0 || !strings.HasPrefix(got.Out, "wait\n") {
			t.Errorf("runGet(--timeout, %q, %q) = %+v, want status 0 and %q at the start of out", stepTimeout, url, got, "wait\n")
		}
	})
	t.Run("JSON", func(t *testing.T) {
		t.Parallel()
		if got := runGet(t, nil, "--timeout", stepTimeout, "--json", url); got.Status != 0 || !strings.Contains(got.Out, `"locked":"X SYSTEM"`) {
			t.Errorf("runGet(--timeout, %q, --json, %q) = %+v, want status 0 and %q in out", stepTimeout, url, got, `"locked":"X SYSTEM"`)
		}
	})
	t.Run("a text", func(t *testing.T) {
		t.Parallel()
		got := runGet(t, nil, "--timeout", stepTimeout, "--json", "--expect", "sesame", shows)
		if want := `"kind":"timeout","message":".*no screen matched \\"sesame\\" within 10s; the screen begins with \\"wait\\""`; got.Status != base.StatusAccess || !regexp.MustCompile(want).MatchString(got.Out) {
			t.Errorf("%+v, want %s", got, want)
		}
	})
	t.Run("a key", func(t *testing.T) {
		t.Parallel()
		if got := runGet(t, nil, "--timeout", stepTimeout, "--send", "x", url); got.Status != base.StatusAccess || !strings.Contains(got.Err, "did not unlock the keyboard") {
			t.Errorf("runGet(--timeout, %q, --send, x, %q) = %+v, want status %d and %q in err", stepTimeout, url, got, base.StatusAccess, "did not unlock the keyboard")
		}
	})
	ends := startHost(t, func(h *telnettest.Host) error {
		return h.Show(h.Builder().EraseWrite(0).At(1, 1).Text("Goodbye"))
	})
	if got := runGet(t, nil, "tn3270://"+ends+"/"); got.Status != 0 || !strings.HasPrefix(got.Out, "Goodbye\n") {
		t.Errorf("runGet() = %+v, want status 0 and %q at the start of out", got, "Goodbye\n")
	}
	got := runGet(t, nil, "--expect", "sesame", "tn3270://"+ends+"/")
	if want := `the host ended the session before any screen matched "sesame"; the screen begins with "Goodbye"`; got.Status != base.StatusAccess || !strings.Contains(got.Err, want) {
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
	if got := runGet(t, nil, "--settle", "2s", "tn3270://"+pieces+"/"); got.Status != 0 || !strings.HasPrefix(got.Out, "one\n0\n1\n2\n") {
		t.Errorf("runGet(--settle, 2s) = %+v, want status 0 and %q at the start of out", got, "one\n0\n1\n2\n")
	}
}

// The tn3270 terminal follows the flags and the configuration, and has no colors if the user
// disables them.
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
		if text, _, _ := strings.Cut(got.Out, "\n"); got.Status != 0 || text != test.Text || strings.Count(got.Out, "\n") != test.rows {
			t.Errorf("%d: %+v, want %d rows that begin with %q", i, got, test.rows, test.Text)
		}
		if log := server.Log()[i]; !slices.Contains(log, test.told) {
			t.Errorf("%d: the host heard %q, and no %q", i, log, test.told)
		}
	}
	for flag, value := range map[string]string{"--model": "6", "--code-page": "437"} {
		for _, command := range []string{"get", "open"} {
			if got := commandtest.Run(t, nil, command, flag, value, url); got.Status != base.StatusUsage || !strings.Contains(got.Err, flag+": ") {
				t.Errorf("%s %s: %+v, want status %d and %q in err", command, flag, got, base.StatusUsage, flag+": ")
			}
		}
	}
}
