package relative

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
)

// Between returns the shortest reference that [Ref.ResolveWith] resolves to the URL target
// exactly. The parameter base is the URL of the document, and h is the hierarchy of its scheme. If
// several references have the same length, Between returns the reference with the fewest "..". The
// result may be an absolute URL.
//
// Between returns an error if target contains the segment "." or "..", because resolving removes
// such segments.
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

// Align changes the spelling of the scheme, host and port in target to the spelling in base.
// [Between] finds shorter references for an aligned target. If these parts are not equivalent in
// target and base, Align returns target unchanged. Schemes and hosts are equivalent if they differ
// only in case. A URL may omit the default port (RFC 1738 sections 2.1 and 3.1). The parameter
// port is the default port of the base's scheme, or 0 if there is none.
func Align(base, target locus.URL, port uint16) locus.URL {
	b, t := split(base), split(target)
	if !b.authority.ok || !t.authority.ok || !strings.EqualFold(b.scheme, t.scheme) || !strings.EqualFold(base.Host(), target.Host()) {
		return target
	}
	if loginOf(base) != loginOf(target) || portOf(base, port) != portOf(target, port) {
		return target
	}
	t.scheme, t.authority = b.scheme, b.authority
	u, err := locus.Parse(t.join())
	if err != nil {
		return target
	}
	return u
}

// loginOf returns the user name and the password as written, with their delimiters.
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

// candidates returns references that may resolve to target, among them the shortest valid
// reference. The caller must check each reference.
func candidates(base, target locus.URL, h Hierarchy) []string {
	b, t := split(base), split(target)
	tail := parts{query: t.query, fragment: t.fragment}.join()[len(":"):]
	fragment := parts{fragment: t.fragment}.join()[len(":"):]
	list := []string{target.String(), fragment, tail}
	if t.authority.ok {
		list = append(list, "//"+t.authority.text+t.path+tail)
	}
	// A path that begins with "//" needs "/." before it.
	list = append(list, t.path+tail, "/."+t.path+tail)
	directory, _ := removeDots(b.directory(h))
	path, _ := removeDots(t.path)
	for _, path := range relativePaths(directory, path) {
		list = append(list, path+tail)
	}
	return list
}

// relativePaths returns relative paths from a directory, which must end in "/", to a path.
func relativePaths(directory, path string) []string {
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
		// If the rest begins with "/" or contains a ":" in its first segment, it needs "./" before
		// it.
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
