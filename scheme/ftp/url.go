package ftp

import (
	"fmt"
	"iter"
	"log/slog"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

// URL is a parsed ftp or ftps URL. Its methods return decoded parts; [URL.URL] returns the
// encoded URL. URLs are comparable with ==. The zero URL is invalid.
type URL struct {
	u locus.URL
	// The field name is the offset of the name in the url-path. The field end is the offset of
	// ";type=", or of the end of the url-path.
	name, end uint16
	// typecode is the first letter of the typecode in lower case, or 0 if there is none.
	typecode byte
}

// Parse parses u as an ftp or ftps URL. It accepts characters that the grammar excludes; a
// registry's Check reports them as violations. Parse fails if "//" is missing, or if "?"
// replaces the "/" before the url-path. The error is a [*locus.SyntaxError].
//
// Parse treats ";type=" as a part of the name if the text after it is not a typecode of RFC
// 1738 section 5 or of the URI draft.
func Parse(u locus.URL) (URL, error) {
	if !isFTP(u) || !u.Facts().Has(locus.Internet) {
		name := "ftp"
		if u.Scheme() == "ftps" {
			name = "ftps"
		}
		return URL{}, bnf.Form(u, name, "ftpurl")
	}
	if u.MissingSlash() {
		return URL{}, u.Errorf(u.PathOffset(), "ftpurl", `%w: write "/" before "?"`, locus.ErrForm)
	}
	path, _ := u.Path()
	end, typecode := typeSuffix(path)
	return URL{
		u:        u,
		name:     uint16(strings.LastIndexByte(path[:end], '/') + 1),
		end:      uint16(end),
		typecode: typecode,
	}, nil
}

func isFTP(u locus.URL) bool { return u.Scheme() == "ftp" || u.Scheme() == "ftps" }

// typeSuffix finds ";type=" and a typecode at the end of path. It returns the offset of
// ";type=", and the first letter of the typecode in lower case. If path ends without a
// typecode, it returns len(path) and 0.
func typeSuffix(path string) (int, byte) {
	semicolon := lastTypeWord(path)
	if semicolon < 0 {
		return len(path), 0
	}
	code := path[semicolon+len(typeWord):]
	if !isTypecode(code) && !isDraftTypecode(code) {
		return len(path), 0
	}
	return semicolon, code[0] | 0x20
}

// typeWord is the text before a typecode. Case does not matter, because the grammar follows
// the conventions of RFC 822.
const typeWord = ";type="

// lastTypeWord returns the offset of the last ";" in the last segment of path, if ";type="
// begins at this offset. Otherwise, it returns -1.
func lastTypeWord(path string) int {
	i := len(path) - 1
	for i >= 0 && path[i] != ';' && path[i] != '/' {
		i--
	}
	if i < 0 || len(path)-i < len(typeWord) || !strings.EqualFold(path[i:i+len(typeWord)], typeWord) {
		return -1
	}
	return i
}

// isTypecode matches ftptype = "A" | "I" | "D" | "a" | "i" | "d"
func isTypecode(code string) bool {
	return len(code) == 1 && strings.Contains("aidAID", code)
}

// isDraftTypecode reports whether the URI draft, but not RFC 1738, defines the typecode:
//
//	ftptype = A formcode | E formcode | I | L digits
//
// The draft's prose adopts the format of RFC 959, "except that the space is omitted".
// Therefore, a formcode may be missing, and letters may be in either case. RFC 1738 also
// defines I, and A without a formcode.
func isDraftTypecode(code string) bool {
	if code == "" {
		return false
	}
	rest := code[1:]
	switch code[0] | 0x20 {
	case 'a':
		return len(rest) == 1 && strings.Contains("NTCntc", rest)
	case 'e':
		return rest == "" || len(rest) == 1 && strings.Contains("NTCntc", rest)
	case 'l':
		return rest != "" && octet.All(rest)&octet.Digit != 0
	}
	return false
}

// URL returns the URL from which u was parsed.
func (u URL) URL() locus.URL { return u.u }

// Format writes the URL for every verb, with "***" instead of a password (see
// [github.com/locus-url/locus.Mask]).
func (u URL) Format(s fmt.State, verb rune) { u.u.Format(s, verb) }

// LogValue returns the URL with "***" instead of a password.
func (u URL) LogValue() slog.Value { return slog.StringValue(u.u.Shown()) }

// User returns the decoded user. If the URL contains no user, ok is false. A missing user
// differs from an empty user (RFC 1738 section 3.1).
func (u URL) User() (octets string, ok bool) {
	text, ok := u.u.User()
	return bnf.Decode(text), ok
}

// Password returns the decoded password. If the URL contains no password, ok is false.
func (u URL) Password() (octets string, ok bool) {
	text, ok := u.u.Password()
	return bnf.Decode(text), ok
}

// CWD returns the arguments of the CWD commands in order, including empty arguments (RFC 1738
// section 3.2.2). It never returns nil.
func (u URL) CWD() []string {
	text, ok := strings.CutSuffix(u.fpath()[:u.name], "/")
	if !ok {
		return []string{}
	}
	list := strings.Split(text, "/")
	for i, segment := range list {
		list[i] = bnf.Decode(segment)
	}
	return list
}

// Name returns the decoded text after the last "/" of the url-path, which may be empty.
func (u URL) Name() string { return bnf.Decode(u.fpath()[u.name:]) }

// Typecode returns the typecode 'a', 'i' or 'd' in lower case. If the URL contains none of
// these, Typecode returns 0.
func (u URL) Typecode() byte {
	if u.DraftTypecode() != "" {
		return 0
	}
	return u.typecode
}

// DraftTypecode returns a typecode that only the URI draft defines, in upper case, such as
// "AN" or "L8". If the URL contains no such typecode, DraftTypecode returns "".
func (u URL) DraftTypecode() string {
	if code := u.code(); !isTypecode(code) {
		return strings.ToUpper(code)
	}
	return ""
}

func (u URL) code() string {
	if u.typecode == 0 {
		return ""
	}
	path, _ := u.u.Path()
	return path[int(u.end)+len(typeWord):]
}

// Secure reports whether the scheme is ftps, in which the control connection uses TLS from the
// first byte.
func (u URL) Secure() bool { return u.u.Scheme() == "ftps" }

// fpath returns the url-path without the typecode.
func (u URL) fpath() string {
	path, _ := u.u.Path()
	return path[:u.end]
}

// typeText returns ";type=" and the typecode. If u has no typecode, it returns "".
func (u URL) typeText() string {
	path, _ := u.u.Path()
	return path[u.end:]
}

// Parts holds the decoded parts of a URL.
type Parts struct {
	Scheme   string  // "ftp" or "ftps"; empty means "ftp"
	User     *string // nil if absent
	Password *string // nil if absent; requires a User
	Host     string
	Port     uint16   // port; 0 if absent
	CWD      []string // arguments of CWD commands
	Name     string
	Typecode byte // 'a', 'i' or 'd'; 0 if absent
}

// URL builds a URL from its parts. It fails if a part contains CR, LF or NUL, or if the host
// or typecode is invalid. The error is a [*locus.SyntaxError].
func (p Parts) URL() (URL, error) {
	path := appendPath(nil, p.CWD, p.Name)
	if p.Typecode != 0 {
		path = append(append(path, typeWord...), p.Typecode)
	}
	text := string(path)
	parts := locus.Parts{
		Scheme:   p.Scheme,
		User:     bnf.EncodeUser(p.User),
		Password: bnf.EncodeUser(p.Password),
		Host:     p.Host,
		Port:     p.Port,
		Path:     &text,
	}
	if p.Scheme == "" {
		parts.Scheme = "ftp"
	}
	made, err := parts.URL()
	if err != nil {
		return URL{}, err
	}
	u, err := Parse(made)
	if err != nil {
		return URL{}, err
	}
	if u.Typecode() != p.Typecode && u.Typecode() != p.Typecode|0x20 {
		return URL{}, made.Errorf(made.Len()-1, "ftptype", "%w: the typecode is a, i or d", locus.ErrValue)
	}
	return u, u.sendable()
}

// segmentSet returns the characters that need no escape in a segment of the url-path. RFC 1738
// section 5 allows "?" in a segment, but some programs end the path at a "?".
func segmentSet() escape.Set { return escape.Fsegment().Without("?") }

// appendPath appends directory names and a name to dst, encoded as an fpath (RFC 1738 section
// 5).
func appendPath(dst []byte, cwd []string, name string) []byte {
	for _, segment := range cwd {
		dst = append(escape.AppendEncode(dst, segment, segmentSet()), '/')
	}
	return escape.AppendEncode(dst, name, segmentSet())
}

// sendable returns an error if u contains CR, LF or NUL, because no command can contain these
// octets (RFC 1738 section 6).
func (u URL) sendable() error {
	for fault := range lineFaults(u.u) {
		return fault.Error(u.u)
	}
	return nil
}

// lineFaults yields the sequences of escaped CR, LF and NUL in the parts of u that a client
// sends.
func lineFaults(u locus.URL) iter.Seq[bnf.Fault] {
	user, _ := u.User()
	password, _ := u.Password()
	path, _ := u.Path()
	parts := []struct {
		part, text string
		offset     int
	}{
		{"user", user, len(u.Scheme()) + len("://")},
		{"password", password, u.HostOffset() - len("@") - len(password)},
		{"fsegment", path, u.PathOffset()},
	}
	return func(yield func(bnf.Fault) bool) {
		for _, p := range parts {
			for end := 0; ; {
				start := lineEscape(p.text[end:])
				if start < 0 {
					break
				}
				start += end
				for end = start; isLineEscape(p.text[end:]); {
					end += len("%00")
				}
				if !yield(bnf.Fault{
					Err: locus.ErrValue, Part: p.part, Offset: p.offset + start, Size: end - start,
					Why: "CR, LF and NUL would end a command: this is never sent",
				}) {
					return
				}
			}
		}
	}
}

// lineEscape returns the offset of the first escaped CR, LF or NUL in text, or -1 if there is
// none.
func lineEscape(text string) int {
	for i := 0; ; i++ {
		next := strings.IndexByte(text[i:], '%')
		if next < 0 {
			return -1
		}
		if i += next; isLineEscape(text[i:]) {
			return i
		}
	}
}

// isLineEscape reports whether text begins with an escaped CR, LF or NUL.
func isLineEscape(text string) bool {
	return len(text) > 2 && text[0] == '%' && text[1] == '0' && strings.IndexByte("0aAdD", text[2]) >= 0
}
