package prosperotest

import (
	"strconv"
	"strings"
	"time"
)

// Directory is the objects that a server has, by their hsonames: opaque names, of
// which most begin with "/". What no name of it is a beginning of is out of reach:
// NOT-AUTHORIZED.
type Directory map[string]Object

// Object is a file, or a directory of links.
type Object struct {
	// Links make it a directory, an empty one if there are none; nil: a file.
	Links []Link

	Data    string    // of a file: what CONTENTS holds
	ModTime time.Time // zero: the first second of 1994
	Modes   string    // UNIX-MODES; empty: "-rw-r--r--", "drwxr-xr-x"
	// Methods are the ways to the octets of a file besides Prospero's own, which
	// comes first unless NoContents says that there is none.
	Methods    []Method
	NoContents bool
	// Attributes are stored with it.
	Attributes []Attribute
	// Unstored is a file of which the server keeps nothing: asked for ACCESS-METHOD
	// alone it is NOT-FOUND, as the measured server has it.
	Unstored bool

	// Moved is where it is now: FORWARDED. Nothing but its host, hsoname, version and
	// expiry is of use.
	Moved *Link
	// Fail is what asking for it comes to, behind FAILURE: "NOT-AUTHORIZED".
	Fail string
	// Wait is what the client is told to wait before the reply comes, which it then
	// does at once. Whole seconds.
	Wait time.Duration
}

// Link is a line of a directory.
type Link struct {
	Name  string
	Union bool
	// Target is the type of what it leads to; empty: what it is. With NULL nothing
	// but the name is shown.
	Target string
	// Host is the host token of what is elsewhere, as HostToken writes it; empty: it
	// is here. HostType empty: INTERNET-D.
	Host, HostType string
	// HSOName, if it is empty and Host is too, is that of the directory, "/" and the
	// name: a real file of the directory, which shows its object's attributes.
	HSOName string
	Version int32
	Expires time.Time // DEST-EXP; zero: never

	Methods    []Method    // ways to what is EXTERNAL, shown in every listing
	ID         string      // "REMOTE 123456", shown in every listing, with the empty line behind it
	Attributes []Attribute // shown where attributes are asked for
}

// Method is a way to an object: its name, host type, host, name type and name, and
// what else it needs. Empty tokens are those of the link or the question.
type Method []string

// Attribute is something that is known of a link or an object.
type Attribute struct {
	AppliesTo string // empty: CACHED of a link, OBJECT of an object
	Nature    string // empty: APPLICATION
	Name      string
	// One of these is the value.
	Value  []string
	Filter []string
	Link   *Link // what its Attributes are stands one ">" deeper
}

// HostToken writes host and port as replies do: "127.0.0.1(33121)".
func HostToken(addr string) string {
	i := strings.LastIndexByte(addr, ':')
	if i < 0 {
		return addr
	}
	return addr[:i] + "(" + addr[i+1:] + ")"
}

func (o *Object) isDirectory() bool { return o.Links != nil }

// size is that of a file, or of a disk's block.
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

// contents are the values of CONTENTS that are not stored.
func (o *Object) contents() [][]string {
	if o.isDirectory() || o.NoContents {
		return nil
	}
	return [][]string{{"DATA", o.Data}}
}

// methods returns all ways to the octets of a file, in the order in which the
// measured server prefers them.
func (s *Server) methods(o *Object) (list []Method) {
	if !o.NoContents {
		list = append(list, Method{"PROSPERO-CONTENTS", "", "", "", ""})
		if s.o.Local {
			list = append(list, Method{"LOCAL", "", "", "", ""})
		}
	}
	return append(list, o.Methods...)
}

// real reports whether l is a file of its directory, and no link that was made.
func (l *Link) real() bool { return l.Host == "" && l.HSOName == "" && l.Target == "" }

// hsoname returns the name of what l leads to, for a link of directory dir.
func (l *Link) hsoname(dir string) string {
	if l.real() {
		return dir + "/" + l.Name
	}
	return l.HSOName
}

// here returns the object that l, a link of directory dir, leads to, nil if it is
// elsewhere or nowhere.
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

// inReach reports whether hsoname is in a part of the tree that the server shows.
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

// appendLink appends the fields of a link of directory dir, from its letter on.
func (s *Server) appendLink(dst []byte, dir string, l *Link) []byte {
	letter := "L"
	if l.Union {
		letter = "U"
	}
	dst = appendTokens(dst, letter, s.target(dir, l), l.Name)
	dst = append(dst, ' ')
	return s.appendTarget(dst, dir, l)
}

// appendTarget appends where l, a link of directory dir, leads.
func (s *Server) appendTarget(dst []byte, dir string, l *Link) []byte {
	host, hostType := l.Host, l.HostType
	if host == "" {
		host = s.host
	}
	if hostType == "" {
		hostType = "INTERNET-D"
	}
	dst = appendTokens(dst, hostType, host, "ASCII", l.hsoname(dir), strconv.Itoa(int(l.Version)))
	if !l.Expires.IsZero() {
		dst = appendTokens(append(dst, ' '), "DEST-EXP", timestamp(l.Expires))
	}
	return dst
}

// appendLine appends the lines of l, a link of directory dir.
func (s *Server) appendLine(dst []byte, dir string, l *Link, attributes bool) []byte {
	if l.Target == "NULL" {
		return append(dst, "LINK L NULL "+l.Name+" NULL NULL NULL NULL 0\n"...) // this server quotes nothing here
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

// of returns a, with what it applies to.
func (a Attribute) of(appliesTo string) *Attribute {
	if a.AppliesTo == "" {
		a.AppliesTo = appliesTo
	}
	return &a
}

// appendAttribute appends the line of a, and those of what its link has, with as
// many ">" as they are deep.
func (s *Server) appendAttribute(dst []byte, deep int, a *Attribute) []byte {
	nature := a.Nature
	if nature == "" {
		nature = "APPLICATION"
	}
	dst = append(dst, "ATTRIBUTE"+strings.Repeat(">", deep)+" "...)
	dst = appendTokens(dst, a.AppliesTo, nature, a.Name)
	switch {
	case a.Link != nil:
		dst = append(dst, " LINK "...)
		dst = s.appendLink(dst, "", a.Link)
	case a.Filter != nil:
		dst = append(dst, " FILTER  "...) // two blanks, as measured
		dst = appendTokens(dst, a.Filter...)
	default:
		if nature != "FIELD" || !untyped(a.Name) {
			dst = append(dst, " SEQUENCE"...)
		}
		dst = appendTokens(append(dst, ' '), a.Value...)
	}
	dst = append(dst, '\n')
	if a.Link != nil {
		for i := range a.Link.Attributes {
			dst = s.appendAttribute(dst, deep+1, a.Link.Attributes[i].of("CACHED"))
		}
	}
	return dst
}

// untyped reports whether the FIELD attribute of that name has no word for the type
// of its value. ID is one of them in the books, and has one.
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
