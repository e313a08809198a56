//go:build unix

package open

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// onResize has f called when the window's size changes, until stop is called.
func onResize(f func()) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGWINCH)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-signals:
				f()
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

// suspendSelf stops the program and all that the shell started with it. It returns
// when they go on, or soon if there is no shell that could see to that.
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

// apart has a child go on when signals of the terminal end its parent.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// unmoved has the program go on whatever the terminal's signals say, also one that
// is not for it, which a program hears of that is not in the foreground.
func unmoved() {
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGTTOU, syscall.SIGTSTP)
}
