package gophertest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Item describes a menu line, and the item to which the line refers.
type Item struct {
	// Type is the gophertype. Zero means '7' for an item with a Search, '1' for an item with
	// Items, and '0' for other items.
	Type byte
	Name string
	// Selector may contain any octets except TAB, CR, LF and NUL. If Selector is empty and the
	// item is on this server, the selector consists of the menu's selector, "/" and the name.
	Selector string
	// Host and Port are the address of an item on another server. If Host is empty and Port is
	// 0, the item is on this server. An item of type 2 is then this server's phone book.
	Host string
	Port int
	// Line is the menu line, without its line ending. If Line is empty, the server generates
	// the menu line.
	Line string

	Data   string                      // the contents; lines of text may end with LF or CR LF
	Items  []Item                      // the items of a menu
	Search func(words string) []Item   // the results of a search
	Ask    []string                    // the lines of a form, such as "Ask: Your name"
	Reply  func(lines []string) string // the reply to a data block, whose lines are nil if the request has none; if Reply is nil, the reply is Data

	// Views contains the item's formats, the default first. If Views is empty, the Type
	// determines the only format.
	Views    []View
	Abstract string    // lines of the abstract
	ModTime  time.Time // the zero time means the beginning of 1994
	Admin    []string  // additional lines of +ADMIN, such as "TTL: 180"
	Fail     *Failure  // the reply to any request for the item; nil if the item can be fetched
}

// View is one format of an item.
type View struct {
	Type     string // media type
	Language string // language, such as "De_DE", or empty
	Data     string // contents; empty means the data of the item
	Size     string // text in the angle brackets; empty means the size of Data
}

// Failure is a Gopher+ error. The code is 1 (not available), 2 (try later) or 3 (moved). For
// code 3, the first line in Lines is the menu line of the new item.
type Failure struct {
	Code  int
	Lines []string
}

// index returns a map from selectors to items on this server. If several items have the same
// selector, the map contains the first item.
func index(root Item) (map[string]*Item, error) {
	if root.Type == 0 {
		root.Type = '1'
	}
	items := map[string]*Item{}
	if err := enter(items, &root); err != nil {
		return nil, err
	}
	if items["/"] == nil {
		items["/"] = &root // some clients send "/" for the root menu
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

// complete sets the defaults of an item. The argument menu is the selector of the menu that
// contains the item.
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

// line returns the menu line for i, without its line ending.
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

// views returns the views of i. If i has none, it returns the default view for the type.
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

// attributes returns the named attributes of i. If there are no names, it returns all
// attributes. The result always includes +INFO.
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

// lines splits text into lines, which end with LF or CR LF. If text is empty, it returns nil.
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
