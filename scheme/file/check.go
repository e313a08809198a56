package file

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

const section = "RFC 1738 3.10"

// check returns all violations in the URL u, in order of offset. The draft contains no production
// for file URLs. The profile [locus.RFC1630] therefore also uses the production of RFC 1738.
func check(u locus.URL, p locus.Profile) []locus.Violation {
	if p == locus.RFC1738 && conforms(u) {
		return nil
	}
	f := bnf.Findings{URL: u, Profile: p, NoDraft: true}
	f.Scheme()
	if part := u.SchemePart(); !u.Facts().Has(locus.Internet) {
		f.Add("form", section, len("file:"), part, "write file:///"+strings.TrimLeft(part, "/"))
		if isShort(u) {
			f.Note("no-slashes", "RFC 8089 2", len("file:"), part, `RFC 8089 allows this form: it means file:// and the path`)
			text, offset := path(u)
			f.Chars("fpath", offset, text, octet.Fsegment)
			reportImpossible(&f, text, offset)
		}
	} else if f.Internet(bnf.Login{Section: section, NoHost: true}) {
		if text, ok := u.PortText(); ok {
			f.Add("no-port", section, portOffset(u), ":"+text, "a file is not reached through a port: leave it out")
		}
		text, ok := u.Path()
		if !ok {
			f.Add("missing-slash", section, u.PathOffset(), "", `write "/" and the path after the host`)
		}
		f.Chars("fpath", u.PathOffset(), text, octet.Fsegment)
		reportImpossible(&f, text, u.PathOffset())
	}
	return f.List()
}

// reportImpossible reports escapes that the grammar allows but no filename can contain. The
// argument offset is the position of the path text in the URL.
func reportImpossible(f *bnf.Findings, text string, offset int) {
	for i := 0; i < len(text); {
		o, size := bnf.Octet(text, i)
		if size > 1 {
			at, text := offset+i, text[i:i+size]
			switch o {
			case 0:
				f.Impossible("nul", section, at, text, "a filename cannot contain NUL")
			case '/':
				f.Note("encoded-slash", section, at, text, `on most systems a filename cannot contain "/"`)
			}
		}
		i += size
	}
}

// conforms reports whether the URL u conforms to RFC 1738, like check, but without allocation.
func conforms(u locus.URL) bool {
	facts := u.Facts()
	if !facts.Has(bnf.Clean|locus.PathFsegment) || u.MissingSlash() || !strings.HasPrefix(u.String(), "file:") {
		return false
	}
	if _, user := u.User(); user {
		return false
	}
	if _, port := u.PortText(); port {
		return false
	}
	if facts&(locus.HostName|locus.HostNumber) == 0 && u.Host() != "" {
		return false
	}
	path, ok := u.Path()
	return ok && (facts.Has(locus.NoEscape) || isFilename(path))
}

// isFilename reports whether path contains neither an escaped NUL nor an escaped "/".
func isFilename(path string) bool {
	for {
		i := strings.IndexByte(path, '%')
		if i < 0 {
			return true
		}
		if o, _ := bnf.Octet(path, i); o == 0 || o == '/' {
			return false
		}
		path = path[i+len("%00"):]
	}
}

// canonical returns the canonical form of the URL u and the changes that it made. The error is a
// [*locus.SyntaxError].
func canonical(u locus.URL) (locus.URL, locus.Change, error) {
	const usual = locus.Internet | locus.NoHost | locus.NoPort | locus.Slash
	if u.Facts().Has(usual) && bnf.Spelled(u, 0) && u.Scheme() == "file" {
		return u, 0, nil
	}
	if err := form(u); err != nil {
		return locus.URL{}, 0, err
	}
	local := isLocal(u.Host())
	if bnf.Spelled(u, 0) && (!local || u.Host() == "") && !isShort(u) {
		return u, 0, nil
	}
	text, _ := path(u)
	var c bnf.Canon
	c.Begin(u)
	c.Raw("//")
	switch {
	case isShort(u):
		c.Change |= locus.FormFields
	case !local:
		c.Host(u.Host())
	case u.Host() != "":
		c.Change |= locus.Localhost
	}
	c.Raw("/")
	c.Path(text, escape.Unreserved())
	return c.End()
}
