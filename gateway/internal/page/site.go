package page

import (
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Policy is the Content-Security-Policy of every page. The server must send it. Frames show
// only URLs from [Site.Raw]. The responses of these URLs must have a
// Content-Security-Policy with "sandbox".
const Policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self'; " +
	"connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Site holds the paths of pages, as in an href, on the gateway's own origin. If a function
// is nil or returns "", there is no such page, and pages do not link to it. The functions
// get URLs without passwords.
type Site struct {
	// Home is the home page, whose box submits "url". If empty, it is "/".
	Home string
	// Page returns the path of the page of u. It gets untrusted URLs, and should return ""
	// for URLs that the policy would deny.
	Page func(u locus.URL, s Show) string
	// Raw returns the path of the raw content of u, or of a part of a message. The server
	// must send the content with "Content-Security-Policy: sandbox" and "nosniff".
	Raw func(u locus.URL, s Show) string
	// Session returns the path of the WebSocket of a session.
	Session func(u locus.URL) string
	// Submit accepts the answers to a form by POST: see [Answers]. If empty, users can't
	// submit forms.
	Submit string
	// Send accepts mail by POST: see [Message].
	Send string
	// Explain serves [Printer.Explain] for "?url=". If empty, the home page does not
	// explain URLs.
	Explain string
	// Schemes is the page of [Printer.Schemes].
	Schemes string
	// Lens is the page of [Printer.Lens], whose form submits "url". If empty, no page links
	// to it.
	Lens string
	// Assets is the path prefix of the files of [Asset], with a final "/". It should
	// contain [AssetsVersion], so that browsers can cache the files forever.
	Assets string
}

// Show selects a view of a resource. The zero Show is the default view.
type Show struct {
	// As is the class of an object. If empty, the media type determines the class.
	As Class
	// Sort is the order of a list: "name", "size", "date", "kind", "from", "score",
	// "number" or "thread". A "-" before it reverses the order. If empty or unknown, the
	// list is in the order of the server.
	Sort string
	// Part selects a part of a message by its path, as in message.Part.
	Part string
	// Types lists the types of a WAIS document, separated by commas. Only the search
	// results contain them.
	Types string
	// Items selects items of a numbered menu.
	Items scheme.ItemRange
	// At selects an archived resource by its time: 14 digits, as in a TimeMap. If empty, it
	// selects the last one.
	At string
}

// as returns a Show with the class c, and the part and the types of s.
func (s Show) as(c Class) Show { return Show{As: c, Part: s.Part, Types: s.Types} }

// Head holds the information that a page shows in addition to its content. All fields are
// optional.
type Head struct {
	URL   locus.URL   // URL of the request; zero for a page that is not about a URL
	Found locus.URL   // URL after redirects; zero if equal to URL
	Hops  []locus.URL // the URLs of the redirects to Found
	Box   string      // text in the URL box; defaults to URL
	Title string      // title from the server; if empty, the page derives a title from the URL
	Views []View      // other views of the resource, from Gopher+ and WAIS

	Cached bool          // whether the content comes from the cache
	Age    time.Duration // time since the content was fetched

	// Sent returns the exchange with the server. The Printer calls it after it has written
	// the content. If nil, the page shows no exchange.
	Sent func() []Line

	Archived *Archived // archived capture; nil if the content is not archived

	Show  Show
	Token string // value of "token" in forms, against cross-site requests
}

// Archived holds the times of an archived resource. A zero time means that there is no such
// capture.
type Archived struct {
	Time, First, Prev, Next, Last time.Time
	Count                         int
	All                           string // path of the page with all times
}

// View is an available view of a resource.
type View struct {
	URL            locus.URL // URL of the view; zero if the view can't be requested
	Type, Language string    // type and language as the server names them: a media type, or "TEXT"
	Size           int64     // size in bytes; -1 if unknown
	Current        bool      // whether the page shows this view
}

// Line is a line of the exchange with a server, as a scheme.TraceFunc gets it.
type Line struct {
	Sent bool // whether the client sent the line; false if it received the line
	Text string
}
