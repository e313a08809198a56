package prosperotest

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// Directory maps hsonames to the objects of a server. Hsonames are opaque; most begin
// with "/". The server answers a request for a name without a listed prefix with
// NOT-AUTHORIZED.
type Directory map[string]Object

// Object is a file or a directory.
type Object struct {
	Links []Link // of a directory, possibly empty; nil means a file

	Data    string    // CONTENTS of a file
	ModTime time.Time // zero means the first second of 1994
	Modes   string    // UNIX-MODES; empty means "-rw-r--r--" or "drwxr-xr-x"
	// Methods are the access methods of a file after Prospero's own method.
	// NoContents removes Prospero's own.
	Methods    []Method
	NoContents bool
	Attributes []Attribute // stored attributes

	Moved *Link         // its new address, reported with FORWARDED, host, hsoname, version and expiry
	Fail  string        // the text after FAILURE for each request: "NOT-AUTHORIZED"
	Wait  time.Duration // the wait announced before the immediate reply, in whole seconds
}

// Link is one link of a directory.
type Link struct {
	Name   string
	Union  bool
	Target string // type of its object; empty means the actual type; NULL shows only the name
	// Host is the host token of another server, in the format of HostToken. If
	// empty, it is this server. If HostType is empty, it is INTERNET-D.
	Host, HostType string
	// HSOName is empty for a real file of the directory: its hsoname is the hsoname
	// of the directory, "/" and the name, and listings show its object's
	// attributes.
	HSOName string
	Version int32
	Expires time.Time // DEST-EXP; zero means never

	Methods    []Method    // of an EXTERNAL link; shown in every listing
	ID         string      // "REMOTE 123456"; shown in every listing, with an empty line after it
	Attributes []Attribute // shown if the client requests attributes
}

// Method is an access method: its name, host type, host, name type and name, and its
// own tokens. The link or the object supplies the empty tokens.
type Method []string

// Attribute is a property of a link or an object.
type Attribute struct {
	AppliesTo string // empty means CACHED for a link, OBJECT for an object
	Nature    string // empty means APPLICATION
	Name      string
	// Value and Link are alternatives.
	Value  []string
	Filter []string
	Link   *Link // its Attributes have one more ">"
}

// HostToken writes host and port in the format of replies, such as "127.0.0.1(33121)".
func HostToken(addr string) string {
	i := strings.LastIndexByte(addr, ':')
	if i < 0 {
		return addr
	}
	return addr[:i] + "(" + addr[i+1:] + ")"
}

func (o *Object) isDirectory() bool { return o.Links != nil }

// size returns the length of a file. For a directory it returns the size of one disk block.
func (o *Object) size() int {
	if o.isDirectory() {
		return 4096
	}
	return len(o.Data)
}

func (o *Object) modes() string {
	switch {
	case o.Modes != "":
		return o.Modes
	case o.isDirectory():
		return "drwxr-xr-x"
	default:
		return "-rw-r--r--"
	}
}

func intrinsic(name string, value ...string) Attribute {
	return Attribute{Nature: "INTRINSIC", Name: name, Value: value}
}

// intrinsic returns the attributes that the server computes.
func (o *Object) intrinsic() []Attribute {
	return []Attribute{
		intrinsic("SIZE", strconv.Itoa(o.size())+" bytes"),
		intrinsic("NATIVE-OWNER", "root"),
		intrinsic("NATIVE-GROUP", "root"),
		intrinsic("LAST-MODIFIED", timestamp(o.ModTime)),
		intrinsic("UNIX-MODES", o.modes()),
	}
}

// methods returns all access methods of a file, in the measured server's order.
func (s *Server) methods(o *Object) (list []Method) {
	if !o.NoContents {
		list = append(list, Method{"PROSPERO-CONTENTS", "", "", "", ""})
		if s.o.Local {
			list = append(list, Method{"LOCAL", "", "", "", ""})
		}
	}
	return append(list, o.Methods...)
}

// real reports whether l is a file of its directory and not an added link.
func (l *Link) real() bool { return l.Host == "" && l.HSOName == "" && l.Target == "" }

// hsoname returns the hsoname of the link's target. The directory dir contains the link.
func (l *Link) hsoname(dir string) string {
	if l.real() {
		return dir + "/" + l.Name
	}
	return l.HSOName
}

// here returns the object to which the link l points. The directory dir contains the link.
// If the object is missing or on another server, here returns nil.
func (s *Server) here(dir string, l *Link) *Object {
	if l.Host != "" || l.Target == "NULL" {
		return nil
	}
	return s.object(l.hsoname(dir))
}

func (s *Server) object(hsoname string) *Object {
	if o, ok := s.objects[hsoname]; ok {
		return &o
	}
	return nil
}

// inReach reports whether hsoname, or a parent directory in it, is the name of an object.
func (s *Server) inReach(hsoname string) bool {
	for name := hsoname; name != ""; {
		if _, ok := s.objects[name]; ok {
			return true
		}
		name = name[:max(strings.LastIndexByte(name, '/'), 0)]
	}
	return false
}

func (s *Server) target(dir string, l *Link) string {
	o := s.here(dir, l)
	switch {
	case l.Target != "":
		return l.Target
	case o != nil && o.isDirectory():
		return "DIRECTORY"
	case l.Methods != nil:
		return "EXTERNAL"
	default:
		return "FILE"
	}
}

func (l *Link) letter() string {
	if l.Union {
		return "U"
	}
	return "L"
}

func (s *Server) appendLink(dst []byte, dir string, l *Link) []byte {
	dst = appendTokens(dst, l.letter(), s.target(dir, l), l.Name)
	dst = append(dst, ' ')
	return s.appendTarget(dst, dir, l)
}

func (s *Server) appendTarget(dst []byte, dir string, l *Link) []byte {
	dst = appendTokens(dst, cmp.Or(l.HostType, "INTERNET-D"), cmp.Or(l.Host, s.host), "ASCII", l.hsoname(dir), strconv.Itoa(int(l.Version)))
	if !l.Expires.IsZero() {
		dst = appendTokens(append(dst, ' '), "DEST-EXP", timestamp(l.Expires))
	}
	return dst
}

// appendLine appends the lines that describe the link l. The directory dir contains the
// link.
func (s *Server) appendLine(dst []byte, dir string, l *Link, attributes bool) []byte {
	if l.Target == "NULL" {
		return append(dst, "LINK L NULL "+l.Name+" NULL NULL NULL NULL 0\n"...) // the measured server quotes nothing in this line
	}
	dst = append(dst, "LINK  "...)
	dst = append(s.appendLink(dst, dir, l), '\n')
	for _, m := range l.Methods {
		dst = s.appendAttribute(dst, 0, &Attribute{AppliesTo: "CACHED", Nature: "FIELD", Name: "ACCESS-METHOD", Value: m})
	}
	if l.ID != "" {
		value := strings.Fields(l.ID)
		dst = append(s.appendAttribute(dst, 0, &Attribute{AppliesTo: "LINK", Nature: "FIELD", Name: "ID", Value: value}), '\n')
	}
	if !attributes {
		return dst
	}
	for i := range l.Attributes {
		dst = s.appendAttribute(dst, 0, l.Attributes[i].of("CACHED"))
	}
	if o := s.here(dir, l); o != nil && l.real() {
		dst = s.appendInfo(dst, o, nil)
	}
	return dst
}

func (a Attribute) of(appliesTo string) *Attribute {
	a.AppliesTo = cmp.Or(a.AppliesTo, appliesTo)
	return &a
}

// appendAttribute appends the line of the attribute a, with depth ">" signs. If a contains
// a link, it also appends the attributes of that link.
func (s *Server) appendAttribute(dst []byte, depth int, a *Attribute) []byte {
	nature := cmp.Or(a.Nature, "APPLICATION")
	dst = append(dst, "ATTRIBUTE"+strings.Repeat(">", depth)+" "...)
	dst = appendTokens(dst, a.AppliesTo, nature, a.Name)
	switch {
	case a.Link != nil:
		dst = append(dst, " LINK "...)
		dst = append(s.appendLink(dst, "", a.Link), '\n')
		for i := range a.Link.Attributes {
			dst = s.appendAttribute(dst, depth+1, a.Link.Attributes[i].of("CACHED"))
		}
		return dst
	case a.Filter != nil:
		dst = append(dst, " FILTER  "...) // the measured server writes two spaces
		dst = appendTokens(dst, a.Filter...)
	default:
		if nature != "FIELD" || !untyped(a.Name) {
			dst = append(dst, " SEQUENCE"...)
		}
		dst = appendTokens(append(dst, ' '), a.Value...)
	}
	return append(dst, '\n')
}

// untyped reports whether the server omits the type of the FIELD attribute with the given
// name. The documents say that servers omit the type of ID, but the measured server writes
// it.
func untyped(name string) bool {
	switch name {
	case "ACCESS-METHOD", "BASE-TYPE", "DEST-EXP", "HOST", "HOST-TYPE", "HSONAME", "HSONAME-TYPE",
		"LINK-TYPE", "NAME-COMPONENT", "OWNER", "TARGET", "TTL", "VERSION":
		return true
	}
	return false
}

func timestamp(t time.Time) string {
	if t.IsZero() {
		t = time.Date(1994, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return t.UTC().Format("20060102150405Z")
}
