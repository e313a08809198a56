package gopher

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// plusView is one format of an item. Each line of the +VIEWS attribute describes one format
// (RFC 1738 section 3.4.8).
type plusView struct {
	// Type is the media type. Language is an ISO 639 code, optionally with "_" and an ISO 3166
	// code, such as "Es_ES". It is empty if the server does not specify a language. Requests
	// repeat the type and language unchanged.
	Type, Language string
	// Size is the approximate size in bytes, or -1 if unknown.
	Size int64
}

// parseView parses a line of a +VIEWS attribute, such as "Text/plain En_US: <10k>". If the
// type is missing, ok is false.
func parseView(line string) (v plusView, ok bool) {
	head, size, _ := strings.Cut(line, "<")
	// Valid types and languages contain no colon, but a server may send an invalid one that
	// does.
	if colon := strings.LastIndexByte(head, ':'); colon >= 0 {
		head = head[:colon]
	}
	v.Type, v.Language, _ = strings.Cut(strings.Trim(head, " "), " ")
	v.Language = strings.TrimLeft(v.Language, " ")
	size, _, _ = strings.Cut(size, ">")
	v.Size = viewSize(strings.Trim(size, " "))
	return v, v.Type != ""
}

// viewSize converts a size such as ".5k" to bytes. If the size is invalid, it returns -1.
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
		return -1 // ParseFloat would accept other number formats too
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n*unit >= math.MaxInt64 {
		return -1
	}
	return int64(n * unit)
}

// String returns v in the format that a request contains after "+". The text consists of the
// type and, if v has a language, a space and the language.
func (v plusView) String() string {
	if v.Language == "" {
		return v.Type
	}
	return v.Type + " " + v.Language
}

// unlabelled is the quality of a view without a language. It is not 0, because the view may be
// in any language, but lower than the quality of any preferred language.
const unlabelled = 0.0005

// chooseView returns the best view for the preferences in a [scheme.Request]. It compares the
// views first by type, then by language, and then by the server's order. It never chooses a
// view in a language that the preferences exclude.
func chooseView(views []plusView, accept, acceptLanguage string) (plusView, error) {
	types, err := scheme.ParsePreference(accept)
	if err != nil {
		return plusView{}, err
	}
	languages, err := scheme.ParsePreference(acceptLanguage)
	if err != nil {
		return plusView{}, err
	}
	var best plusView
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
		return plusView{}, fmt.Errorf("%w: no view matches the preferences: %s", scheme.ErrNotFound, listViews(views))
	}
	return best, nil
}

func listViews(views []plusView) string {
	const most = 8
	if len(views) == 0 {
		return "the item has no views"
	}
	names := make([]string, 0, most)
	for _, v := range views[:min(len(views), most)] {
		names = append(names, locus.Quote(v.String()))
	}
	text := "available: " + strings.Join(names, ", ")
	if len(views) > most {
		text += fmt.Sprintf(" and %d more", len(views)-most)
	}
	return text
}
