package page

import (
	"time"

	"github.com/locus-url/locus"
)

// Head is what a page says besides its content. All but URL can be left out; a
// Size that is not known is -1, but 0 is not shown either.
type Head struct {
	URL   locus.URL // what was asked for; zero: the page is about no URL
	Found locus.URL // where it was found, if elsewhere
	// Hops are the URLs that were asked on the way.
	Hops []locus.URL
	// Title is what the server calls it. Empty: its name in the URL.
	Title    string
	Type     string // media type
	Encoding string // content coding
	Size     int64
	ModTime  time.Time
	Note     string
	// Name is what a file of it would be called.
	Name string
	// Views are the forms in which it can be had, as Gopher+ and WAIS offer them.
	Views []View
	// Cached says that it is from the cache, and Age since when it was there.
	Cached bool
	Age    time.Duration
	// Sent returns what was sent and received for it. It is called when the content
	// is written. nil: that is not shown.
	Sent func() []Line
	// Show is how it is shown.
	Show Show
	// Token goes along with forms, as "token", to tell them from those of strangers.
	Token string
}

// View is one of the forms in which a resource can be had.
type View struct {
	URL            locus.URL // what asks for it; zero: it can't be asked for
	Type, Language string    // as the server names them: a media type, or "TEXT"
	Size           int64     // -1: unknown
	Current        bool      // it is what is shown
}

// Line is a line of a conversation, as scheme.TraceFunc is told of it.
type Line struct {
	Sent bool // from us; else to us
	Text string
}
