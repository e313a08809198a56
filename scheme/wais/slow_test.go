package wais

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

// These regular expressions express the production waisurl of RFC 1738 section 5.
const (
	database     = "(?:" + bnftest.Uchar + ")*"
	wtype        = "(?:" + bnftest.Uchar + ")*"
	wpath        = "(?:" + bnftest.Uchar + ")*"
	search       = "(?:" + bnftest.Uchar + "|[;:@&=])*"
	waisdatabase = "wais://" + bnftest.HostPort + "/" + database
	waisindex    = "wais://" + bnftest.HostPort + "/" + database + `\?` + search
	waisdoc      = "wais://" + bnftest.HostPort + "/" + database + "/" + wtype + "/" + wpath
	waisurl      = waisdatabase + "|" + waisindex + "|" + waisdoc
)

var invariants = bnftest.Invariants{
	Scheme:    Scheme(nil),
	Reference: bnftest.Production(waisurl),
	Parse:     bnftest.Parser(Parse),
	Thorough:  check,
}

var seeds = []string{
	"wais://quake.think.com/wais-discussion-archives?lynch", "wais://h.dom/db", "wais://h:210/db", "wais://10.0.0.1:2100/%2Fwais%2Fdb",
	"wais://h/db?two+wor%64s", "wais://h/db?a;b:c@d&e=f", "wais://h/db/TEXT/1%3Dhost%3B3%3D0%20206%20%2Fa%3B7%3D%00%3B", "wais://h/db/GIF/%01%04host",
	"wais://h/db/TEXT/1=h;2=db;3=0%200%20/a/b;7=%00;", "wais://h/db/TEXT/206/1=h%3A1;3=a=b%3B", "wais://h/db/TEXT/%31=a;128=b;",
	"wais://h/db/TEXT/1%3Da;2=b%3B", "wais://h/db/TEXT/", "wais:h/db",
}

func TestAgainstProduction(t *testing.T) { invariants.Random(t, 25000, seeds) }

// These regular expressions match an encoded wpath. They are part of slowRead.
const (
	digits = `(?:[0-9]|%3[0-9])+`
	list   = `(?:` + digits + `=[^;]*(?:;|$))+`
)

var (
	isLength  = regexp.MustCompile(`^` + digits + `/` + list + `$`).MatchString
	isFields  = regexp.MustCompile(`^` + list + `$`).MatchString
	isDecoded = regexp.MustCompile(`^(?:[0-9]+=[^;]*(?:;|$))+$`).MatchString
)

// slowRead is a simple reference implementation of readWpath. It returns the form of a wpath
// and its fields, and reports whether they are valid.
func slowRead(wpath string) (form Form, fields []Field, ok bool) {
	decoded, _ := escape.Decode(wpath)
	switch {
	case isLength(wpath):
		_, fieldText, _ := strings.Cut(wpath, "/")
		fields = slowFields(fieldText, true)
		length, _, _ := strings.Cut(decoded, "/")
		n, err := strconv.ParseInt(length, 10, 64)
		return LengthForm, fields, err == nil && n != 1<<63-1 && slowIsValid(fields)
	case isFields(wpath):
		fields = slowFields(wpath, true)
		return FieldsForm, fields, slowIsValid(fields)
	case isDecoded(decoded) && slowIsValid(slowFields(decoded, false)):
		return EscapedForm, slowFields(decoded, false), true
	}
	return OpaqueForm, nil, true
}

func slowFields(text string, encoded bool) []Field {
	var fields []Field
	for _, item := range strings.Split(strings.TrimSuffix(text, ";"), ";") {
		number, content, _ := strings.Cut(item, "=")
		if encoded {
			number, _ = escape.Decode(number)
			content, _ = escape.Decode(content)
		}
		n, _ := strconv.Atoi(number)
		fields = append(fields, Field{n, content})
	}
	return fields
}

func slowIsValid(fields []Field) bool {
	return len(fields) <= 16 && !slices.ContainsFunc(fields, func(f Field) bool { return f.Number < 1 || f.Number > 127 })
}
