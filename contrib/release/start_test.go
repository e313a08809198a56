package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The program for another processor starts under an emulator, and works.
func TestStartsOnARM(t *testing.T) {
	emulator, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no qemu-aarch64")
	}
	if testing.Short() {
		t.Skip("it builds the whole program")
	}
	program := filepath.Join(t.TempDir(), "locus")
	env := buildEnv(target{"linux", "arm64"})
	if _, err := command(t.Context(), "../..", env, "go", "build", "-o", program, "./cmd/locus"); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"linux/arm64":             {"--version"},
		"gopher://h/7a%09b":       {"canonical", "gopher://h:70/7a%09b"},
		`"gophertype":"7"`:        {"parse", "--json", "gopher://h/7a%09b"},
		"http://h.example/a.html": {"extract", "--json", "-"},
	} {
		cmd := exec.CommandContext(t.Context(), emulator, append([]string{program}, args...)...)
		cmd.Stdin = strings.NewReader("see http://h.example/a.html.")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
}
