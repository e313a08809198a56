package gophertest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Item is a line of a menu and the item that it links to.
type Item struct {
	// Type is the gophertype. Zero means '7' for an item with a Search, '1' with Items, and '0'
	// otherwise.
	Type byte
	Name string
	// Selector may contain any octets except TAB, CR, LF and NUL. If it is empty
	// and the item is on this server, it is the menu's selector, "/" and the
	// name.
	Selector string
	// Host and Port locate an item on another server. If they are empty and 0, the
	// item is on this server, or in its phone book for type 2.
	Host string
	Port int
	// Line replaces the line of the menu, without its line end, if it is not empty.
	Line string

	Data   string                      // the contents; line ends of text may be LF or CR LF
	Items  []Item                      // the items of a menu
	Search func(words string) []Item   // the results of a search
	Ask    []string                    // the lines of a form: "Ask: Your name"
	Reply  func(lines []string) string // the reply to a data block, whose lines are nil if it is missing; nil means Data

	// Views holds the item's formats, the default first. If empty, the Type
	// determines one.
	Views    []View
	Abstract string    // lines
	ModTime  time.Time // zero means the start of 1994
	Admin    []string  // additional lines of +ADMIN besides Admin and Mod-Date: "TTL: 180"
	Fail     *Failure  // the answer to any request for the item; nil if none
}

// View is one format of an item.
type View struct {
	Type     string // media type
	Language string // "De_DE", or empty
	Data     string // empty means the data of the item
	Size     string // as written in the angle brackets; empty means the size of Data
}

// Failure is a Gopher+ error: 1 not available, 2 try later, 3 moved. For 3, the
// first of Lines is the new item's menu line.
type Failure struct {
	Code  int
	Lines []string
}

// index maps selectors to the items on this server. If several have the same
// selector, the first counts.
func index(root Item) (map[string]*Item, error) {
	if root.Type == 0 {
		root.Type = '1'
	}
	items := map[string]*Item{}
	if err := enter(items, &root); err != nil {
		return nil, err
	}
	if items["/"] == nil {
		items["/"] = &root // some clients send "/" for an empty path
	}
	return items, nil
}

func enter(items map[string]*Item, item *Item) error {
	if strings.ContainsAny(item.Selector, "\t\r\n\x00") {
		return errorf("selector %q can't be sent", item.Selector)
	}
	if items[item.Selector] == nil {
		items[item.Selector] = item
	}
	item.Items = slices.Clone(item.Items)
	for i := range item.Items {
		child := &item.Items[i]
		child.complete(item.Selector)
		if child.here() {
			if err := enter(items, child); err != nil {
				return err
			}
		}
	}
	return nil
}

// complete sets the defaults of an item in the menu with the given selector.
func (i *Item) complete(menu string) {
	if i.Type == 0 {
		i.Type = '0'
		switch {
		case i.Search != nil:
			i.Type = '7'
		case i.Items != nil:
			i.Type = '1'
		}
	}
	if i.Selector == "" && i.here() {
		i.Selector = strings.TrimSuffix(menu, "/") + "/" + i.Name
	}
}

func (i *Item) here() bool {
	return i.Host == "" && i.Port == 0 && i.Line == "" && !strings.ContainsRune("23i", rune(i.Type))
}

func (i *Item) isForm() bool { return i.Ask != nil }

func (i *Item) isMenu() bool { return i.Type == '1' || i.Search != nil }

// line returns the menu line for i, without its line end.
func (s *Server) line(i *Item) string {
	if i.Line != "" {
		return i.Line
	}
	host, port := s.address(i.Type)
	switch {
	case i.Type == 'i' || i.Type == '3':
		host, port = "null.host", 1
	case i.Host != "":
		host, port = i.Host, i.Port
	case i.Port != 0:
		port = i.Port
	}
	line := string(i.Type) + i.Name + "\t" + i.Selector + "\t" + host + "\t" + strconv.Itoa(port)
	switch {
	case s.o.Plain || !i.here():
		return line
	case i.isForm():
		return line + "\t?"
	default:
		return line + "\t+"
	}
}

// views returns the views of i, or the default ones of its type.
func (i *Item) views() []View {
	if len(i.Views) > 0 {
		return i.Views
	}
	if i.Type == '1' || i.Type == '7' {
		return []View{{Type: "application/gopher-menu"}, {Type: "application/gopher+-menu"}}
	}
	return []View{{Type: cmp.Or(mediaTypes[i.Type], "application/octet-stream")}}
}

var mediaTypes = map[byte]string{
	'0': "Text/plain", '6': "Text/plain", 'M': "Text/plain", 'h': "text/html",
	'4': "application/mac-binhex40", '5': "application/zip", 'g': "image/gif",
}

func (i *Item) data(v View) string {
	return cmp.Or(v.Data, i.Data)
}

func (i *Item) size(v View) string {
	if v.Size != "" {
		return v.Size
	}
	n := len(i.data(v))
	tenths := (n*10 + 512) / 1024
	switch {
	case i.isMenu():
		return "512b" // a fixed size, because the server does not compute the size of a menu
	case tenths < 10:
		return "." + strconv.Itoa(tenths) + "k"
	default:
		return strconv.Itoa(tenths/10) + "k"
	}
}

func (i *Item) modTime() time.Time {
	if i.ModTime.IsZero() {
		return time.Date(1994, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return i.ModTime.UTC()
}

// attributes returns the named attributes of i, or all if there are no names. It
// always includes +INFO.
func (s *Server) attributes(i *Item, names []string) string {
	var b strings.Builder
	b.WriteString("+INFO: " + s.line(i) + "\r\n")
	if !i.here() {
		return b.String()
	}
	block := func(name string, lines []string) {
		if lines == nil || len(names) > 0 && !s.o.AllBlocks && !slices.Contains(names, name) {
			return
		}
		b.WriteString("+" + name + ":\r\n")
		for _, line := range lines {
			b.WriteString(" " + line + "\r\n")
		}
	}
	block("ADMIN", append([]string{"Admin: " + s.o.Admin, "Mod-Date: " + i.modTime().Format("Mon Jan _2 15:04:05 2006 <20060102150405>")}, i.Admin...))
	block("VIEWS", i.viewLines())
	block("ABSTRACT", lines(i.Abstract))
	block("ASK", i.Ask)
	return b.String()
}

func (i *Item) viewLines() (list []string) {
	for _, v := range i.views() {
		name := v.Type
		if v.Language != "" {
			name += " " + v.Language
		}
		list = append(list, name+": <"+i.size(v)+">")
	}
	return list
}

// lines returns the lines of text. If text is empty, it returns nil. Lines end with LF or
// CR LF.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	list := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := range list {
		list[i] = strings.TrimSuffix(list[i], "\r")
	}
	return list
}
