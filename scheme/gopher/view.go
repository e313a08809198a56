package gopher

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// View is one of the forms that an item can be had in: a line of its +VIEWS
// attribute (RFC 1738 section 3.4.8).
type View struct {
	// Type is the media type, and Language an ISO 639 code, perhaps with "_" and an
	// ISO 3166 one, "Es_ES"; empty: the server names none. Both are as the server
	// wrote them, and a request repeats them so.
	Type, Language string
	// Size is roughly how many octets it has; -1: unknown.
	Size int64
}

// ParseView reads a line of a +VIEWS attribute, without the blank before it:
//
//	Text/plain En_US: <10k>
//
// A size that can't be read is unknown. ok is false if there is no type.
func ParseView(line string) (v View, ok bool) {
	head, size, _ := strings.Cut(line, "<")
	// What can stand in a type or language has no colon, but a server may differ.
	if colon := strings.LastIndexByte(head, ':'); colon >= 0 {
		head = head[:colon]
	}
	v.Type, v.Language, _ = strings.Cut(strings.Trim(head, " "), " ")
	v.Language = strings.TrimLeft(v.Language, " ")
	size, _, _ = strings.Cut(size, ">")
	v.Size = viewSize(strings.Trim(size, " "))
	return v, v.Type != ""
}

// viewSize returns the octets of a size such as ".5k", or -1.
func viewSize(text string) int64 {
	unit := 1.0
	if end := len(text) - 1; end >= 0 {
		switch text[end] {
		case 'k', 'K':
			unit, text = 1<<10, text[:end]
		case 'm', 'M':
			unit, text = 1<<20, text[:end]
		case 'b', 'B':
			text = text[:end]
		}
	}
	if strings.Trim(text, "0123456789.") != "" {
		return -1 // more than ParseFloat should be shown
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n*unit >= math.MaxInt64 {
		return -1
	}
	return int64(n * unit)
}

// String returns v as a request asks for it after "+": the type, and after a blank
// the language if there is one.
func (v View) String() string {
	if v.Language == "" {
		return v.Type
	}
	return v.Type + " " + v.Language
}

// unlabelled is how much a view that names no language is wanted where some
// languages are: less than one in any of them, and more than not at all, since it
// may be in any.
const unlabelled = 0.0005

// ChooseView returns the view that is wanted most, by preferences as
// [scheme.Request] has them; an empty one takes everything. The type decides, then
// the language, then the order of the server. A view in a language that is not
// wanted is not taken, whatever its type: to fall back to it the preference names it,
// or "*" with a small weight.
//
// The error wraps [scheme.ErrNotFound] and says what there is, or is that of
// [scheme.ParsePreference].
func ChooseView(views []View, accept, acceptLanguage string) (View, error) {
	types, err := scheme.ParsePreference(accept)
	if err != nil {
		return View{}, err
	}
	languages, err := scheme.ParsePreference(acceptLanguage)
	if err != nil {
		return View{}, err
	}
	var best View
	var bestType, bestLanguage float64
	for _, v := range views {
		byType, byLanguage := types.Quality(v.Type), languages.Quality(v.Language)
		if v.Language == "" {
			byLanguage = max(byLanguage, unlabelled)
		}
		if byType == 0 || byLanguage == 0 {
			continue
		}
		if byType > bestType || byType == bestType && byLanguage > bestLanguage {
			best, bestType, bestLanguage = v, byType, byLanguage
		}
	}
	if bestType == 0 {
		return View{}, fmt.Errorf("%w: none of the views is wanted: %s", scheme.ErrNotFound, offered(views))
	}
	return best, nil
}

// offered lists views for people, and not too many.
func offered(views []View) string {
	const most = 8
	if len(views) == 0 {
		return "there are none"
	}
	var b strings.Builder
	b.WriteString("there is ")
	for i, v := range views[:min(len(views), most)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(locus.Quote(v.String()))
	}
	if len(views) > most {
		fmt.Fprintf(&b, " and %d more", len(views)-most)
	}
	return b.String()
}
