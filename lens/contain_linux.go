package lens

import (
	"os"
	"os/exec"
	"syscall"
)

// contain makes the program the leader of a session, so that its children end with it and cannot
// reach the caller's terminal. If isolated is true, the program also gets its own network
// namespace, in which no interface is up. A process namespace then also ends children that leave
// the session.
func contain(cmd *exec.Cmd, isolated bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if isolated {
		uid, gid := os.Getuid(), os.Getgid()
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// endGroup ends the child processes that outlived the program.
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
