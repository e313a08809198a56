package syntax_test

import (
	"io"
	"strings"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

// If the command waits for keyboard input, it writes a note.
func TestInputFromTerminal(t *testing.T) {
	for want, args := range map[string][]string{
		"locus: reading URLs, one per line, from the terminal; Ctrl-D ends it\n": {"canonical", "-"},
		"locus: reading text from the terminal; Ctrl-D ends it\n":                {"extract"},
		"": {"canonical", "--quiet", "-"},
	} {
		person, name := clitest.NewTTY(t)
		tty, err := clitest.OpenTTY(name)()
		if err != nil {
			t.Fatal(err)
		}
		defer tty.Close()
		io.WriteString(person, "http://h/\n\x04")
		var out, errOut strings.Builder
		a := base.New(t.Context(), tty, &out, &errOut, clitest.NoEnv)
		if status := commands.Run(a, args); status != 0 || out.String() != "http://h/\n" || errOut.String() != want {
			t.Errorf("%q: %d, %q, %q, want status 0, out %q and errOut %q", args, status, out.String(), errOut.String(), "http://h/\n", want)
		}
	}
}
