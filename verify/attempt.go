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
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/verify/internal/generator"
)

// attempt is the result of one request.
type attempt struct {
	outcome    Outcome
	temporary  bool          // a retry may succeed
	busy       bool          // the server is overloaded
	retryAfter time.Duration // the pause that the server requests, or zero
	public     bool          // the outcome does not depend on the document that contains the link
	unstored   bool          // the outcome must not be stored, because it depends on more than the URL
	resolved   bool          // the host name was resolved to an address
	fragments

	// These fields are set only for a page of a site.
	page    *sitePage
	origins *origins
	contents

	followUp *Request // the next request; nil if the outcome is known

	listsSitemaps bool // the document contains links to sitemaps
	anchors       *anchors
}

// greetingTime is the time limit for the greeting of a session. Some hosts send nothing until
// the user types.
const greetingTime = 5 * time.Second

// Request is one request of a check: see [Checker.Begin]. A Request is immutable, so the caller
// may send it again.
type Request struct {
	*checkedURL
	requirements
	api  locus.URL           // URL of the GitHub API to try first, or zero
	left time.Duration       // remaining time for the check; zero if there is no limit
	slow func(time.Duration) // if not nil, called with the Crawl-delay before a page is requested

	redirect      *access.Result // a redirect, or a page with a refresh; nil for a first request
	refreshTarget locus.URL      // target of the refresh; zero if no refresh is followed
}

// requirements selects the data that a request must find.
type requirements struct {
	page      *sitePage // the page of a site; nil if the links of the page are not needed
	fragments []string  // fragments to look for
	probe     bool      // send the cheapest request that can prove that the resource exists
	followed  bool      // the request follows the refresh of a page
}

func (c *Checker) begin(t *checkedURL, page *sitePage, fragments []string) *Request {
	r := &Request{checkedURL: t, requirements: requirements{page: page, fragments: fragments, probe: true}, left: c.timeoutFor(t.key.url)}
	if page == nil && len(fragments) == 0 {
		r.api = c.github.apiURL(c, t.url)
	}
	return r
}

// followedURL returns the target of the redirect or refresh that the request r follows. If r is a
// first request, followedURL returns the zero URL.
func (r *Request) followedURL() locus.URL {
	if r == nil || r.redirect == nil {
		return locus.URL{}
	}
	if referral, ok := r.redirect.Resource.(*scheme.Redirect); ok && len(referral.To) > 0 {
		return referral.To[0]
	}
	return r.refreshTarget
}

// nextRequest returns the request that follows a redirect. If refreshTarget is not zero, the request
// follows a page's refresh to that URL instead.
func (r *Request) nextRequest(redirect *access.Result, refreshTarget locus.URL) *Request {
	next := *r
	next.redirect, next.refreshTarget, next.left = redirect, refreshTarget, 0
	return &next
}

// contentRequest returns the request that follows the probe r and reads the content.
func (c *Checker) contentRequest(r *Request) *Request {
	return &Request{checkedURL: r.checkedURL, requirements: requirements{page: r.page, fragments: r.fragments}, left: c.timeoutFor(r.key.url), slow: r.slow}
}

// send sends the request r within its time limit. If the result has a followUp, the outcome is not
// known yet.
func (c *Checker) send(ctx context.Context, r *Request) *attempt {
	begin := time.Now()
	ctx, cancel := context.WithTimeout(ctx, r.left)
	defer cancel()
	a := &attempt{page: r.page}
	a.found = make(map[string]bool, len(r.fragments))
	for _, fragment := range r.fragments {
		a.found[fragment] = true
	}
	switch {
	case c.traits(r.url).Has(scheme.Composes):
		a.outcome, a.temporary = c.mail.check(ctx, r.url)
		a.resolved = a.outcome.Verdict == Alive || a.outcome.Verdict == Dead && a.outcome.Cause == 0
	case !r.api.IsZero():
		c.github.requestAPI(ctx, c, a, r)
	case r.redirect == nil:
		c.sendFirst(ctx, a, r)
	case r.refreshTarget.IsZero():
		next, err := c.client.Next(ctx, r.redirect)
		c.judge(ctx, a, r, next, err)
	default:
		next, err := c.client.Redirect(ctx, r.redirect, r.refreshTarget)
		c.judge(ctx, a, r, next, err)
	}
	if a.followUp != nil && a.followUp.left == 0 {
		a.followUp.left = r.left - time.Since(begin)
	}
	return a
}

// sendFirst sends the first request for the target.
func (c *Checker) sendFirst(ctx context.Context, a *attempt, r *Request) {
	if r.page != nil && r.page.sitemap == noSitemap {
		switch why, final, err := r.page.site.disallowed(ctx, c, r); {
		case err != nil:
			a.classify(err)
			if a.outcome.Verdict == Warning {
				a.outcome.Detail = "can't read the site's robots.txt: " + a.outcome.Detail
			}
			a.temporary, a.unstored = a.temporary && !final, true
			return
		case why != "":
			a.outcome = Outcome{Verdict: Ignored, Detail: why}
			return
		}
	}
	mine := *r
	mine.probe = r.probe && r.page == nil && len(r.fragments) == 0 && c.probes(r.url) && !c.needsIndex(r.url)
	res, err := c.openURL(ctx, access.Request{URL: r.url, From: r.from, Probe: mine.probe, NoFollow: true})
	if access.KindOf(err) == access.NotFound && c.isFile(r.url) {
		if other, ok := c.fallback(ctx, r.checkedURL); ok {
			res, err = other, nil
		}
	}
	c.judge(ctx, a, &mine, res, err)
}

// judge sets the outcome of the attempt a from the response to the request r.
func (c *Checker) judge(ctx context.Context, a *attempt, r *Request, res *access.Result, err error) {
	if err != nil {
		a.classify(err)
		if c.o.HTTP.accepts(a.outcome.Status) {
			a.temporary, a.busy = false, false
		}
		a.outcome.To = failedAt(r.url, err)
		if r.probe && c.traits(r.url).Has(scheme.Web) && isHeadFailure(err, &a.outcome) {
			a.followUp = c.contentRequest(r)
		}
		return
	}
	defer res.Resource.Close()
	if _, ok := res.Resource.(*scheme.Redirect); ok {
		a.followUp = r.nextRequest(res, locus.URL{})
		return
	}
	a.outcome.Verdict, a.resolved = Alive, true
	a.public = res.LinkOrigin == policy.FromPublic
	if len(res.Hops) > 1 {
		a.outcome.Verdict, a.outcome.To, a.outcome.Permanent = Moved, cloneURL(res.URL.WithoutPassword()), res.Permanent
		a.outcome.hops = join(res.Hops)
	}
	w := r.requirements
	if w.followed {
		// The target of a refresh is another page, so it need not contain the link's fragments.
		w.page, w.fragments = nil, nil
	}
	if w.page != nil && w.page.sitemap == noSitemap && !c.isPage(w.page, res) {
		w.page = nil
	}
	switch o := res.Resource.(type) {
	case *scheme.Object:
		to := refresh{text: o.Refresh}.targetURL(c, res)
		if w.page != nil && w.page.sitemap != noSitemap {
			c.readSitemap(a, w.page, res, o)
		} else if w.page == nil && !to.IsZero() {
			a.followUp = r.follow(res, to, w.probe)
			return
		} else if c.mustRead(w, res) {
			kind := kindOf(o)
			if w.probe && (kind == htmlType || kind == markdownType) {
				a.followUp = c.contentRequest(r)
				return
			}
			if to := c.readObject(ctx, a, r.site, w, res, o); !to.IsZero() {
				a.followUp = r.follow(res, to, false)
				return
			}
		} else if c.registry.Scheme(res.URL).Traits.Has(scheme.NoStatus) {
			a.checkText(o)
		}
	case *scheme.Menu:
		switch {
		case w.page != nil:
			c.readMenu(a, res, o)
		case c.registry.Scheme(res.URL).Traits.Has(scheme.NoStatus):
			a.checkMenu(o)
		case len(w.fragments) > 0 || c.needsIndex(r.url):
			c.findInIndexFile(ctx, a, r.checkedURL, w.fragments, o)
		}
	case *scheme.Session:
		a.awaitGreeting(ctx, o)
	}
	c.soft.check(ctx, c, r.checkedURL, a)
}

// mustRead reports whether the Checker must read the object to find links, fragments or a refresh.
func (c *Checker) mustRead(w requirements, res *access.Result) bool {
	return w.page != nil || len(w.fragments) > 0 || w.followed && !w.probe || c.targetFragment(res) != "" || c.o.HTTP.Get && c.traits(res.URL).Has(scheme.Web)
}

// targetFragment returns the fragment in a redirect's target URL. It returns "" without a redirect,
// and for a fragment that need not be checked.
func (c *Checker) targetFragment(res *access.Result) string {
	fragment, ok := res.URL.Fragment()
	if !ok || len(res.Hops) < 2 || !c.wantsFragment(res.URL, fragment) {
		return ""
	}
	return fragment
}

// isHeadFailure reports whether a GET may succeed after a HEAD request failed with err. A GET may
// succeed if HEAD was redirected, or if the server did not respond to HEAD. After other failures,
// the HTTP client has already sent a GET. If the server requested a pause, isHeadFailure returns
// false.
func isHeadFailure(err error, o *Outcome) bool {
	if _, pause := access.Retry(err); pause > 0 || o.Verdict != Dead && o.Verdict != Warning && o.Verdict != TLS {
		return false
	}
	silent := access.KindOf(err) == access.Timeout && !errors.Is(err, scheme.ErrUnreachable)
	return silent || !o.To.IsZero() || errors.Is(err, access.ErrRedirectLoop)
}

// failedAt returns the redirect target that caused the error err, without a password. If the
// original URL caused the error, failedAt returns the zero URL.
func failedAt(original locus.URL, err error) locus.URL {
	e := (*access.Error)(nil)
	if !errors.As(err, &e) || e.URL.WithoutFragment() == original.WithoutFragment() {
		return locus.URL{}
	}
	return cloneURL(e.URL.WithoutFragment().WithoutPassword())
}

// maxNotFoundText is the maximum size of a text that only says that a resource is missing.
const maxNotFoundText = 1 << 10

// checkText checks whether a Gopher text is an error message about a missing resource. Gopher has
// no error status, so the text could also be a real document.
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

// maxNotFoundMenu is the maximum number of lines in a menu that only reports a missing
// resource.
const maxNotFoundMenu = 4

// checkMenu is like checkText, but for menus: some Gopher servers report a missing menu in a menu.
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

// awaitGreeting waits for the first byte of a session. A host that closes the connection before it
// sends a byte may not have the service.
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

func (c *Checker) readMenu(a *attempt, res *access.Result, m *scheme.Menu) {
	a.origins = pageOf(res)
	line := int64(0)
	for item, err := range m.Items {
		if err != nil {
			a.failures = append(a.failures, err)
			break
		}
		if line++; line > maxItems {
			a.failures = append(a.failures, errItems)
			break
		}
		if !item.URL.IsZero() {
			a.links = append(a.links, link{url: cloneURL(item.URL), line: line, column: 1, context: item.Title})
		}
	}
}

const maxItems = 1 << 20

var errItems = errors.New("the menu is too long: the rest is not verified")

func pageOf(res *access.Result) *origins {
	from := &access.Result{URL: res.URL, LinkOrigin: res.LinkOrigin}
	return &origins{base: res.URL, files: from, others: from}
}

// readObject reads the fragments in an object. If the object is a page of a site, readObject also
// reads the links. For other pages, it returns the refresh target, or the zero URL if there is
// none.
func (c *Checker) readObject(ctx context.Context, a *attempt, site *generator.Site, w requirements, res *access.Result, o *scheme.Object) (to locus.URL) {
	kind, page := kindOf(o), w.page
	if kind == otherType || kind == cssType && page == nil {
		return to
	}
	limit, isNeeded := c.o.MaxPage, page != nil || len(w.fragments) > 0 || c.targetFragment(res) != ""
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
		a.failures = append(a.failures, errCut)
	}
	if page != nil {
		a.origins = pageOf(res)
		read := c.read(ctx, bytes.NewReader(text), &Source{Name: page.name, Type: kind, URL: res.URL})
		read.failures = append(a.failures, read.failures...)
		a.contents = read
	}
	if kind == htmlType {
		text = decodePage(text, o.Type)
	}
	return c.findFragments(a, site, kind, text, cut, w, res)
}

var errCut = errors.New("the page is too large: links in its last part are not verified")

// findFragments looks for the requested fragments in a document. If a redirect's target URL has a
// fragment, findFragments looks only for that fragment. findFragments returns the refresh target,
// or the zero URL if there is none.
func (c *Checker) findFragments(a *attempt, site *generator.Site, kind string, text []byte, cut bool, w requirements, res *access.Result) (to locus.URL) {
	keep, at := w.page != nil || c.isHere(res.URL), res.URL
	if kind == cssType || c.o.NoFragments && (keep || kind != htmlType) {
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
	if to = list.refresh.targetURL(c, res); !keep && !to.IsZero() {
		return to
	}
	if a.scripted = list.isScripted(); a.scripted && a.page != nil {
		a.outcome.Detail = "the page has only scripts: its links are unknown"
		if a.page.depth == 0 {
			a.outcome.Verdict, a.unstored = Warning, true
		}
	}
	has := func(fragment string) bool {
		if list.find(fragment) || isProgram(at, fragment) {
			return true
		}
		if cut {
			// The unread rest of the document may contain the fragment.
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
			a.built = addName(a.built, fragment)
		}
		a.found[fragment] = found
	}
	if fragment := c.targetFragment(res); fragment != "" && !has(fragment) && !list.isBuilt(fragment) {
		a.setMissing(fragment)
	}
	if keep && !isBrought {
		// The unread rest of the document may contain any fragment.
		list.text, list.acceptsAll = "", list.acceptsAll || cut
		a.anchors = list
	}
	return locus.URL{}
}

// setMissing sets the outcome of a link whose redirect target does not contain the fragment.
func (a *attempt) setMissing(fragment string) {
	if a.scripted {
		a.outcome.Verdict, a.outcome.Detail = Warning, scriptedPage
		return
	}
	a.outcome.Verdict = Fragment
	a.outcome.Detail = "the document has no fragment " + locus.Quote("#"+fragment) + ", the target of a redirect"
}

// These media types can contain fragments and links. CSS contains only links.
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
			// The client reached its redirect limit, so the next target may exist.
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
		// The caller closed the client, so the state of the server is unknown.
		a.outcome.Verdict = Unknown
	case access.Unreachable:
		a.classifyUnreachable(err)
	case access.Protocol:
		a.classifyProtocol(err)
	}
}

// spellsAddress reports whether a host is an unusual spelling of an IPv4 address. Browsers accept
// such a spelling (URL Standard 3.5, "IPv4 parser"), but the policy rejects it.
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

// classifyUnreachable sets the outcome of a failed connection. The cause is a missing or refusing
// host, a network failure or a busy server.
func (a *attempt) classifyUnreachable(err error) {
	var dns *net.DNSError
	proxy := errors.As(err, new(*access.ProxyError))
	switch {
	case errors.As(err, &dns):
		if dns.IsNotFound && !proxy {
			a.outcome.Verdict, a.outcome.Cause, a.outcome.Detail = Dead, NoNames, "no such host: "+locus.Quote(dns.Name)
		}
	case proxy:
		// The error may mean that the proxy is unreachable.
	case errors.Is(err, syscall.ECONNREFUSED):
		a.outcome.Verdict, a.outcome.Detail = Dead, "connection refused"
	case isTLSProblem(err):
		a.outcome.Verdict, a.outcome.Detail = TLS, tlsProblem(err, time.Now())
	default:
		a.outcome.Status = statusOf(err)
		// These FTP and NNTP codes concern the whole server.
		a.busy = a.busy || a.outcome.Status == 421 || a.outcome.Status == 400
	}
}

// classifyProtocol sets the status of a protocol error. Only the HTTP statuses 404 and 410 mean
// that the resource is missing. All other statuses concern the request, the client or the server.
func (a *attempt) classifyProtocol(err error) {
	status := statusOf(err)
	a.outcome.Status = status
	if errors.Is(err, access.ErrRedirectLoop) {
		a.outcome.Detail = access.ErrRedirectLoop.Error()
	}
	a.busy = a.busy || status == 429 || status == 503
}

func statusOf(err error) int {
	if answer := (*textproto.Error)(nil); errors.As(err, &answer) {
		return answer.Code
	}
	return 0
}

// setRule sets Rule and Port if the policy denied the request.
func (o *Outcome) setRule(err error) {
	if denied := (*policy.DeniedError)(nil); errors.As(err, &denied) {
		o.Rule, o.Port = denied.Rule, denied.Port
	}
}

// reason returns the text of err without details that the result already contains.
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

// withoutSecrets replaces possible passwords of the URL u in text by "***". A mistyped URL may be
// opened as a file. Other code does not recognize a password in the path of such a file.
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
