package lens

import (
	"os"
	"os/exec"
	"syscall"
)

// contain makes the program the leader of a session, so that its children end with it and
// the terminal of the caller is out of their reach. apart: it gets a network namespace of
// its own, with no interface that is up, and a namespace of processes, so that even
// children that have left the session end with it.
func contain(cmd *exec.Cmd, apart bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if apart {
		uid, gid := os.Getuid(), os.Getgid()
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// endGroup ends the children that a program has left.
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
