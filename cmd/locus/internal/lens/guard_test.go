package lens

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

// interrupting is a terminal whose user presses Ctrl-C when the output contains pattern.
type interrupting struct {
	bytes.Buffer
	pattern *regexp.Regexp
	cancel  context.CancelFunc
}

func (i *interrupting) Write(p []byte) (int, error) {
	if i.pattern.Match(p) {
		i.cancel()
	}
	return i.Buffer.Write(p)
}

func execute(ctx context.Context, errOut io.Writer, tty bool, args ...string) (status int, out string) {
	var b bytes.Buffer
	a := base.New(ctx, strings.NewReader(""), &b, errOut, clitest.NoEnv)
	a.ErrTTY = tty
	root := base.NewRoot(a, []*cobra.Command{New(a)}, nil, &cobra.Command{Use: "help"})
	status = a.Execute(root, append([]string{"lens"}, args...))
	return status, b.String()
}

// Ctrl-C ends a search, and the command writes the results so far.
func TestGuardInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	screen := &interrupting{pattern: regexp.MustCompile(`tried, [1-9][0-9]* found`), cancel: cancel}
	status, out := execute(ctx, screen, true, "--guard", "filter=net/url,fetch=whatwg", "--max-tries", "1000000000")
	if status != base.StatusInterrupted || !strings.Contains(out, "Dangerous: ") {
		t.Errorf("execute(--guard, filter=net/url,fetch=whatwg, --max-tries, 1000000000) = status %d, %q, %q, want status %d and %q in out", status, out, screen, base.StatusInterrupted, "Dangerous: ")
	}
	if !strings.HasSuffix(screen.String()[:strings.LastIndex(screen.String(), "locus: ")], "\r\x1b[K") {
		t.Errorf("the progress stays: %q", screen)
	}
}

// The time limit must end a search without findings, and only a terminal must show progress.
func TestGuardMaxTime(t *testing.T) {
	var errOut bytes.Buffer
	status, out := execute(t.Context(), &errOut, false, "--guard", "filter=rfc1738,fetch=rfc1630", "--max-tries", "1000000000", "--max-time", "1s", "--from-nothing")
	if status != base.StatusDone || out != "" || !regexp.MustCompile(`^locus: 0 found: [0-9]+ URLs tried in [^\n]*\n$`).Match(errOut.Bytes()) {
		t.Errorf("execute(--guard, filter=rfc1738,fetch=rfc1630, --max-tries, 1000000000, --max-time, 1s, --from-nothing) = status %d, %q, %q, want status %d and no out", status, out, &errOut, base.StatusDone)
	}
}
