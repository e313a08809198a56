package generator

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// mapRunes replaces each rune r in heading by f(r). If f returns a negative value, mapRunes removes
// the rune.
func mapRunes(heading string, f func(rune) rune) string {
	return strings.Map(f, strings.TrimSpace(heading))
}

// isWord reports whether the rune r is a letter, a mark, a digit or "_". isWord is like \p{Word}
// in Ruby.
func isWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc)
}

// githubIDs returns the fragments that GitHub, Docusaurus and the MyST parser create.
func githubIDs(headings []string) []string {
	seen := map[string]int{}
	var ids []string
	for _, h := range headings {
		ids = append(ids, Numbered(seen, GitHubID(h), "-"))
	}
	return ids
}

// GitHubID returns the fragment that GitHub creates from a heading. The fragment contains letters
// in lower case, marks, digits, "_" and "-", and a "-" for each space. For repeated headings, see
// [Numbered].
func GitHubID(heading string) string {
	return mapRunes(heading, func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Pc):
			return unicode.ToLower(r)
		}
		return -1
	})
}

// Numbered returns a unique form of name. If usedNames contains the name, because an earlier
// heading has the same name, Numbered appends the separator and a number.
func Numbered(usedNames map[string]int, name, separator string) string {
	result := name
	for {
		if _, taken := usedNames[result]; !taken {
			usedNames[result] = 0
			return result
		}
		usedNames[name]++
		result = name + separator + strconv.Itoa(usedNames[name])
	}
}

// countName is like Numbered, but does not add the names that it creates to usedNames.
func countName(usedNames map[string]int, name string) string {
	usedNames[name]++
	if n := usedNames[name] - 1; n > 0 {
		return name + "-" + strconv.Itoa(n)
	}
	return name
}

// mdBookIDs returns the fragments that mdBook creates from headings. The fragments contain
// letters, digits, "_" and "-", with ASCII letters in lower case.
func mdBookIDs(headings []string) []string {
	seen := map[string]int{}
	var ids []string
	for _, h := range headings {
		name := mapRunes(h, func(r rune) rune {
			switch {
			case r >= 'A' && r <= 'Z':
				return unicode.ToLower(r)
			case unicode.IsSpace(r):
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.In(r, unicode.N, unicode.Other_Alphabetic):
				return r
			}
			return -1
		})
		// mdBook 0.5 converts all letters to lower case.
		id := countName(seen, name)
		ids = append(ids, id)
		if lower := strings.ToLower(id); lower != id {
			ids = append(ids, lower)
		}
	}
	return ids
}

// hugoIDs returns a function that creates fragments from headings as Hugo does. The function id
// creates the fragment from one heading.
func hugoIDs(id func(string) string) func([]string) []string {
	return func(headings []string) (ids []string) {
		seen := map[string]int{}
		for _, h := range headings {
			ids = append(ids, Numbered(seen, cmp.Or(id(h), "heading"), "-"))
		}
		return ids
	}
}

// hugoID returns the fragment that Hugo creates by default (type "github").
func hugoID(heading string) string {
	return mapRunes(heading, func(r rune) rune {
		switch {
		case r == ' ', r == '-':
			return '-'
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	})
}

// blackfridayID returns the fragment that Hugo creates for the type "blackfriday". The fragment
// contains letters and numbers, with one "-" for each run of other characters.
func blackfridayID(heading string) string {
	words := strings.FieldsFunc(heading, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	return strings.ToLower(strings.Join(words, "-"))
}

// kramdownGFM returns the fragments that kramdown creates with its parser for GitHub Markdown,
// which is the default in Jekyll.
func kramdownGFM(headings []string) []string {
	seen := map[string]int{}
	var ids []string
	for _, h := range headings {
		name := mapRunes(h, func(r rune) rune {
			switch {
			case r == ' ', r == '\t':
				return '-'
			case r == '-' || isWord(r):
				return unicode.ToLower(r)
			}
			return -1
		})
		ids = append(ids, countName(seen, name))
	}
	return ids
}

// kramdownIDs returns the fragments that kramdown creates with its own parser. The fragments
// contain only ASCII characters and begin with a letter.
func kramdownIDs(headings []string) []string {
	seen := map[string]int{}
	var ids []string
	for _, h := range headings {
		h = strings.TrimLeftFunc(h, func(r rune) bool { return (r|0x20) < 'a' || (r|0x20) > 'z' })
		name := mapRunes(h, func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r >= '0' && r <= '9' || (r|0x20) >= 'a' && (r|0x20) <= 'z':
				return unicode.ToLower(r)
			}
			return -1
		})
		if name == "" {
			name = "section"
		}
		ids = append(ids, countName(seen, name))
	}
	return ids
}

// toASCII decomposes characters, such as "é" into "e" and an accent, and removes everything that
// is not ASCII.
func toASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 {
			return r
		}
		return -1
	}, norm.NFKD.String(text))
}

var separators = expression(`[-\s]+`)

// pythonIDs returns a function that creates the same fragments as the Python-Markdown extension
// "toc", which MkDocs uses. If unicodeToo is true, the function acts like slugify_unicode and
// PyMdown Extensions.
func pythonIDs(unicodeToo bool) func([]string) []string {
	return func(headings []string) []string {
		var ids []string
		seen := map[string]bool{}
		for _, h := range headings {
			names := []string{pythonID(toASCII(h))}
			if unicodeToo {
				names = append(names, pythonID(h))
			}
			for i, name := range slices.Compact(names) {
				for i == 0 && (name == "" || seen[name]) {
					name = nextID(name)
				}
				seen[name] = true
				ids = append(ids, name)
			}
		}
		return ids
	}
}

func pythonID(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == '-' || unicode.IsSpace(r) || isWord(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
	return separators().ReplaceAllString(strings.TrimSpace(text), "-")
}

// nextID increments the number after the last "_" in a name.
func nextID(name string) string {
	if i := strings.LastIndexByte(name, '_'); i >= 0 {
		if n, err := strconv.Atoi(name[i+1:]); err == nil && name[i+1] != '-' && name[i+1] != '+' {
			return name[:i+1] + strconv.Itoa(n+1)
		}
	}
	return name + "_1"
}

// sphinxIDs returns the fragments that docutils creates, and the GitHub anchors that MyST creates.
// If a heading yields no name, or a name that is already in use, docutils creates "id1", "id2" and
// so on.
func sphinxIDs(headings []string) []string {
	ids := githubIDs(headings)
	seen := map[string]bool{}
	n := 0
	for _, h := range headings {
		name := docutilsID(h)
		for name == "" || seen[name] {
			n++
			name = "id" + strconv.Itoa(n)
		}
		seen[name] = true
		ids = append(ids, name)
	}
	return ids
}

var (
	notInID  = expression(`[^a-z0-9]+`)
	endsOfID = expression(`^[-0-9]+|-+$`)
	digraphs = strings.NewReplacer("ß", "sz", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ħ", "h", "ı", "i", "ł", "l", "ŧ", "t")
)

// docutilsID implements the docutils function make_id.
func docutilsID(text string) string {
	text = toASCII(digraphs.Replace(strings.ToLower(text)))
	text = notInID().ReplaceAllString(strings.Join(strings.Fields(text), " "), "-")
	return endsOfID().ReplaceAllString(text, "")
}

// VaultID returns the letters and digits of a heading in lower case. Headings in wikilinks are
// compared in this form.
func VaultID(heading string) string {
	return strings.Map(func(r rune) rune {
		if isWord(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}
