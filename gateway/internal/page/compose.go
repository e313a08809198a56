package page

import "io"

// Message is a message that the user is writing. The page for the message posts the values
// "from", "to", "cc", "subject", "body", "url", "token" and "step" to [Site.Send]. The step
// "show" requests a preview, "edit" returns to the form, and "send" sends the message.
type Message struct {
	From, To, Cc, Subject, Body string
	// LeftOut lists the names of ignored header fields of the URL.
	LeftOut []string
	// Relay is the name of the mail server. If Relay is empty, the page can't send mail.
	Relay string
	// Preview is the exact text of the message to send. If Preview is empty, the page shows
	// the form.
	Preview string
	// Problem is the reason why the preview or the sending failed. Problem may be nil.
	Problem error
	// Sent is the response of the relay that accepted the message. Sent is empty if the
	// message was not sent.
	Sent string
}

// Message writes the page for writing, previewing and sending a message.
func (p *Printer) Message(w io.Writer, h *Head, l Message) error {
	g := p.beginPage(w, h, nil, kindAddress, "")
	g.writePiece("letter", struct {
		Message
		Action, URL, Token string
	}{l, p.site.Send, g.h.URL.String(), h.Token})
	return g.endPage(nil)
}
