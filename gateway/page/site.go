package page

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Policy is the Content-Security-Policy of every page. Its frames are those of
// [Site.Raw] alone, whose own policy must have "sandbox".
const Policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self'; " +
	"connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Site is how pages refer to each other. Paths are as in an href, and of the
// gateway's own origin. A function that is nil, or returns "", has no page for
// that, and there is no link then. The functions get URLs without passwords.
type Site struct {
	// Home is the page with the box, which submits it as "url"; empty: "/".
	Home string
	// Page returns the path of the page of u, shown in that way. It is asked about
	// URLs that strangers wrote: one that the policy is sure to deny needs no link.
	Page func(u locus.URL, s Show) string
	// Raw returns the path of the octets of u, or of a part of it, as they are. They
	// must come with "Content-Security-Policy: sandbox" and "nosniff".
	Raw func(u locus.URL, s Show) string
	// Session returns the path of the WebSocket of a session.
	Session func(u locus.URL) string
	// Submit takes the answers to a form, by POST: see [Answers]. Empty: forms are
	// shown and can't be sent.
	Submit string
	// Send takes a letter, by POST: see [Letter].
	Send string
	// Explain returns [Printer.Explain] of "?url=". Empty: nothing is explained while
	// one types.
	Explain string
	// Schemes is the page of [Printer.Schemes].
	Schemes string
	// Assets is the prefix of the files of [Assets], with "/" at its end. It should
	// have [AssetsVersion] in it, so that they can be kept for ever.
	Assets string
	// Name is what the site calls itself; empty: "Locus".
	Name string
}

// Show is the way in which a resource is shown where there are several. The zero
// Show is the ordinary one.
type Show struct {
	// As is how an object is shown, whatever its media type says; empty: by that.
	As Class
	// Sort orders a list: "name", "size", "date", "kind", "from", "score", "number" or
	// "thread", with "-" before it for the other direction. Empty: as it came.
	// Anything else is as if it were empty.
	Sort string
	// Part is the path of a part of a message, as message.Part has it: that part is the
	// object, and the URL is that of the message.
	Part string
	// Types are the names of all types of a document of WAIS, with commas between
	// them: what found it says which there are, and its own page could not know.
	Types string
	// Items are the items of a menu that is numbered.
	Items scheme.ItemRange
}

// as is the same shown as c. Which items there are and their order is of lists.
func (s Show) as(c Class) Show { return Show{As: c, Part: s.Part, Types: s.Types} }
