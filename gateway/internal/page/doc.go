// Package page writes resources as HTML pages for the gateway. The package opens no URL and does
// not use HTTP. A Printer streams pages to an io.Writer while it reads the content from an iterator
// or a reader.
//
//	scheme.Menu, scheme.Object, Head --Printer--> HTML
//
// [New] returns a [Printer] for a [Site], which holds the paths of pages, raw content and
// assets. The Printer has a method for each kind of page.
//
// # Foreign content
//
// All content of a server is untrusted. The Printer replaces control characters, direction marks
// and invalid bytes in texts by visible escapes. A URL becomes a link only if its scheme is
// registered and [Site.Page] returns a page for it; "javascript:" is never registered. A link to a
// "data:" URL also points to a page of the site, so browsers never open the URL itself. A page
// shows foreign HTML in a sandboxed frame, or without scripts, styles, forms and frames. In the
// second case, links and images go through the site.
//
// A page loads nothing from other origins and contains no inline scripts or styles. [Policy] is the
// Content-Security-Policy of all pages. All pages except terminals work without JavaScript. Pages
// and their links contain no passwords.
//
// # The terminal's protocol
//
// The page of a session ([Printer.Terminal]) opens a WebSocket at [Site.Session] with the
// subprotocol "locus.terminal.2". Binary frames contain the input and output bytes of a
// scheme.Terminal. The server sends the filtered output. The page sends the input, with "\r" for
// Enter, in messages of any length. The server reads these messages only as fast as the service
// reads its input. If the service does not echo, the server echoes and edits the line, and sends
// the line when the user presses Enter. Text frames are JSON objects of at most 64 KiB with one of
// the keys below. Both sides ignore unknown keys.
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
