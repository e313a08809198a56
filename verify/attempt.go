package verify

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/textproto"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// attempt is one try at a target, and what it came to.
type attempt struct {
	registry *scheme.Registry
	out     Outcome
	passes  bool            // it may be otherwise soon
	busy    bool            // because the server has too much to do
	later   time.Duration   // which is what the server asks for; 0: it says nothing
	public  bool            // it is so wherever the URL was found
	unasked bool            // it is the robots.txt that it came to this with
	looked  map[string]bool // the fragments that were looked for: whether they are there, or may be

	// Of a page of a site.
	page     *doc
	at       *pageAt
	links    []link
	troubles []error
	anchors  *anchors
}

// greeting is how long a session is listened to. A host that waits longer for
// somebody to type is there all the same.
const greeting = 5 * time.Second

// attempt dereferences t.
func (e *engine) attempt(ctx context.Context, t *target) *attempt {
	a := &attempt{registry: e.client.Registry()}
	ctx, cancel := context.WithTimeout(ctx, e.o.Timeout)
	defer cancel()
	if e.traits(t.url).Has(scheme.Composes) {
		a.out, a.passes = e.mail.judge(ctx, t.url)
		return a
	}
	e.mu.Lock()
	wants := append([]string(nil), t.wants...)
	page := t.page
	if page != nil && page.ready {
		page = nil
	}
	e.mu.Unlock()
	a.page = page
	a.looked = make(map[string]bool, len(wants))
	for _, fragment := range wants {
		a.looked[fragment] = true
	}
	if page != nil {
		switch why, final, err := page.site.disallows(ctx, e, t); {
		case err != nil:
			a.judge(err)
			if a.out.Verdict == Warning {
				a.out.Detail = "its robots.txt, which says where programs may go, can't be had: " + a.out.Detail
			}
			a.passes, a.unasked = a.passes && !final, true
			return a
		case why != "":
			a.out = Outcome{Verdict: Ignored, Detail: why}
			return a
		}
	}
	res, err := e.client.Do(ctx, access.Request{URL: t.url, From: t.from, Probe: page == nil && len(wants) == 0})
	if err != nil {
		a.judge(err)
		return a
	}
	defer res.Resource.Close()
	a.out.Verdict = Alive
	a.public = res.Zone == policy.Far
	if len(res.Hops) > 1 {
		a.out.Verdict, a.out.To, a.out.Permanent = Moved, own(res.URL.WithoutPassword()), res.Permanent
	}
	if page != nil && !e.isPage(page, res) {
		page = nil
	}
	switch r := res.Resource.(type) {
	case *scheme.Object:
		if page != nil || len(wants) > 0 {
			e.object(ctx, a, page, wants, res, r)
		} else if s := res.URL.Scheme(); s == "gopher" || s == "gophers" {
			a.doubt(r)
		}
	case *scheme.Menu:
		switch {
		case page != nil:
			e.menu(a, res, r)
		case len(wants) > 0:
			e.index(ctx, a, t, wants, r)
		}
	case *scheme.Session:
		a.listen(ctx, r)
	}
	return a
}

// maxExcuse is the most octets of a text that does no more than say that there is
// nothing.
const maxExcuse = 1 << 10

// doubt looks at a text of Gopher, which has no other way to say that there is none
// than a text: some servers do. Nothing tells it from one that is meant.
func (a *attempt) doubt(o *scheme.Object) {
	if mediaType, _, _ := strings.Cut(o.Type, ";"); mediaType != "text/plain" {
		return
	}
	text := make([]byte, maxExcuse+1)
	n, err := o.Body.Read(text)
	first, _, _ := strings.Cut(string(text[:n]), "\n")
	if first = strings.TrimSpace(first); !isExcuse(strings.ToLower(first)) {
		return
	}
	for err == nil && n < len(text) {
		var more int
		more, err = o.Body.Read(text[n:])
		n += more
	}
	if n <= maxExcuse {
		a.out.Verdict, a.out.Detail = Warning, "there is a text that says "+locus.Quote(first)
	}
}

// isExcuse reports whether a line, in lower case, says that there is nothing.
func isExcuse(line string) bool {
	switch {
	case line == "not found", line == "file not found":
		return true
	case !strings.HasPrefix(line, "error") && !strings.HasPrefix(line, "404"):
		return false
	}
	for _, words := range []string{"not found", "no such file", "does not exist", "doesn't exist"} {
		if strings.Contains(line, words) {
			return true
		}
	}
	return false
}

// listen waits for the first octet of a session. A host that hangs up without one
// may be a service that is not there.
func (a *attempt) listen(ctx context.Context, s *scheme.Session) {
	var silent atomic.Bool
	late := time.AfterFunc(greeting, func() {
		silent.Store(true)
		s.Close()
	})
	defer late.Stop()
	n, err := s.Conn.Read(make([]byte, 1))
	switch {
	case n > 0:
	case silent.Load():
		a.out.Detail = "the host says nothing"
	case err != nil && ctx.Err() == nil:
		a.out = Outcome{Verdict: Warning, Detail: "the host hangs up without a word"}
		a.passes = true
	}
}

// menu reads the links of a menu that is a page of a site.
func (e *engine) menu(a *attempt, res *access.Result, m *scheme.Menu) {
	a.at = pageOf(res)
	line := int64(0)
	for item, err := range m.Items {
		if err != nil {
			a.troubles = append(a.troubles, err)
			break
		}
		if line++; line > maxItems {
			a.troubles = append(a.troubles, errItems)
			break
		}
		if !item.URL.IsZero() {
			a.links = append(a.links, link{url: own(item.URL), line: line, column: 1, context: item.Title})
		}
	}
}

// maxItems is the most items of a menu that are verified.
const maxItems = 1 << 20

var errItems = errors.New("the menu goes on: what follows is not verified")

// pageOf is what the links of res are relative to, and where they come from.
func pageOf(res *access.Result) *pageAt {
	from := &access.Result{URL: res.URL, Zone: res.Zone}
	return &pageAt{base: res.URL, from: from, away: from}
}

// object reads an object for its fragments, and for its links if it is a page of a
// site.
func (e *engine) object(ctx context.Context, a *attempt, page *doc, wants []string, res *access.Result, o *scheme.Object) {
	kind := kindOf(o)
	if kind == opaque || kind == sheet && page == nil {
		return
	}
	text, err := io.ReadAll(io.LimitReader(o.Body, e.o.MaxPage+1))
	cut := int64(len(text)) > e.o.MaxPage
	if err != nil && !cut {
		a.out = Outcome{}
		a.judge(err)
		return
	}
	if cut {
		text = text[:e.o.MaxPage]
		a.troubles = append(a.troubles, errCut)
	}
	if page != nil {
		a.at = pageOf(res)
		links, troubles := e.links(ctx, bytes.NewReader(text), page.name, kind, res.URL)
		a.links, a.troubles = links, append(a.troubles, troubles...)
	}
	e.search(a, kind, text, cut, page != nil, wants, res.URL)
}

// errCut: a page is longer than is read of it.
var errCut = errors.New("the page is too large to be read to its end: links behind that are not verified")

// search looks for fragments in a document. One that referrals brought counts in place
// of all others.
func (e *engine) search(a *attempt, kind string, text []byte, cut, keep bool, wants []string, at locus.URL) {
	if !keep && len(wants) == 0 || e.o.NoFragments || kind == sheet {
		return
	}
	brought, isBrought := at.Fragment()
	withText := wantsText(brought)
	for _, fragment := range wants {
		withText = withText || wantsText(fragment)
	}
	var list *anchors
	if kind == markdown {
		list = markdownAnchors(text)
	} else {
		list = htmlAnchors(text, withText)
	}
	for _, fragment := range wants {
		looked := fragment
		if isBrought {
			looked = brought
		}
		found := list.find(looked) || isProgram(at, looked)
		if cut && !found {
			// It may be in the rest, and nobody looks there.
			found = true
			a.out.Detail = "the document is too large to look for all fragments"
		}
		a.looked[fragment] = found
	}
	if keep && !cut && !isBrought {
		list.text = ""
		a.anchors = list
	}
}

// The media types that have fragments which can be looked for, but for the last, which
// has links alone.
const (
	opaque   = ""
	page     = "text/html"
	markdown = "text/markdown"
	sheet    = "text/css"
)

// kindOf returns what an object is read as.
func kindOf(o *scheme.Object) string {
	if o.Encoding != "" {
		return opaque
	}
	mediaType, _, _ := strings.Cut(o.Type, ";")
	switch strings.ToLower(strings.TrimSpace(mediaType)) {
	case "text/html", "application/xhtml+xml", "image/svg+xml":
		return page
	case "text/markdown", "text/x-markdown":
		return markdown
	case sheet:
		return sheet
	}
	return opaque
}

// judge says what a failure comes to.
func (a *attempt) judge(err error) {
	a.out.Verdict = Warning
	a.out.Detail = reason(err)
	if later := (*scheme.LaterError)(nil); errors.As(err, &later) {
		a.later = later.After
	}
	switch access.KindOf(err) {
	case access.Denied:
		a.out.Verdict = Denied
		if denied := (*policy.DeniedError)(nil); errors.As(err, &denied) {
			// These nobody forbids to go to: nobody gets there.
			switch denied.Rule {
			case "hops":
				a.out.Verdict = Dead
			case "host":
				a.out.Verdict = Malformed
			}
		}
	case access.Syntax:
		if errors.Is(err, scheme.ErrProtocol) {
			// What is no URL is what the server sent.
			a.protocol(err)
			return
		}
		a.out.Verdict = Malformed
	case access.Unsupported:
		a.out.Verdict = Unsupported
	case access.TooLarge:
		a.out.Verdict = Alive
	case access.NotFound:
		a.out.Verdict = Dead
		a.out.Status = statusOf(err)
	case access.Auth:
		a.out.Status = statusOf(err)
	case access.Timeout, access.Interrupted:
		a.passes = true
	case access.Unreachable:
		a.unreachable(err)
	case access.Protocol:
		a.protocol(err)
	}
}

// unreachable judges a connection that did not come about: nobody has that name, or
// nobody listens there, or it is the way there that is in trouble, or a server that
// says that it has no time now.
func (a *attempt) unreachable(err error) {
	var dns *net.DNSError
	gateway := errors.As(err, new(*access.GatewayError))
	switch {
	case errors.As(err, &dns):
		if dns.IsNotFound && !gateway {
			a.out.Verdict, a.out.Detail = Dead, "no such host: "+locus.Quote(dns.Name)
		} else {
			a.passes = true
		}
	case gateway:
		// It may be the gateway to which no connection comes about.
		a.passes = true
	case errors.Is(err, syscall.ECONNREFUSED):
		a.out.Verdict, a.passes = Dead, true
		a.out.Detail = "nobody listens there: connection refused"
	case isUntrusted(err):
		// It was reached, and could not show who it is.
		a.out.Verdict = Dead
	default:
		a.passes = true
		a.out.Status = statusOf(err)
		// Of FTP and of NNTP, about the whole server.
		a.busy = a.out.Status == 421 || a.out.Status == 400
	}
}

// isUntrusted reports whether a server has no certificate that is good for it, or
// does not speak TLS where that is meant.
func isUntrusted(err error) bool {
	return errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(tls.RecordHeaderError))
}

// protocol judges an answer that brings nothing.
func (a *attempt) protocol(err error) {
	status := statusOf(err)
	a.out.Status = status
	switch {
	case errors.Is(err, access.ErrCircle):
		a.out.Verdict = Dead
	case status == 0:
		// A conversation that broke.
		a.passes = true
	case status == 429, status == 503:
		a.passes, a.busy = true, true
	case status >= 400 && status < 500 && !a.isOfHTTP(err):
		// Of FTP and of NNTP, whose numbers for what is not there are known as that.
		a.passes = true
	case status == 408, status == 425, status == 500, status == 502, status == 504, status >= 520 && status < 530:
		a.passes = true
	case status == 402, status == 405, status == 406, status == 451, status == 999:
		// It does not say that nothing is there.
	case status >= 400 && status < 500:
		a.out.Verdict = Dead
	}
}

// isOfHTTP reports whether err is the answer of a web server.
func (a *attempt) isOfHTTP(err error) bool {
	e := (*access.Error)(nil)
	return errors.As(err, &e) && a.registry.Scheme(e.URL).Traits.Has(scheme.Web)
}

// statusOf returns the number of the answer that err is about, or 0.
func statusOf(err error) int {
	if answer := (*textproto.Error)(nil); errors.As(err, &answer) {
		return answer.Code
	}
	return 0
}

// reason is err without what the result says by itself.
func reason(err error) string {
	if denied := (*policy.DeniedError)(nil); errors.As(err, &denied) {
		text := denied.Reason
		if e := (*access.Error)(nil); !errors.As(err, &e) || denied.Subject != locus.Quote(e.URL.Redacted()) {
			text = denied.Subject + ": " + text
		}
		switch {
		case strings.HasPrefix(denied.Help, "--"):
			text += " (" + denied.Help + " allows it)"
		case denied.Help != "":
			text += " (" + denied.Help + ")"
		}
		return text
	}
	if e := (*access.Error)(nil); errors.As(err, &e) {
		text := strings.TrimPrefix(e.Err.Error(), "locus: ")
		text = strings.Replace(text, locus.Quote(e.URL.Redacted())+": ", "", 1)
		return withoutSecrets(strings.TrimPrefix(text, e.URL.Scheme()+": "), e.URL)
	}
	return plainError(err)
}

// withoutSecrets returns text with "***" for what may be a password in u. A message about
// a file has its path, in which a mistyped URL is no longer recognized.
func withoutSecrets(text string, u locus.URL) string {
	written := u.String()
	masked := locus.Mask(written)
	for i := 0; i < len(written); i++ {
		start := i
		for i < len(written) && masked[i] != written[i] {
			i++
		}
		if start < i {
			text = strings.ReplaceAll(text, written[start:i], "***")
		}
	}
	return text
}
