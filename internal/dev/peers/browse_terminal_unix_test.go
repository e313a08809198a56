//go:build unix

package peers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// The browser prompts for a login at the terminal, even if standard error is redirected. Ctrl-C
// ends the prompt, not the browser. The terminal does not show the password.
func TestBrowseLogin(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, secret, _ := r.BasicAuth(); user != "me" || secret != "sesame" {
			w.Header().Set("WWW-Authenticate", `Basic realm="The vault"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintln(w, "Behind the door.")
	}))
	defer web.Close()
	files, err := ftptest.Start(ftptest.Files{"hello.txt": {Data: "Behind the door.\n"}}, &ftptest.Options{User: "me", Password: "sesame", NoAnonymous: true})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	for _, u := range []string{web.URL + "/", "ftp://me@" + files.Addr() + "/hello.txt"} {
		s := startTmux(t, 80, 24, browseIn(t, "", "2>/dev/null", u))
		w := &walker{tmuxScreen: s}
		// Ctrl-C ends each of the questions.
		if strings.Contains(u, "@") {
			w.ends("Password of me:")
		} else {
			w.ends("User:")
			s.keys("C-c")
			s.has("r retries")
			s.keys("r")
			w.ends("User:")
			s.keys("-l", "me")
			s.keys("Enter")
			w.ends("Password of me:")
		}
		s.keys("C-c")
		s.has("r retries")
		s.keys("r")
		if !strings.Contains(u, "@") {
			w.ends("User:")
			s.keys("-l", "me")
			s.keys("Enter")
		}
		w.ends("Password of me:")
		s.keys("-l", "sesame")
		s.keys("Enter")
		if screen := s.has("Behind the door."); strings.Contains(screen, "sesame") {
			t.Errorf("the password is shown:\n%s", screen)
		}
		s.keys("c")
		if screen := s.has("Transcript"); strings.Contains(screen, "sesame") {
			t.Errorf("the password is shown:\n%s", screen)
		}
		s.keys("q")
		s.has("status 0")
		if screen := s.screen(); strings.Contains(screen, "sesame") {
			t.Errorf("the password is shown:\n%s", screen)
		}
	}
}

// Ctrl-Z stops the browser, and fg continues it.
func TestBrowseSuspend(t *testing.T) {
	need(t, "tmux")
	c := command(t.TempDir(), "browse")
	// With an empty HISTFILE, the shell does not write its history when it ends.
	s := startTmux(t, 80, 24, "env HOME="+t.TempDir()+" HISTFILE= PS1='ready$ ' bash --norc --noprofile -i")
	s.has("ready$")
	s.keys("-l", strings.Join(c.Args, " "))
	s.keys("Enter")
	s.has("Demo servers for each scheme")
	s.keys("C-z")
	s.has("Stopped")
	s.keys("-l", "echo back in the shell | tr a-z A-Z")
	s.keys("Enter")
	s.has("BACK IN THE SHELL")
	s.keys("-l", "fg")
	s.keys("Enter")
	s.has("Demo servers for each scheme")
	s.keys("?")
	s.has("next link, or down a line")
	s.keys("q")
	s.has("ready$")
}

// The host may end a session. Afterwards, the browser receives the first key.
func TestBrowseSessionEnds(t *testing.T) {
	museum, err := tour.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer museum.Close()
	for _, stop := range museum.Stops() {
		if stop.Name != "telnet-library" {
			continue
		}
		w := &walker{tmuxScreen: startTmux(t, 80, 24, browseIn(t, "", stop.URL.String()))}
		w.ends(">")
		w.keys("-l", "bye")
		w.keys("Enter")
		w.has("the host ended the session")
		w.ends("Enter shows the page again.")
		w.keys("Enter")
		w.has("? keys")
		w.keys("?")
		w.has("next link, or down a line")
		w.keys("q")
		w.has("status 0")
	}
}

// A message is composed at the terminal and saved to a file.
func TestBrowseMessage(t *testing.T) {
	dir := t.TempDir()
	editor, name := filepath.Join(dir, "editor"), filepath.Join(dir, "letter")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\necho Hello from the terminal. >\"$1\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	w := &walker{tmuxScreen: startTmux(t, 80, 24, browseIn(t, "EDITOR="+editor))}
	w.has("The tour")
	w.goTo("mailto:you@h.example")
	w.ends("From (your address):")
	w.keys("-l", "me@h.example")
	w.keys("Enter")
	w.ends("[w/e(dit)/N]")
	// Ctrl-C after the editor ends the message, too.
	w.keys("C-c")
	w.has("interrupted")
	w.goTo("mailto:you@h.example")
	w.ends("From (your address):")
	w.keys("-l", "me@h.example")
	w.keys("Enter")
	w.ends("[w/e(dit)/N]")
	w.keys("w", "Enter")
	w.ends("File:")
	w.keys("-l", name)
	w.keys("Enter")
	w.ends("Enter shows the page again.")
	w.keys("Enter")
	w.has("? keys")
	w.keys("q")
	w.has("status 0")
	if text, err := os.ReadFile(name); err != nil || !strings.Contains(string(text), "Hello from the terminal.") {
		t.Errorf("ReadFile(%q) = %q, %v, want the saved page", name, text, err)
	}
}

// While the browser waits for a silent server, the screen size may change, Ctrl-C stops loading
// the page, and q quits.
func TestBrowseSilentServer(t *testing.T) {
	silence := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-silence:
		case <-r.Context().Done():
		}
	}))
	defer web.Close()
	defer close(silence)
	s := startTmux(t, 80, 24, browseIn(t, "", web.URL+"/"))
	s.has("(Esc stops)")
	s.run("resize-window", "-x", "40", "-y", "20")
	s.until("narrow page", func(screen string) bool { return strings.Contains(screen, "g go  ? keys  q quit") })
	s.keys("C-c")
	s.has("Stopped")
	s.keys("r")
	s.has("Opening")
	s.keys("q")
	s.has("status 0")
}

// A mouse click opens a link, unless the user disables the mouse.
func TestBrowseMouse(t *testing.T) {
	s := startTmux(t, 80, 24, browseIn(t, "", "file://"+t.TempDir()+"/"))
	s.has("? keys")
	s.until("mouse", func(string) bool { return strings.TrimSpace(s.run("display", "-p", "#{mouse_any_flag}")) == "1" })
	s.keys("B")
	s.has("Demo servers")
	s.keys("-l", "\x1b[<0;10;6M\x1b[<0;10;6m")
	s.has("The tour")
	s.has("ftp-file")
	s.keys("q")
	s.has("status 0")
	s = startTmux(t, 80, 24, browseIn(t, "", "--no-mouse"))
	s.has("Demo servers")
	if flag := strings.TrimSpace(s.run("display", "-p", "#{mouse_any_flag}")); flag != "0" {
		t.Errorf("--no-mouse: mouse %s", flag)
	}
}

// A signal ends the browser, which restores the terminal.
func TestBrowseSignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		name := filepath.Join(t.TempDir(), "pid")
		s := startTmux(t, 80, 24, "sh -c 'echo $$ >"+name+"; exec "+strings.Split(browseIn(t, ""), ";")[0]+"'; echo status $?; stty -a; sleep 600")
		s.has("Demo servers")
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, signal); err != nil {
			t.Fatal(err)
		}
		s.has("status 130")
		if screen := s.has(" icanon"); strings.Contains(screen, "-echo ") || strings.Contains(screen, "-icanon") {
			t.Errorf("%v: the terminal is raw:\n%s", signal, screen)
		}
		if on := strings.TrimSpace(s.run("display", "-p", "#{alternate_on} #{mouse_any_flag}")); on != "0 0" {
			t.Errorf("%v: alternate screen and mouse: %s", signal, on)
		}
	}
}

// The browser does not start on a dumb terminal.
func TestBrowseDumb(t *testing.T) {
	s := startTmux(t, 80, 24, browseIn(t, "TERM=dumb"))
	s.has("browse needs a terminal")
	s.has("status 2")
	s = startTmux(t, 80, 24, browseIn(t, "", "|", "cat"))
	s.has("browse needs a terminal")
}
