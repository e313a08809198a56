package tel

import (
	"strings"

	"github.com/locus-url/locus/profile/rfc3986"
)

// These constants are the names of the parameters that RFC 3966 defines.
const (
	subaddress   = "isub"
	extension    = "ext"
	phoneContext = "phone-context"
)

// parameter is a parameter as written.
type parameter struct {
	name, value string
	hasValue    bool
	offset      int // offset of the parameter's name
}

func (p parameter) is(name string) bool { return strings.EqualFold(p.name, name) }

// rank determines the order of parameters (section 3). First are isub and ext, then phone-context,
// and then all other parameters.
func (p parameter) rank() int {
	switch {
	case p.is(subaddress), p.is(extension):
		return 0
	case p.is(phoneContext):
		return 1
	}
	return 2
}

// compare compares two parameters by the order that section 3 requires.
func compare(a, b parameter) int {
	if d := a.rank() - b.rank(); d != 0 || a.rank() < 2 {
		return d
	}
	return strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name))
}

// split splits the URI u, which may be malformed. The parameters end at the offset
// paramsEnd. A text with "//" may contain a password, so split returns no number for such
// a text.
//
// An isub may contain any uric, which includes "?". Therefore a "?" in an isub does not begin a
// query.
func split(u rfc3986.URI) (number string, list []parameter, paramsEnd int) {
	paramsEnd = u.PathOffset() + len(u.Path())
	if _, ok := u.Host(); ok {
		return "", nil, paramsEnd
	}
	number, list = splitText(u.Path(), u.PathOffset())
	query, ok := u.Query()
	if !ok || len(list) == 0 || !list[len(list)-1].is(subaddress) || !list[len(list)-1].hasValue {
		return number, list, paramsEnd
	}
	paramsEnd = u.QueryOffset() + len(query)
	number, list = splitText(u.String()[u.PathOffset():paramsEnd], u.PathOffset())
	return number, list, paramsEnd
}

// splitText splits text into the number and the parameters. The argument offset is the position of
// text in the URI.
func splitText(text string, offset int) (number string, list []parameter) {
	number, rest, more := strings.Cut(text, ";")
	offset += len(number)
	for more {
		var text string
		text, rest, more = strings.Cut(rest, ";")
		p := parameter{offset: offset + len(";")}
		p.name, p.value, p.hasValue = strings.Cut(text, "=")
		list = append(list, p)
		offset += len(";") + len(text)
	}
	return number, list
}
