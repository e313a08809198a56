package cache

import (
	"net/http"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

// The times of the table in the package's text.
const (
	searchAge  = time.Minute
	listAge    = time.Minute     // of what changes as people write to it
	menuAge    = 5 * time.Minute // of what a keeper changes
	describing = time.Hour
	fileAge    = time.Hour // of a file without a date
	fileMin    = 10 * time.Minute
	fileMax    = 24 * time.Hour
	numberAge  = 24 * time.Hour
	messageAge = 7 * 24 * time.Hour
	absentAge  = 30 * time.Second // of what is not there
	// failedAge is for how long what is no longer fresh stands in for an answer that
	// could not be had, where HTTP has no rules.
	failedAge = 24 * time.Hour
)

// Age is for how long an answer for u is good that HTTP has no rules for, by the
// table in the package's text. The header is the answer's.
func Age(u locus.URL, h http.Header) time.Duration {
	age := ageOf(u)
	if age != fileAge {
		return age
	}
	// A file that has not changed for long will not now: a tenth of that time, as
	// RFC 9111 section 4.2.2 has it for HTTP.
	modified, err := http.ParseTime(h.Get("Last-Modified"))
	if err != nil {
		return age
	}
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return age
	}
	return min(max(date.Sub(modified)/10, fileMin), fileMax)
}

func ageOf(u locus.URL) time.Duration {
	path, _ := u.Path()
	switch u.Scheme() {
	case "ftp", "ftps":
		if isListing(path) {
			return menuAge
		}
		return fileAge
	case "gopher", "gophers":
		return gopherAge(path)
	case "news", "snews":
		if strings.Contains(u.SchemePart()[strings.LastIndexByte(u.SchemePart(), '/')+1:], "@") {
			return messageAge
		}
		return listAge
	case "nntp", "nntps":
		if u.Host() == "" {
			path = u.SchemePart()
		}
		if strings.Contains(path, "/") {
			return numberAge
		}
		return listAge
	case "wais":
		switch {
		case strings.Contains(path, "?"):
			return searchAge
		case strings.Contains(path, "/"):
			return numberAge
		}
		return describing
	case "prospero":
		return menuAge
	}
	return 0
}

// isListing reports whether the url-path of an FTP URL is that of a directory
// (RFC 1738 section 3.2.2).
func isListing(path string) bool {
	name, typecode := path, ""
	const word = ";type="
	if i := strings.LastIndexByte(path, ';'); i >= 0 && len(path)-i >= len(word) && strings.EqualFold(path[i:i+len(word)], word) {
		name, typecode = path[:i], path[i+len(word):]
	}
	return name == "" || name[len(name)-1] == '/' || strings.EqualFold(typecode, "d")
}

// gopherAge is the age of a gopher-path (RFC 1738 section 3.4).
func gopherAge(path string) time.Duration {
	selector, search, searched := strings.Cut(path, "%09")
	search, plus, plussed := strings.Cut(search, "%09")
	kind := "1"
	if selector != "" {
		kind = selector[:1]
		if octets, err := escape.Decode(selector[:min(len(selector), len("%31"))]); err == nil {
			kind = octets[:1]
		}
	}
	switch {
	case plussed && (plus == "" || strings.ContainsAny(plus, "?") || strings.Contains(plus, "%09")):
		return 0 // a form, and answers to one
	case plussed && strings.ContainsAny(plus[:1], "!$"), strings.HasPrefix(plus, "%21"):
		return menuAge
	case searched && search != "", strings.Contains(selector, "?"), kind == "7", kind == "2":
		return searchAge
	case kind == "1":
		return menuAge
	case kind == "8" || kind == "T" || kind == "%":
		return 0
	}
	return fileAge
}

// varies reports whether what comes of u depends on what the request prefers,
// which answers that are none of HTTP's don't say.
func varies(u locus.URL, h http.Header) bool {
	if h.Get("Content-Security-Policy") != "" {
		return true // a menu, which is made for who asks
	}
	switch u.Scheme() {
	case "ftp", "ftps":
		path, _ := u.Path()
		return isListing(path)
	}
	switch ageOf(u) {
	case messageAge, numberAge:
		return u.Scheme() == "wais" // which has documents in several types
	}
	return true
}

// isHTTP reports whether HTTP's own rules hold for a scheme.
func isHTTP(scheme string) bool { return scheme == "http" || scheme == "https" }
