// Package page writes resources as HTML pages for the gateway. It opens no URL and does not
// use HTTP. It streams pages: it writes to an io.Writer while it reads the content from an
// iterator or a reader.
//
//	scheme.Menu, scheme.Object, Head --Printer--> HTML
//
// [New] returns a [Printer] for a [Site], which holds the paths of pages, raw content and
// assets. The Printer has a method for each kind of page.
//
// # Foreign content
//
// All content of a server is untrusted. In texts, control characters, direction marks and
// invalid bytes become visible escapes. A URL becomes a link only if its scheme is registered
// and [Site.Page] returns a page for it; "javascript:" is never registered. A link to a "data:"
// URL points to a page of the site, too, so browsers never open the URL itself. Foreign HTML is
// shown without scripts, styles, forms and frames, with links and images through the site, or
// in a sandboxed frame.
//
// A page loads nothing from other origins and has no inline scripts or styles; [Policy] is
// its Content-Security-Policy. All pages except terminals work without JavaScript. Pages
// and their links contain no passwords.
//
// # The terminal's protocol
//
// The page of a session ([Printer.Terminal]) opens a WebSocket at [Site.Session] with the
// subprotocol "locus.terminal.2". Binary frames contain bytes, as for scheme.Terminal. The
// server sends the filtered output. The page sends the input, with "\r" for Enter, in
// messages of any length; the server reads them only as fast as the service does. If the
// service does not echo, the server echoes and edits the line, and sends it on Enter. Text
// frames are JSON objects of at most 64 KiB with one of these keys. Both sides ignore
// unknown keys.
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
// The server sends advice, commands, keys and echo before the first output.
package page
