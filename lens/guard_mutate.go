package lens

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxMutant is the maximum length of a mutator's URLs in octets.
const maxMutant = 160

// mutator generates random URLs. A mutator joins pieces to new URLs, and modifies given URLs.
// The same seed generates the same URLs.
type mutator struct{ random *rand.Rand }

func newMutator(seed uint64) mutator { return mutator{rand.New(rand.NewPCG(seed, 1738))} }

// Pieces of URLs. The hosts are reserved for documentation.
var (
	schemePieces = []string{"http", "https", "ftp", "file", "ws", "HTTP", "foo", "javascript", "url:http", "http:http", ""}
	colonPieces  = []string{":", ":", ":", ":", ":", "::", "", "%3A", ":\t"}
	slashPieces  = []string{"//", "//", "//", "//", "/", "", "///", "////", `\\`, `/\`, `\/`, "%2F%2F", "/\t/"}
	hostPieces   = []string{"a.example", "b.test", "127.0.0.1", "localhost", "[::1]", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "[::ffff:127.0.0.1]", "192.0.2.1", "a", "xn--tda.example", "\u00fc.example", ""}
	portPieces   = []string{":80", ":", ":0", ":65536", ":080", ":x", ":80:81", ":+80", ":81"}
	userPieces   = []string{"user", "user:pw", "a.example", "a.example:80", "", ":", "[", "b.test%2F"}
	pathPieces   = []string{"/", "/x", "/..", "//b.test", `\x`, ";x", "/x/../y", "/%2e%2e/x"}
	tailPieces   = []string{"?x", "#x", "?", "#", "?@b.test", "#@b.test", "?x/y@b.test"}
	oddPieces    = []string{
		"@", ":", "/", `\`, "?", "#", "%", "[", "]", ";", "&", ",", ".", "..", "-", "_", "*", "+", "$", "!", "'", `"`, "<", ">", "{", "}", "|", "^", "`", "~", "=", "(", ")",
		"\t", "\n", "\r", "\x00", " ", "\v", "\x1f", "\x7f", "%2F", "%5C", "%40", "%23", "%3F", "%3A", "%00", "%0A", "%09", "%20", "%25", "%2E", "%61", "%zz", "%", "\x80", "\xff",
		"\u00ad", "\u3002", "\uff0e", "\uff0f", "\uff20", "\uff03", "\uff1a", "\uff1f", "\uff41", "\u2460", "\u00df", "\u03c2", "\u200b", "\u00a0", "\u3000", "\ufeff", "\u2100", "\u0130", "\u212a", "\u2488",
		"@b.test", ":80", "//b.test", "[::1]", "%25eth0", "xn--", "0x", "127.0.0.1", "http:", "//", "\\@", "#@", "?@", ":@", "@@", "/@", ";@",
	}
)

func (m mutator) pick(list []string) string { return list[m.random.IntN(len(list))] }

// oneIn returns true with a probability of 1/n.
func (m mutator) oneIn(n int) bool { return m.random.IntN(n) == 0 }

// newURL generates a new URL. The new URL consists of the parts of a URL in order, with unusual
// pieces at random positions.
func (m mutator) newURL() string {
	parts := []string{m.pick(schemePieces[:2]), ":", "//", "", m.pick(hostPieces), "", m.pick(pathPieces[:2]), ""}
	if m.oneIn(3) {
		parts[0] = m.pick(schemePieces)
	}
	if m.oneIn(4) {
		parts[1] = m.pick(colonPieces)
	}
	if m.oneIn(2) {
		parts[2] = m.pick(slashPieces)
	}
	if m.oneIn(3) {
		parts[3] = m.pick(userPieces) + "@"
	}
	if m.oneIn(3) {
		parts[5] = m.pick(portPieces)
	}
	if m.oneIn(3) {
		parts[6] = m.pick(pathPieces)
	}
	if m.oneIn(3) {
		parts[7] = m.pick(tailPieces)
	}
	for odd := m.random.IntN(4); odd > 0; odd-- {
		at := m.random.IntN(len(parts))
		parts[at] = m.insert(parts[at], m.pick(oddPieces))
	}
	return truncate(strings.Join(parts, ""))
}

// mutate makes one to three changes to url. A change may replace the end of url with the end of
// donor.
func (m mutator) mutate(url, donor string) string {
	url = truncate(url)
	for n := 1 + m.random.IntN(3); n > 0; n-- {
		url = truncate(m.change(url, donor))
	}
	return url
}

func (m mutator) change(url, other string) string {
	if url == "" {
		return m.newURL()
	}
	start, end := m.randomRange(url)
	switch m.random.IntN(9) {
	case 0, 1, 2:
		return m.insert(url, m.pick(oddPieces))
	case 3:
		return url[:start] + url[end:]
	case 4:
		return url[:end] + url[start:]
	case 5:
		return url[:start] + m.pick(oddPieces) + url[end:]
	case 6:
		return url[:start] + percentEncode(url[start:end]) + url[end:]
	case 7:
		return url[:start] + fullwidth(url[start:end]) + url[end:]
	default:
		i := m.randomBoundary(other)
		return url[:start] + other[i:]
	}
}

// insert inserts piece into text at a random position.
func (m mutator) insert(text, piece string) string {
	at := m.randomBoundary(text)
	return text[:at] + piece + text[at:]
}

// randomRange returns the offsets of a random range of text, of one to eight octets. The text
// must not be empty.
func (m mutator) randomRange(text string) (start, end int) {
	start, end = m.randomBoundary(text), m.randomBoundary(text)
	if start > end {
		start, end = end, start
	}
	if start == end {
		start = max(0, start-1)
	}
	end = min(max(end, start+1), start+8, len(text))
	return start, end
}

// randomBoundary returns the offset of a random character of text, or the length of text.
func (m mutator) randomBoundary(text string) int {
	at := m.random.IntN(len(text) + 1)
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// truncate truncates text to maxMutant octets.
func truncate(text string) string {
	if len(text) <= maxMutant {
		return text
	}
	end := maxMutant
	for end > maxMutant-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// percentEncode returns an escape for each octet.
func percentEncode(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, "%%%02X", text[i])
	}
	return b.String()
}

// fullwidth replaces each character with its full-width form (U+FF01 to U+FF5E), if that form
// exists.
func fullwidth(text string) string {
	if !utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r > ' ' && r <= '~' {
			return r - '!' + '\uff01'
		}
		return r
	}, text)
}

// splitUnits splits text into its characters. Each octet that is not valid UTF-8 becomes a unit
// of its own.
func splitUnits(text string) []string {
	var list []string
	for text != "" {
		_, size := utf8.DecodeRuneInString(text)
		list = append(list, text[:size])
		text = text[size:]
	}
	return list
}

// minimize removes as many characters as possible from url. stillDiffer must report for each URL
// whether the parsers differ in the same way as for url. minimize calls stillDiffer with batches
// of URLs, because a parser may be a process. If any character is removed from the result, the
// parsers no longer differ in this way. After an error, minimize returns the shortest URL so far.
func minimize(url string, stillDiffer func(urls []string) ([]bool, error)) (string, error) {
	parts := splitUnits(url)
	for size := max(1, len(parts)/2); size >= 1; {
		shorter, ok, err := shorten(parts, size, stillDiffer)
		if err != nil {
			return strings.Join(parts, ""), err
		}
		if !ok {
			size /= 2
			continue
		}
		parts = shorter
		size = min(size, max(1, len(parts)/2))
	}
	return strings.Join(parts, ""), nil
}

// shorten removes one run of size elements from parts that the difference does not need. If
// every such run is necessary, ok is false.
func shorten(parts []string, size int, stillDiffer func([]string) ([]bool, error)) (shorter []string, ok bool, err error) {
	var lists [][]string
	var urls []string
	for start := 0; start+size <= len(parts); start++ {
		rest := slices.Concat(parts[:start], parts[start+size:])
		lists = append(lists, rest)
		urls = append(urls, strings.Join(rest, ""))
	}
	if len(urls) == 0 {
		return nil, false, nil
	}
	kept, err := stillDiffer(urls)
	if err != nil {
		return nil, false, err
	}
	// Try the end first, because the rest of a URL matters less than its beginning.
	for i := len(kept) - 1; i >= 0; i-- {
		if kept[i] {
			return lists[i], true, nil
		}
	}
	return nil, false, nil
}
