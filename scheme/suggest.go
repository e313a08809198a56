package scheme

import (
	"strings"

	"github.com/locus-url/locus"
)

// Suggest returns the URL that the user probably meant and the reason, if the scheme of u is
// not registered. For a Windows path such as C:/Users/joe, Suggest returns a file URL. For a
// text with the prefix "URL:" (RFC 1738's appendix), it returns the URL after the prefix. If
// the scheme is a typo of a registered name, it returns the URL with the corrected scheme. If
// there is no suggestion, it returns the zero URL and "". The reason contains no password.
//
// A name is a typo if its distance to a registered name is 1. If the mistyped name has at
// least six letters, the distance may also be 2. A missing, wrong or extra letter adds 1 to
// the distance, and so do two adjacent letters in the wrong order. A name is never a typo if
// [NameStatus] returns a status for it, or if it begins with "x-".
func (r *Registry) Suggest(u locus.URL) (meant locus.URL, why string) {
	if u.IsZero() || r.Known(u) {
		return locus.URL{}, ""
	}
	written, name := u.Scheme(), ""
	text, ok := locus.FromWindowsPath(u.String())
	switch {
	case ok:
	case written == "url":
		text = u.String()[len("url:"):]
	default:
		if name = r.nearest(written); name == "" {
			return locus.URL{}, ""
		}
		text = name + u.String()[len(written):]
	}
	// The text after "URL:" need not be a URL, and a longer name may make it too long.
	meant, err := locus.Parse(text)
	switch {
	case err != nil:
		return locus.URL{}, ""
	case name != "":
		return meant, "did you mean " + name + "?"
	case ok && strings.Contains(text, "%40"): // the text has an "@", perhaps after a password
		return meant, `this is a Windows path: a file URL begins with "file:///"`
	case ok:
		return meant, "this is a Windows path: did you mean " + text + "?"
	}
	return meant, `leave out the prefix "URL:"`
}

// nearest returns the registered name that is most similar to the given name. If no registered
// name is similar, it returns "".
func (r *Registry) nearest(name string) string {
	if strings.HasPrefix(name, "x-") || NameStatus(name) != "" {
		return ""
	}
	most := 1
	if len(name) >= 6 {
		most = 2
	}
	best, bestDistance, bestAlike := "", most, -1
	for _, s := range r.sorted {
		if n := len(s.Name) - len(name); n > most || n < -most {
			continue
		}
		d := distance(name, s.Name)
		if d > bestDistance {
			continue
		}
		// For example, "htp" has the same distance to "ftp" and "http", but shares more
		// letters at both ends with "http".
		if alike := commonEnds(name, s.Name); d < bestDistance || alike > bestAlike {
			best, bestDistance, bestAlike = s.Name, d, alike
		}
	}
	return best
}

// distance returns the number of insertions, deletions, replacements and exchanges of
// adjacent letters that turn a into b.
func distance(a, b string) int {
	// An exchange of two letters depends on the row two above the current row, so distance
	// needs three rows.
	var before, above []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, above, row = above, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := above[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// commonEnds returns the length of the common prefix and suffix of a and b.
func commonEnds(a, b string) int {
	prefix, suffix := 0, 0
	for prefix < len(a) && prefix < len(b) && a[prefix] == b[prefix] {
		prefix++
	}
	for suffix < len(a)-prefix && suffix < len(b)-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	return prefix + suffix
}
