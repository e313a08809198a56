package prosperotest

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// Directory maps hsonames to the objects of a server. Hsonames are opaque, and most begin with
// "/". If a requested name is not below any listed name, the server answers with NOT-AUTHORIZED.
type Directory map[string]Object

// Object is a file or a directory.
type Object struct {
	Links []Link // links of a directory, which may be empty; nil means a file

	Data    string    // contents of a file
	ModTime time.Time // zero means the first second of 1994
	Modes   string    // UNIX-MODES; empty means "-rw-r--r--" or "drwxr-xr-x"
	// Methods lists the access methods of a file that follow Prospero's own method. NoContents
	// removes Prospero's own method.
	Methods    []Method
	NoContents bool
	Attributes []Attribute // stored attributes

	Moved *Link         // new address of a moved object, which the server reports in a FORWARDED line; only host, hsoname, version and expiry matter
	Fail  string        // the text after FAILURE for each request: "NOT-AUTHORIZED"
	Wait  time.Duration // announced wait, in whole seconds; the server nevertheless replies immediately
}

// Link is a link in a directory.
type Link struct {
	Name   string
	Union  bool
	Target string // type of the target object; empty means the actual type; NULL shows only the name
	// Host is the host token of another server, in the format of HostToken. An empty Host
	// means this server. An empty HostType means INTERNET-D.
	Host, HostType string
	// HSOName is the hsoname of the target. It is empty for a real file in the directory,
	// whose hsoname consists of the directory's hsoname, "/" and the name. For real files,
	// listings also show the object's attributes.
	HSOName string
	Version int32
	Expires time.Time // DEST-EXP; zero means never

	Methods    []Method    // access methods of an EXTERNAL link, which every listing shows
	ID         string      // "REMOTE 123456"; shown in every listing, with an empty line after it
	Attributes []Attribute // attributes that a listing shows if the client requests attributes
}

// Method contains the tokens of an access method: the method's name, host type, host, name type
// and object name, and further tokens that depend on the method. The link or the object supplies
// the values of empty tokens.
type Method []string

// Attribute is a property of a link or an object.
type Attribute struct {
	AppliesTo string // empty means CACHED for a link, OBJECT for an object
	Nature    string // empty means APPLICATION
	Name      string
	// Only one of Value and Link may be set.
	Value  []string
	Filter []string
	Link   *Link // its Attributes have one more ">"
}

// HostToken returns a host and port in the format of replies, such as "127.0.0.1(33121)".
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

// methods returns all access methods of a file, in the order of the original server.
func (s *Server) methods(o *Object) (list []Method) {
	if !o.NoContents {
		list = append(list, Method{"PROSPERO-CONTENTS", "", "", "", ""})
		if s.o.Local {
			list = append(list, Method{"LOCAL", "", "", "", ""})
		}
	}
	return append(list, o.Methods...)
}

// real reports whether the link stands for a real file in its directory, and is not an added link.
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

// appendLine appends the lines of a listing that describe the link l. The directory dir contains
// the link.
func (s *Server) appendLine(dst []byte, dir string, l *Link, attributes bool) []byte {
	if l.Target == "NULL" {
		return append(dst, "LINK L NULL "+l.Name+" NULL NULL NULL NULL 0\n"...) // the original server quotes nothing in this line
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

// appendAttribute appends the line of the attribute a, with depth ">" signs. If the attribute
// contains a link, appendAttribute also appends the attributes of that link.
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
		dst = append(dst, " FILTER  "...) // the original server writes two spaces
		dst = appendTokens(dst, a.Filter...)
	default:
		if nature != "FIELD" || !untyped(a.Name) {
			dst = append(dst, " SEQUENCE"...)
		}
		dst = appendTokens(append(dst, ' '), a.Value...)
	}
	return append(dst, '\n')
}

// untyped reports whether the server omits the type of the FIELD attribute with the given name.
// According to the documentation, servers omit the type of ID, but the original server writes it.
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
