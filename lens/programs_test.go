package lens_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/lens"
)

// writeFake writes a program that is a shell script.
func writeFake(t *testing.T, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	name := filepath.Join(t.TempDir(), "fake")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

// withFake returns the parsers of this process, and the program at path.
func withFake(t *testing.T, name, path string, timeout time.Duration) *lens.Lens {
	t.Helper()
	r := registry(t)
	programs := lens.Programs(context.Background(), lens.Options{Registry: r, Only: true, With: map[string]string{name: path}, Timeout: timeout})
	if len(programs) != 1 || programs[0].Name() != name {
		t.Fatalf("the programs are %v", programs)
	}
	return lens.New(r, append(lens.InProcess(r), programs...)...)
}

// version is "version x" in the output of a program.
const version = "echo version eA=="

// If the output of a program is well formed, the result must follow it.
func TestProgramResults(t *testing.T) {
	path := writeFake(t, version+`
number=0
while read -r line; do
	length=$(printf %s "$line" | base64 -d | wc -c)
	echo $number $((length)) ok scheme:aHR0cA== host:Yi5leGFtcGxl path: unseen:query
	number=$((number + 1))
done`)
	l := withFake(t, "urllib", path, testTimeout)
	reports, err := l.Compare(context.Background(), []string{"http://a.example/x?y", "", "http://b.example/?y"})
	if err != nil {
		t.Fatal(err)
	}
	first, last := reports[0], reports[2]
	if !first.Danger || strings.Join(first.Differences, " ") != "host path" {
		t.Errorf("%q: %v", first.Input, first.Differences)
	}
	if last.Differences != nil || last.Danger {
		t.Errorf("%q: %v %s", last.Input, last.Differences, last.Why)
	}
	a := last.Results[len(last.Results)-1]
	if a.Version != "x" || a.Failure != "" || !a.OK || a.Query != nil || a.Path == nil || *a.Path != "" {
		t.Errorf("the answer is %+v", a)
	}
}

// testTimeout is long enough for a busy machine.
const testTimeout = time.Minute

// curlThatReports returns a script that reports the given status for each transfer.
func curlThatReports(status int) string {
	return fmt.Sprintf(`[ "$2" = --version ] && exec echo curl 1
sed -n 's/^write-out = "\\n\([^ ]* [0-9]*\) .*/\1 %d HTTP something/p'`, status)
}

// A program that hangs, crashes, or prints an invalid result must not change the results of
// other parsers.
func TestBrokenPrograms(t *testing.T) {
	const urls = 3
	long := "http://h.example/" + strings.Repeat("x", 500)
	for _, c := range []struct {
		name, reader, script, want string
		timeout                    time.Duration
	}{
		{"hangs", "urllib", "exec sleep 3600", "no output within 200ms", 200 * time.Millisecond},
		{"hangs with a child", "urllib", "sleep 3600 & sleep 3600", "no output within 200ms", 200 * time.Millisecond},
		{"leaves a child", "curl", `[ "$2" = --version ] && exec echo curl 1; sleep 3600 &`, "a child process", 0},
		{"is killed", "wget", `[ "$2" = --version ] && exec echo wget 1; kill -SEGV $$`, "signal: segmentation fault", 0},
		{"a curl that can't connect", "curl", curlThatReports(7), "it did not connect to the proxy", 0},
		{"a curl that is too slow", "curl", curlThatReports(28), "it did not connect to the proxy", 0},
		{"a wget that can't connect", "wget", `[ "$2" = --version ] && exec echo wget 1; exit 4`, "it did not connect to the proxy", 0},
		{"fails", "urllib", "echo no such module >&2; exit 3", "exit status 3: no such module", 0},
		{"prints nothing", "urllib", "", "the first line is not the version", 0},
		{"prints garbage", "urllib", `printf '[[[[\000\377'`, "the first line is not the version", 0},
		{"prints a bomb", "urllib", `head -c 100000 /dev/zero | tr '\0' '['`, "the first line is not the version", 0},
		{"never ends", "urllib", "exec yes", "too much output", 0},
		{"never ends its messages", "urllib", "yes >&2 & sleep 1; kill $!; exit 1", "exit status 1: ", 0},
		{"has too few answers", "urllib", version + "\necho 0 17 no eA==", "1 lines for 3 URLs", 0},
		{"has too many answers", "urllib", version + "\nfor i in 0 1 2 3; do echo $i 17 no eA==; done", "4 lines for 3 URLs", 0},
		{"answers another URL", "urllib", version + "\nfor i in 0 1 2; do echo $i 5 no eA==; done", "line 2: the result is for another URL", 0},
		{"answers in another order", "urllib", version + "\nfor i in 2 1 0; do echo $i 17 no eA==; done", "line 2: the result is for another URL", 0},
		{"names an unknown part", "urllib", version + "\nfor i in 0 1 2; do echo $i 17 ok hots:eA==; done", "line 2: a part is unknown", 0},
		{"repeats a part", "urllib", version + "\nfor i in 0 1 2; do echo $i 17 ok host:eA== host:eA==; done", "line 2: a part is unknown, repeated", 0},
		{"a wget that fails", "wget", "exit 1", "", 0},
		{"a curl that fails", "curl", "exit 7", "exit status 7", 0},
		{"a curl without reports", "curl", "exit 0", "invalid output", 0},
		{"a curl that hangs", "curl", `[ "$2" = --version ] && exec echo curl 1; exec sleep 3600`, "no output within 200ms", 200 * time.Millisecond},
		{"a wget that hangs", "wget", `[ "$2" = --version ] && exec echo wget 1; exec sleep 3600`, "no output within 200ms", 200 * time.Millisecond},
		{"a browser without a page", "chromium", "echo '<p>'", "no list in the page", 0},
	} {
		path := writeFake(t, c.script) // not in a parallel test: a file that is open for writing while another test forks can't be executed
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := withFake(t, c.reader, path, cmp.Or(c.timeout, testTimeout))
			reports, err := l.Compare(context.Background(), []string{"http://h.example/", "http://h.example/", long}[:urls])
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range reports {
				a := r.Results[len(r.Results)-1]
				if a.OK || !strings.Contains(a.Failure, c.want) || a.Failure == "" {
					t.Errorf("%q: %+v", r.Input, a)
				}
				if r.Differences != nil || r.Danger || !r.Results[0].OK {
					t.Errorf("%q: %v %s", r.Input, r.Differences, r.Why)
				}
			}
		})
	}
}

// A program that is missing must have no parser, unless it is requested by name.
func TestMissingPrograms(t *testing.T) {
	r := registry(t)
	t.Setenv("PATH", t.TempDir())
	if list := lens.Programs(context.Background(), lens.Options{Registry: r}); len(list) > 0 {
		t.Errorf("found %v", list)
	}
	l := withFake(t, "node", filepath.Join(t.TempDir(), "none"), 0)
	a := look(t, l, "http://h.example/").Results
	if last := a[len(a)-1]; last.OK || !strings.Contains(last.Failure, "no such file") {
		t.Errorf("the answer is %+v", last)
	}
}

// A set-user-ID program must be rejected, because it runs as another user and could not be
// killed.
func TestSetuid(t *testing.T) {
	path := writeFake(t, "exit 1")
	if err := os.Chmod(path, 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	a := look(t, withFake(t, "urllib", path, testTimeout), "http://h.example/").Results
	if last := a[len(a)-1]; last.OK || !strings.Contains(last.Failure, "runs as another user") {
		t.Errorf("the answer is %+v", last)
	}
}

// A parser must count as missing if the interpreter lacks its module.
func TestMissingModule(t *testing.T) {
	l := withFake(t, "urllib3", writeFake(t, "exit 1"), 0)
	a := look(t, l, "http://h.example/").Results
	if last := a[len(a)-1]; last.OK || !strings.Contains(last.Failure, "lacks what urllib3 needs") {
		t.Errorf("the answer is %+v", last)
	}
}

// An interrupted run must end at once, together with its programs.
func TestInterrupted(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	if err := os.Mkdir(started, 0o755); err != nil {
		t.Fatal(err)
	}
	l := withFake(t, "urllib", writeFake(t, "touch "+started+"/now; exec sleep 3600"), time.Hour)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(started + "/now"); err == nil {
				cancel()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if _, err := l.Compare(ctx, []string{"http://h.example/"}); err != context.Canceled {
		t.Errorf("the error is %v", err)
	}
	cancel()
}

// A program must have no environment except PATH, an empty directory that is removed
// afterwards, and the URLs in base64 on standard input.
func TestProgramEnvironment(t *testing.T) {
	t.Setenv("SECRET_OF_THE_CALLER", "s3cret")
	kept := t.TempDir()
	l := withFake(t, "urllib", writeFake(t, "env > "+kept+"/env; pwd > "+kept+"/pwd; ls -A > "+kept+"/ls; cat > "+kept+"/in; echo $* > "+kept+"/args; "+version+"; echo 0 27 no eA=="), testTimeout)
	if a := look(t, l, "http://u:p4ssword@h.example").Results; a[len(a)-1].Failure != "" {
		t.Fatal(a[len(a)-1].Failure)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(kept, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if env := read("env"); strings.Contains(env, "s3cret") || !strings.Contains(env, "PATH=") {
		t.Errorf("the environment is %s", env)
	}
	if _, err := os.Stat(strings.TrimSpace(read("pwd"))); err == nil {
		t.Error("the folder is still there")
	}
	if read("ls") != "" || strings.Contains(read("args"), "p4ssword") || read("in") != "aHR0cDovL3U6cDRzc3dvcmRAaC5leGFtcGxl\n" {
		t.Errorf("the folder has %q, the input is %q", read("ls"), read("in"))
	}
}
