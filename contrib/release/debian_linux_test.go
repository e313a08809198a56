package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// testTimeout is the time limit for each step on a busy machine.
const testTimeout = time.Minute

// dpkg runs the program dpkg. If another program uses the package database, it retries.
func dpkg(t *testing.T, args ...string) string {
	t.Helper()
	end := time.Now().Add(testTimeout)
	for {
		out, err := command(context.Background(), ".", nil, "dpkg", args...)
		if err == nil {
			return string(out)
		}
		if !strings.Contains(err.Error(), "lock") || time.Now().After(end) {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
	}
}

// unitLines returns the values of a key in a systemd unit.
func unitLines(unit, key string) (values []string) {
	for line := range strings.Lines(unit) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), key+"="); ok {
			values = append(values, value)
		}
	}
	return values
}

// The test installs the package and runs the commands of its unit as a user without files. The
// gateway must respond and end, and after a purge, no file may remain.
func TestDebian(t *testing.T) {
	if os.Getenv("CI") == "" || os.Getuid() != 0 {
		t.Skip("it installs a package: only as root, with CI in the environment")
	}
	if _, err := exec.Command("dpkg", "-s", "locus").Output(); err == nil {
		t.Fatal("a package locus is installed already")
	}
	debs, err := filepath.Glob(filepath.Join(built(t), "*.deb"))
	if err != nil || len(debs) != 1 || filepath.Base(debs[0]) != "locus_"+testTag[1:]+"_amd64.deb" {
		t.Fatalf("%q, %v", debs, err)
	}
	t.Cleanup(func() { exec.Command("dpkg", "--purge", "locus").Run() })
	dpkg(t, "-i", debs[0])
	if conf := dpkg(t, "-s", "locus"); !strings.Contains(conf, "Conffiles:\n /etc/locus/gateway.toml ") || !strings.Contains(conf, "Version: "+testTag[1:]+"\n") {
		t.Errorf("%s", conf)
	}
	if out, err := command(t.Context(), "/", nil, "dpkg", "--verify", "locus"); err != nil || len(out) > 0 {
		t.Errorf("%v %s", err, out)
	}
	unit, err := os.ReadFile("/usr/lib/systemd/system/locus-gateway.service")
	if err != nil {
		t.Fatal(err)
	}
	checkUnit(t)
	runUnit(t, string(unit))
	owned := strings.Fields(dpkg(t, "-L", "locus"))
	if len(owned) < 40 {
		t.Errorf("%q", owned)
	}
	dpkg(t, "-r", "locus")
	if _, err := os.Stat("/etc/locus/gateway.toml"); err != nil {
		t.Errorf("the configuration is gone before a purge: %v", err)
	}
	dpkg(t, "--purge", "locus")
	for _, name := range owned {
		if info, err := os.Lstat(name); err == nil && (!info.IsDir() || strings.HasSuffix(name, "/locus")) || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
}

// lintian reports no fault in the packages of a release and of a snapshot.
func TestLintian(t *testing.T) {
	if _, err := exec.LookPath("lintian"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no lintian")
	}
	snapshot := filepath.Join(t.TempDir(), "snapshot")
	octets := read(t, built(t), "*.deb")
	if err := run(t.Context(), io.Discard, []string{"--source", unreleased(t), "--out", snapshot, "--only", testTarget.String(), "--snapshot"}); err != nil {
		t.Fatal(err)
	}
	for name, octets := range map[string][]byte{"release.deb": octets, "snapshot.deb": read(t, snapshot, "*.deb")} {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, octets, 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), "lintian", "--allow-root", "--fail-on", "error,warning", name).CombinedOutput(); err != nil || bytes.Contains(out, []byte("W: ")) {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// unreleased returns a clone of this repository at a commit without a tag.
func unreleased(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "source")
	if _, err := command(t.Context(), ".", nil, "git", "clone", "--quiet", "--shared", "../..", dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// If systemd is installed, checkUnit checks the unit with systemd-analyze.
func checkUnit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Log("no systemd-analyze")
		return
	}
	const unit = "/usr/lib/systemd/system/locus-gateway.service"
	socket := strings.TrimSuffix(unit, ".service") + ".socket"
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", unit, socket).CombinedOutput()
	// The output also mentions other units on the machine.
	if err != nil || strings.Contains(string(out), "locus") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=true", "--threshold=20", unit).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze security: %v\n%s", err, out)
	}
}

// runUnit runs the command of the unit on another port, as systemd would run it for a dynamic
// user.
func runUnit(t *testing.T, unit string) {
	t.Helper()
	cache := filepath.Join(t.TempDir(), "cache")
	const user = 61234 // a user ID in the range of dynamic users
	if err := errors.Join(os.Mkdir(cache, 0o700), os.Chown(cache, user, user)); err != nil {
		t.Fatal(err)
	}
	for dir := filepath.Dir(cache); dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	start := func(ctx context.Context, line string, more ...string) *exec.Cmd {
		args := []string{"--reuid", "61234", "--regid", "61234", "--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--"}
		cmd := exec.CommandContext(ctx, "setpriv", append(args, strings.Fields(line)...)...)
		cmd.Dir = "/"
		cmd.Env = append(strings.Fields(strings.ReplaceAll(strings.Join(unitLines(unit, "Environment"), " "), "%C/locus", cache)), more...)
		return cmd
	}
	before := unitLines(unit, "ExecStartPre")
	main := unitLines(unit, "ExecStart")
	if len(before) != 1 || len(main) != 1 || !strings.HasPrefix(main[0], "/usr/bin/locus ") {
		t.Fatalf("%q, %q", before, main)
	}
	if out, err := start(t.Context(), before[0]).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", before[0], err, out)
	}
	gateway := start(t.Context(), main[0], "LOCUS_GATEWAY_LISTEN=127.0.0.1:0")
	var log bytes.Buffer
	gateway.Stderr = &log
	out, err := gateway.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := gateway.Start(); err != nil {
		t.Fatal(err)
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		gateway.Wait()
		t.Fatalf("%v\n%s", err, &log)
	}
	url = strings.TrimSpace(url)
	for path, want := range map[string]string{"healthz": `{"ok":true,"problems":[]}`, "": "</html>", "api/schemes": "gopher"} {
		got, err := command(t.Context(), "/", nil, "curl", "--silent", "--show-error", "--max-time", "60", url+path)
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %v\n%s", path, err, got)
		}
	}
	// The gateway does not show private files.
	request, err := http.NewRequestWithContext(t.Context(), "GET", url+"?url=http://127.0.0.1:1/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := http.DefaultClient.Do(request); err != nil || a.StatusCode != http.StatusForbidden {
		t.Errorf("%+v, %v", a, err)
	} else {
		a.Body.Close()
	}
	if err := gateway.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := gateway.Wait(); err != nil {
		t.Errorf("SIGTERM: %v\n%s", err, &log)
	}
	if files, err := os.ReadDir(cache); err != nil || len(files) == 0 {
		t.Errorf("nothing in the folder of the cache: %v", err)
	}
}
