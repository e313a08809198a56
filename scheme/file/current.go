package file

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current"
)

// inForce contains the rules of RFC 8089. Section 2 defines the syntax.
//
//	file-URI       = file-scheme ":" file-hier-part
//	file-hier-part = ( "//" auth-path ) / local-path
//	auth-path      = [ file-auth ] path-absolute
//	local-path     = path-absolute
//	file-auth      = "localhost" / host
//	path-absolute  = "/" [ segment-nz *( "/" segment ) ]
//
// This syntax does not include the common nonstandard forms that appendix E describes.
var inForce = scheme.CurrentStandard{Name: "RFC 8089", Check: checkURI, Clean: isClean, Normalize: normalizeURI}

const syntax = "RFC 8089 2"

func isClean(u rfc3986.URI) bool {
	_, login := u.Userinfo()
	_, port := u.Port()
	path := u.Path()
	if login || port || current.HasQuery(u) || len(path) < 2 || path[0] != '/' || path[1] == '/' {
		return false
	}
	isDrive := len(path) > 2 && (path[2] == ':' || path[2] == '|')
	return !isDrive && !strings.Contains(path, "%00")
}

func checkURI(u rfc3986.URI) []locus.Violation {
	f := current.Findings{URI: u, Section: syntax}
	f.NoUserinfo("a file URI has no user or password (appendix E.1): leave them out")
	f.NoPort("a file is not reached through a port: leave it out")
	f.NoQuery(`a file URI has no query: write %3F in a name with "?"`)
	path, offset := u.Path(), u.PathOffset()
	host, authority := u.Host()
	switch {
	case path == "" && authority:
		f.Add("path", offset, 0, `write "/" and a path after the host`)
	case !strings.HasPrefix(path, "/"):
		f.Add("path", offset, len(path), "write file:/ and the absolute path; other forms depend on the system (appendix E.2)")
	case strings.HasPrefix(path, "//") && authority && host == "":
		f.Add("unc", offset, len("//"), "write the host of a UNC path after \"//\": file://host/share/file (appendix E.3)")
	case strings.HasPrefix(path, "//"):
		f.Add("path", offset, len("//"), `a path begins with one "/"`)
	}
	noteDrive(&f, path, offset, host)
	for i := 0; i+2 < len(path); i++ {
		if path[i:i+3] == "%00" {
			f.Report(locus.Impossible, "nul", "RFC 8089 5", offset+i, 3, "a filename cannot contain NUL")
		}
	}
	return f.List()
}

// noteDrive adds a note if the path begins with a drive letter (appendix E.2).
func noteDrive(f *current.Findings, path string, offset int, host string) {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if len(name) != 2 || name[0]|0x20 < 'a' || name[0]|0x20 > 'z' || host != "" && !isLocalhost(host) {
		return
	}
	at := offset + strings.Index(path, name)
	switch name[1] {
	case ':':
		f.Note("drive-letter", "RFC 8089 E.2", at, len(name), "only systems with drive letters have this path")
	case '|':
		f.Note("drive-letter", "RFC 8089 E.2.2", at, len(name), `write ":" after a drive letter`)
	}
}

func isLocalhost(host string) bool { return strings.EqualFold(host, "localhost") }

// normalizeURI rewrites the three URL forms for a local file as file:///path. An empty host, the
// host localhost (section 2), and a URL without "//" (appendix B) are equivalent.
func normalizeURI(u rfc3986.URI) rfc3986.URI {
	path := u.Path()
	if strings.HasPrefix(path, "//") {
		path = "/." + path // the path must begin with exactly one "/", also after its dot segments are removed
	}
	_, login := u.Userinfo() // file URLs have no userinfo, so keep the host of a malformed URL with userinfo
	if host, ok := u.Host(); ok && (login || !isLocalhost(host)) {
		return current.WithPath(u, path, false)
	}
	rest := u.String()[u.PathOffset()+len(u.Path()):]
	return rfc3986.Parse("file://" + path + rest)
}
