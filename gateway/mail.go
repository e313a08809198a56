package gateway

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
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
	"github.com/locus-url/locus/gateway/page"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/submit"
)

// Mail is how letters go out. A gateway has one sender, and sends only what somebody
// has seen first.
type Mail struct {
	// From is who letters are from, whoever writes them.
	From submit.Mailbox
	// Relay is what takes them, for people.
	Relay string
	// Send gives a letter to it, and returns what it said.
	Send func(ctx context.Context, m *submit.Message) (string, error)
	// PerHour is how many letters all clients together may send in an hour; 0: 20.
	PerHour int
}

const (
	lettersPerHour = 20
	// maxRecipients is how many people a letter may go to.
	maxRecipients = 10
	// maxLetter is how many octets its text may have.
	maxLetter = 64 << 10
)

// letter shows the page on which a letter is written.
func (v *view) letter() {
	l, err := v.gateway.draft(v.head.URL)
	if err != nil {
		v.fail(err)
		return
	}
	v.showLetter(http.StatusOK, l)
}

func (v *view) showLetter(status int, l page.Letter) {
	if m := v.gateway.options.Mail; m != nil {
		l.From, l.Relay = m.From.String(), m.Relay
	}
	v.write(status, func(w io.Writer) error { return v.printer.Letter(w, v.head, l) })
}

// draft is the letter that a mailto URL proposes: its address, and what RFC 6068
// adds, as far as that is for a URL to say.
func (g *Gateway) draft(u locus.URL) (page.Letter, error) {
	address, query, _ := strings.Cut(u.SchemePart(), "?")
	if _, err := g.client.Registry().Fields(u); err != nil && query == "" {
		return page.Letter{}, err
	}
	to, err := url.PathUnescape(address)
	if err != nil {
		return page.Letter{}, err
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
			return page.Letter{}, err
		}
		fields = append(fields, submit.Field{Name: n, Value: t})
	}
	ignored, err := d.Propose(fields)
	if err != nil {
		return page.Letter{}, fmt.Errorf("%w: %w", scheme.ErrUnsupported, err)
	}
	l := page.Letter{To: mailboxes(d.To), Cc: mailboxes(d.Cc), Subject: d.Subject, Body: d.Body}
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

// serveSend takes a letter: it is shown, and sent once that was confirmed.
func (g *Gateway) serveSend(w *recorder, r *http.Request) {
	values, u, ok := g.posted(w, r, false)
	if !ok {
		return
	}
	if !g.traits(u).Has(scheme.Composes) {
		g.fail(w, r, http.StatusBadRequest, "syntax", "a letter belongs to a mailto URL")
		return
	}
	w.url = u
	v := g.newView(w, r, u)
	l := page.Letter{To: oneLine(values.Get("to")), Cc: oneLine(values.Get("cc")), Subject: oneLine(values.Get("subject")),
		Body: strings.ReplaceAll(values.Get("body"), "\r\n", "\n")}
	status := http.StatusOK
	switch step := values.Get("step"); {
	case g.options.Mail == nil:
		l.Problem, status = errors.New("no relay is set, so nothing is sent from here"), http.StatusForbidden
	case step == "show" || step == "send":
		status = g.letterStep(w, r, &l, step == "send")
	}
	v.showLetter(status, l)
}

// letterStep shows a letter, or sends it if it is the one that was shown.
func (g *Gateway) letterStep(w *recorder, r *http.Request, l *page.Letter, send bool) int {
	m, err := g.compose(l)
	if err != nil {
		l.Problem = err
		return http.StatusUnprocessableEntity
	}
	preview, err := m.Preview()
	if err != nil {
		l.Problem = err
		return http.StatusUnprocessableEntity
	}
	if !send || !g.letters.wasShown(g.digest(w, l)) {
		g.letters.show(g.digest(w, l))
		l.Preview = preview
		return http.StatusOK
	}
	mail := g.options.Mail
	if !g.letters.take(time.Now(), mail.PerHour) {
		l.Preview, l.Problem = preview, errors.New("as many letters as may be were sent in this hour")
		w.Header().Set("Retry-After", "600")
		return http.StatusTooManyRequests
	}
	said, err := mail.Send(r.Context(), m)
	if err != nil {
		l.Preview, l.Problem = preview, err
		w.failure = access.KindOf(err)
		return http.StatusBadGateway
	}
	if l.Sent = said; said == "" {
		l.Sent = "sent"
	}
	return http.StatusOK
}

// compose makes the message of a letter. It is from the gateway's sender.
func (g *Gateway) compose(l *page.Letter) (*submit.Message, error) {
	d := submit.Draft{From: g.options.Mail.From, Subject: l.Subject, Body: l.Body}
	if len(d.Body) > maxLetter {
		return nil, fmt.Errorf("a letter has %d octets at most", maxLetter)
	}
	if _, err := d.Propose([]submit.Field{{Name: "to", Value: l.To}, {Name: "cc", Value: l.Cc}}); err != nil {
		return nil, err
	}
	if len(d.To)+len(d.Cc) > maxRecipients {
		return nil, fmt.Errorf("a letter goes to %d people at most", maxRecipients)
	}
	return submit.Compose(d, nil)
}

// digest is of all that was shown, and of who saw it.
func (g *Gateway) digest(w *recorder, l *page.Letter) string {
	sum := hmac.New(sha256.New, g.secret[:])
	for _, text := range []string{w.token, l.To, l.Cc, l.Subject, l.Body} {
		fmt.Fprintf(sum, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// letters remembers which letters were shown, and counts those that were sent.
type letters struct {
	mu    sync.Mutex
	shown map[string]bool
	sent  []time.Time // in the last hour
}

// maxShown is how many letters are remembered that were shown; of more, any is
// forgotten and has to be shown again.
const maxShown = 1000

func (l *letters) show(digest string) {
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

// wasShown reports whether a letter was shown, once: who sends it twice sees it
// twice.
func (l *letters) wasShown(digest string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.shown[digest]
	delete(l.shown, digest)
	return was
}

// take counts a letter; ok is false if it is one too many.
func (l *letters) take(now time.Time, perHour int) (ok bool) {
	if perHour <= 0 {
		perHour = lettersPerHour
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
