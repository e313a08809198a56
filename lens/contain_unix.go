//go:build unix && !linux

package lens

import (
	"os/exec"
	"syscall"
)

// contain makes the program the leader of a session, so that its children end with it and
// cannot reach the caller's terminal. The system has no network namespaces.
func contain(cmd *exec.Cmd, _ bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// endGroup ends the child processes that outlived the program.
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
