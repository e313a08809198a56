// Package show writes resources (data, menus, messages and redirects) for display or as JSON for
// programs. The subcommands "get" and "open" share this package.
package show

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/gopher"
)

// Viewer fetches URLs and writes the resources, for display or for programs.
type Viewer struct {
	App    *base.App
	Client *access.Client

	View, Language string
	Selection
	Screen   screenFlags
	Raw      bool
	NoFollow bool
	Verbose  bool

	// RunSession writes the output of a session. If RunSession is nil, the viewer does not
	// support sessions.
	RunSession func(context.Context, Found, *scheme.Session, Stream) error

	notes []string // notes to write after the resource
}

// AddVerboseFlag adds the flag --verbose.
func (v *Viewer) AddVerboseFlag(f *pflag.FlagSet) {
	f.BoolVarP(&v.Verbose, "verbose", "v", false, "show requests and responses without passwords")
}

// AddSelectionFlags adds the flags that select a part of a resource.
func (v *Viewer) AddSelectionFlags(f *pflag.FlagSet) {
	f.StringVar(&v.View, "view", "", "prefer the media `TYPES`: \"text/plain, text/*;q=0.5\" (Gopher+, HTTP, WAIS)")
	f.StringVar(&v.Language, "language", "", "prefer the `LANGUAGES`: \"es, en;q=0.5\"")
	v.Selection.addFlags(f)
}

// CheckPreferences validates the flags --view and --language.
func (v *Viewer) CheckPreferences() error {
	for _, flag := range [...]struct{ name, value string }{{"view", v.View}, {"language", v.Language}} {
		if _, err := scheme.ParsePreference(flag.value); err != nil {
			return base.Prefix("--"+flag.name, err)
		}
	}
	return nil
}

// ReadURL parses one input as a URL. If the input is not a URL, ReadURL reports an error to the
// user and returns false.
func (v *Viewer) ReadURL(input string, err error) (u locus.URL, ok bool) {
	if err == nil {
		u, err = locus.ParseWrapped(input)
	}
	switch {
	case err == nil:
		v.App.NoteBlanks(input)
		v.App.NoteWrapper(input)
		v.noteIgnoredFlags(u)
		return u, true
	case v.App.Flags.JSON:
		v.Fail(locus.Mask(input), err)
	default:
		v.App.FailInput(input, err)
	}
	return u, false
}

func (v *Viewer) noteIgnoredFlags(u locus.URL) {
	traits := v.App.Registry.Scheme(u).Traits
	if prefers := v.View != "" || v.Language != ""; prefers && !traits.Has(scheme.AcceptsTypes) {
		v.App.Note("--view and --language have no effect for %s: its scheme offers no choice", u.Shown())
	} else if prefers && asksGopherPlus(u) {
		v.App.Note("--view and --language have no effect for %s: its Gopher+ string already chooses", u.Shown())
	}
	if v.Items.given && !traits.Has(scheme.AcceptsItems) {
		v.App.Note("--items has no effect for %s: it needs a newsgroup or a wais search", u.Shown())
	}
	if _, err := client.NewsServer(v.App); err != nil && traits.Has(scheme.News) && u.Host() == "" {
		v.App.Note("%s", err)
	}
}

// asksGopherPlus reports whether u contains a Gopher+ string, which selects the view.
func asksGopherPlus(u locus.URL) bool {
	item, err := gopher.Parse(u)
	if err != nil {
		return false
	}
	plus, _ := item.Plus()
	return plus != ""
}

// NoteLater defers a note until the resource has been shown.
func (v *Viewer) NoteLater(format string, args ...any) {
	v.notes = append(v.notes, fmt.Sprintf(format, args...))
}

// WriteNotes writes the deferred notes.
func (v *Viewer) WriteNotes() {
	for _, note := range v.notes {
		v.App.FlushTerminal()
		v.App.Note("%s", note)
	}
	v.notes = nil
}

// Trace returns a function that writes the protocol exchange to standard error.
func (v *Viewer) Trace(locus.URL) scheme.TraceFunc {
	return func(sent bool, line string) {
		arrow := "<"
		if sent {
			arrow = ">"
		}
		v.App.Trace(arrow, line)
	}
}

// TraceProxies writes to standard error through which proxies a request goes.
func (v *Viewer) TraceProxies(_ context.Context, a access.Attempt) func(access.AttemptResult) {
	for _, proxy := range a.Proxies {
		v.App.Trace("*", fmt.Sprintf("%s through %s", a.URL, proxy))
	}
	return nil
}

// Fail reports the failure of a URL. The kind of err determines the exit status.
func (v *Viewer) Fail(url string, err error) { v.FailWith(base.StatusOf(base.KindOf(err)), url, err) }

// FailWith reports the failure of a URL with the given exit status.
func (v *Viewer) FailWith(status int, url string, err error) {
	if v.App.Flags.JSON {
		v.App.RaiseStatus(status)
		v.App.WriteJSON(shape.Failed{URL: shape.Text(url), Error: base.NewReason(err)})
		return
	}
	if errors.Is(err, scheme.ErrNoScheme) {
		err = v.App.Explain(url, err)
	}
	v.App.FlushTerminal()
	v.App.Fail(status, err)
}

// NoteOf writes the note about an object or a menu.
func (v *Viewer) NoteOf(u locus.URL, note string) {
	if note != "" {
		v.App.Note("%s: %s", u.Shown(), charset.Text(note))
	}
}

// NewProgress starts a progress display for the named jobs. It does so only if the parameter free
// reports that no other output uses the terminal.
func (v *Viewer) NewProgress(free bool, names ...string) *base.Progress {
	if !free || v.Verbose {
		return new(base.Progress)
	}
	return base.StartProgress(v.App, names...)
}
