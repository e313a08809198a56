package lens_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

func needNamespaces(t *testing.T) {
	t.Helper()
	try := exec.Command("true")
	try.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID}
	if err := try.Run(); err != nil {
		t.Skip("the system allows no namespaces:", err)
	}
}

// A program must have no network if the system has namespaces: its only interface is
// a loopback that is down.
func TestNoNetwork(t *testing.T) {
	needNamespaces(t)
	kept := t.TempDir() + "/dev"
	l := withFake(t, "urllib", writeFake(t, "cat /proc/net/dev > "+kept+"; cat /proc/net/route >> "+kept), testTimeout)
	look(t, l, "http://h.example/")
	text, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	interfaces := 0
	for line := range strings.Lines(string(text)) {
		if name, _, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			interfaces++
			if name != "lo" {
				t.Errorf("there is an interface %s", name)
			}
		}
	}
	if interfaces != 1 {
		t.Errorf("the interfaces are\n%s", text)
	}
}

// A child process that has left its program's session and closed its output must still end
// with the program.
func TestStrayChildEnds(t *testing.T) {
	needNamespaces(t)
	dir := t.TempDir()
	if err := syscall.Mkfifo(dir+"/pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := os.ReadFile(dir + "/pipe") // until no process has it open
		ended <- err
	}()
	l := withFake(t, "urllib", writeFake(t, "dir="+dir+`
exec 3>$dir/pipe
setsid sh -c 'echo >$0/started; exec sleep 3600' $dir >&3 2>&1 </dev/null &
exec 3>&-
while [ ! -e $dir/started ]; do sleep 0.01; done
`+version+`; echo 0 17 no eA==`), testTimeout)
	if a := look(t, l, "http://h.example/").Results; a[len(a)-1].Failure != "" {
		t.Error(a[len(a)-1].Failure)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(testTimeout):
		t.Error("the child is still there")
	}
}

// A program must be in its own session, so that it cannot reach the terminal of the caller.
func TestSession(t *testing.T) {
	kept := t.TempDir() + "/stat"
	look(t, withFake(t, "urllib", writeFake(t, "read line </proc/self/stat; echo $line >"+kept), testTimeout), "http://h.example/")
	text, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	// The fields are the state, the parent, the process group, the session and the terminal
	// (proc(5)).
	if f := strings.Fields(rest); len(f) < 5 || f[2] != f[3] || f[4] != "0" || strings.Fields(string(text))[0] != f[3] {
		t.Errorf("%s", text)
	}
}
