package tour

import (
	"path"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// promised are media types by the ends of names in this museum.
var promised = map[string]string{
	".txt": "text/plain", ".html": "text/html", ".png": "image/png", ".gif": "image/gif", ".wav": "audio/wav", ".zip": "application/zip",
}

// promise tells what a stop's URL leads to, before anybody goes there.
func promise(u locus.URL) (scheme.ItemKind, string) {
	rest := u.SchemePart()
	name, _ := u.Path()
	switch u.Scheme() {
	case "telnet", "rlogin", "tn3270":
		return scheme.KindSession, ""
	case "mailto":
		return scheme.KindUnknown, ""
	case "cid":
		return scheme.KindObject, "image/png"
	case "mid", "news":
		return promiseMessage(rest)
	case "nntp", "nntps":
		if strings.Contains(name, "/") {
			return scheme.KindObject, "message/rfc822"
		}
		return scheme.KindMenu, ""
	case "prospero":
		if strings.HasPrefix(name, "/museum/") || strings.HasPrefix(name, "/pros/") {
			return scheme.KindObject, "text/plain"
		}
		return scheme.KindMenu, ""
	case "wais":
		return promiseWAIS(name)
	case "gopher", "gophers":
		return promiseGopher(name)
	}
	name, _, _ = strings.Cut(name, ";")
	name, _, asked := strings.Cut(name, "?")
	kind, ok := promised[path.Ext(name)]
	web := strings.HasPrefix(u.Scheme(), "http")
	switch {
	case ok:
		return scheme.KindObject, kind
	case web && !asked && (name == "" || name == "moved"), web && asked:
		return scheme.KindObject, "text/html"
	}
	return scheme.KindMenu, ""
}

// promiseMessage is about what is behind the scheme of a mid or a news URL.
func promiseMessage(rest string) (scheme.ItemKind, string) {
	switch {
	case strings.Contains(rest, "/"):
		return scheme.KindObject, "image/png"
	case strings.Contains(rest, "@"):
		return scheme.KindObject, "message/rfc822"
	}
	return scheme.KindMenu, ""
}

func promiseWAIS(name string) (scheme.ItemKind, string) {
	wtype := strings.SplitN(name, "/", 3)
	if len(wtype) < 3 {
		return scheme.KindSearch, ""
	}
	return scheme.KindObject, map[string]string{"TEXT": "text/plain", "HTML": "text/html", "GIF": "image/gif"}[wtype[1]]
}

func promiseGopher(name string) (scheme.ItemKind, string) {
	switch {
	case strings.HasSuffix(name, "?"):
		return scheme.KindForm, ""
	case name == "", name[0] == '1', strings.HasSuffix(name, "!"):
		return scheme.KindMenu, ""
	case name[0] == '7', name[0] == '2':
		return scheme.KindSearch, ""
	case name[0] == 'g':
		return scheme.KindObject, "image/gif"
	}
	return scheme.KindObject, "text/plain"
}
