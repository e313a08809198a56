package markup

import (
	"strconv"
	"strings"
	"unicode"
)

// documentIDs holds the names of the parts of a document.
type documentIDs struct {
	list       []string
	incomplete bool // the document includes files that may define other names
	// These maps hold the names that Asciidoctor and GitHub generated. Each name is mapped to the
	// number for the next section with the same name.
	usedIDs, usedHubIDs map[string]int
}

func (ids *documentIDs) add(name string) {
	if name != "" {
		ids.list = append(ids.list, name)
		ids.usedIDs[name] = max(ids.usedIDs[name], 2)
	}
}

// AsciidocIDs returns the names of the parts of an AsciiDoc document. AsciidocIDs includes the
// names that Asciidoctor and GitHub generate, and section titles, which cross references may use.
//
// If incomplete is true, the document may define other names, because it includes files, or because
// it has no title and may be a part of another document.
func AsciidocIDs(source string) (list []string, incomplete bool) {
	ids := documentIDs{usedIDs: map[string]int{}, usedHubIDs: map[string]int{}}
	a := readIDs(source, &ids)
	for _, name := range [...]string{"header", "content", "footer", "toc", "toctitle", "preamble", "footnotes", "author", "email", "author2", "author3", "email2", "revnumber", "revdate", "revremark"} {
		ids.add(name)
	}
	for n := range min(strings.Count(source, "footnote:"), maxNotes) {
		number := strconv.Itoa(n + 1)
		ids.add("_footnotedef_" + number)
		ids.add("_footnoteref_" + number)
	}
	return ids.list, ids.incomplete || !a.titled
}

func readIDs(source string, ids *documentIDs) *asciidoc {
	return readAsciidoc(source, func(Piece) bool { return true }, ids)
}

// maxNotes is the maximum number of footnotes for which names are returned.
const maxNotes = 10_000

// maxTitle is the maximum length of a title from which a name is generated.
const maxTitle = 4096

// addSection records the names of a section. The title is between the offsets start and end.
func (a *asciidoc) addSection(level, start, end int, style blockStyle) {
	resolved := a.attrs.resolve(a.text[start:end])
	title := resolved.s
	if at := strings.LastIndex(title, "[["); at > 0 && strings.HasSuffix(title, "]]") && isIDStart(title[at+2:]) {
		id, reftext, _ := strings.Cut(title[at+2:len(title)-2], ",")
		style.id, style.reftext = id, strings.TrimSpace(reftext)
		title = strings.TrimRight(title[:at], " ")
	}
	a.recordName(style)
	if len(title) > maxTitle {
		return
	}
	_, icons := a.attrs.get("icons")
	plain := plainTitle(title, !icons)
	if style.id == "" {
		a.ids.addHubID(plain)
	}
	if a.header == beforeHeader && level == 0 {
		return
	}
	a.ids.list = append(a.ids.list, title, plain)
	if _, on := a.attrs.get("sectids"); style.id == "" && (on || a.attrs.unsure["sectids"]) {
		a.ids.add(a.generateID(plain))
	}
}

// generateID returns the name that Asciidoctor generates from a title.
func (a *asciidoc) generateID(title string) string {
	prefix, ok := a.attrs.get("idprefix")
	if !ok {
		prefix = "_"
	}
	separator, ok := a.attrs.get("idseparator")
	if !ok {
		separator = "_"
	}
	if separator != "" {
		_, size := firstRune(separator)
		separator = separator[:size]
	}
	return unusedID(a.ids.usedIDs, titleID(title, prefix, separator), separator)
}

// addHubID records the name that GitHub generates from a title.
func (ids *documentIDs) addHubID(title string) {
	id := unusedID(ids.usedHubIDs, titleID(title, "", "-"), "-")
	ids.usedHubIDs[id] = max(ids.usedHubIDs[id], 2)
	ids.list = append(ids.list, id)
}

func firstRune(s string) (rune, int) {
	for i, r := range s {
		if i > 0 {
			return r, i
		}
	}
	return 0, len(s)
}

// unusedID returns id if it is unused. Otherwise it appends a number, starting at 2.
func unusedID(used map[string]int, id, separator string) string {
	name := id
	for used[name] > 0 {
		name = id + separator + strconv.Itoa(used[id])
		used[id]++
	}
	return name
}

// titleID generates a name from a title. The name begins with prefix, and the separator replaces
// spaces, "-" and ".".
func titleID(title, prefix, separator string) string {
	var b strings.Builder
	b.WriteString(prefix)
	squeezed := strings.HasSuffix(prefix, separator) && separator != ""
	for _, r := range strings.ToLower(title) {
		switch {
		case r == ' ' || separator != "" && (r == '-' || r == '.' || string(r) == separator):
			if !squeezed {
				b.WriteString(separator)
			}
			squeezed = separator != ""
		case r == '-' || r == '.' || r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc):
			b.WriteRune(r)
			squeezed = false
		}
	}
	id := b.String()
	if separator != "" {
		id = strings.TrimSuffix(id, separator)
		if prefix == "" {
			id = strings.TrimPrefix(id, separator)
		}
	}
	return id
}

// plainTitle returns a title without markup. plainTitle also removes the characters that
// Asciidoctor replaces, because generated names do not contain such characters. If icons is true,
// plainTitle replaces each icon by the name of the icon.
func plainTitle(title string, icons bool) string {
	title = withoutReferences(withoutMacros(title, icons))
	title = strings.NewReplacer(" -- ", "", "...", "", "->", "", "<-", "", "=>", "", "<=", "", "(C)", "", "(R)", "", "(TM)", "").Replace(" " + title + " ")
	return strings.TrimSpace(withoutMarks(strings.ReplaceAll(joinDashes(title), "__", "")))
}

// joinDashes removes "--" between words.
func joinDashes(s string) string {
	for at := 0; ; {
		n := strings.Index(s[at:], "--")
		if n < 0 {
			return s
		}
		at += n
		if at > 0 && at+2 < len(s) && isWordOctet(s[at-1]) && isWordOctet(s[at+2]) {
			s = s[:at] + s[at+2:]
		} else {
			at += 2
		}
	}
}

// withoutReferences removes the character references in s.
func withoutReferences(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, "&")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, rest, closed := strings.Cut(after, ";")
		if closed && name != "" && len(name) < 9 && strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789#") == "" {
			after = rest
		}
		s = after
	}
}

// withoutMarks removes the "_" around emphasized words.
func withoutMarks(s string) string {
	out := []byte(s)
	open := -1
	for i := range out {
		if out[i] != '_' {
			continue
		}
		word := i > 0 && isWordOctet(s[i-1])
		switch {
		case open >= 0 && i > open+1 && s[i-1] != ' ' && (i+1 == len(s) || !isWordOctet(s[i+1])):
			out[open], out[i] = 0, 0
			open = -1
		case open < 0 && !word && i+1 < len(s) && s[i+1] != ' ':
			open = i
		}
	}
	return strings.ReplaceAll(string(out), "\x00", "")
}

// withoutMacros replaces each macro and each cross reference in a title by its text.
func withoutMacros(s string, icons bool) string {
	if !strings.ContainsAny(s, "[<") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], "<<"):
			end := strings.Index(s[i:], ">>")
			if end < 0 {
				b.WriteString(s[i:])
				return b.String()
			}
			id, text, ok := strings.Cut(s[i+2:i+end], ",")
			if !ok {
				text = id
			}
			b.WriteString(strings.TrimSpace(text))
			i += end + 2
		case s[i] == '[':
			out := b.String()
			start := strings.LastIndexAny(out, " \t(") + 1
			text, size := macroText(out[start:], s[i:], icons)
			if size > 0 {
				b.Reset()
				b.WriteString(out[:start])
			} else {
				text, size = "[", 1
			}
			b.WriteString(text)
			i += size
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// macroText returns the text of a macro. The parameter word contains the name and the target of
// the macro, and rest is the text that follows. The result size is the length of the macro's part
// of rest, or zero if there is no macro.
func macroText(word, rest string, icons bool) (text string, size int) {
	end := strings.IndexByte(rest, ']')
	name, target, macro := strings.Cut(word, ":")
	switch {
	case end < 0:
		return "", 0
	case strings.HasPrefix(rest, "[[") && strings.HasPrefix(rest[end:], "]]"):
		return word, end + 2
	case !macro && end+1 < len(rest) && strings.IndexByte("#*_`", rest[end+1]) >= 0:
		return word, end + 1
	case !macro || nameSize(name) != len(name):
		return "", 0
	}
	text = rest[1:end]
	isURL := isAdocScheme(name)
	switch {
	case name == "icon" && icons:
		text = target
	case name == "image", name == "icon", name == "anchor", name == "indexterm":
		text = ""
	case isURL, name == "link", name == "xref", name == mailMacro:
		text, _, _ = strings.Cut(strings.TrimSuffix(text, "^"), ",window=")
		if text == "" && isURL {
			text = word
		} else if text == "" {
			text = target
		}
	}
	return text, end + 1
}
