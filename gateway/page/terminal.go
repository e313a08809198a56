package page

import "io"

// Terminal is what is known of a session before it begins.
type Terminal struct {
	// Safe says that what the service sends is filtered.
	Safe bool
}

// Terminal writes the page of a session: a terminal, which needs JavaScript, and
// without that what program would do. What the URL suggests as a login comes over
// the WebSocket.
func (p *Printer) Terminal(w io.Writer, h *Head, t Terminal) error {
	g, err := p.begin(w, h, kindSession)
	if err != nil {
		return err
	}
	u := withoutPassword(h.URL)
	d := struct {
		Terminal
		Socket, URL, Scheme, Host string
	}{Terminal: t, URL: u.String(), Scheme: u.Scheme(), Host: u.Host()}
	if p.site.Session != nil {
		d.Socket = p.site.Session(u)
	}
	if err := g.put("terminal", d); err != nil {
		return err
	}
	return g.end(nil)
}
