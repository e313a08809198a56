package mirror

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/scheme"
)

// At the end of a run, Run writes a page for each menu and rewrites the links. Only then does
// it know which resources are in the mirror.

// pages writes the menu pages and rewrites the links in the documents of this run.
func (c *crawler) pages() error {
	targets := targets{crawler: c, known: map[string]string{}}
	for url, text := range c.ledger.all() {
		isMenu := bytes.Contains(text, []byte(`"menu":true`))
		if !c.ledger.hasResult(url) || !isMenu && !bytes.Contains(text, []byte(`"document":true`)) {
			continue
		}
		r := decode(text)
		if r == nil {
			continue
		}
		var err error
		switch {
		case r.Menu:
			err = c.menuPage(r, &targets)
		case r.Document:
			err = c.relink(r, &targets)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// targets finds the files for the targets of links.
type targets struct {
	*crawler
	known map[string]string
}

// maxTargets is the maximum number of cached targets.
const maxTargets = 100_000

// of returns the file that a link to u should open, or "" if u is not in the mirror.
func (t *targets) of(u locus.URL) string {
	canonical, _, err := t.registry.Canonical(u.WithoutFragment().WithoutPassword())
	if err != nil {
		return ""
	}
	url := canonical.String()
	if file, ok := t.known[url]; ok {
		return file
	}
	before, now := t.ledger.records(url)
	if now != nil {
		before = &now.Record
	}
	file := ""
	if before != nil && !before.Gone {
		file = cmp.Or(before.Page, before.File)
	}
	if len(t.known) >= maxTargets {
		clear(t.known)
	}
	t.known[url] = file
	return file
}

// href returns the relative URL for a link to u in the given file. If the link should not
// change, ok is false.
func (t *targets) href(file string, u locus.URL) (text string, ok bool) {
	fragment := ""
	if f, has := u.Fragment(); has {
		fragment = "#" + f
	}
	if to := t.of(u); to != "" {
		text = relativePath(file, to) + fragment
	} else {
		text = u.WithoutPassword().Shown()
	}
	return text, isPlain(text)
}

// isPlain reports whether a URL contains only characters that RFC 3986 allows.
func isPlain(text string) bool {
	for i := range len(text) {
		if !octet.Is(text[i], octet.Alpha|octet.Digit) && strings.IndexByte("-._~:/?#[]@!$&'()*+,;=%", text[i]) < 0 {
			return false
		}
	}
	return true
}

// relativePath returns the relative URL from the file from to the file to.
func relativePath(from, to string) string {
	up, down := strings.Split(from, "/"), strings.Split(to, "/")
	up = up[:len(up)-1]
	for len(up) > 0 && len(down) > 1 && up[0] == down[0] {
		up, down = up[1:], down[1:]
	}
	var b strings.Builder
	b.WriteString(strings.Repeat("../", len(up)))
	for i, name := range down {
		if i > 0 {
			b.WriteByte('/')
		}
		for _, c := range []byte(name) {
			if octet.Is(c, octet.Alpha|octet.Digit) || strings.IndexByte("-._~", c) >= 0 {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
	}
	return b.String()
}

// menuPage writes the page for a menu, unless the existing page needs no change.
func (c *crawler) menuPage(r *Record, t *targets) error {
	e := c.ledger.index[keyOf(r.URL)]
	_, now := c.ledger.records(r.URL)
	if e.manifest > 0 && now != nil && now.Status == Same && !c.o.Relink && r.Original == "" && c.tree.stamp(r.Page) != nil {
		return nil
	}
	u, err := locus.Parse(r.URL)
	if err != nil {
		return err
	}
	items, title, err := c.itemsOf(u, r)
	if err != nil {
		return nil // The mirror stores the menu's bytes even without a page.
	}
	page := u
	var b bytes.Buffer
	writeMenu(&b, cmp.Or(title, u.Shown()), items, func(u locus.URL) string {
		if c.o.Relink && c.mayLink(page, u) {
			if text, ok := t.href(r.Page, u); ok {
				return text
			}
		}
		if !c.mayLink(page, u) {
			return ""
		}
		return u.WithoutPassword().Shown()
	})
	if err := c.replace(r.Page, b.Bytes(), time.Time{}); err != nil {
		return err
	}
	if documentType(typeOf(r.Type, "")) == geminiType {
		return c.relink(r, t)
	}
	return nil
}

// replace writes a file, unless the file already has this content.
func (c *crawler) replace(name string, octets []byte, modTime time.Time) error {
	if stamp := c.tree.stamp(name); stamp != nil && stamp.Size == int64(len(octets)) {
		if f, err := c.tree.read(name); err == nil {
			there, err := io.ReadAll(f)
			f.Close()
			if err == nil && bytes.Equal(there, octets) {
				return nil
			}
		}
	}
	_, err := c.tree.write(name, octets, modTime)
	return err
}

// itemsOf reads the items of a stored menu.
func (c *crawler) itemsOf(u locus.URL, r *Record) (items []scheme.Item, title string, err error) {
	f, err := c.tree.read(original(r))
	if err != nil {
		return nil, "", err
	}
	kept := c.registry.Scheme(u).Access.Archived
	if r.Type == itemsType || kept == nil {
		defer f.Close()
		octets, err := io.ReadAll(f)
		if err == nil {
			items, err = decodeItems(octets)
		}
		return items, "", err
	}
	res, err := kept(u, r.Type, f)
	if err != nil {
		f.Close()
		return nil, "", err
	}
	defer res.Close()
	m, ok := res.(*scheme.Menu)
	if !ok {
		return nil, "", errNoMenu
	}
	for item, err := range m.Items {
		if err != nil {
			return nil, "", err
		}
		items = append(items, item)
	}
	return items, m.Title, nil
}

// mayLink reports whether the page for a menu may link to u. mayLink rejects "javascript:"
// URLs, which a browser would run in the page. mayLink also rejects links from a server's menu
// to files on the reader's machine.
func (c *crawler) mayLink(page, u locus.URL) bool {
	isFile := func(u locus.URL) bool { return c.registry.Scheme(u).Traits.Has(scheme.Files) }
	return c.registry.Known(u) && (!isFile(u) || isFile(page))
}

// writeMenu writes a menu as a page with a line per item. If href returns "", the item is not a
// link.
func writeMenu(w *bytes.Buffer, title string, items []scheme.Item, href func(locus.URL) string) {
	safe := func(text string) string { return html.EscapeString(charset.Text(text)) }
	fmt.Fprintf(w, "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>%s</title>\n</head>\n<body>\n<h1>%[1]s</h1>\n<pre>\n", safe(title))
	for _, item := range items {
		text, link := safe(cmp.Or(item.Title, item.URL.Shown())), ""
		if !item.URL.IsZero() {
			link = href(item.URL)
		}
		if link == "" {
			w.WriteString(text)
		} else {
			fmt.Fprintf(w, "<a href=\"%s\">%s</a>", html.EscapeString(link), text)
		}
		if item.Size >= 0 && item.Kind == scheme.KindObject {
			w.WriteString("  " + human.Size(item.Size))
		}
		if !item.ModTime.IsZero() {
			w.WriteString("  " + item.ModTime.UTC().Format("2006-01-02 15:04"))
		}
		w.WriteByte('\n')
	}
	w.WriteString("</pre>\n</body>\n</html>\n")
}

// edit is a replacement for the bytes between the offsets start and end.
type edit struct {
	start, end int
	text       string
}

// relink changes the links in a document's file so that they point to other files of the
// mirror. The original bytes of the resource are stored separately.
func (c *crawler) relink(r *Record, t *targets) error {
	if !c.o.Relink && r.Original == "" {
		return nil
	}
	u, err := locus.Parse(r.URL)
	if err != nil {
		return err
	}
	f, err := c.tree.read(original(r))
	if err != nil {
		return nil // The document has no file to change.
	}
	text, err := readPage(f, c.o.MaxPage)
	f.Close()
	if err != nil || int64(len(text)) >= c.o.MaxPage || bytes.IndexByte(text, 0) >= 0 {
		return err
	}
	octets := text
	if c.o.Relink {
		octets = apply(text, c.edits(string(text), documentType(typeOf(r.Type, r.File)), u, r.File, t))
	}
	if bytes.Equal(octets, text) && r.Original == "" {
		return nil
	}
	return c.rewrite(r, octets)
}

// rewrite replaces the file in r, and stores the resource's original bytes separately.
func (c *crawler) rewrite(r *Record, octets []byte) error {
	n := *r
	if n.Original == "" {
		n.Original = originalFolder + "/" + n.File
		if err := c.tree.copy(n.File, n.Original); err != nil {
			return err
		}
	}
	if err := c.replace(n.File, octets, c.timeOf(&n)); err != nil {
		return err
	}
	n.Stored = c.tree.stamp(n.File)
	_, now := c.ledger.records(r.URL)
	if now != nil && (!now.Stored.equal(n.Stored) || now.Original != n.Original) {
		c.ledger.done(&result{Status: now.Status, Record: n, Again: true})
	}
	return nil
}

// edits returns the changes of the links in a document, in order.
func (c *crawler) edits(text, docType string, base locus.URL, file string, t *targets) (list []edit) {
	based := false
	if docType == htmlType {
		for l := range document.HTML(text, nil) {
			if l.Element == "base href" && !based {
				based = true
				list = append(list, edit{int(l.Start), int(l.End), "./"})
			}
		}
	}
	for l := range linksOf(text, docType) {
		if strings.HasPrefix(l.Ref, "#") && !based {
			continue
		}
		u, err := c.resolve(&l, base)
		if err != nil {
			continue
		}
		to, ok := t.href(file, u)
		if !ok || !l.URL.IsZero() && t.of(u) == "" {
			continue
		}
		switch {
		case docType == cssType || l.Element == "style" || strings.HasSuffix(l.Element, " style") || docType == markdownType:
			if strings.ContainsAny(to, "'()&") {
				continue
			}
		case docType == htmlType:
			to = strings.NewReplacer("&", "&amp;", "'", "&#39;").Replace(to)
		}
		list = append(list, edit{int(l.Start), int(l.End), to})
	}
	slices.SortStableFunc(list, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	return list
}

// apply applies edits to text. If edits overlap, only the first of them is applied.
func apply(text []byte, edits []edit) []byte {
	var b bytes.Buffer
	from := 0
	for _, e := range edits {
		if e.start < from || e.end > len(text) || e.start > e.end {
			continue
		}
		b.Write(text[from:e.start])
		b.WriteString(e.text)
		from = e.end
	}
	b.Write(text[from:])
	return b.Bytes()
}
