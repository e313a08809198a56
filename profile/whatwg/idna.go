package whatwg

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/idna"
	"golang.org/x/text/secure/bidirule"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// tableText contains a line for each range of characters. A line holds the first character and
// the number of characters in hexadecimal, followed by the status and the mapping of these
// characters. The program maketable.go writes this file.
//
//go:embed table.txt
var tableText string

// charRange is a range of characters with the same entry in the table of UTS 46.
type charRange struct {
	first, end rune
	status     byte // 'v' valid, 'm' a valid mark, 'n' a valid virama, 'p' mapped, 'i' ignored
	join       byte // joining type: 'L', 'R', 'D', 'T' or 0
	mapped     string
}

var uts46 = sync.OnceValue(func() (list []charRange) {
	for line := range strings.Lines(tableText) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		first, _ := strconv.ParseInt(f[0], 16, 32)
		count, _ := strconv.ParseInt(f[1], 16, 32)
		c := charRange{first: rune(first), end: rune(first + count), status: f[2][0]}
		if len(f[2]) > 1 {
			c.join = f[2][1]
		}
		if len(f) > 3 {
			for code := range strings.SplitSeq(strings.TrimSuffix(f[3], ","), ",") {
				r, _ := strconv.ParseInt(code, 16, 32)
				c.mapped += string(rune(r))
			}
		}
		list = append(list, c)
	}
	return list
})

// lookup returns the entry of r. The status of a disallowed character is 0.
func lookup(r rune) charRange {
	if r < 0x80 {
		return charRange{status: 'v'}
	}
	list := uts46()
	i, found := slices.BinarySearchFunc(list, r, func(c charRange, r rune) int {
		switch {
		case c.end <= r:
			return -1
		case c.first > r:
			return 1
		}
		return 0
	})
	if !found {
		return charRange{}
	}
	return list[i]
}

// toASCII implements the algorithm "domain to ASCII" (section 3.3) for a domain that is not
// ASCII. The algorithm is Unicode ToASCII of UTS 46 with CheckBidi and CheckJoiners, but
// without CheckHyphens, UseSTD3ASCIIRules and VerifyDnsLength.
func toASCII(domain string) (string, bool) {
	var mapped strings.Builder
	for _, r := range domain {
		switch c := lookup(r); {
		case 'A' <= r && r <= 'Z':
			mapped.WriteRune(r + 'a' - 'A')
		case c.status == 'p':
			mapped.WriteString(c.mapped)
		case c.status == 'i':
		default: // isValidLabel rejects disallowed characters later
			mapped.WriteRune(r)
		}
	}
	labels := strings.Split(norm.NFC.String(mapped.String()), ".")
	isBidi := false
	for i, label := range labels {
		if encoded, ok := strings.CutPrefix(label, "xn--"); ok {
			decoded, err := idna.Punycode.ToUnicode(label)
			if err != nil || encoded == "" || !isASCII(label) || isASCII(decoded) || !norm.NFC.IsNormalString(decoded) {
				return "", false
			}
			labels[i] = decoded
		}
		if !isValidLabel(labels[i]) {
			return "", false
		}
		isBidi = isBidi || hasRightToLeft(labels[i])
	}
	for i, label := range labels {
		if isBidi && label != "" && !bidirule.ValidString(label) {
			return "", false
		}
		if !isASCII(label) {
			encoded, err := idna.Punycode.ToASCII(label)
			if err != nil {
				return "", false
			}
			labels[i] = encoded
		}
	}
	ascii := strings.Join(labels, ".")
	return ascii, ascii != ""
}

// hasRightToLeft reports whether a label makes its domain a Bidi domain name (RFC 5893).
func hasRightToLeft(label string) bool {
	for _, r := range label {
		p, _ := bidi.LookupRune(r)
		if c := p.Class(); c == bidi.R || c == bidi.AL || c == bidi.AN {
			return true
		}
	}
	return false
}

// isValidLabel applies the validity criteria of UTS 46 section 4.1 to a normalized label.
// isValidLabel does not check the Bidi rule.
func isValidLabel(label string) bool {
	runes := []rune(label)
	for i, r := range runes {
		c := lookup(r)
		if c.status != 'v' && (c.status != 'm' && c.status != 'n' || i == 0) || 'A' <= r && r <= 'Z' {
			return false
		}
		if (r == 0x200C || r == 0x200D) && !isJoined(runes, i) {
			return false
		}
	}
	return true
}

// isJoined applies the ContextJ rules (RFC 5892 appendix A.1 and A.2) to the joiner with the
// index i.
func isJoined(label []rune, i int) bool {
	if i == 0 {
		return false
	}
	if lookup(label[i-1]).status == 'n' {
		return true
	}
	if label[i] == 0x200D {
		return false
	}
	before, after := i-1, i+1
	for before >= 0 && lookup(label[before]).join == 'T' {
		before--
	}
	for after < len(label) && lookup(label[after]).join == 'T' {
		after++
	}
	if before < 0 || after == len(label) {
		return false
	}
	l, r := lookup(label[before]).join, lookup(label[after]).join
	return (l == 'L' || l == 'D') && (r == 'R' || r == 'D')
}
