package gateway_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// prelude makes the commands of docs/operate.md wait for the events that a reader sees.
const prelude = `set -eu
trap '[ -z "${!:-}" ] || command kill "$!" 2>/dev/null || :' EXIT
curl() {
	until [ -S "$SOCKET" ]; do :; done
	command curl --silent --show-error --retry 9 --retry-connrefused "$@"
}
kill() {
	if [ "$1" != -HUP ]; then command kill "$@"; return; fi
	before=$(grep -c 'in use' gateway.log || :)
	command kill "$@"
	until [ "$(grep -c 'in use' gateway.log)" -gt "$before" ]; do :; done
}
`

// The commands in docs/operate.md work. The test does not run the systemctl commands.
func TestOperatePage(t *testing.T) {
	program(t, "systemd-socket-activate")
	program(t, "curl")
	text, err := os.ReadFile("../../../../docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	script := prelude
	commands := 0
	for i, block := range strings.Split(string(text), "```") {
		lines, ok := strings.CutPrefix(block, "sh\n")
		if !ok || i%2 == 0 {
			continue
		}
		for line := range strings.Lines(lines) {
			if !strings.HasPrefix(line, "systemctl ") {
				commands++
				script += strings.ReplaceAll(line, "/run/locus.sock", socket)
			}
		}
	}
	if commands < 20 {
		t.Errorf("only %d commands", commands)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-xc", script)
	cmd.WaitDelay = time.Second // the gateways inherit the standard output
	cmd.Dir = dir
	cmd.Env = serviceEnv(t, "SOCKET="+socket)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	} else if got := strings.Count(string(out), `{"ok":true,"problems":[]}`); got != 5 {
		t.Errorf("%d healthy gateways, want 5:\n%s", got, out)
	}
}
