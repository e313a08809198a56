package page

import "io"

// Letter is mail that is being written. Its page sends it by POST to [Site.Send] as
// "from", "to", "cc", "subject" and "body", with "url", "token" and "step": "show" asks
// for a Preview, "edit" goes back from it, "send" sends the message.
type Message struct {
	From, To, Cc, Subject, Body string
	// LeftOut are the names of header fields in the URL that are ignored.
	LeftOut []string
	// Relay names the mail server. Empty: mail cannot be sent.
	Relay string
	// Preview is the message as it would be sent. Empty: it is being written.
	Preview string
	// Problem is why the message cannot be previewed or sent.
	Problem error
	// Sent is the reply of the relay that accepted the message. Empty: it was not sent.
	Sent string
}

// Letter writes the page for writing, previewing and sending mail.
func (p *Printer) Message(w io.Writer, h *Head, l Message) error {
	g := p.begin(w, h, nil, kindAddress, "")
	g.put("letter", struct {
		Message
		Action, URL, Token string
	}{l, p.site.Send, g.h.URL.String(), h.Token})
	return g.end(nil)
}
