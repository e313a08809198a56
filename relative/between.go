package relative

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
)

// Between returns the shortest relative reference that [Ref.ResolveWith] resolves to the
// URL target exactly. The parameter base is the URL of the document, and h is the
// hierarchy of its scheme. Among references of equal length it returns the one with the
// fewest "..". The reference may be an absolute URL.
//
// It fails for a target with "." or ".." as a segment, because resolving removes such a
// segment.
func Between(base, target locus.URL, h Hierarchy) (Ref, error) {
	best, found := Ref{}, false
	for _, text := range candidates(base, target, h) {
		if found && len(text) >= len(best.String()) {
			continue
		}
		r, err := Parse(text)
		if err != nil {
			continue
		}
		if u, _, err := r.ResolveWith(base, Options{Hierarchy: h}); err == nil && u == target {
			best, found = r, true
		}
	}
	if !found {
		return Ref{}, fmt.Errorf(`relative: no relative reference resolves to %s: its path has a "." or ".." segment, which resolving removes`,
			locus.Quote(target.Shown()))
	}
	return best, nil
}

// Align returns target with the spelling of the scheme, host and port of base, if these parts
// of target and base are equivalent. Scheme and host are equivalent if they differ
// only in case. A URL may omit the default port (RFC 1738 sections 2.1 and 3.1). The
// parameter port is the default port of the scheme of base; 0 means that there is no
// default port. If the parts are not equivalent, Align returns target unchanged.
// [Between] finds shorter references for an aligned target.
func Align(base, target locus.URL, port uint16) locus.URL {
	b, t := split(base), split(target)
	if !b.authority.ok || !t.authority.ok || !strings.EqualFold(b.scheme, t.scheme) || !strings.EqualFold(base.Host(), target.Host()) {
		return target
	}
	if loginOf(base) != loginOf(target) || portOf(base, port) != portOf(target, port) {
		return target
	}
	t.scheme, t.authority = b.scheme, b.authority
	u, err := locus.Parse(t.text())
	if err != nil {
		return target
	}
	return u
}

// loginOf returns user and password as written, with their delimiters.
func loginOf(u locus.URL) string {
	login, _ := u.Login()
	return login[:strings.LastIndexByte(login, '@')+1]
}

func portOf(u locus.URL, port uint16) uint16 {
	if n, ok := u.Port(); ok {
		return n
	}
	return port
}

// candidates returns relative references that may resolve to target. The shortest valid reference
// is one of them. The caller must check each reference.
func candidates(base, target locus.URL, h Hierarchy) []string {
	b, t := split(base), split(target)
	tail := parts{query: t.query, fragment: t.fragment}.text()[len(":"):]
	fragment := parts{fragment: t.fragment}.text()[len(":"):]
	list := []string{target.String(), fragment, tail}
	if t.authority.ok {
		list = append(list, "//"+t.authority.text+t.path+tail)
	}
	// "/." precedes a path that begins with "//".
	list = append(list, t.path+tail, "/."+t.path+tail)
	directory, _ := removeDots(b.directory(h))
	path, _ := removeDots(t.path)
	for _, path := range between(directory, path) {
		list = append(list, path+tail)
	}
	return list
}

// between returns relative paths from directory, which must end in "/", to path.
func between(directory, path string) []string {
	common := commonDirectory(directory, path)
	up := strings.Repeat("../", strings.Count(directory[common:], "/"))
	rest := path[common:]
	switch {
	case up != "" && rest == "":
		return []string{up, strings.TrimSuffix(up, "/")}
	case up != "":
		return []string{up + rest}
	case rest == "":
		return []string{"."}
	default:
		// A rest that begins with "/", or has a ":" in its first segment, needs "./" before it.
		return []string{"./" + rest, rest}
	}
}

// commonDirectory returns the length of the longest common prefix that ends in "/".
func commonDirectory(directory, path string) int {
	common := 0
	for i := 0; i < len(directory) && i < len(path) && directory[i] == path[i]; i++ {
		if directory[i] == '/' {
			common = i + 1
		}
	}
	return common
}
