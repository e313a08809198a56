package gateway

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/scheme"
)

// The pages of archived resources implement RFC 7089 (Memento). The page of a URL is the TimeGate
// of that URL. With the parameter "at", the page is a memento. The path "/-/timemap?url=" serves
// the TimeMap of the URL.

const (
	stampLayout = "20060102150405"
	// archivedPerPage is the maximum number of links on a page of the archive.
	archivedPerPage = 500
	// archivedPerMap is the maximum number of mementos in a TimeMap. A longer list continues in
	// another TimeMap.
	archivedPerMap = 10_000
)

// archivedPages describes the captures of a URL in the archive.
type archivedPages struct {
	archive.History
	redirected bool // the gateway has redirected the client to a memento
	all        string
}

// page returns the times that a page shows. The receiver k may be nil.
func (k *archivedPages) page() *page.Archived {
	if k == nil {
		return nil
	}
	return &page.Archived{Time: k.At.Time, First: k.First.Time, Prev: k.Prev.Time, Next: k.Next.Time, Last: k.Last.Time, Count: k.Count, All: k.all}
}

// time returns the time of the selected memento. The receiver k may be nil.
func (k *archivedPages) time() time.Time {
	if k == nil {
		return time.Time{}
	}
	return k.At.Time
}

// isArchived reports whether the response for u comes from the archive.
func (g *Gateway) isArchived(u locus.URL) bool {
	switch {
	case g.options.Archive == nil:
		return false
	case !g.options.Live:
		return true
	}
	_, ok, err := g.options.Archive.Nearest(u, time.Time{})
	return ok || err != nil
}

// archivedHeader holds header fields of archived responses for proxy clients. A browser treats such
// a response as a response of the original server. The sandbox gives the response an opaque origin,
// so that the response can't read or set cookies of that server.
var archivedHeader = http.Header{
	"Content-Security-Policy": {"sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts allow-top-navigation-by-user-activation"},
	"X-Content-Type-Options":  {"nosniff"},
	"Cache-Control":           {"no-store"},
}

// negotiateProxied selects the memento of u for a proxy client: the memento for the time in
// Accept-Datetime, or the last memento. The URL u is the original resource, its TimeGate and its
// memento (RFC 7089 section 4.1.3). The returned header contains fields for the response. This
// header is nil if there is no memento.
func (g *Gateway) negotiateProxied(r *http.Request, u locus.URL) (*archivedPages, http.Header, error) {
	if g.options.Archive == nil {
		return nil, nil, nil
	}
	t, err := acceptedTime(r)
	if err != nil {
		return nil, nil, err
	}
	h, ok, err := g.options.Archive.Nearest(u, t)
	if err != nil || !ok {
		return nil, nil, err
	}
	base, own := g.base(r), archivedHeader.Clone()
	own.Set("Memento-Datetime", h.At.Time.Format(http.TimeFormat))
	own.Set("Vary", "Accept-Datetime")
	own.Set("Link", target(u.WithoutPassword().String())+`; rel="original timegate", `+target(base+g.timeMapPath(u, ""))+`; rel="timemap"; type="application/link-format"`)
	k := &archivedPages{History: h, all: base + askFor(archivedPath, u.WithoutPassword(), nil)}
	return k, own, nil
}

// acceptedTime returns the time in the header Accept-Datetime. Without this header, it returns the
// zero time.
func acceptedTime(r *http.Request) (t time.Time, err error) {
	text := r.Header.Get("Accept-Datetime")
	if text == "" {
		return t, nil
	}
	if t, err = http.ParseTime(text); err != nil {
		return t, &problem{http.StatusBadRequest, "syntax", "invalid Accept-Datetime: write a date such as Wed, 01 May 2024 10:00:00 GMT"}
	}
	return t, nil
}

// negotiate selects a memento of u. It uses the time in s or the time in the header
// Accept-Datetime. Without these times it selects the last memento. The function path returns the
// path for a view of u. If there is no memento, the result k is nil. The result t is the time for
// requests to the archive. The time t is zero if there is no archive, or if there is neither a
// memento nor a time in s.
func (g *Gateway) negotiate(w *recorder, r *http.Request, u locus.URL, s page.Show, path func(page.Show) string) (k *archivedPages, t time.Time, err error) {
	if g.options.Archive == nil {
		return nil, t, nil
	}
	at, gate := s.At, s
	gate.At = ""
	t, err = acceptedTime(r)
	if at != "" {
		if t, err = archive.ParseTime(at); err != nil {
			err = &problem{http.StatusBadRequest, "syntax", err.Error()}
		}
	}
	if err != nil {
		return nil, t, err
	}
	h, ok, err := g.options.Archive.Nearest(u, t)
	if err == nil && !ok && at != "" {
		return nil, t, nil // the archive can open some URLs without a memento, such as a form
	}
	if err != nil || !ok {
		return nil, time.Time{}, err
	}
	k = &archivedPages{History: h, all: g.options.Prefix + askFor(archivedPath, u.WithoutPassword(), nil)}
	base := g.origin(r)
	memento := func(m archive.Memento) string {
		s.At = m.Time.Format(stampLayout)
		return base + path(s)
	}
	headers := w.Header()
	headers.Set("Link", k.links(u, base+path(gate), base+g.timeMapPath(u, ""), memento))
	if at == "" {
		headers.Set("Vary", "Accept-Datetime")
	}
	if at == "" && r.Header.Get("Accept-Datetime") != "" {
		protect(headers)
		headers.Set("Location", memento(h.At))
		headers.Set("Cache-Control", "private, no-cache")
		w.WriteHeader(http.StatusFound)
		k.redirected = true
		return k, t, nil
	}
	headers.Set("Memento-Datetime", h.At.Time.Format(http.TimeFormat))
	if at == "" {
		headers.Set("Content-Location", memento(h.At))
	}
	return k, h.At.Time, nil
}

// linksAt returns the time for the links of a page, in the format of Show.At. The page shows the
// memento that was captured at the time t. If the client requested no time, linksAt returns "", so
// that the links contain no time.
func linksAt(s page.Show, t time.Time) string {
	if s.At == "" || t.IsZero() {
		return ""
	}
	return t.Format(stampLayout)
}

func (g *Gateway) timeMapPath(u locus.URL, after string) string {
	values := url.Values{}
	if after != "" {
		values.Set("after", after)
	}
	return g.options.Prefix + askFor(timeMapPath, u.WithoutPassword(), values)
}

// origin returns the origin of the gateway under the name that the client uses. The caller has
// checked this name.
func (g *Gateway) origin(r *http.Request) string {
	if r.Host == "" || g.options.Prefix == "" && !strings.HasPrefix(r.RequestURI, "/") {
		return g.base(r) // the Host of a proxy request is the name of another server
	}
	return baseAt(r, r.Host)
}

// target formats a URL for the Link header, enclosed in "<" and ">".
func target(u string) string {
	return "<" + string(escape.AppendSafer(nil, u, escape.Unsafe().Without("#[]~%"), escape.Set{})) + ">"
}

// links returns the value of the Link header (RFC 7089 section 2.2).
func (k *archivedPages) links(u locus.URL, gate, timeMap string, memento func(archive.Memento) string) string {
	list := []string{
		target(u.WithoutPassword().WithoutFragment().String()) + `; rel="original"`,
		target(gate) + `; rel="timegate"`,
		target(timeMap) + `; rel="timemap"; type="application/link-format"`,
	}
	last := time.Time{}
	for _, m := range []archive.Memento{k.First, k.Prev, k.At, k.Next, k.Last} {
		if m.Time.IsZero() || m.Time.Equal(last) {
			continue
		}
		last = m.Time
		list = append(list, fmt.Sprintf(`%s; rel="%s"; datetime="%s"`, target(memento(m)), k.relation(m), m.Time.Format(http.TimeFormat)))
	}
	return strings.Join(list, ", ")
}

// relation returns the relation types of a memento.
func (k *archivedPages) relation(m archive.Memento) string {
	var names []string
	for _, each := range []struct {
		name string
		m    archive.Memento
	}{{"first", k.First}, {"prev", k.Prev}, {"next", k.Next}, {"last", k.Last}} {
		if !each.m.Time.IsZero() && each.m.Time.Equal(m.Time) {
			names = append(names, each.name)
		}
	}
	return strings.Join(append(names, "memento"), " ")
}

// serveTimeMap serves the TimeMap of a URL (RFC 7089 section 5).
func (g *Gateway) serveTimeMap(w *recorder, r *http.Request, values url.Values) error {
	u, err := queryURL(values)
	if err != nil {
		return err
	}
	u = u.WithoutPassword()
	w.url = u
	after := values.Get("after")
	var times []time.Time
	more := false
	for m, err := range g.options.Archive.Mementos(u) {
		if err != nil {
			return err
		}
		if m.Time.Format(stampLayout) <= after || len(times) > 0 && times[len(times)-1].Equal(m.Time) {
			continue
		}
		if more = len(times) == archivedPerMap; more {
			break
		}
		times = append(times, m.Time)
	}
	if len(times) == 0 {
		return &problem{http.StatusNotFound, "not-found", "not in the archive"}
	}
	base := g.origin(r)
	h := w.Header()
	h.Set("Content-Type", "application/link-format")
	h.Set("Cache-Control", "private, no-cache")
	if r.Method == http.MethodHead {
		return nil
	}
	f := newFlusher(w)
	defer f.stopFlushing()
	fmt.Fprintf(f, "%s; rel=\"original\"", target(u.String()))
	fmt.Fprintf(f, ",\n%s; rel=\"self\"; type=\"application/link-format\"; from=\"%s\"; until=\"%s\"",
		target(base+g.timeMapPath(u, after)), times[0].Format(http.TimeFormat), times[len(times)-1].Format(http.TimeFormat))
	fmt.Fprintf(f, ",\n%s; rel=\"timegate\"", target(base+g.pagePath(u, page.Show{})))
	for i, t := range times {
		relation := "memento"
		switch {
		case i == 0 && after == "" && len(times) == 1:
			relation = "first last memento"
		case i == 0 && after == "":
			relation = "first memento"
		case i == len(times)-1 && !more:
			relation = "last memento"
		}
		stamp := t.Format(stampLayout)
		fmt.Fprintf(f, ",\n%s; rel=\"%s\"; datetime=\"%s\"", target(base+g.pagePath(u, page.Show{At: stamp})), relation, t.Format(http.TimeFormat))
	}
	if more {
		next := times[len(times)-1].Format(stampLayout)
		fmt.Fprintf(f, ",\n%s; rel=\"timemap\"; type=\"application/link-format\"", target(base+g.timeMapPath(u, next)))
	}
	_, err = io.WriteString(f, "\n")
	return err
}

// serveArchived serves the index pages of the archive. They list the hosts, the URLs of a host, or
// the times of a URL.
func (g *Gateway) serveArchived(w *recorder, r *http.Request, values url.Values) error {
	list := page.Index{Title: "Archive"}
	after := values.Get("after")
	var err error
	switch {
	case values.Has("url"):
		var u locus.URL
		if u, err = queryURL(values); err == nil {
			err = g.archivedTimes(&list, u.WithoutPassword(), after)
		}
	case values.Has("host"):
		err = g.archivedURLs(&list, values.Get("host"), after)
	default:
		err = g.archivedHosts(&list, after)
	}
	if err != nil {
		return err
	}
	v := g.newView(w, r, locus.URL{}, "")
	v.write(http.StatusOK, func(w io.Writer) error { return v.printer.Index(w, v.head, list) })
	return nil
}

func (g *Gateway) archivedLink(name, value, after string) string {
	values := url.Values{}
	if name != "" {
		values.Set(name, value)
	}
	if after != "" {
		values.Set("after", after)
	}
	return g.options.Prefix + archivedPath + "?" + values.Encode()
}

func (g *Gateway) archivedHosts(list *page.Index, after string) error {
	hosts, err := g.options.Archive.Hosts(after, archivedPerPage+1)
	if err != nil {
		return err
	}
	list.Text = "Archived hosts."
	if g.options.Live {
		list.Text += " The gateway opens other URLs from their servers."
	}
	if len(hosts) > archivedPerPage {
		hosts = hosts[:archivedPerPage]
		list.Next = g.archivedLink("", "", hosts[archivedPerPage-1])
	}
	for _, host := range hosts {
		list.Entries = append(list.Entries, page.IndexEntry{Text: cmp.Or(host, "(URLs without a host)"), Link: g.archivedLink("host", host, "")})
	}
	if after != "" {
		return nil
	}
	list.Examples, err = g.archivedExamples(hosts)
	return err
}

// archivedExamples returns links to archived URLs. It returns one link for each of the
// first hosts.
func (g *Gateway) archivedExamples(hosts []string) (examples []page.IndexEntry, err error) {
	const most, perHost = 4, 8
	for _, host := range hosts[:min(most, len(hosts))] {
		found, err := g.options.Archive.List(host, "", perHost)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(found, func(l archive.Listed) bool { return l.Status == 0 || l.Status == http.StatusOK })
		if i < 0 {
			continue
		}
		u := found[i].URL.WithoutPassword()
		examples = append(examples, page.IndexEntry{Text: u.String(), Link: g.pagePath(u, page.Show{}), Note: found[i].Type})
	}
	return examples, nil
}

func (g *Gateway) archivedURLs(list *page.Index, host, after string) error {
	found, err := g.options.Archive.List(host, after, archivedPerPage)
	if err != nil {
		return err
	}
	list.Title = cmp.Or(host, "URLs without a host")
	for _, each := range found {
		var about []string
		if each.Status != 0 && each.Status != http.StatusOK {
			about = append(about, fmt.Sprint(each.Status))
		}
		if each.Type != "" {
			about = append(about, each.Type)
		}
		if each.Count > 1 {
			about = append(about, fmt.Sprintf("%d times, last", each.Count))
		}
		u := each.URL.WithoutPassword()
		list.Entries = append(list.Entries, page.IndexEntry{Text: u.String(), Link: g.pagePath(u, page.Show{}), Note: strings.Join(about, ", "), Time: each.Time})
	}
	if len(found) == archivedPerPage {
		list.Next = g.archivedLink("host", host, found[len(found)-1].After)
	}
	return nil
}

func (g *Gateway) archivedTimes(list *page.Index, u locus.URL, after string) error {
	list.Title, list.Text = u.String(), "Archived copies of this URL."
	last := ""
	for m, err := range g.options.Archive.Mementos(u) {
		if err != nil {
			return err
		}
		stamp := m.Time.Format(stampLayout)
		if stamp <= after || stamp == last {
			continue
		}
		if len(list.Entries) == archivedPerPage {
			list.Next = g.archivedLink("url", u.String(), last)
			break
		}
		last = stamp
		note := m.Type
		if m.Status != 0 && m.Status != http.StatusOK {
			note = strings.TrimSpace(fmt.Sprint(m.Status) + " " + note)
		}
		list.Entries = append(list.Entries, page.IndexEntry{Text: stamp, Link: g.pagePath(u, page.Show{At: stamp}), Note: note, Time: m.Time})
	}
	if len(list.Entries) == 0 && after == "" {
		return fmt.Errorf("%w", scheme.ErrNotArchived)
	}
	return nil
}
