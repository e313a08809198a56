package gateway_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// systemd accepts the units.
func TestUnitsVerify(t *testing.T) {
	analyze := program(t, "systemd-analyze")
	locus, err := exec.LookPath("locus")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := []string{"verify", "--man=no"}
	for _, name := range []string{"locus-gateway.service", "locus-gateway.socket"} {
		text := strings.ReplaceAll(readContrib(t, name), "/usr/local/bin/locus", locus)
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	// systemd-analyze also reports problems of other units of this machine.
	if out, err := exec.Command(analyze, args...).CombinedOutput(); err != nil || strings.Contains(string(out), "locus") {
		t.Errorf("%v\n%s", err, out)
	}
	if text := readContrib(t, "locus-gateway.service"); !strings.Contains(text, "\nType=notify\n") {
		t.Error("systemd ignores the state of the gateway")
	}
}
