// Package page turns resources into HTML for people: what the gateway of RFC 1738
// section 4 shows in a browser. It does nothing else. It opens no URL, knows no
// HTTP, and keeps no state: a page goes to an io.Writer while its content comes
// from an iterator or a reader, one piece of it in memory at a time.
//
//	scheme.Resource, Head --Printer--> HTML
//
// [New] makes a [Printer] for a [Site], which says under which paths the pages, the
// octets and the assets are. Each kind of page is a method: [Printer.Menu],
// [Printer.Text], [Printer.Message] and so on; [ClassOf] tells which one a media
// type asks for, and [Printer.Object] does so by itself.
//
// # What is foreign
//
// All that came from elsewhere is text: control characters, marks that turn the
// direction of writing, and octets of no character are shown as visible escapes. A
// URL becomes a link only if [Site.Page] has a page for it, and [Printer] asks only
// about URLs whose scheme is registered; "javascript:" and "data:" are in no
// registry. HTML that somebody else wrote is shown without scripts, styles, forms
// and frames, its links and images led through the gateway, or as it is in a frame
// with the attribute sandbox.
//
// A page loads nothing from another place, and has neither scripts nor styles in
// it: [Policy] is the Content-Security-Policy that it works with. All but
// terminals works without JavaScript.
//
// A password is never shown, nor is it in a link.
//
// # The terminal's protocol
//
// The page of a session ([Printer.Terminal]) opens a WebSocket at [Site.Session],
// with the subprotocol "locus.terminal.2". Binary frames are octets, as
// scheme.Terminal has them: from the server what the user sees, filtered; to the
// server what the user types, "\r" for Enter, in messages of any length, which the
// server reads as the service takes them. Where the service does not show what is
// typed, the server edits the line and shows it, and sends it to the service when
// Enter is pressed. Text frames are JSON objects with one of these keys, of at most
// 64 KiB; either side ignores a key that it does not know.
//
// To the server:
//
//	{"window": [80, 24]}       columns and rows, at once and when they change
//	{"command": "break"}       one of the commands that the server named
//
// From the server:
//
//	{"advice": {"user": "guest", "password": "guest"}}
//	                           what the URL suggests; typed only if the person says so
//	{"echo": true}             whether the service shows what is typed; without it the
//	                           server does
//	{"commands": ["break"]}    what Terminal.Commands returns
//	{"status": [{"name": "terminal", "value": "xterm"}]}
//	                           what Terminal.Status returns, values as text
//	{"end": "text"}            the session is over, and why; then the close, with the
//	                           same text as its reason
//	{"error": {"kind": "unreachable", "message": "..."}}
//	                           there is no session, and why; then the close
//
// The server sends advice, echo and commands before the first octets.
package page
