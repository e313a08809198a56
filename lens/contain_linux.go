package lens

import (
	"os"
	"os/exec"
	"syscall"
)

// contain makes the program the leader of a process group, so that its children end with
// it. apart: it gets a network namespace of its own, with no interface that is up.
func contain(cmd *exec.Cmd, apart bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if apart {
		uid, gid := os.Getuid(), os.Getgid()
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// endGroup ends the children that a program has left.
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
