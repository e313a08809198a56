package gateway

import (
	"cmp"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
)

// Hosts receive the properties of the terminal in the page, and no data about the user who
// runs the gateway.
func TestGatewaySessions(t *testing.T) {
	rlogin, err := telnettest.StartRlogin(nil)
	startedHost(t, rlogin, err)
	screens, err := telnettest.StartTN3270(nil)
	startedHost(t, screens, err)
	env := map[string]string{"HOME": t.TempDir(), "TERM": "dumb", "NO_COLOR": "1"}
	a := base.New(t.Context(), strings.NewReader(""), io.Discard, io.Discard, func(name string) string { return env[name] })
	a.OutTTY = true
	a.Flags.AllowPrivate = true
	for _, local := range []string{"", "configured"} {
		a.Config.Rlogin.LocalUser = local
		c := &gatewayCommand{app: a, values: a.Config.Gateway}
		defer c.openMail()()
		opener, _, closeAll, err := c.settings(a).open()
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"rlogin://guest@" + rlogin.Addr() + "/", "tn3270://" + screens.Addr() + "/"} {
			resource, err := opener.Open(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			defer resource.Close()
		}
		heardBy(t, rlogin, "local "+cmp.Or(local, "locus-gateway"), "user guest", "type xterm/38400")
		heardBy(t, screens, "type IBM-3279-2-E")
		closeAll()
	}
}

func startedHost(t *testing.T, server *telnettest.Server, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
}

func heardBy(t *testing.T, server *telnettest.Server, entries ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, entry := range entries {
		if err := server.Wait(ctx, entry); err != nil {
			t.Fatalf("%q: %v; the host heard %q", entry, err, server.Log())
		}
	}
}
