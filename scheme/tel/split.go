package tel

import (
	"strings"

	"github.com/locus-url/locus/profile/rfc3986"
)

// The parameters that RFC 3966 defines.
const (
	subaddress   = "isub"
	extension    = "ext"
	phoneContext = "phone-context"
)

// parameter is a parameter as written.
type parameter struct {
	name, value string
	hasValue    bool
	offset      int // of the name
}

func (p parameter) is(name string) bool { return strings.EqualFold(p.name, name) }

// rank orders parameters (section 3): isub or ext, phone-context, and all others.
func (p parameter) rank() int {
	switch {
	case p.is(subaddress), p.is(extension):
		return 0
	case p.is(phoneContext):
		return 1
	}
	return 2
}

// compare orders parameters as section 3 requires.
func compare(a, b parameter) int {
	if d := a.rank() - b.rank(); d != 0 || a.rank() < 2 {
		return d
	}
	return strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name))
}

// split splits u, which may have any faults. A text with "//" has no number: it may have a
// password.
func split(u rfc3986.URI) (number string, list []parameter) {
	if _, ok := u.Host(); ok {
		return "", nil
	}
	number, rest, more := strings.Cut(u.Path(), ";")
	offset := u.PathOffset() + len(number)
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
