package gophertest

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Item is a line of a menu, and what it leads to.
type Item struct {
	// Type is the gophertype. 0: '7' with a Search, '1' with Items, else '0'.
	Type byte
	Name string
	// Selector is any octets but TAB, CR, LF and NUL. An empty one of an item that
	// is here becomes the menu's selector, "/" and the name.
	Selector string
	// Host and Port are those of an item that is elsewhere, with which nothing but
	// the line and Blocks is of use. Empty and 0: it is here; an item of type 2 is in
	// the phone book.
	Host string
	Port int
	// Line, if it is not empty, is the line of the menu without its end, whatever
	// the rest says.
	Line string

	Data   string                      // what it holds; the line ends of text may be LF or CR LF
	Items  []Item                      // of a menu
	Search func(words string) []Item   // of a search
	Ask    []string                    // the lines of a form: "Ask: Your name"
	Reply  func(lines []string) string // what the form says to the lines of a data block, nil if none came; nil: Data

	// Views are media types and languages to choose from, the first unless another
	// is asked for. Empty: one that the Type tells.
	Views    []View
	Abstract string    // lines
	ModTime  time.Time // zero: the first second of 1994
	Admin    []string  // lines of +ADMIN besides Admin and Mod-Date: "TTL: 180"
	Blocks   []Block   // attributes besides these
	// Fail is what asking for the item comes to; nil: it does not fail.
	Fail *Failure
}

// View is one form of an item.
type View struct {
	Type     string // media type
	Language string // "De_DE", or empty
	Data     string // empty: the item's
	Size     string // as it stands in the angle brackets; empty: what Data has
}

// Block is a block of attributes.
type Block struct {
	Name       string
	Descriptor string // what stands behind the colon
	Lines      []string
}

// Failure is a refusal in the manner of Gopher+: 1 not available, 2 try later, 3
// moved, with the new item's line as the first of Lines.
type Failure struct {
	Code  int
	Lines []string
}

// FromFS reads all regular files of fsys into memory, as the items of a menu.
// Folders are menus, and types go by the names' ends.
func FromFS(fsys fs.FS) (Item, error) { return readMenu(fsys, ".") }

func readMenu(fsys fs.FS, dir string) (Item, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return Item{}, err
	}
	menu := Item{Type: '1', Name: path.Base(dir)}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		item := Item{}
		switch {
		case e.IsDir():
			item, err = readMenu(fsys, name)
		case e.Type().IsRegular():
			item, err = readFile(fsys, name)
		default:
			continue
		}
		if err != nil {
			return Item{}, err
		}
		info, err := e.Info()
		if err != nil {
			return Item{}, err
		}
		item.ModTime = info.ModTime()
		menu.Items = append(menu.Items, item)
	}
	return menu, nil
}

func readFile(fsys fs.FS, name string) (Item, error) {
	data, err := fs.ReadFile(fsys, name)
	return Item{Type: fileType(name, data), Name: path.Base(name), Data: string(data)}, err
}

// fileType returns the gophertype of a file.
func fileType(name string, data []byte) byte {
	switch strings.ToLower(path.Ext(name)) {
	case ".txt", ".md":
		return '0'
	case ".html", ".htm":
		return 'h'
	case ".gif":
		return 'g'
	case ".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tiff":
		return 'I'
	case ".hqx":
		return '4'
	case ".zip":
		return '5'
	}
	control := func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\f\r", r) }
	if bytes.IndexFunc(data, control) >= 0 {
		return '9'
	}
	return '0'
}

// index finds the items that are here by their selectors. Of several with the
// same, the first is it.
func index(root Item) (map[string]*Item, error) {
	if root.Type == 0 {
		root.Type = '1'
	}
	items := map[string]*Item{}
	if err := enter(items, &root); err != nil {
		return nil, err
	}
	if items["/"] == nil {
		items["/"] = &root // what clients make of a URL with an empty path
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

// complete fills in what follows from the rest, for an item of the menu with that
// selector.
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

// here reports whether the server can be asked for the item.
func (i *Item) here() bool {
	return i.Host == "" && i.Port == 0 && i.Line == "" && !strings.ContainsRune("23i", rune(i.Type))
}

// isForm reports whether the item asks before it gives.
func (i *Item) isForm() bool { return i.Ask != nil }

// isMenu reports whether what i gives is a list of items.
func (i *Item) isMenu() bool { return i.Type == '1' || i.Search != nil }

// line returns the line of a menu for i, without its end.
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

// views returns the views of i, those that follow from its type if it lists none.
func (i *Item) views() []View {
	if len(i.Views) > 0 {
		return i.Views
	}
	switch i.Type {
	case '1', '7':
		return []View{{Type: "application/gopher-menu"}, {Type: "application/gopher+-menu"}}
	case '4':
		return []View{{Type: "application/mac-binhex40"}}
	case '5':
		return []View{{Type: "application/zip"}}
	case 'g':
		return []View{{Type: "image/gif"}}
	case 'h':
		return []View{{Type: "text/html"}}
	case '0', '6', 'M':
		return []View{{Type: "Text/plain"}}
	default:
		return []View{{Type: "application/octet-stream"}}
	}
}

// data returns the octets of a view of i.
func (i *Item) data(v View) string {
	if v.Data != "" {
		return v.Data
	}
	return i.Data
}

// size returns what stands in the angle brackets of a view of i.
func (i *Item) size(v View) string {
	if v.Size != "" {
		return v.Size
	}
	n := len(i.data(v))
	tenths := (n*10 + 512) / 1024
	switch {
	case i.isMenu():
		return "512b" // nobody counted
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

// attributes returns the blocks of i, those with these names if there are any;
// +INFO is always one.
func (s *Server) attributes(i *Item, names []string) string {
	blocks := []Block{}
	if i.here() {
		admin := append([]string{"Admin: " + s.admin, "Mod-Date: " + i.modTime().Format("Mon Jan _2 15:04:05 2006 <20060102150405>")}, i.Admin...)
		blocks = append(blocks, Block{Name: "ADMIN", Lines: admin}, Block{Name: "VIEWS", Lines: i.viewLines()})
		if i.Abstract != "" {
			blocks = append(blocks, Block{Name: "ABSTRACT", Lines: lines(i.Abstract)})
		}
		if i.isForm() {
			blocks = append(blocks, Block{Name: "ASK", Lines: i.Ask})
		}
	}
	var b strings.Builder
	b.WriteString("+INFO: " + s.line(i) + "\r\n")
	for _, block := range append(blocks, i.Blocks...) {
		if len(names) == 0 || s.o.AllBlocks || slices.Contains(names, block.Name) {
			block.write(&b)
		}
	}
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

func (block Block) write(b *strings.Builder) {
	b.WriteString("+" + block.Name + ":")
	if block.Descriptor != "" {
		b.WriteString(" " + block.Descriptor)
	}
	b.WriteString("\r\n")
	for _, line := range block.Lines {
		b.WriteString(" " + line + "\r\n")
	}
}

// lines returns the lines of text, whatever ends them.
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
