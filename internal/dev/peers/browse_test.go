package peers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tmuxScreen is a tmux terminal in which a program runs.
type tmuxScreen struct {
	testing.TB
	tmux, socket string
}

// startTmux runs a shell command in a tmux terminal of the given size.
func startTmux(t testing.TB, width, height int, shell string) *tmuxScreen {
	t.Helper()
	s := &tmuxScreen{t, need(t, "tmux"), filepath.Join(t.TempDir(), "s")}
	s.run("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), shell)
	t.Cleanup(func() { exec.Command(s.tmux, "-S", s.socket, "kill-server").Run() })
	return s
}

func (s *tmuxScreen) run(args ...string) string {
	s.Helper()
	out, err := exec.Command(s.tmux, append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		s.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

func (s *tmuxScreen) keys(names ...string) { s.run(append([]string{"send-keys"}, names...)...) }

// typeURL types a URL at the browser's prompt.
func (s *tmuxScreen) typeURL(url string) {
	s.keys("g")
	s.has("Go to:")
	s.keys("-l", url)
}

// goTo opens a URL.
func (s *tmuxScreen) goTo(url string) {
	s.typeURL(url)
	s.keys("Enter")
}

func (s *tmuxScreen) screen() string { return s.run("capture-pane", "-p") }

// until waits until the function ok accepts the screen.
func (s *tmuxScreen) until(what string, ok func(screen string) bool) string {
	s.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		screen := s.screen()
		if ok(screen) {
			return screen
		}
		if time.Now().After(end) {
			s.Fatalf("no %s:\n%s", what, screen)
		}
	}
}

func (s *tmuxScreen) has(text string) string {
	s.Helper()
	return s.until(text, func(screen string) bool { return strings.Contains(screen, text) })
}

// browseIn returns a shell command that runs "locus browse" and then prints the exit status.
func browseIn(t testing.TB, variables string, args ...string) string {
	c := command(t.TempDir(), append([]string{"browse"}, args...)...)
	return "env HOME=" + t.TempDir() + " " + variables + " " + strings.Join(c.Args, " ") + "; echo status $?; sleep 600"
}

// The browser shows an archived page without contacting its server. The cursor is on the link,
// even after a resize and without colors.
func TestBrowseArchivedPage(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>Page %s</title><p>A <a href=/next>next page</a>\x1b]0;evil\x07", r.URL.Path)
	}))
	dir := t.TempDir()
	locusIn(t, dir, "get", "--quiet", "--warc", "kept.warc.gz", "-o", "-", server.URL+"/")
	locusIn(t, dir, "get", "--quiet", "--warc", "kept.warc.gz", "-o", "-", server.URL+"/next")
	server.Close()
	s := startTmux(t, 80, 24, browseIn(t, "NO_COLOR=1", "--from", filepath.Join(dir, "kept.warc.gz"), server.URL+"/"))
	s.has("[1]next page")
	if got := strings.TrimSpace(s.run("display", "-p", "#{cursor_x},#{cursor_y}")); got != "2,1" {
		t.Errorf("the cursor is at %s", got)
	}
	if styled := s.run("capture-pane", "-p", "-e"); strings.Contains(styled, "\x1b[36m") {
		t.Errorf("colours: %q", styled)
	}
	if title := s.run("display", "-p", "#{pane_title}"); strings.TrimSpace(title) == "evil" {
		t.Error("the page has renamed the window")
	}
	s.run("resize-window", "-x", "40", "-y", "20")
	s.until("narrow page", func(screen string) bool {
		return strings.Count(screen, "\n") == 20 && strings.Contains(screen, "g go  ? keys  q quit")
	})
	s.keys("Enter")
	s.has("Page /next")
	s.goTo("gopher://h.example/")
	s.has("Not found")
	s.keys("q")
	s.has("status 0")
}
