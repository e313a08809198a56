package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The program for another processor architecture works in an emulator.
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
		starts(t, want, emulator, append([]string{program}, args...)...)
	}
}

// The Windows program works in Wine, and finds its directories without HOME.
func TestStartsOnWindows(t *testing.T) {
	wine, err := exec.LookPath("wine")
	if err != nil {
		t.Skip("no wine")
	}
	if testing.Short() {
		t.Skip("it builds the whole program")
	}
	dir := t.TempDir()
	t.Setenv("WINEPREFIX", filepath.Join(temporary, "wine"))
	t.Setenv("WINEDEBUG", "-all")
	t.Setenv("HOME", dir)
	t.Cleanup(func() { exec.Command(wine, "wineboot", "--kill").Run() })
	version, err := command(t.Context(), dir, nil, wine, "--version")
	var major int
	if _, scanErr := fmt.Sscanf(string(version), "wine-%d.", &major); err != nil || scanErr != nil || major < 9 {
		t.Skipf("%q, %v: before 9, wine has no bcryptprimitives.dll, which Go needs", version, err)
	}
	program := filepath.Join(dir, "locus.exe")
	if _, err := command(t.Context(), "../..", buildEnv(target{"windows", "amd64"}), "go", "build", "-o", program, "./cmd/locus"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("[b](b.md)\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"windows/amd64":              {"--version"},
		`"gophertype":"7"`:           {"parse", "--json", "gopher://h/7a%09b"},
		"http://h.example/a.html":    {"extract", "-"},
		"[b](b.md)":                  {"get", "file:///Z:" + dir + "/a.md"},
		`\.config\locus\config.toml`: {"config", "path"},
	} {
		starts(t, want, wine, append([]string{program}, args...)...)
	}
}

// starts runs a program that must succeed and print want.
func starts(t *testing.T, want, program string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stdin = strings.NewReader("see http://h.example/a.html.")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%q: %v\n%s", args, err, out)
	}
}
