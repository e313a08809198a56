package command_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentedFlags checks that the pages name only flags that exist.
func TestDocumentedFlags(t *testing.T) {
	known, err := locusBeam(t, t.TempDir(), "--help_runner").Output()
	if err != nil {
		t.Fatal(err)
	}
	others := "--worker_pool --network --target --from --chown --count" // flags of other programs
	for _, name := range []string{"../../../docs/beam.md", "../../../contrib/beam/Containerfile", "../../../contrib/beam/submit"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, flag := range regexp.MustCompile(`\s--[a-z_]+`).FindAllString(string(text), -1) {
			flag = strings.TrimSpace(flag)
			if !strings.Contains(string(known), "  "+flag[1:]) && !strings.Contains(others, flag) {
				t.Errorf("%s: no flag %s", name, flag)
			}
		}
	}
}

// TestSubmit checks that the script calls the command with valid flags.
func TestSubmit(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	folder := t.TempDir()
	write(t, folder, "list", []byte("http://h/\n"))
	script, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(sh, script+"/../../../contrib/beam/submit", "unique", "list")
	cmd.Dir, cmd.Env = folder, append(os.Environ(), asCommand+"=1", "LOCUS_BEAM="+os.Args[0])
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := output(t, folder, "unique"); len(got) != 1 {
		t.Errorf("output %q", got)
	}
	cmd = exec.Command(sh, script+"/../../../contrib/beam/submit", "unique", "list")
	cmd.Env = append(os.Environ(), "RUNNER=nonsense")
	if out, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("an unknown runner: %v\n%s", err, out)
	}
}
