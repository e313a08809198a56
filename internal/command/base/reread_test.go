package base_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/command/base"
)

// Reread returns another App. Flags take precedence over the file, and header fields are not added
// twice. The former App does not change.
func TestReread(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("timeout = \"7s\"\nmax_time = \"8s\"\n")
	a := base.New(t.Context(), strings.NewReader(""), io.Discard, io.Discard, func(string) string { return "" })
	cmd := &cobra.Command{Use: "x", RunE: func(cmd *cobra.Command, _ []string) error {
		write("timeout = \"17s\"\nmax_time = \"18s\"\n[policy]\nallow_ports = [99]\n")
		b, report, err := a.Reread(cmd.Flags())
		if err != nil || len(report.Problems) > 0 {
			t.Errorf("%v %v", err, report.Problems)
		}
		field := http.Header{"X-A": {"1"}}
		for _, app := range []*base.App{a, b} {
			if f := app.Flags; f.MaxTime != 3*time.Second || !reflect.DeepEqual(f.Header, field) {
				t.Errorf("%v %v, want 3s and %v", f.MaxTime, f.Header, field)
			}
		}
		if a.Flags.Timeout != 7*time.Second || len(a.Flags.AllowPorts) != 0 {
			t.Errorf("the former App has %v and %v, want 7s and no ports", a.Flags.Timeout, a.Flags.AllowPorts)
		}
		if b.Flags.Timeout != 17*time.Second || len(b.Flags.AllowPorts) != 1 {
			t.Errorf("the new App has %v and %v, want 17s and a port", b.Flags.Timeout, b.Flags.AllowPorts)
		}
		write("timeout = \"soon\"\n")
		if _, report, _ := a.Reread(cmd.Flags()); len(report.Problems) != 1 || report.Problems[0].Line != 1 {
			t.Errorf("%+v, want a problem in line 1", report.Problems)
		}
		return nil
	}}
	root := base.NewRoot(a, []*cobra.Command{cmd}, nil, &cobra.Command{Use: "help"})
	if status := a.Execute(root, []string{"x", "--config", file, "--max-time", "3", "--header", "X-A: 1"}); status != base.StatusDone {
		t.Errorf("exit status %d", status)
	}
}
