package page

import "io"

// Terminal writes the page of a session, which needs JavaScript; without it, the page
// names a program to use instead. The login that the URL suggests comes over the
// WebSocket.
func (p *Printer) Terminal(w io.Writer, h *Head) error {
	g := p.begin(w, h, nil, kindSession, "")
	u := g.h.URL
	d := struct{ Socket, URL, Scheme, Host string }{URL: u.String(), Scheme: u.Scheme(), Host: u.Host()}
	if p.site.Session != nil {
		d.Socket = p.site.Session(u)
	}
	g.put("terminal", d)
	return g.end(nil)
}
