package faults

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
)

// smallDisk mounts a file system of the given size, in bytes, at the directory dir. It returns a
// function that enlarges the file system. The function is nil if this process is not permitted to
// mount file systems.
func smallDisk(t *testing.T, dir string, size int) (grow func()) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=755", size)); err != nil {
		return nil
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return func() {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
			t.Fatal(err)
		}
	}
}

// limitSize limits the size of the files that this process writes.
func limitSize(most int) error {
	signal.Ignore(syscall.SIGXFSZ)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(most), Max: uint64(most)})
}

// limitFiles limits the free file descriptors of this process to the number spare, until the caller
// calls restore.
func limitFiles(spare int) (restore func(), err error) {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		return nil, err
	}
	// The operating system assigns the lowest free descriptor to the next open file.
	var probes []*os.File
	for range spare + 1 {
		f, err := os.Open(os.DevNull)
		if err != nil {
			return nil, err
		}
		probes = append(probes, f)
	}
	limit := uint64(probes[spare].Fd())
	for _, f := range probes {
		f.Close()
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: limit, Max: old.Max}); err != nil {
		return nil, err
	}
	return func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
			panic(err)
		}
	}, nil
}

// asOrdinaryUser runs cmd as the user "nobody" if this process is root, because the system
// never denies root access.
func asOrdinaryUser(cmd *exec.Cmd) {
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	// The program may be in a directory that only root can enter.
	cmd.Path = "/proc/self/exe"
	cmd.Env = append(cmd.Env, "HOME=/nonexistent")
	cmd.Dir = "/"
}
