package prospero

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current"
)

// inForce contains the rules of RFC 4157. Section 2 defines the syntax.
//
//	prospero://<host>:<port>/<hsoname>;<field>=<value>
//
// The fields are optional. Only the hsoname may contain an unescaped "/". An unescaped ";"
// separates the fields.
var inForce = scheme.CurrentStandard{Name: "RFC 4157", Check: checkURI, Clean: isClean}

func isClean(u rfc3986.URI) bool {
	path := u.Path()
	return current.Hosted(u) && !current.HasQuery(u) && path != "" && strings.IndexByte(path, ';') < 0
}

func checkURI(u rfc3986.URI) []locus.Violation {
	f := current.Findings{URI: u, Section: "RFC 4157 2"}
	f.NoUserinfo(`"no username or password is allowed": leave them and the "@" out`)
	if !f.Host() {
		return f.List()
	}
	hsoname, fields, some := strings.Cut(u.Path(), ";")
	at := u.PathOffset() + len(hsoname) + len(";")
	if hsoname == "" {
		f.Add("path", u.PathOffset(), 0, `write "/" and an hsoname after the host`)
	}
	for some {
		var field string
		field, fields, some = strings.Cut(fields, ";")
		if i := strings.IndexByte(field, '/'); i >= 0 {
			f.Add("slash", at+i, len("/"), "write %2F in a field")
		}
		if !strings.Contains(field, "=") {
			f.Add("field", at, len(field), `a field has a name, "=" and a value`)
		}
		at += len(field) + len(";")
	}
	if _, ok := u.Query(); ok {
		f.Note("query", "RFC 3986 3.4", u.QueryOffset()-len("?"), len("?"), "RFC 3986 ends the path here: write %3F in an hsoname")
	}
	return f.List()
}
