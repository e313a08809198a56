package page

import (
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Policy is the Content-Security-Policy of every page. The server must send it. Frames show
// only URLs from [Site.Raw]. The server must respond to these URLs with a
// Content-Security-Policy that contains "sandbox".
const Policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self'; " +
	"connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Site contains the paths of pages on the gateway's own origin, as an href contains them.
// If a function is nil or returns "", there is no such page, and no page links to it. The
// Printer calls the functions only with URLs that contain no password.
type Site struct {
	// Home is the path of the home page. The URL box of pages submits "url" to this path.
	// If Home is empty, the path is "/".
	Home string
	// Page returns the path of the page for u. The Printer calls Page with untrusted URLs.
	// Page should return "" for URLs that the policy would deny.
	Page func(u locus.URL, s Show) string
	// Raw returns the path of the raw content at the URL u, or the path of a message part.
	// The server must send the content with "Content-Security-Policy: sandbox" and
	// "nosniff".
	Raw func(u locus.URL, s Show) string
	// Session returns the WebSocket path for a session.
	Session func(u locus.URL) string
	// Submit is the path that accepts the answers to a form by POST: see [Answers]. If
	// Submit is empty, users can't submit forms.
	Submit string
	// Send is the path that accepts mail by POST: see [Message].
	Send string
	// Explain is the path that serves [Printer.Explain] for "?url=". If Explain is empty,
	// the home page does not explain URLs.
	Explain string
	// Schemes is the path of the page that [Printer.Schemes] writes.
	Schemes string
	// Lens is the path of the page that [Printer.Lens] writes. Its form submits "url" to
	// this path. If Lens is empty, no page links to the lens page.
	Lens string
	// Assets is the path prefix of the files that [Asset] returns, with a final "/". The
	// prefix should contain [AssetsVersion], so that browsers can cache the files forever.
	Assets string
}

// Show selects a view of a resource. The zero Show is the default view.
type Show struct {
	// As is the class of an object. If As is empty, the media type determines the class.
	As Class
	// Sort is the order of a list: "name", "size", "date", "kind", "from", "score",
	// "number" or "thread". A "-" before it reverses the order. If the value is empty or
	// unknown, the list is in the order of the server.
	Sort string
	// Part selects a part of a message by its path, as in message.Part.
	Part string
	// Types lists the types of a WAIS document, separated by commas. Only the search
	// results contain them.
	Types string
	// Items selects items of a numbered menu.
	Items scheme.ItemRange
	// At selects an archived resource by its time: 14 digits, as in a TimeMap. If At is
	// empty, it selects the last capture.
	At string
}

// withClass returns a copy of s with the class c. The copy includes only the part and the
// types of s.
func (s Show) withClass(c Class) Show { return Show{As: c, Part: s.Part, Types: s.Types} }

// Head contains the information that a page shows in addition to its content. All fields
// are optional.
type Head struct {
	URL   locus.URL   // URL of the request; zero for a page that is not about a URL
	Found locus.URL   // URL after redirects; zero if equal to URL
	Hops  []locus.URL // the URLs of the redirects to Found
	Box   string      // text in the URL box; defaults to URL
	Title string      // title from the server; if empty, the page derives a title from the URL
	Views []View      // other views of the resource, from Gopher+ and WAIS

	Cached bool          // whether the content comes from the cache
	Age    time.Duration // time since the content was fetched

	// Sent returns the lines of the exchange with the server. The Printer calls Sent after
	// it has written the content. If Sent is nil, the page shows no exchange.
	Sent func() []Line

	Archived *Archived // archived capture; nil if the content is not archived

	Show  Show
	Token string // value of "token" in forms, to prevent cross-site requests
}

// Archived contains the capture times of an archived resource. A zero time means that there
// is no such capture.
type Archived struct {
	Time, First, Prev, Next, Last time.Time
	Count                         int
	All                           string // path of the page with all times
}

// View is an available view of a resource.
type View struct {
	URL            locus.URL // URL of the view; zero if the view can't be requested
	Type, Language string    // type and language from the server; the type may be a name such as "TEXT"
	Size           int64     // size in bytes; -1 if unknown
	Current        bool      // whether the page shows this view
}

// Line is a line of the exchange with a server, as in a call of a scheme.TraceFunc.
type Line struct {
	Sent bool // whether the client sent the line; false if the client received the line
	Text string
}
