package gopher

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

// ErrNoRequest is the error of [URL.AppendRequest] for a search without words, and for items
// that no Gopher request can fetch.
var ErrNoRequest = errors.New("no request can be sent")

// AppendRequest appends the request for g to dst (RFC 1738 sections 3.4.1 to 3.4.9). The
// request consists of the selector, the search and the Gopher+ string, with TABs as
// separators, and ends with CR LF.
//
// Before a Gopher+ command, AppendRequest omits an empty search together with its TAB, unless
// the type is 7, as section 3.4.9 and the Gopher+ specification require. The Gopher+ string
// "?" requests the item's form. The form is one of the item's attributes, so AppendRequest
// sends "!" instead (section 3.4.5). After a filled-in form, no CR LF follows, because the
// form has its own end.
//
// The error is a [*locus.SyntaxError] that wraps [ErrNoRequest], or [locus.ErrValue] if a
// request cannot contain an octet. If AppendRequest fails, it returns dst unchanged.
func (g URL) AppendRequest(dst []byte) ([]byte, error) { return g.appendRequest(dst, false) }

// appendRequest implements AppendRequest. If literal is true, it sends the TAB for an empty
// search, as RFC 1738 section 3.4.3 requires. A filled-in form is an exception, because
// section 3.4.9 defines the whole request.
func (g URL) appendRequest(dst []byte, literal bool) ([]byte, error) {
	for x := range split(g.url).faults {
		return dst, x.Error(g.url)
	}
	if why := g.noRequest(); why != "" {
		return dst, fmt.Errorf("gopher: %s: %w: %s", locus.Quote(g.url.Shown()), ErrNoRequest, why)
	}
	dst = append(dst, g.selector...)
	if g.hasSearch && !g.dropsSearch(literal) {
		dst = append(append(dst, '\t'), g.search...)
	}
	if g.hasPlus {
		plus := g.plus
		if plus == "?" {
			plus = "!"
		}
		dst = append(append(dst, '\t'), plus...)
	}
	if g.isForm() && (!endsByDot(g.plus) || strings.HasSuffix(g.plus, "\r\n")) {
		return dst, nil
	}
	return append(dst, "\r\n"...), nil
}

// dropsSearch reports whether the request omits an empty search field. This is safe only
// before a Gopher+ command, because servers would interpret any other text as a search.
func (g URL) dropsSearch(literal bool) bool {
	if !g.hasPlus || g.search != "" || g.gtype == TypeSearch {
		return false
	}
	if g.isForm() {
		return true
	}
	return !literal && g.plus != "" && (strings.IndexByte("+!$", g.plus[0]) >= 0 || g.plus == "?")
}

// noRequest returns the reason why no Gopher request can fetch the item, or "" if a request
// can. A client can request the attributes of any item.
func (g URL) noRequest() string {
	if g.hasPlus {
		return ""
	}
	switch g.gtype {
	case TypeSearch:
		if !g.hasSearch {
			return "type 7 is a search: write %09 and the words after the selector"
		}
	case TypePhone:
		return "type 2 is a phone book, which has its own protocol"
	case TypeTelnet, TypeTN3270:
		return "the type is an interactive session"
	case TypeHTML:
		if g.isLink() {
			return "the selector is another URL"
		}
	}
	return ""
}

// Redirect returns the URL of an item that no Gopher request can fetch. For types 8 and T, the
// result is a telnet or tn3270 URL with the selector as the user. For a selector of type h
// that begins with "URL:", it is the URL after this prefix. For any other item, ok is false.
// The error is a [*locus.SyntaxError].
func (g URL) Redirect() (to locus.URL, ok bool, err error) {
	isLink := g.isLink()
	if !isLink && (g.hasPlus || g.gtype != TypeTelnet && g.gtype != TypeTN3270) {
		return locus.URL{}, false, nil
	}
	port, _ := g.url.Port()
	to, err = menuLine{Type: g.gtype, Selector: g.selector, Port: cmp.Or(port, telnetPort)}.URL(g)
	if err != nil {
		what := ""
		if isLink {
			what = "invalid URL after URL:: "
		}
		return locus.URL{}, false, g.url.Errorf(split(g.url).selectorOffset(), "selector", "%w: %s%w", locus.ErrValue, what, err)
	}
	return to, true, nil
}

func (g URL) isLink() bool {
	_, ok := cutLink(g.selector)
	return ok && g.gtype == TypeHTML && !g.hasSearch
}

// faults yields the octets that a request cannot contain, in order of offset. It yields all
// such octets in the selector and search, but only the first in the Gopher+ string.
func (w written) faults(yield func(bnf.Fault) bool) {
	if !fieldFaults("selector", w.selectorOffset(), w.selector, yield) || !fieldFaults("search", w.searchOffset(), w.search, yield) {
		return
	}
	var buf [256]byte // only a filled-in form is longer
	plus, _ := escape.AppendDecode(buf[:0], w.plus)
	if i, why := plusFault(plus); i >= 0 {
		i = bnf.OctetOffset(w.plus, i)
		yield(bnf.Fault{Err: locus.ErrValue, Part: "gopher+_string", Offset: w.plusOffset() + i, Size: len(w.plus) - i, Why: why})
	}
}

// fieldFaults yields the octets in text that would end a field of a request. A URL can contain
// such octets only as escapes. The argument offset is the offset of text in the URL. The
// result reports whether the caller should continue.
func fieldFaults(part string, offset int, text string, yield func(bnf.Fault) bool) bool {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '%')
		if i < 0 {
			return true
		}
		at += i
		if o, size := bnf.Octet(text, at); endsField(o) {
			x := bnf.Fault{Err: locus.ErrValue, Part: part, Offset: offset + at, Size: size, Why: text[at:at+size] + whyEndsField}
			if !yield(x) {
				return false
			}
		}
		at += len("%00")
	}
}

const whyEndsField = " can't be sent: CR and LF end a request, a TAB ends a field, and many servers stop reading at a NUL"

// endsField reports whether the octet o would end a field of a request, so that a field cannot
// contain it (UNASCII in the appendix of RFC 1436).
func endsField(o byte) bool { return o == '\t' || o == '\r' || o == '\n' || o == 0 }

// isForm reports whether a valid Gopher+ string is a filled-in form.
func (g URL) isForm() bool { return strings.Contains(g.plus, formStart) }

const (
	formStart = "\t1\r\n" // text before the data block of a form
	noForm    = "\t0"     // flag that means that no data block follows
)

func endsByDot(form string) bool {
	_, data, _ := strings.Cut(form, formStart)
	return strings.HasPrefix(data, "+-1\r\n")
}

// plusFault returns the index of the first octet in a Gopher+ string that a request cannot
// contain, and the reason. If there is no such octet, it returns -1. TAB, CR, LF and NUL are
// valid only in a filled-in form:
//
//	+[view[ language]] TAB 1 CR LF header CR LF body
//
// If the header is +-1, the body consists of lines, and the last line is ".". If the header is
// +-2, the body extends to the end of the string. If the header is +n, the body has n octets.
// A TAB is also valid in a final "TAB 0", which means that no data block follows.
func plusFault(plus []byte) (at int, why string) {
	at = bytes.IndexAny(plus, "\t\r\n\x00")
	if at < 0 || plus[0] == '+' && string(plus[at:]) == noForm {
		return -1, ""
	}
	if plus[0] != '+' || !bytes.HasPrefix(plus[at:], []byte(formStart)) {
		return at, "TAB, CR, LF and NUL are only valid in a form: + and view, %091%0D%0A, +-1%0D%0A, answers, .%0D%0A"
	}
	at += len(formStart)
	end := bytes.Index(plus[at:], []byte("\r\n"))
	if end < 0 {
		return at, whyHeader
	}
	header, body := plus[at:at+end], plus[at+end+2:]
	bodyAt := at + end + 2
	switch string(header) {
	case "+-1":
		if i, why := linesFault(body); i >= 0 {
			return bodyAt + i, why
		}
		return -1, ""
	case "+-2":
		return -1, ""
	}
	if !isCount(header, len(body)) {
		return at, whyHeader
	}
	return -1, ""
}

const whyHeader = "the data of a form must begin with a line +-1, +-2, or + and its length"

func isCount(header []byte, n int) bool {
	digits, ok := bytes.CutPrefix(header, []byte("+"))
	if !ok || len(digits) == 0 || digits[0] == '+' || digits[0] == '-' {
		return false
	}
	count, err := strconv.Atoi(string(digits))
	return err == nil && count == n
}

// linesFault checks the lines in the body of a form, and returns the same results as
// plusFault. The last line must be "."; the CR LF after it may be missing.
func linesFault(body []byte) (at int, why string) {
	for {
		line, rest, more := bytes.Cut(body[at:], []byte("\r\n"))
		switch i := bytes.IndexAny(line, "\r\n\x00"); {
		case i >= 0:
			return at + i, "an answer can't contain CR, LF or NUL"
		case string(line) == "." && len(rest) > 0:
			return at + len(".\r\n"), "nothing can follow the lone dot line"
		case string(line) == ".":
			return -1, ""
		case !more:
			return len(body), "the answers of a form must end with a line that is only a dot"
		}
		at += len(line) + 2
	}
}
