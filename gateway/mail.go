package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/submit"
)

// Mail contains the settings for sending mail. All messages have the same sender. The
// gateway sends a message only after a preview.
type Mail struct {
	// From is the sender of all mail.
	From submit.Mailbox
	// Relay is the name of the mail server that pages show.
	Relay string
	// Send sends a message and returns the reply of the relay.
	Send func(ctx context.Context, m *submit.Message) (string, error)
	// PerHour limits the number of messages per hour for all clients together. Zero means
	// 20.
	PerHour int
}

const (
	messagesPerHour = 20
	// maxRecipients is the maximum number of recipients of a message.
	maxRecipients = 10
	// maxMessageText is the maximum size of the text in bytes.
	maxMessageText = 64 << 10
)

// composeMessage shows the page for writing a message.
func (v *view) composeMessage() error {
	l, err := v.gateway.draft(v.head.URL)
	if err != nil {
		return err
	}
	v.showComposed(http.StatusOK, l)
	return nil
}

func (v *view) showComposed(status int, l page.Message) {
	if m := v.gateway.options.Mail; m != nil {
		l.From, l.Relay = m.From.String(), m.Relay
	}
	v.write(status, func(w io.Writer) error { return v.printer.Message(w, v.head, l) })
}

// draft returns the message that a mailto URL describes. The message contains the recipients, and
// the RFC 6068 header fields that are safe to accept from a URL.
func (g *Gateway) draft(u locus.URL) (page.Message, error) {
	address, query, _ := strings.Cut(u.SchemePart(), "?")
	if _, err := g.client.Registry().Fields(u); err != nil && query == "" {
		return page.Message{}, err
	}
	to, err := url.PathUnescape(address)
	if err != nil {
		return page.Message{}, err
	}
	var d submit.Draft
	fields := []submit.Field{}
	if to != "" {
		fields = append(fields, submit.Field{Name: "to", Value: to})
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			continue
		}
		n, err1 := url.PathUnescape(name)
		t, err2 := url.PathUnescape(value)
		if err := errors.Join(err1, err2); err != nil {
			return page.Message{}, err
		}
		fields = append(fields, submit.Field{Name: n, Value: t})
	}
	ignored, err := d.Propose(fields)
	if err != nil {
		return page.Message{}, fmt.Errorf("%w: %w", scheme.ErrUnsupported, err)
	}
	l := page.Message{To: mailboxes(d.To), Cc: mailboxes(d.Cc), Subject: d.Subject, Body: d.Body}
	for _, f := range ignored {
		l.LeftOut = append(l.LeftOut, f.Name)
	}
	return l, nil
}

func mailboxes(list []submit.Mailbox) string {
	texts := make([]string, len(list))
	for i, m := range list {
		texts[i] = m.String()
	}
	return strings.Join(texts, ", ")
}

// serveSend shows a preview of a submitted message. After the user has confirmed the preview,
// serveSend sends the message.
func (g *Gateway) serveSend(w *recorder, r *http.Request) error {
	values, u, err := g.readPosted(w, r, false)
	if err != nil {
		return err
	}
	if !g.traits(u).Has(scheme.Composes) {
		return &problem{http.StatusBadRequest, "syntax", "sending mail requires a mailto URL"}
	}
	w.url = u
	v := g.newView(w, r, u, "")
	l := page.Message{To: oneLine(values.Get("to")), Cc: oneLine(values.Get("cc")), Subject: oneLine(values.Get("subject")),
		Body: strings.ReplaceAll(values.Get("body"), "\r\n", "\n")}
	status := http.StatusOK
	switch step := values.Get("step"); {
	case g.options.Mail == nil:
		l.Problem, status = errors.New("the gateway has no mail relay"), http.StatusForbidden
	case step == "show" || step == "send":
		status = g.messageStep(w, r, &l, step == "send")
	}
	v.showComposed(status, l)
	return nil
}

// messageStep makes the preview of a message. If send is true and the user has seen the preview, it
// sends the message. It returns the HTTP status.
func (g *Gateway) messageStep(w *recorder, r *http.Request, l *page.Message, send bool) int {
	preview := ""
	m, err := g.compose(l)
	if err == nil {
		preview, err = m.Preview()
	}
	if err != nil {
		l.Problem = err
		return http.StatusUnprocessableEntity
	}
	if !send || !g.messages.wasShown(g.digest(w, l)) {
		g.messages.show(g.digest(w, l))
		l.Preview = preview
		return http.StatusOK
	}
	mail := g.options.Mail
	if !g.messages.countSent(time.Now(), mail.PerHour) {
		l.Preview, l.Problem = preview, errors.New("the gateway has reached its hourly mail limit; try again later")
		w.Header().Set("Retry-After", "600")
		return http.StatusTooManyRequests
	}
	said, err := mail.Send(r.Context(), m)
	if err != nil {
		l.Preview, l.Problem = preview, err
		w.failure = access.KindOf(err)
		return http.StatusBadGateway
	}
	l.Sent = cmp.Or(said, "sent")
	return http.StatusOK
}

// compose composes the message in l, with the gateway's sender address.
func (g *Gateway) compose(l *page.Message) (*submit.Message, error) {
	d := submit.Draft{From: g.options.Mail.From, Subject: l.Subject, Body: l.Body}
	if len(d.Body) > maxMessageText {
		return nil, fmt.Errorf("the message is longer than %d bytes", maxMessageText)
	}
	if _, err := d.Propose([]submit.Field{{Name: "to", Value: l.To}, {Name: "cc", Value: l.Cc}}); err != nil {
		return nil, err
	}
	if len(d.To)+len(d.Cc) > maxRecipients {
		return nil, fmt.Errorf("the message has more than %d recipients", maxRecipients)
	}
	return submit.Compose(d)
}

// digest returns a text that identifies a message and the browser that previewed the message.
func (g *Gateway) digest(w *recorder, l *page.Message) string {
	return g.sign("letter", w.token, l.To, l.Cc, l.Subject, l.Body)
}

// messages contains the digests of messages that were shown as previews. It also counts sent
// messages.
type messages struct {
	mu    sync.Mutex
	shown map[string]bool
	sent  []time.Time // times of the messages sent in the last hour
}

// maxShown is the maximum number of stored digests. Above this limit, show drops an arbitrary
// digest, and the message with that digest needs another preview.
const maxShown = 1000

func (l *messages) show(digest string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown == nil {
		l.shown = make(map[string]bool)
	}
	if len(l.shown) >= maxShown {
		for other := range l.shown {
			delete(l.shown, other)
			break
		}
	}
	l.shown[digest] = true
}

// wasShown reports whether the preview with the given digest was shown. It drops the digest, so the
// user must preview a message again before sending it again.
func (l *messages) wasShown(digest string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.shown[digest]
	delete(l.shown, digest)
	return was
}

// countSent counts a message to be sent. If the hourly limit is reached, ok is false.
func (l *messages) countSent(now time.Time, perHour int) (ok bool) {
	if perHour <= 0 {
		perHour = messagesPerHour
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.sent) > 0 && now.Sub(l.sent[0]) > time.Hour {
		l.sent = l.sent[1:]
	}
	if len(l.sent) >= perHour {
		return false
	}
	l.sent = append(l.sent, now)
	return true
}
