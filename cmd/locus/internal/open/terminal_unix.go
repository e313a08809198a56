//go:build unix

package open

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// onResize calls f when the size of the window changes, until the caller calls stop.
func onResize(f func()) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGWINCH)
	go func() {
		for range signals {
			f()
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}

// suspendSelf stops the process group. It returns when the process group continues. If no shell
// controls the process group, it returns after a second.
func suspendSelf() {
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	syscall.Kill(0, syscall.SIGTSTP)
	select {
	case <-goesOn:
	case <-time.After(time.Second):
	}
}

// apart returns attributes for a child process that does not receive signals from the terminal.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// unmoved makes this process ignore the terminal signals that would end or stop it.
func unmoved() {
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGTTOU, syscall.SIGTSTP)
}
