package page

import "io"

// Letter is mail on its way out. Its page sends it by POST to [Site.Send] as "from",
// "to", "cc", "subject" and "body", with "url", "token" and "step", which is what the
// person pressed: "show" asks for a Preview, "edit" goes back from it, "send" sends
// what was shown.
type Letter struct {
	From, To, Cc, Subject, Body string
	// LeftOut are names of fields that the URL proposes, and nobody follows.
	LeftOut []string
	// Relay is the server that takes letters, for people; empty: there is none, and
	// none can be sent.
	Relay string
	// Preview is the letter as it would be sent. Empty: it is being written.
	Preview string
	// Problem is why it can't be shown or sent.
	Problem error
	// Sent is what the relay said when it took it. Empty: it was not sent.
	Sent string
}

// Letter writes the page on which a letter is written, looked at and sent.
func (p *Printer) Letter(w io.Writer, h *Head, l Letter) error {
	g, err := p.begin(w, h, kindAddress)
	if err != nil {
		return err
	}
	d := struct {
		Letter
		Action, URL, Token string
		Problem            string
	}{Letter: l, Action: p.site.Send, URL: withoutPassword(h.URL).String(), Token: h.Token}
	if l.Problem != nil {
		d.Problem = shown(l.Problem.Error())
	}
	for i, name := range d.LeftOut {
		d.LeftOut[i] = shown(name)
	}
	if err := g.put("letter", d); err != nil {
		return err
	}
	return g.end(nil)
}
