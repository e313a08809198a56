// Package commandtest contains helpers for tests of several subcommands.
package commandtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/internal/command/scripttest"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
)

// Main is the TestMain of a subcommand's package. It makes the test binary act as the program
// locus as well.
func Main(m *testing.M) { scripttest.Main(m, commands.Run) }

// Run runs the command line args with an empty home directory. If the function change is not nil,
// Run first calls it with the App of the run.
func Run(t testing.TB, change func(a *base.App), args ...string) clitest.Result {
	t.Helper()
	return clitest.Run(t, commands.Run, change, args...)
}

// OnTerminal makes the App treat standard output as a terminal.
func OnTerminal(a *base.App) { a.OutTTY = true }

// Serve starts an HTTP server that sends the same bytes for every path.
func Serve(t testing.TB, octets string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "x.bin", time.Time{}, strings.NewReader(octets))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// StartTelnet starts a Telnet host that calls the function handle for each connection, and returns
// the address of the host.
func StartTelnet(t *testing.T, handle func(io.ReadWriter)) string {
	t.Helper()
	server, err := telnettest.StartTelnet(&telnettest.TelnetOptions{Plain: true, Handle: handle})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server.Addr()
}
