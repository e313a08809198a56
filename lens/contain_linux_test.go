package lens_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// A program has no network, where the system has namespaces: its only interface is a
// loopback that is down.
func TestNoNetwork(t *testing.T) {
	try := exec.Command("true")
	try.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET}
	if err := try.Run(); err != nil {
		t.Skip("the system allows no namespaces:", err)
	}
	kept := t.TempDir() + "/dev"
	l := withFake(t, "urllib", fake(t, "cat /proc/net/dev > "+kept+"; cat /proc/net/route >> "+kept), 0)
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
