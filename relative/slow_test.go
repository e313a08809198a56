package relative_test

import (
	"regexp"
	"strings"
)

// The functions in this file are a simple implementation of RFC 3986 as printed.

// appendixB is the expression of RFC 3986 appendix B.
var appendixB = regexp.MustCompile(`(?s)^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?`)

type slowParts struct {
	scheme, authority, path, query, fragment       string
	hasScheme, hasAuthority, hasQuery, hasFragment bool
}

func slowSplit(text string) slowParts {
	m := appendixB.FindStringSubmatch(text)
	return slowParts{
		scheme: m[2], authority: m[4], path: m[5], query: m[7], fragment: m[9],
		hasScheme: m[1] != "", hasAuthority: m[3] != "", hasQuery: m[6] != "", hasFragment: m[8] != "",
	}
}

// slowResolve implements the strict pseudocode of section 5.2.2.
func slowResolve(base, ref string) string {
	Base, R := slowSplit(base), slowSplit(ref)
	var T slowParts
	if R.hasScheme {
		T.scheme = R.scheme
		T.authority, T.hasAuthority = R.authority, R.hasAuthority
		T.path = slowRemoveDots(R.path)
		T.query, T.hasQuery = R.query, R.hasQuery
	} else {
		if R.hasAuthority {
			T.authority, T.hasAuthority = R.authority, true
			T.path = slowRemoveDots(R.path)
			T.query, T.hasQuery = R.query, R.hasQuery
		} else {
			if R.path == "" {
				T.path = Base.path
				if R.hasQuery {
					T.query, T.hasQuery = R.query, true
				} else {
					T.query, T.hasQuery = Base.query, Base.hasQuery
				}
			} else {
				if strings.HasPrefix(R.path, "/") {
					T.path = slowRemoveDots(R.path)
				} else {
					T.path = slowMerge(Base, R)
					T.path = slowRemoveDots(T.path)
				}
				T.query, T.hasQuery = R.query, R.hasQuery
			}
			T.authority, T.hasAuthority = Base.authority, Base.hasAuthority
		}
		T.scheme = Base.scheme
	}
	T.fragment, T.hasFragment = R.fragment, R.hasFragment
	return slowText(T)
}

// slowMerge implements section 5.2.3.
func slowMerge(base, ref slowParts) string {
	if base.hasAuthority && base.path == "" {
		return "/" + ref.path
	}
	return base.path[:strings.LastIndex(base.path, "/")+1] + ref.path
}

// slowRemoveDots implements section 5.2.4.
func slowRemoveDots(input string) string {
	output := ""
	for input != "" {
		switch {
		case strings.HasPrefix(input, "../"):
			input = input[3:]
		case strings.HasPrefix(input, "./"):
			input = input[2:]
		case strings.HasPrefix(input, "/./"):
			input = input[2:]
		case input == "/.":
			input = "/"
		case strings.HasPrefix(input, "/../"):
			input = input[3:]
			output = output[:max(strings.LastIndex(output, "/"), 0)]
		case input == "/..":
			input = "/"
			output = output[:max(strings.LastIndex(output, "/"), 0)]
		case input == "." || input == "..":
			input = ""
		default:
			end := strings.Index(input[1:], "/") + 1
			if end == 0 {
				end = len(input)
			}
			output += input[:end]
			input = input[end:]
		}
	}
	return output
}

// slowText implements section 5.3.
func slowText(T slowParts) string {
	result := T.scheme + ":"
	if T.hasAuthority {
		result += "//" + T.authority
	}
	result += T.path
	if T.hasQuery {
		result += "?" + T.query
	}
	if T.hasFragment {
		result += "#" + T.fragment
	}
	return result
}
