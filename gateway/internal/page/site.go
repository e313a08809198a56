package page

import (
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Policy is the Content-Security-Policy of every page. Frames show only [Site.Raw], whose
// own policy must have "sandbox".
const Policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self'; " +
	"connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Site has the paths of pages, as in an href, on the gateway's own origin. A function
// that is nil or returns "" has no such page, and pages do not link to it. The functions
// get URLs without passwords.
type Site struct {
	// Home is the home page, whose box submits "url". Empty: "/".
	Home string
	// Page returns the path of the page of u. It gets untrusted URLs: one that the
	// policy would deny needs no link.
	Page func(u locus.URL, s Show) string
	// Raw returns the path of the octets of u, or of a part of it. They must be served
	// with "Content-Security-Policy: sandbox" and "nosniff".
	Raw func(u locus.URL, s Show) string
	// Session returns the path of the WebSocket of a session.
	Session func(u locus.URL) string
	// Submit takes the answers to a form by POST: see [Answers]. Empty: forms cannot be
	// submitted.
	Submit string
	// Send takes mail by POST: see [Message].
	Send string
	// Explain serves [Printer.Explain] of "?url=". Empty: the home page explains nothing.
	Explain string
	// Schemes is the page of [Printer.Schemes].
	Schemes string
	// Lens is the page of [Printer.Lens], whose form submits "url". Empty: no page links
	// to it.
	Lens string
	// Assets is the prefix of the files of [Assets], with a final "/". It should contain
	// [AssetsVersion], so that browsers can cache the files for ever.
	Assets string
}

// Show selects a view of a resource. The zero Show is the default view.
type Show struct {
	// As is the class in which an object is shown. Empty: that of its media type.
	As Class
	// Sort orders a list: "name", "size", "date", "kind", "from", "score", "number" or
	// "thread", after "-" in the other direction. Empty, or unknown: the server's order.
	Sort string
	// Part is the path of a part of the message at the URL, as in message.Part.
	Part string
	// Types are the names of the types of a WAIS document, separated by commas. Only the
	// search that found the document knows them.
	Types string
	// Items are the items of a numbered menu.
	Items scheme.ItemRange
	// At is when the resource was kept: 14 digits, as in a TimeMap. Empty: the last time.
	At string
}

// as returns the same object shown as c.
func (s Show) as(c Class) Show { return Show{As: c, Part: s.Part, Types: s.Types} }

// Head is what a page shows besides its content. Every field is optional.
type Head struct {
	URL   locus.URL   // of the request; zero: the page is not about a URL
	Found locus.URL   // where referrals led; zero: nowhere else
	Hops  []locus.URL // the URLs that were opened on the way to Found
	Box   string      // the text in the box for URLs; empty: URL
	Title string      // from the server; empty: the page takes a name from the URL
	Views []View      // the other views of the resource: those of Gopher+ and WAIS

	Cached bool          // the content comes from the cache
	Age    time.Duration // since the content was fetched

	// Sent returns the conversation with the server. It is called after the content
	// was written. nil: the page shows no conversation.
	Sent func() []Line

	Archived *Archived // nil: the content comes from its server

	Show  Show
	Token string // goes along with forms, as "token", against cross-site requests
}

// Kept says when the resource was kept. A zero time is that of no other.
type Archived struct {
	Time, First, Prev, Next, Last time.Time
	Count                         int
	All                           string // the page of all times
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
