package ftp

import (
	"iter"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

// URL is a URL of the ftp scheme, or of ftps, which differs in transport alone. It
// is comparable; the zero URL is none. Accessors decode; what was written is in
// the [locus.URL] that [URL.URL] gives.
type URL struct {
	u locus.URL
	// Within the url-path: where the name begins, and where the ";type=" does, or
	// the end.
	name, end uint16
	// typecode is 0, or the first letter of the typecode in lower case.
	typecode byte
}

// Parse reads u as a URL of the ftp scheme. It is lenient about characters, which
// Check judges, and strict about form: without "//", or with "?" in place of the
// "/" before the url-path, the error is a [*locus.SyntaxError].
//
// A ";type=" that is not at the end, or that neither section 5 nor the URI draft
// knows a code for, is part of the name it stands in.
func Parse(u locus.URL) (URL, error) {
	name := "ftp"
	if u.Scheme() == "ftps" {
		name = "ftps"
	}
	if err := bnf.Form(u, name, "ftpurl"); err != nil {
		return URL{}, err
	}
	if u.MissingSlash() {
		return URL{}, u.Errorf(u.PathOffset(), "ftpurl", `%w: "/" must stand before "?"`, locus.ErrForm)
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

// typeSuffix returns where the ";type=" and its code begin at the end of path,
// and the first letter of the code in lower case; or the length of path, and 0.
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

// typeWord stands before a typecode. In the grammar, which has the conventions
// of RFC 822, it may be written in either case.
const typeWord = ";type="

// lastTypeWord returns where the last ";" of path is, if ";type=" begins there
// and path goes on for no further segment, else -1.
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

// isTypecode: ftptype = "A" | "I" | "D" | "a" | "i" | "d"
func isTypecode(code string) bool {
	return len(code) == 1 && strings.Contains("aidAID", code)
}

// isDraftTypecode judges the codes of the URI draft that RFC 1738 has not:
//
//	ftptype = A formcode | E formcode | I | L digits
//
// The draft's prose takes the format from RFC 959, "except that the space is
// omitted", so a form may be missing and letters may be in either case. A alone
// and I are RFC 1738's too.
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

// URL returns what u was made of: Parse(x.URL()) == x.
func (u URL) URL() locus.URL { return u.u }

// User returns the user's name. ok reports whether there is one, perhaps empty
// (section 3.1 tells the two apart).
func (u URL) User() (octets string, ok bool) {
	text, ok := u.u.User()
	return bnf.Decode(text), ok
}

// Password returns the password. ok reports whether there is one, perhaps empty.
func (u URL) Password() (octets string, ok bool) {
	text, ok := u.u.Password()
	return bnf.Decode(text), ok
}

// CWD returns the arguments of the CWD commands in their order, the empty ones
// too (section 3.2.2). It is never nil.
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

// Name returns the name: what stands behind the last "/", perhaps nothing.
func (u URL) Name() string { return bnf.Decode(u.fpath()[u.name:]) }

// Typecode returns 'a', 'i' or 'd', whatever case it is written in, or 0 if there
// is none of these.
func (u URL) Typecode() byte {
	if u.DraftTypecode() != "" {
		return 0
	}
	return u.typecode
}

// DraftTypecode returns a typecode that only the URI draft has, in upper case:
// "AN", "L8". It is empty if there is none.
func (u URL) DraftTypecode() string {
	if code := u.code(); !isTypecode(code) {
		return strings.ToUpper(code)
	}
	return ""
}

// code is the typecode as it is written; empty: there is none.
func (u URL) code() string {
	if u.typecode == 0 {
		return ""
	}
	path, _ := u.u.Path()
	return path[int(u.end)+len(typeWord):]
}

// Secure reports whether the scheme is ftps: TLS from the first octet on.
func (u URL) Secure() bool { return u.u.Scheme() == "ftps" }

// fpath is the url-path without its typecode.
func (u URL) fpath() string {
	path, _ := u.u.Path()
	return path[:u.end]
}

// Parts are the parts of a URL to be made, decoded: octets, not URL text.
type Parts struct {
	Scheme   string  // "ftp" if empty; or "ftps"
	User     *string // nil: absent
	Password *string // nil: absent; only with a User
	Host     string
	Port     uint16   // 0: absent
	CWD      []string // arguments of CWD commands
	Name     string
	Typecode byte // 'a', 'i', 'd', or 0 for none
}

// URL makes the URL, encoding each part for its production. The error is a
// [*locus.SyntaxError]: a part holds CR, LF or NUL, which can't be sent, or the
// host or typecode is none.
func (p Parts) URL() (URL, error) {
	path := AppendPath(nil, p.CWD, p.Name)
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
		return URL{}, made.Errorf(made.Len()-1, "ftptype", "%w: a, i or d", locus.ErrValue)
	}
	return u, u.sendable()
}

// segmentSet is what is left as it is in a cwd and a name. A "?" could stay, says
// section 5, but there are programs that cut the path there.
func segmentSet() escape.Set { return escape.Fsegment().Without("?") }

// AppendPath appends the fpath of section 5 that stands for the given cwds and
// name, each encoded.
func AppendPath(dst []byte, cwd []string, name string) []byte {
	for _, segment := range cwd {
		dst = append(escape.AppendEncode(dst, segment, segmentSet()), '/')
	}
	return escape.AppendEncode(dst, name, segmentSet())
}

// sendable refuses what can't be in a command (section 6).
func (u URL) sendable() error {
	for fault := range lineFaults(u.u) {
		return fault.Error(u.u)
	}
	return nil
}

// lineFaults are the escapes of CR, LF and NUL, run by run, in what of u is sent.
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
					Why: "CR, LF and NUL end a command, or are read as something else: this is never sent",
				}) {
					return
				}
			}
		}
	}
}

// lineEscape returns the place of the first escape in text that stands for CR,
// LF or NUL, or -1.
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

// isLineEscape reports whether text begins with an escape that stands for CR, LF
// or NUL.
func isLineEscape(text string) bool {
	return len(text) > 2 && text[0] == '%' && text[1] == '0' && strings.IndexByte("0aAdD", text[2]) >= 0
}
