package page

import (
	"time"

	"github.com/locus-url/locus"
)

// Head is what a page shows besides its content. Every field is optional.
type Head struct {
	URL   locus.URL   // of the request; zero: the page is not about a URL
	Found locus.URL   // where referrals led; zero: nowhere else
	Hops  []locus.URL // the URLs that were opened on the way to Found
	Title string      // from the server; empty: the page takes a name from the URL
	Views []View      // the other views of the resource: those of Gopher+ and WAIS

	Cached bool          // the content comes from the cache
	Age    time.Duration // since the content was fetched

	// Sent returns the conversation with the server. It is called after the content
	// was written. nil: the page shows no conversation.
	Sent func() []Line

	Show  Show
	Token string // goes along with forms, as "token", against cross-site requests
}

// View is a view of a resource that the server offers.
type View struct {
	URL            locus.URL // zero: the view can't be requested
	Type, Language string    // as the server names them: a media type, or "TEXT"
	Size           int64     // -1: unknown
	Current        bool      // this view is shown
}

// Line is a line of a conversation, as a scheme.TraceFunc gets it.
type Line struct {
	Sent bool // to the server; else from it
	Text string
}
