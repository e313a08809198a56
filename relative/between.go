package relative

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
)

// Between returns the shortest form that means target in a document whose URL is
// base, of a scheme with that hierarchy: [Ref.ResolveWith] gives target back, octet for octet. Of forms of one
// length it takes the one with the fewest "..". It is the absolute form if no
// other will do.
//
// A target with "." or ".." in its path has no form at all, since resolving
// takes them out of every form; the error says so.
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
		return Ref{}, fmt.Errorf(`relative: no form means %s: its path has "." or ".." as a segment, which resolving takes out`,
			locus.Quote(target.Redacted()))
	}
	return best, nil
}

// Align returns target with scheme, host and port as they are spelled in base, if
// they mean the same: case has no meaning in scheme and host, and port, which is the
// default port of the scheme of base, may be left out (RFC 1738 sections 2.1 and
// 3.1). port 0 is none. Otherwise it returns target. Case and default port do not
// keep [Between] from a short form of what Align returns.
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

// loginOf returns user and password as they are written, with what delimits them.
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

// candidates returns the texts among which the shortest form is. Which of them
// mean target is not looked at.
func candidates(base, target locus.URL, h Hierarchy) []string {
	b, t := split(base), split(target)
	tail := parts{query: t.query, fragment: t.fragment}.text()[len(":"):]
	fragment := parts{fragment: t.fragment}.text()[len(":"):]
	list := []string{target.String(), fragment, tail}
	if t.authority.ok {
		list = append(list, "//"+t.authority.text+t.path+tail)
	}
	// "/." is for a path that would be read as a host, also in the target.
	list = append(list, t.path+tail, "/."+t.path+tail)
	directory, _ := removeDots(b.directory(h))
	path, _ := removeDots(t.path)
	for _, path := range between(directory, path) {
		list = append(list, path+tail)
	}
	return list
}

// between returns paths that lead from directory, which ends in "/", to path.
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
		// "./" is for a rest that would be read as something else.
		return []string{"./" + rest, rest}
	}
}

// commonDirectory returns the length of the longest path that ends in "/" and
// that both begin with.
func commonDirectory(directory, path string) int {
	common := 0
	for i := 0; i < len(directory) && i < len(path) && directory[i] == path[i]; i++ {
		if directory[i] == '/' {
			common = i + 1
		}
	}
	return common
}
