package main

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// asCommand makes the test binary act as the command.
const asCommand = "LOCUS_FLEET_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(mainStatus())
	}
	os.Exit(m.Run())
}

// locusFleet returns a separate process that runs the command in a directory.
func locusFleet(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asCommand+"=1", "HOME="+dir, "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=")
	return cmd
}

const guide = "../../../docs/fleet.md"

// exitStatus matches the output of a command that fails, and the line with its exit status.
var exitStatus = regexp.MustCompile(`(?s)^(.*?)\n?(?:# exit status (\d+)|\[status (\d+)\])$`)

// TestGuide checks that the commands in the console blocks of docs/fleet.md print the shown output.
func TestGuide(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(bin, "locus-fleet")); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, b := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for _, part := range strings.Split("\n"+b[1], "\n$ ")[1:] {
			count++
			command, want, _ := strings.Cut(strings.TrimSuffix(part, "\n"), "\n")
			status := 0
			if m := exitStatus.FindStringSubmatch(want); m != nil {
				status, _ = strconv.Atoi(m[2] + m[3])
				want = m[1]
			}
			cmd := exec.Command(sh, "-c", command)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), asCommand+"=1", "HOME="+dir, "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "PATH="+bin+":"+os.Getenv("PATH"))
			out, _ := cmd.CombinedOutput()
			expression := `\A` + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSuffix(want, "\n")), `\.\.\.`, `.*`) + `\n?\z`
			if cmd.ProcessState.ExitCode() != status || !regexp.MustCompile(expression).Match(out) {
				t.Errorf("%s: status %d, want %d\n%s", command, cmd.ProcessState.ExitCode(), status, out)
			}
		}
	}
	if count < 6 {
		t.Errorf("only %d commands", count)
	}
}

// TestGuideFlags checks that docs/fleet.md and contrib/fleet use only existing flags.
func TestGuideFlags(t *testing.T) {
	known := "--jetstream --store_dir --config " // flags of nats-server
	for _, name := range []string{"verify", "worker", "submit", "status", "changes", "create", "ui", "retry"} {
		_, out, _ := run(t, name, "--help")
		known += out
	}
	for _, name := range []string{guide, "../../../contrib/fleet/locus-fleet-worker.service"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, flag := range regexp.MustCompile("[\\s`]--[a-z0-9_-]+").FindAllString(string(text), -1) {
			if flag = flag[1:]; !regexp.MustCompile(regexp.QuoteMeta(flag)+`\b`).MatchString(known) && !strings.Contains("--warc --sitemap --soft-404", flag) {
				t.Errorf("%s: no flag %s", name, flag)
			}
		}
	}
}

// TestGuideCertificates checks that the certificates from docs/fleet.md are valid for servers and
// users.
func TestGuideCertificates(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	if version, err := exec.Command("openssl", "version").Output(); err != nil || !strings.HasPrefix(string(version), "OpenSSL 3") {
		t.Skipf("no OpenSSL 3: %q %v", version, err)
	}
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```sh\n(new=\"openssl .*?)```").FindStringSubmatch(string(text))
	if block == nil {
		t.Fatal("the guide makes no certificates")
	}
	dir := t.TempDir()
	cmd := exec.Command(sh, "-e", "-c", block[1])
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	authority := x509.NewCertPool()
	ca, err := os.ReadFile(filepath.Join(dir, "ca.pem"))
	if err != nil || !authority.AppendCertsFromPEM(ca) {
		t.Fatal(err)
	}
	for name, host := range map[string]string{
		"nats-1": "nats-1.example.net", "nats-2": "nats-2.example.net", "nats-3": "nats-3.example.net", "admin": "", "worker": "", "submitter": "", "reader": "",
	} {
		pair, err := tls.LoadX509KeyPair(filepath.Join(dir, name+".pem"), filepath.Join(dir, name+"-key.pem"))
		if err != nil {
			t.Fatal(err)
		}
		o := x509.VerifyOptions{Roots: authority, DNSName: host, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
		if _, err := pair.Leaf.Verify(o); err != nil || pair.Leaf.IsCA {
			t.Errorf("%s: %v", name, err)
		}
		if want := "CN=" + name + ",O=locus-fleet"; host == "" && pair.Leaf.Subject.String() != want {
			t.Errorf("%s, want %s", pair.Leaf.Subject, want)
		}
	}
}

// TestInterrupt checks that one Ctrl-C ends a run cleanly with the status of an interrupt, and that
// the same command resumes it.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("http://198.51.100.1/x <file:///none/at/all>"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := locusFleet(dir, "verify", "--include-reserved", "--retry", "9", "--timeout", "50", "--json", "a.txt")
	var out, errOut strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The directory of the frontier exists as soon as the run has begun.
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if found, _ := filepath.Glob(filepath.Join(dir, ".cache/locus/fleet/jetstream/*/streams/locus-run-*-verdicts")); len(found) > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it does not begin")
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("%v\n%s%s", err, out.String(), errOut.String())
	}
	names, err := locusFleet(dir, "status").CombinedOutput()
	if err == nil || !strings.Contains(string(names), "choose one of run-") {
		t.Errorf("%v %s", err, names)
	}
}
