package relative

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
)

// resolveDraft implements the draft's algorithm for a reference without a scheme:
//
//	If the partial URI starts with a non-zero number of consecutive slashes,
//	then everything from the context URI up to (but not including) the first
//	occurrence of exactly the same number of consecutive slashes is taken to be
//	the same and so prepended to the partial URL to form the full URL.
//
// RFC 1630 adds: "which has no greater number of consecutive slashes anywhere to
// the right of it".
//
//	Otherwise: The last part of the path of the context URI (anything following
//	the rightmost slash) is removed, and the given partial URI appended in its
//	place, and then: Within the result, all occurrences of "xxx/../" or "/." are
//	recursively removed, where xxx, ".." and "." are complete path elements.
//
// Read literally, the last rule turns "a/." into "a", removes segments above the root of the path,
// and preserves a final "..". In contrast, resolveDraft turns "a/." into "a/", removes no segments
// above the root, and lets a final ".." remove a segment.
//
// A reference that contains only a fragment refers to the document itself, although the rule would
// remove the document's name.
func resolveDraft(base, ref parts, o Options) (t parts, notes Notes, err error) {
	t = base
	t.query, t.fragment = ref.query, ref.fragment
	n := leadingSlashes(ref.afterScheme())
	switch {
	case ref.inDocument():
		t.query = base.query
		return t, 0, nil
	case n == 0:
		t.path = base.directory(o.Hierarchy) + ref.path
	default:
		end, ok := prefixEnd(base, n, o)
		if !ok {
			return parts{}, 0, fmt.Errorf("%w: the base has no %d consecutive slashes; write the whole URL", ErrBase, n)
		}
		// The reference may contain a host, so only the joined text can be split into parts.
		u, err := locus.Parse(base.withoutQuery()[:end] + ref.afterScheme())
		if err != nil {
			return parts{}, 0, err
		}
		whole := split(u)
		t.authority, t.path = whole.authority, whole.path
	}
	switch {
	case strings.HasSuffix(ref.path, "/..") || ref.path == "..":
		notes = FinalDots
	case strings.HasSuffix(ref.path, "/.") || ref.path == ".":
		notes = SlashKept
	}
	if strings.HasPrefix(t.path, "/") {
		var clamped Notes
		t.path, clamped = removeDots(t.path)
		return t, notes | clamped, nil
	}
	// The path has no root, so the result must not have one either.
	path, clamped := removeDots("/" + t.path)
	t.path = path[len("/"):]
	return t, notes | clamped, nil
}

// withoutQuery returns the scheme, the authority and the path as written.
func (p parts) withoutQuery() string {
	p.query, p.fragment = optional{}, optional{}
	return p.join()
}

// afterScheme returns the authority and the path as written.
func (p parts) afterScheme() string { return p.withoutQuery()[len(p.scheme)+1:] }

func leadingSlashes(text string) int { return len(text) - len(strings.TrimLeft(text, "/")) }

// prefixEnd returns the length of the prefix of the base that a reference with n leading slashes
// shares. If the base contains no n consecutive slashes, one slash selects the root of the path,
// and two slashes select the end of the scheme.
func prefixEnd(base parts, n int, o Options) (int, bool) {
	body := base.withoutQuery()
	root := len(body) - len(base.path)
	if n == 1 && o.FirstSlash {
		return root, true
	}
	found := -1
	for i := len(base.scheme) + 1; i < len(body); {
		run := leadingSlashes(body[i:])
		switch {
		case run > n:
			found = -1
		case run == n && found < 0:
			found = i
		}
		i += max(run, 1)
	}
	switch {
	case found >= 0:
		return found, true
	case n == 1:
		return root, true
	}
	return len(base.scheme) + 1, n == 2
}
