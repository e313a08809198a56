package shape

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
)

// Read parses a URL with or without the wrapper of RFC 1738's appendix. White space around a
// URL without a wrapper is an error. Offsets in the error refer to input.
func Read(input string) (locus.URL, error) { return unwrapped(input, locus.Parse) }

// ReadBase parses a base URL like [Read]. If that fails and strict is false, ReadBase parses
// the base URL by RFC 3986, like [relative.Parse].
func ReadBase(input string, strict bool) (locus.URL, error) {
	u, err := Read(input)
	if err == nil || strict {
		return u, err
	}
	if ref, refErr := ReadRef(input); refErr == nil {
		if u, absolute := ref.URL(); absolute {
			return u, nil
		}
	}
	return u, err
}

// ReadRef parses a relative reference or a URL, like [Read].
func ReadRef(input string) (relative.Ref, error) { return unwrapped(input, relative.Parse) }

func unwrapped[T any](input string, parse func(string) (T, error)) (T, error) {
	w := locus.RemoveWrapper(input)
	if !w.Wrapped() {
		return parse(input)
	}
	v, err := parse(w.String())
	return v, w.Error(err)
}

// convertOffsets converts the offsets of findings about a URL to offsets in input, which is the
// URL with its wrapper. The result also contains the note about the wrapper.
func convertOffsets(input string, list []locus.Violation) []locus.Violation {
	w := locus.RemoveWrapper(input)
	note, ok := w.Note()
	if !ok {
		return list
	}
	moved := []locus.Violation{note}
	for _, v := range list {
		v.Offset = w.Offset(v.Offset)
		moved = append(moved, v)
	}
	return moved
}
