package mirror

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/iri"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// typeOf returns the server's media type without parameters. If the server sent none, typeOf
// guesses the type from the file name.
func typeOf(mediaType, name string) string {
	if t, _, _ := strings.Cut(mediaType, ";"); strings.TrimSpace(t) != "" {
		return strings.ToLower(strings.TrimSpace(t))
	}
	return media.ByName(name)
}

const (
	htmlType     = "text/html"
	cssType      = "text/css"
	markdownType = "text/markdown"
	geminiType   = "text/gemini"
)

// documentType returns the media type with which to read a document for links, or "" if this
// type has no links.
func documentType(mediaType string) string {
	switch mediaType {
	case "text/html", "application/xhtml+xml", "image/svg+xml":
		return htmlType
	case "text/markdown", "text/x-markdown":
		return markdownType
	case cssType:
		return cssType
	case geminiType:
		return geminiType
	}
	return ""
}

func readPage(r io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	return text[:min(int64(len(text)), limit)], err
}

// linksOf yields the links that a user can follow in a document.
func linksOf(text, docType string) iter.Seq[document.Link] {
	var all iter.Seq[document.Link]
	switch docType {
	case htmlType:
		all = document.HTML(text, nil)
	case cssType:
		all = document.CSS(text, nil)
	case markdownType:
		all = document.Markdown(text, nil)
	default:
		all = gemtextLinks(text)
	}
	return func(yield func(document.Link) bool) {
		for l := range all {
			switch {
			case l.Element == "base href", strings.HasPrefix(l.Element, "link preconnect"), strings.HasPrefix(l.Element, "link dns-prefetch"),
				strings.HasSuffix(l.Element, " action"), strings.HasSuffix(l.Element, " formaction"), strings.HasSuffix(l.Element, " ping"):
				continue
			case l.Element == "" && l.Form != extract.Link && l.Form != extract.Image && l.Form != extract.Definition && l.Form != extract.Attribute:
				continue // a URL in running text
			}
			if !yield(l) {
				return
			}
		}
	}
}

// gemtextLinks yields the links in gemtext. A link is a line with "=>", spaces, a URL and an
// optional label.
func gemtextLinks(text string) iter.Seq[document.Link] {
	return func(yield func(document.Link) bool) {
		at, code := 0, false
		for line := range strings.Lines(text) {
			start := at
			at += len(line)
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			rest, ok := strings.CutPrefix(line, "=>")
			if code || !ok {
				continue
			}
			url := strings.TrimLeft(rest, " \t")
			start += len(line) - len(url)
			url = url[:len(url)-len(strings.TrimLeft(url, strings.Trim(url, " \t\r\n")))]
			if end := strings.IndexAny(url, " \t\r\n"); end >= 0 {
				url = url[:end]
			}
			if url == "" || len(url) > locus.MaxLen {
				continue
			}
			l := document.Link{Ref: url}
			l.Form, l.Start, l.End = extract.Link, int64(start), int64(start+len(url))
			if u, err := locus.Parse(url); err == nil {
				l.URL, l.Ref = u, ""
			}
			if !yield(l) {
				return
			}
		}
	}
}

// resolve returns the target URL of the link l in the document with the URL base.
func (c *crawler) resolve(l *document.Link, base locus.URL) (locus.URL, error) {
	if !l.URL.IsZero() {
		return l.Resolve(base)
	}
	for i, text := range []string{l.Base, l.Ref} {
		if i == 0 && text == "" {
			continue
		}
		// Browsers read spaces in a path as %20.
		ref, err := relative.Parse(strings.ReplaceAll(strings.TrimSpace(text), " ", "%20"))
		if err != nil {
			return locus.URL{}, err
		}
		if u, absolute := ref.URL(); absolute {
			base = u
		} else if base, _, err = c.registry.Resolve(base, ref, relative.Options{Data: true}); err != nil {
			return locus.URL{}, err
		}
	}
	return iri.URL(base)
}

// pageLinks returns the jobs for the links in the document of j.
func (c *crawler) pageLinks(j *job, text []byte, docType string, base locus.URL, origin policy.Origin) (list []job) {
	if bytes.IndexByte(text[:min(len(text), 8<<10)], 0) >= 0 {
		return nil
	}
	seen := map[string]bool{}
	for l := range linksOf(string(text), docType) {
		u, err := c.resolve(&l, base)
		if err != nil {
			continue
		}
		if next, ok := c.link(j, u, "", origin, isNeeded(&l, u)); ok && !seen[next.URL] {
			seen[next.URL] = true
			next.URL = strings.Clone(next.URL)
			list = append(list, next)
		}
	}
	return list
}

// isNeeded reports whether a browser needs u, the target of the link l, to show the page.
func isNeeded(l *document.Link, u locus.URL) bool {
	switch l.Element {
	case "script src", "img src", "img srcset", "iframe src", "frame src", "embed src", "object data", "audio src", "video src", "video poster",
		"source src", "source srcset", "track src", "input src", "style", "body background":
		return true
	case "link href":
		t := typeOf("", lastName(u))
		return t != "" && documentType(t) != htmlType || t == cssType
	}
	return strings.HasSuffix(l.Element, " style")
}

var errNoMenu = fmt.Errorf("%w: the data is not a menu", scheme.ErrProtocol)
