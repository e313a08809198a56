package verify

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/generator"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

type attempt struct {
	outcome    Outcome
	temporary  bool            // another try may succeed
	busy       bool            // the server is overloaded
	retryAfter time.Duration   // the pause that the server asks for; 0: none
	public     bool            // the outcome is the same wherever the URL was found
	unstored   bool            // the outcome depends on more than a request for the URL
	resolved   bool            // the host has an address
	wantsGet   bool            // only a GET can tell
	fragments  map[string]bool // whether each fragment that was looked for may exist

	// Of a page of a site.
	page  *doc
	at    *origins
	links []link

	next *request // to be made before the outcome is known; nil: none

	listsSitemaps bool            // the links are sitemaps
	scripted      bool            // the page is made by scripts
	built         map[string]bool // fragments that only a build of the site makes
	troubles      []error
	anchors       *anchors
}

// greetingTime is how long to wait for a session's greeting. Some hosts wait longer for
// a user to type.
const greetingTime = 5 * time.Second

// request is a request of an attempt at a target. In a run, the request after a redirect
// waits in the queue of its host. No worker waits with it.
type request struct {
	mayProbe bool          // the first request may be HEAD over HTTP
	content  bool          // the request reads the content, and does not only ask whether the target exists
	left     time.Duration // of the attempt's time limit

	attempt *attempt       // so far, after a redirect
	want    want           // after a redirect
	from    *access.Result // the redirect, or the page that redirects its readers; nil: the first request
	to      locus.URL      // where a page redirects its readers; zero: from is a redirect
}

// at returns the URL to which a redirect leads; zero: r is a first request.
func (r *request) at() locus.URL {
	if r == nil || r.from == nil {
		return locus.URL{}
	}
	if referral, ok := r.from.Resource.(*scheme.Referral); ok && len(referral.To) > 0 {
		return referral.To[0]
	}
	return r.to
}

// attempt continues an attempt at t with r. If r is nil, a new attempt begins. If the result
// has a next request, the attempt continues in a turn of the host of that request.
func (e *Verifier) attempt(ctx context.Context, t *target, r *request) *attempt {
	limit := e.timeoutFor(t.key.url)
	if r == nil {
		r = &request{mayProbe: t.tries == 0, left: limit}
	}
	a := e.send(ctx, t, r)
	if !a.wantsGet || ctx.Err() != nil {
		return a
	}
	get := &request{left: limit, content: true}
	if r.from != nil {
		a.next = get // the turn is that of another host
		return a
	}
	return e.send(ctx, t, get)
}

// send makes a request of an attempt within its time limit.
func (e *Verifier) send(ctx context.Context, t *target, r *request) *attempt {
	begin := time.Now()
	limited, cancel := context.WithTimeout(ctx, r.left)
	defer cancel()
	a := r.attempt
	switch {
	case r.from == nil:
		a = e.first(limited, t, r)
	case r.to.IsZero():
		next, err := e.client.Next(limited, r.from)
		e.judge(limited, a, t, r.want, next, err)
	default:
		next, err := e.client.Refer(limited, r.from, r.to)
		e.judge(limited, a, t, r.want, next, err)
	}
	if a.next != nil {
		a.next.left = r.left - time.Since(begin)
	}
	return a
}

// first makes the first request for t.
func (e *Verifier) first(ctx context.Context, t *target, r *request) *attempt {
	a := new(attempt)
	if e.traits(t.url).Has(scheme.Composes) {
		a.outcome, a.temporary = e.mail.check(ctx, t.url)
		a.resolved = a.outcome.Verdict == Alive || a.outcome.Verdict == Dead && a.outcome.Cause == 0
		return a
	}
	e.mu.Lock()
	wants := slices.Clone(t.wants)
	page := t.page
	if page != nil && page.ready {
		page = nil
	}
	e.mu.Unlock()
	a.page = page
	a.fragments = make(map[string]bool, len(wants))
	for _, fragment := range wants {
		a.fragments[fragment] = true
	}
	if page != nil && page.sitemap == noSitemap {
		switch why, final, err := page.site.disallowed(ctx, e, t); {
		case err != nil:
			a.classify(err)
			if a.outcome.Verdict == Warning {
				a.outcome.Detail = "can't read the site's robots.txt: " + a.outcome.Detail
			}
			a.temporary, a.unstored = a.temporary && !final, true
			return a
		case why != "":
			a.outcome = Outcome{Verdict: Ignored, Detail: why}
			return a
		}
	}
	probe := page == nil && len(wants) == 0
	if probe {
		if confirmed := e.github.ask(ctx, e, t); confirmed != nil {
			return confirmed
		}
	}
	probe = probe && !r.content && (r.mayProbe || !e.traits(t.url).Has(scheme.Web)) && e.probes(t.url) && !e.needsIndex(t)
	res, err := e.do(ctx, access.Request{URL: t.url, From: t.from, Probe: probe, NoFollow: t.host != nil})
	if access.KindOf(err) == access.NotFound && e.isFile(t.url) {
		if other, ok := e.fallback(ctx, t); ok {
			res, err = other, nil
		}
	}
	e.judge(ctx, a, t, want{page: page, fragments: wants, probe: probe}, res, err)
	return a
}

// want is what a request is for.
type want struct {
	page      *doc     // the page of a site that it is; nil: none
	fragments []string // to be found
	probe     bool     // the request only asked whether the resource exists
	followed  bool     // a page led there by itself
}

// judge sets the outcome of t, whose request had that result.
func (e *Verifier) judge(ctx context.Context, a *attempt, t *target, w want, res *access.Result, err error) {
	page, wants := w.page, w.fragments
	a.next = nil
	if err != nil {
		a.classify(err)
		if e.o.Ask.accepts(a.outcome.Status) {
			a.temporary, a.busy = false, false
		}
		a.outcome.To = failedAt(t.url, err)
		a.wantsGet = w.probe && e.traits(t.url).Has(scheme.Web) && isOfHead(err, &a.outcome)
		return
	}
	defer res.Resource.Close()
	if _, ok := res.Resource.(*scheme.Referral); ok {
		a.next = &request{attempt: a, want: w, from: res}
		return
	}
	a.outcome.Verdict, a.resolved = Alive, true
	a.public = res.LinkOrigin == policy.FromPublic
	if len(res.Hops) > 1 {
		a.outcome.Verdict, a.outcome.To, a.outcome.Permanent = Moved, own(res.URL.WithoutPassword()), res.Permanent
		a.outcome.hops = join(res.Hops)
	}
	if page != nil && page.sitemap == noSitemap && !e.isPage(page, res) {
		page = nil
	}
	switch r := res.Resource.(type) {
	case *scheme.Object:
		w.page = page
		to := refresh{text: r.Refresh}.next(e, res)
		if page != nil && page.sitemap != noSitemap {
			e.readSitemap(a, page, res, r)
		} else if page == nil && !to.IsZero() {
			e.follow(ctx, a, t, res, to, w.probe)
			return
		} else if e.mustRead(w, res) {
			kind := kindOf(r)
			if a.wantsGet = w.probe && (kind == htmlType || kind == markdownType); a.wantsGet {
				return
			}
			if to := e.readObject(ctx, a, t, w, res, r); !to.IsZero() {
				e.follow(ctx, a, t, res, to, false)
				return
			}
		} else if e.registry.Scheme(res.URL).Traits.Has(scheme.NoStatus) {
			a.checkText(r)
		}
	case *scheme.Menu:
		switch {
		case page != nil:
			e.readMenu(a, res, r)
		case e.registry.Scheme(res.URL).Traits.Has(scheme.NoStatus):
			a.checkMenu(r)
		case len(wants) > 0 || e.needsIndex(t):
			e.findInIndexFile(ctx, a, t, wants, r)
		}
	case *scheme.Session:
		a.awaitGreeting(ctx, r)
	}
	e.soft.check(ctx, e, t, a)
}

// mustRead reports whether an object is read: for its links, its fragments, or a refresh.
func (e *Verifier) mustRead(w want, res *access.Result) bool {
	return w.page != nil || len(w.fragments) > 0 || w.followed && !w.probe || e.brought(res) != "" || e.o.Ask.Get && e.traits(res.URL).Has(scheme.Web)
}

// brought returns the fragment to which redirects led, if it is looked for; empty: none.
func (e *Verifier) brought(res *access.Result) string {
	fragment, ok := res.URL.Fragment()
	if !ok || len(res.Hops) < 2 || !e.wantsFragment(res.URL, fragment) {
		return ""
	}
	return fragment
}

// isOfHead reports whether a GET may succeed where a probe failed with err: redirects of HEAD
// led elsewhere, or the server did not answer HEAD. For other answers, the client of HTTP
// has sent a GET. A server that asks for a pause gets it before the GET.
func isOfHead(err error, o *Outcome) bool {
	if _, pause := access.Retry(err); pause > 0 || o.Verdict != Dead && o.Verdict != Warning && o.Verdict != TLS {
		return false
	}
	silent := access.KindOf(err) == access.Timeout && !errors.Is(err, scheme.ErrUnreachable)
	return silent || !o.To.IsZero() || errors.Is(err, access.ErrCircle)
}

// failedAt returns the URL that referrals from asked led to, without a password, if opening
// that failed; zero: asked itself failed.
func failedAt(asked locus.URL, err error) locus.URL {
	e := (*access.Error)(nil)
	if !errors.As(err, &e) || e.URL.WithoutFragment() == asked.WithoutFragment() {
		return locus.URL{}
	}
	return own(e.URL.WithoutFragment().WithoutPassword())
}

// maxNotFoundText is the most bytes of a text that only says that a resource is
// missing.
const maxNotFoundText = 1 << 10

// checkText looks at a text of gopher, in which some servers say that a resource
// is missing: the protocol has no error. It can't be told from a text that is meant.
func (a *attempt) checkText(o *scheme.Object) {
	if mediaType, _, _ := strings.Cut(o.Type, ";"); mediaType != "text/plain" {
		return
	}
	body := bufio.NewReaderSize(o.Body, maxNotFoundText+1)
	line, _ := body.ReadSlice('\n')
	first := strings.TrimSpace(string(line))
	if !saysNotFound(strings.ToLower(first)) {
		return
	}
	if rest, _ := io.CopyN(io.Discard, body, maxNotFoundText); int64(len(first))+rest <= maxNotFoundText {
		a.outcome.Verdict, a.outcome.Detail = Warning, "the server sent a text that says "+locus.Quote(first)
	}
}

// maxNotFoundMenu is the most lines of a menu that only says that a resource is missing.
const maxNotFoundMenu = 4

// checkMenu looks at a menu as checkText does at a text: some servers answer for a
// missing menu with a text.
func (a *attempt) checkMenu(m *scheme.Menu) {
	first, n := "", 0
	for item, err := range m.Items {
		if n++; err != nil || n > maxNotFoundMenu || !item.URL.IsZero() {
			return
		}
		if n == 1 {
			first = strings.TrimSpace(item.Title)
		}
	}
	if saysNotFound(strings.ToLower(first)) {
		a.outcome.Verdict, a.outcome.Detail = Warning, "the server sent a menu that says "+locus.Quote(first)
	}
}

// saysNotFound reports whether a line, in lower case, says that a resource is missing.
func saysNotFound(line string) bool {
	switch {
	case line == "not found", line == "file not found":
		return true
	case !strings.HasPrefix(line, "error") && !strings.HasPrefix(line, "404"):
		return false
	}
	return slices.ContainsFunc([]string{"not found", "no such file", "does not exist", "doesn't exist"}, func(words string) bool {
		return strings.Contains(line, words)
	})
}

// awaitGreeting waits for the first byte of a session. A host that closes the
// connection without one may not have the service.
func (a *attempt) awaitGreeting(ctx context.Context, s *scheme.Session) {
	var silent atomic.Bool
	late := time.AfterFunc(greetingTime, func() {
		silent.Store(true)
		s.Close()
	})
	defer late.Stop()
	n, err := s.Conn.Read(make([]byte, 1))
	switch {
	case n > 0:
	case silent.Load():
		a.outcome.Detail = "the host sent no greeting"
	case err != nil && ctx.Err() == nil:
		a.outcome = Outcome{Verdict: Warning, Detail: "the host closed the connection without a greeting"}
		a.temporary = true
	}
}

func (e *Verifier) readMenu(a *attempt, res *access.Result, m *scheme.Menu) {
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

const maxItems = 1 << 20

var errItems = errors.New("the menu is too long: the rest is not verified")

func pageOf(res *access.Result) *origins {
	from := &access.Result{URL: res.URL, LinkOrigin: res.LinkOrigin}
	return &origins{base: res.URL, files: from, others: from}
}

// readObject reads an object for its fragments, and for its links if it is a page of a
// site. Other pages may send their readers to the URL that it returns, by themselves.
func (e *Verifier) readObject(ctx context.Context, a *attempt, t *target, w want, res *access.Result, o *scheme.Object) (to locus.URL) {
	kind, page := kindOf(o), w.page
	if kind == otherType || kind == cssType && page == nil {
		return to
	}
	limit, isNeeded := e.o.MaxPage, page != nil || len(w.fragments) > 0 || e.brought(res) != ""
	if !isNeeded {
		limit = min(limit, maxRefreshHead)
	}
	text, err := io.ReadAll(io.LimitReader(o.Body, limit+1))
	cut := int64(len(text)) > limit
	if err != nil && !cut && isNeeded {
		a.outcome = Outcome{}
		a.classify(err)
		return to
	}
	if cut {
		text = text[:limit]
	}
	if cut && isNeeded {
		a.troubles = append(a.troubles, errCut)
	}
	if page != nil {
		a.at = pageOf(res)
		links, troubles := e.links(ctx, bytes.NewReader(text), &Source{Name: page.name, Type: kind, URL: res.URL})
		a.links, a.troubles = links, append(a.troubles, troubles...)
	}
	if kind == htmlType {
		text = decodePage(text, o.Type)
	}
	return e.findFragments(a, t.site, kind, text, cut, w, res)
}

var errCut = errors.New("the page is too large: links in its last part are not verified")

// findFragments looks for fragments in a document. A fragment that redirects brought
// replaces all others. It returns where the document sends its readers by itself.
func (e *Verifier) findFragments(a *attempt, site *generator.Site, kind string, text []byte, cut bool, w want, res *access.Result) (to locus.URL) {
	keep, at := w.page != nil || e.isHere(res.URL), res.URL
	if kind == cssType || e.o.NoFragments && (keep || kind != htmlType) {
		return to
	}
	brought, isBrought := at.Fragment()
	withText := wantsText(brought)
	for _, fragment := range w.fragments {
		withText = withText || wantsText(fragment)
	}
	var list *anchors
	switch {
	case kind == markdownType && site != nil:
		list = siteAnchors(site, octet.View(text), isMDX(at), withText)
	case kind == markdownType:
		list = markdownAnchors(octet.View(text), isMDX(at), withText)
	case kind == asciidocType, kind == rstType:
		list = markedAnchors(kind, site, octet.View(text))
	default:
		list = htmlAnchors(octet.View(text), withText)
	}
	if to = list.refresh.next(e, res); !keep && !to.IsZero() {
		return to
	}
	if a.scripted = list.isScripted(); a.scripted && a.page != nil {
		a.outcome.Detail = "nothing but scripts here: its links can't be known"
		if a.page.depth == 0 {
			a.outcome.Verdict, a.unstored = Warning, true
		}
	}
	has := func(fragment string) bool {
		if list.find(fragment) || isProgram(at, fragment) {
			return true
		}
		if cut {
			// It may be in the part that was not read.
			a.outcome.Detail = "the document is too large to find all fragments"
		}
		return cut
	}
	for _, fragment := range w.fragments {
		looked := fragment
		if isBrought {
			looked = brought
		}
		found := has(looked)
		if !found && list.isBuilt(looked) {
			found = true
			a.built = with(a.built, fragment)
		}
		a.fragments[fragment] = found
	}
	if fragment := e.brought(res); fragment != "" && !has(fragment) && !list.isBuilt(fragment) {
		a.lacks(fragment)
	}
	if keep && !isBrought {
		// The part that was not read may have any fragment.
		list.text, list.leads = "", list.leads || cut
		a.anchors = list
	}
	return locus.URL{}
}

// lacks sets the outcome of a link whose redirects lead to a fragment that is missing.
func (a *attempt) lacks(fragment string) {
	if a.scripted {
		a.outcome.Verdict, a.outcome.Detail = Warning, scriptedPage
		return
	}
	a.outcome.Verdict = Fragment
	a.outcome.Detail = "a redirect leads to " + locus.Quote("#"+fragment) + ", which the document lacks"
}

// The media types that are read: for fragments and links, and cssType for links only.
const (
	otherType    = ""
	htmlType     = "text/html"
	markdownType = "text/markdown"
	asciidocType = "text/asciidoc"
	rstType      = "text/x-rst"
	cssType      = "text/css"
)

func kindOf(o *scheme.Object) string {
	if o.Encoding != "" {
		return otherType
	}
	mediaType, _, _ := strings.Cut(o.Type, ";")
	switch strings.ToLower(strings.TrimSpace(mediaType)) {
	case "text/html", "application/xhtml+xml", "image/svg+xml":
		return htmlType
	case "text/markdown", "text/x-markdown":
		return markdownType
	case asciidocType, "text/x-asciidoc":
		return asciidocType
	case rstType, "text/prs.fallenstein.rst":
		return rstType
	case cssType:
		return cssType
	}
	return otherType
}

func (a *attempt) classify(err error) {
	a.outcome.Verdict = Warning
	a.outcome.Detail = reason(err)
	a.resolved = isResolved(err)
	a.temporary, a.retryAfter = access.Retry(err)
	a.busy = a.retryAfter > 0
	switch access.KindOf(err) {
	case access.Denied:
		a.outcome.Verdict = Denied
		a.outcome.setRule(err)
		switch a.outcome.Rule {
		case "hops":
			// The limit is ours: the next redirect may lead to a page.
			a.outcome.Verdict = Warning
		case "host":
			if e := (*access.Error)(nil); !errors.As(err, &e) || !spellsAddress(e.URL.Host()) {
				a.outcome.Verdict = Malformed
			}
		}
	case access.Syntax:
		if errors.Is(err, scheme.ErrProtocol) {
			// The server sent the malformed URL.
			a.classifyProtocol(err)
			return
		}
		a.outcome.Verdict = Malformed
	case access.Unsupported:
		a.outcome.Verdict = Unsupported
	case access.TooLarge:
		a.outcome.Verdict = Alive
	case access.NotFound:
		a.outcome.Verdict = Dead
		a.outcome.Status = statusOf(err)
	case access.Auth:
		a.outcome.Status = statusOf(err)
	case access.Interrupted:
		// The caller closed the client: that says nothing about the server.
		a.outcome.Verdict = Unknown
	case access.Unreachable:
		a.classifyUnreachable(err)
	case access.Protocol:
		a.classifyProtocol(err)
	}
}

// spellsAddress reports whether a host is another spelling of an IPv4 address, which
// browsers read (URL Standard 3.5, "IPv4 parser") and the policy refuses.
func spellsAddress(host string) bool {
	numbers := strings.Split(strings.TrimSuffix(host, "."), ".")
	for i, text := range numbers {
		most := uint64(255)
		if i == len(numbers)-1 {
			most = 1<<(8*max(5-len(numbers), 0)) - 1
		}
		base := 10
		if hex := strings.TrimPrefix(strings.ToLower(text), "0x"); len(hex) < len(text) {
			base, text = 16, "0"+hex
		} else if len(text) > 1 && text[0] == '0' {
			base = 8
		}
		if n, err := strconv.ParseUint(text, base, 64); err != nil || n > most {
			return false
		}
	}
	return len(numbers) <= 4
}

// classifyUnreachable sets the outcome of a failed connection: the host does not exist,
// it refuses connections, the network fails, or the server is busy.
func (a *attempt) classifyUnreachable(err error) {
	var dns *net.DNSError
	gateway := errors.As(err, new(*access.GatewayError))
	switch {
	case errors.As(err, &dns):
		if dns.IsNotFound && !gateway {
			a.outcome.Verdict, a.outcome.Cause, a.outcome.Detail = Dead, NoNames, "no such host: "+locus.Quote(dns.Name)
		}
	case gateway:
		// The gateway itself may be unreachable.
	case errors.Is(err, syscall.ECONNREFUSED):
		a.outcome.Verdict, a.outcome.Detail = Dead, "connection refused"
	case isTLSProblem(err):
		a.outcome.Verdict, a.outcome.Detail = TLS, tlsProblem(err, time.Now())
	default:
		a.outcome.Status = statusOf(err)
		// Codes of FTP and NNTP about the whole server.
		a.busy = a.busy || a.outcome.Status == 421 || a.outcome.Status == 400
	}
}

// classifyProtocol sets the status of a failure. Only 404 and 410 say that the resource is
// missing. All other statuses speak of the request, the client or the server.
func (a *attempt) classifyProtocol(err error) {
	status := statusOf(err)
	a.outcome.Status = status
	if errors.Is(err, access.ErrCircle) {
		a.outcome.Detail = access.ErrCircle.Error()
	}
	a.busy = a.busy || status == 429 || status == 503
}

func statusOf(err error) int {
	if answer := (*textproto.Error)(nil); errors.As(err, &answer) {
		return answer.Code
	}
	return 0
}

// setRule sets the rule and the port of a denial.
func (o *Outcome) setRule(err error) {
	if denied := (*policy.DeniedError)(nil); errors.As(err, &denied) {
		o.Rule, o.Port = denied.Rule, denied.Port
	}
}

// reason returns the text of err without what the result says by itself.
func reason(err error) string {
	if denied := (*policy.DeniedError)(nil); errors.As(err, &denied) {
		text := denied.Reason
		if e := (*access.Error)(nil); !errors.As(err, &e) || denied.Subject != locus.Quote(e.URL.Shown()) {
			text = denied.Subject + ": " + text
		}
		if denied.Help != "" {
			text += " (" + denied.Help + ")"
		}
		return text
	}
	if e := (*access.Error)(nil); errors.As(err, &e) {
		text := strings.TrimPrefix(e.Err.Error(), "locus: ")
		text = strings.Replace(text, locus.Quote(e.URL.Shown())+": ", "", 1)
		return withoutSecrets(strings.TrimPrefix(text, e.URL.Scheme()+": "), e.URL)
	}
	return plainError(err)
}

// withoutSecrets returns text with "***" in place of what may be a password in u. A
// message about a file has its path, in which a mistyped URL is not recognized.
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
