package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/spf13/pflag"
)

// viewer dereferences URLs and writes what they lead to, for people or for programs.
type viewer struct {
	a      *app
	client *access.Client

	view, language string
	selection
	terminal screenFlags
	raw      bool
	noFollow bool
	verbose  bool

	// runSession writes what comes of a session; nil: sessions are not supported.
	runSession func(context.Context, found, *scheme.Session, stream) error

	notes []string // for people, when the resource has been shown
}

func (v *viewer) addVerbose(f *pflag.FlagSet) {
	f.BoolVarP(&v.verbose, "verbose", "v", false, "show what is sent and received, without passwords")
}

// addPreferences adds the flags that choose among what a server offers.
func (v *viewer) addPreferences(f *pflag.FlagSet) {
	f.StringVar(&v.view, "view", "", "which media `TYPES` to get, where there is a choice (Gopher+, HTTP, WAIS): \"text/plain, text/*;q=0.5\"")
	f.StringVar(&v.language, "language", "", "which `LANGUAGES` to get, where there is a choice: \"es, en;q=0.5\"")
}

// checkPreferences makes sure that they can be understood.
func (v *viewer) checkPreferences() error {
	for _, flag := range [...]struct{ name, value string }{{"view", v.view}, {"language", v.language}} {
		if _, err := scheme.ParsePreference(flag.value); err != nil {
			return fmt.Errorf("%w", about("--"+flag.name, err))
		}
	}
	return nil
}

// url reads one input. What is no URL is told, and ok false.
func (v *viewer) url(input string, err error) (u locus.URL, ok bool) {
	if err == nil {
		u, err = locus.ParseWrapped(input)
	}
	switch {
	case err == nil:
		v.a.noteWrapper(input)
		v.noteUnheeded(u)
		return u, true
	case v.a.flags.json:
		v.failed(locus.Mask(input), err)
	default:
		v.a.refuse(input, err)
	}
	return u, false
}

// heeded are the schemes in which there may be a choice.
var heeded = []string{"gopher", "gophers", "http", "https", "wais"}

// noteUnheeded says which flags, or variables, mean nothing for u.
func (v *viewer) noteUnheeded(u locus.URL) {
	if prefers := v.view != "" || v.language != ""; prefers && !slices.Contains(heeded, u.Scheme()) {
		v.a.note("--view and --language choose where there is a choice, as with Gopher+ and HTTP; %s has none", u.Redacted())
	} else if prefers && asksGopherPlus(u) {
		v.a.note("--view and --language don't choose for %s, because its Gopher+ string does: they choose if that is left out", u.Redacted())
	}
	if row, _ := v.a.registry.Lookup(u.Scheme()); v.items.given && !row.Numbered {
		v.a.note("--items chooses among the articles of a newsgroup or the hits of a wais search; %s has none", u.Redacted())
	}
	if _, err := newsServerURL(v.a); err != nil && slices.Contains(newsSchemes, u.Scheme()) && u.Host() == "" {
		v.a.note("%s", err)
	}
}

// asksGopherPlus reports whether u has a Gopher+ string, as the items have that are on
// menus of Gopher+: it says which view is got, "+" that it is the server's first.
func asksGopherPlus(u locus.URL) bool {
	item, err := gopher.Parse(u)
	if err != nil {
		return false
	}
	plus, _ := item.Plus()
	return plus != ""
}

// later has a note wait until the resource has been shown.
func (v *viewer) later(format string, args ...any) {
	v.notes = append(v.notes, fmt.Sprintf(format, args...))
}

// tellNotes tells the notes that waited.
func (v *viewer) tellNotes() {
	for _, note := range v.notes {
		v.a.aside()
		v.a.note("%s", note)
	}
	v.notes = nil
}

// trace shows a conversation on standard error.
func (v *viewer) trace(locus.URL) scheme.TraceFunc {
	return func(sent bool, line string) {
		if v.a.paging.Load() {
			// The screen is the pager's.
			return
		}
		arrow := "<"
		if sent {
			arrow = ">"
		}
		v.a.traceLine(arrow, line)
	}
}

// traceVia shows that a URL goes by way of a gateway.
func (v *viewer) traceVia(u locus.URL, gateway access.Gateway) {
	if !v.a.paging.Load() {
		v.a.traceLine("*", fmt.Sprintf("%s by way of %s", u.Redacted(), gateway))
	}
}

// failed tells that a URL came to nothing, and raises the status to that of err.
func (v *viewer) failed(url string, err error) { v.failedWith(statusOf(kindOf(err)), url, err) }

func (v *viewer) failedWith(status int, url string, err error) {
	if v.a.flags.json {
		v.a.raise(status)
		v.a.writeJSON(accessJSON{URL: text(url), Error: newReasonJSON(err)})
		return
	}
	v.a.aside()
	v.a.problem(status, err)
}

// noteOf tells what people should know of an object or a menu.
func (v *viewer) noteOf(u locus.URL, note string) {
	if note != "" {
		v.a.note("%s: %s", u.Redacted(), term.Characters(note))
	}
}

// newProgress starts to show the jobs of those names, if anybody looks and the
// terminal is free for it.
func (v *viewer) newProgress(free bool, names []string) *progress {
	a := v.a
	if !free || !a.errTTY || a.flags.quiet || a.flags.json || v.verbose {
		return &progress{}
	}
	return startProgress(a, names)
}
