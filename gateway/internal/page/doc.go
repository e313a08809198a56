// Package page writes resources as HTML pages for people: what the gateway of RFC 1738
// section 4 shows in a browser. It opens no URL and knows no HTTP. A page goes to an
// io.Writer while its content comes from an iterator or a reader, piece by piece.
//
//	scheme.Menu, scheme.Object, Head --Printer--> HTML
//
// [New] makes a [Printer] for a [Site], which has the paths of pages, octets and
// assets. Each kind of page is a method of the Printer.
//
// # Foreign content
//
// Everything from a server is text: control characters, marks that turn the direction
// of writing, and octets that are not characters become visible escapes. A URL becomes a
// link only if its scheme is registered and [Site.Page] has a page for it; "javascript:" is
// in no registry. A link to "data:" leads to a page too: browsers never see the URL itself,
// and its HTML is as foreign as any other. Foreign HTML is shown without scripts, styles, forms
// and frames, its links and images led through the site, or in a sandboxed frame.
//
// A page loads nothing from elsewhere, and has no inline scripts and styles: [Policy] is
// its Content-Security-Policy. Everything except terminals works without JavaScript.
// A page shows no password, and links to none.
//
// # The terminal's protocol
//
// The page of a session ([Printer.Terminal]) opens a WebSocket at [Site.Session] with
// the subprotocol "locus.terminal.2". Binary frames are octets, as for scheme.Terminal:
// from the server the filtered output; to the server the input, "\r" for Enter, in
// messages of any length, which the server reads as fast as the service does. If the
// service does not echo, the server does: it edits the line, and sends it on Enter.
// Text frames are JSON objects of at most 64 KiB with one of these keys; either side
// ignores unknown keys.
//
// To the server:
//
//	{"window": [80, 24]}       columns and rows, at once and when they change
//	{"command": "break"}       one of the commands that the server named
//
// From the server:
//
//	{"advice": {"user": "guest", "password": "guest"}}
//	                           the login in the URL; typed only if the person says so
//	{"echo": true}             whether the service echoes; otherwise the server does
//	{"commands": ["break"]}    Terminal.Commands
//	{"keys": [{"label": "PF3", "input": "\u001b[13~"}]}
//	                           keys that a keyboard may lack; input is what they type
//	{"status": [{"name": "terminal", "value": "xterm"}]}
//	                           Terminal.Status, with values as text
//	{"end": "text"}            why the session ended; then the close, with the same text
//	{"error": {"kind": "unreachable", "message": "..."}}
//	                           why there is no session; then the close
//
// The server sends advice, commands, keys and echo before the first octets.
package page
