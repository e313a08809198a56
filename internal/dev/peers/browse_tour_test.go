package peers

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/warc"
)

// walker visits the stops of the tour in the browser by sending keys.
type walker struct {
	*tmuxScreen
	list string // first words of the page that lists the stops
	seen map[string]string
}

// title returns the first line of a screen.
func title(screen string) string { return strings.SplitN(screen, "\n", 2)[0] }

// back waits for the page that lists the stops.
func (w *walker) back() {
	w.Helper()
	w.until("page "+w.list, func(screen string) bool { return strings.HasPrefix(screen, w.list) })
}

// arrived waits until the browser shows another page.
func (w *walker) arrived(what string) string {
	w.Helper()
	return w.until(what, func(screen string) bool {
		return !strings.HasPrefix(screen, w.list) && !strings.Contains(screen, "(Esc stops)") && strings.Contains(screen, "\n")
	})
}

// asks reports whether the last line of a screen is a prompt.
func asks(screen string) bool {
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	return !strings.HasPrefix(lines[len(lines)-1], "Enter open")
}

// visit opens a stop by sending keys, and then goes back to the list of stops.
func (w *walker) visit(stop tour.Stop, keys ...string) {
	w.Helper()
	w.keys(keys...)
	screen := w.arrived(stop.Name)
	if asks(screen) && len(stop.Answers) > 0 {
		form := title(screen)
		w.keys("-l", stop.Answers[0])
		w.keys("Enter")
		screen = w.until("answer of "+stop.Name, func(screen string) bool {
			return !strings.Contains(screen, "(Esc stops)") && !asks(screen) && (title(screen) != form || !strings.Contains(screen, "Submit"))
		})
		w.keys("b")
		w.until("form of "+stop.Name, func(screen string) bool { return strings.Contains(screen, "Submit") })
	}
	w.seen[stop.Name] = screen
	w.keys("b")
	w.back()
}

// ends waits until the text on the screen ends with the given words. Output of earlier programs
// may precede the words.
func (w *walker) ends(words string) {
	w.Helper()
	w.until(words, func(screen string) bool { return strings.HasSuffix(strings.TrimSpace(screen), words) })
}

// converse opens a session, and ends it.
func (w *walker) converse(stop tour.Stop, keys ...string) {
	w.Helper()
	w.keys(keys...)
	if await := strings.TrimSpace(stop.Types[0].Await); stop.Scheme == "tn3270" {
		w.has(await) // anywhere on the screen
	} else {
		w.ends(await)
	}
	w.keys("C-]")
	w.ends("locus>")
	w.keys("-l", "close")
	w.keys("Enter")
	w.ends("Enter shows the page again.")
	w.keys("Enter")
	w.back()
}

// write starts a message, and goes back.
func (w *walker) write(keys ...string) {
	w.Helper()
	w.keys(keys...)
	w.ends("From (your address):")
	w.keys("C-c")
	w.back()
}

// ports and directories differ between two runs of the tour.
var ports = regexp.MustCompile(`:\d{4,5}\b`)
var folders = regexp.MustCompile(`/[^ ]*/locus-tour[^/ ]*`)

// unkept matches lines that differ between the live pages and the archive.
var unkept = regexp.MustCompile(`(?m)^(Modified|Size) .*\n`)

// body returns the lines of a page that are the same in every run of the tour, live and archived.
func body(screen string) string {
	lines := strings.Split(strings.TrimRight(unkept.ReplaceAllString(screen, ""), "\n"), "\n")
	lines = lines[:max(len(lines)-2, 0)]
	for i, line := range lines {
		lines[i] = strings.TrimRight(folders.ReplaceAllString(ports.ReplaceAllString(line, ":0"), "/museum"), " ")
	}
	if len(lines) > 0 {
		lines[0] = strings.Join(strings.Fields(lines[0]), " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// failures lists the words with which error pages begin.
var failures = []string{"Not found", "Denied", "No connection", "Timed out", "The server violated", "Login", "Not supported", "Too large", "Not a URL", "Stopped", "Can't open"}

func failed(screen string) bool {
	return slices.ContainsFunc(failures, func(f string) bool { return strings.HasPrefix(screen, f) })
}

// The test visits every stop of the tour, first live and then in an archive. Both visits show the
// same pages.
func TestBrowseTour(t *testing.T) {
	need(t, "tmux")
	a := base.New(t.Context(), strings.NewReader(""), io.Discard, io.Discard, func(string) string { return "" })
	var err error
	if a.Registry, err = a.NewRegistry(); err != nil {
		t.Fatal(err)
	}
	museum, err := tour.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer museum.Close()
	live := &walker{startTmux(t, 80, 24, browseIn(t, "TERM=tmux")), "The tour", map[string]string{}}
	live.has("Demo servers for each scheme")
	live.keys("1", "Enter")
	live.back()
	for i, stop := range museum.Stops() {
		number := fmt.Sprint(i + 1)
		switch traits := a.Registry.Scheme(stop.URL).Traits; {
		case traits.Has(scheme.Interactive):
			live.converse(stop, number, "Enter")
		case traits.Has(scheme.Composes):
			live.write(number, "Enter")
		default:
			live.visit(stop, number, "Enter")
			if screen := live.seen[stop.Name]; failed(screen) != stop.Missing {
				t.Errorf("%s:\n%s", stop.Name, screen)
			}
		}
	}
	live.keys("q")
	live.has("status 0")

	name := record(t, a, museum)
	museum.Close()
	kept := &walker{startTmux(t, 80, 24, browseIn(t, "TERM=tmux", "--from", name)), "Archived pages", map[string]string{}}
	kept.has("Hosts")
	kept.keys("1", "Enter")
	kept.has("Words in the URL:")
	kept.keys("-l", "gopher 0/")
	kept.keys("Enter")
	kept.has("Archived URLs that contain gopher 0/")
	kept.keys("b")
	for _, stop := range museum.Stops() {
		traits := a.Registry.Scheme(stop.URL).Traits
		switch {
		case traits.Has(scheme.Composes):
			kept.typeURL(stop.URL.String())
			kept.write("Enter")
			continue
		case !stop.From.IsZero():
			continue // the message contains the link to this stop
		}
		kept.typeURL(stop.URL.String())
		kept.visit(stop, "Enter")
		got, want := body(kept.seen[stop.Name]), body(live.seen[stop.Name])
		switch {
		case traits.Has(scheme.Interactive), traits.Has(scheme.Local) && traits.Has(scheme.Messages) && !traits.Has(scheme.Files), stop.Missing:
			want = "Not found"
		case stop.Name == "news-groups":
			// The title of the live page is the requested host.
			_, got, _ = strings.Cut(got, "\n")
			_, want, _ = strings.Cut(want, "\n")
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s, kept:\n%s\nlive:\n%s", stop.Name, got, want)
		}
	}
	kept.keys("q")
	kept.has("status 0")
}

// record records all stops of a running tour, and returns the name of the archive.
func record(t *testing.T, a *base.App, museum *tour.Demo) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "kept.warc.gz")
	w, err := warc.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.NewRegistry(museum.Schemes()...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdle(r)
	recorder := archive.NewRecorder(w, r, func(err error) { t.Error(err) })
	for _, stop := range museum.Stops() {
		if r.Scheme(stop.URL).Traits&(scheme.Interactive|scheme.Composes) != 0 {
			continue
		}
		o := &access.Options{Record: recorder.Record}
		if f := open(t, museum, r, o, stop); f != nil && len(f.Fields) == len(stop.Answers) {
			if stop.URL, err = f.Submit(stop.Answers); err != nil {
				t.Fatal(err)
			}
			open(t, museum, r, o, stop)
		}
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// open opens a stop and reads the whole resource. The result form is the form of the stop, if
// there is a form.
func open(t *testing.T, museum *tour.Demo, r *scheme.Registry, o *access.Options, stop tour.Stop) (form *scheme.Form) {
	t.Helper()
	c, err := museum.Client(r, o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	req := access.Request{URL: stop.URL}
	if !stop.From.IsZero() {
		req.From = &access.Result{URL: stop.From}
	}
	result, err := c.Do(t.Context(), req)
	if err != nil {
		if !stop.Missing {
			t.Errorf("%s: %v", stop.Name, err)
		}
		return nil
	}
	defer result.Close()
	switch res := result.Resource.(type) {
	case *scheme.Object:
		_, err = io.Copy(io.Discard, res.Body)
	case *scheme.Menu:
		for _, err = range res.Items {
		}
		form = res.Form
	}
	if err != nil {
		t.Errorf("%s: %v", stop.Name, err)
	}
	return form
}
