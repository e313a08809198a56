package page

import "io"

// Terminal writes the page of a session. The page requires JavaScript. Without JavaScript,
// the page names a command to use instead. The page receives the login from the URL over
// the WebSocket.
func (p *Printer) Terminal(w io.Writer, h *Head) error {
	g := p.beginPage(w, h, nil, kindSession, "")
	u := g.h.URL
	d := struct{ Socket, URL, Scheme, Host string }{URL: u.String(), Scheme: u.Scheme(), Host: u.Host()}
	if p.site.Session != nil {
		d.Socket = p.site.Session(u)
	}
	g.writePiece("terminal", d)
	return g.endPage(nil)
}
