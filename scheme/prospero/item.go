package prospero

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

// isObject reports whether the link leads to an object of a Prospero server.
func (l *Link) isObject() bool {
	switch l.Type {
	case TypeFile, TypeDirectory, TypeDirectoryFile, TypeObject:
		return true
	}
	return false
}

// item is the link as an item of a menu.
func (l *Link) item() scheme.Item {
	item := scheme.Item{
		Title:   l.Name,
		Kind:    scheme.KindUnknown,
		Size:    Size(l.Attributes),
		ModTime: ModTime(l.Attributes),
	}
	switch {
	case l.Err != nil:
		item.Kind, item.Note = scheme.KindError, l.Err.Error()
		return item
	case l.isObject():
		l.object(&item)
	case l.Type == TypeExternal:
		l.external(&item)
	case l.Type == TypeSymbolic:
		addNote(&item, "it leads into a virtual system, "+locus.Quote(l.Host)+", and can't be followed without that")
	case l.Type == TypeNull:
		addNote(&item, "the server lets its name be known, and no more")
		return item
	default:
		addNote(&item, "nothing is known of a link to "+locus.Quote(l.Type))
	}
	if l.isFiltered() {
		addNote(&item, "a filter belongs to the link: the listing behind it is unfiltered")
	}
	item.Fields = append(l.fields(), item.Fields...)
	return item
}

// isFiltered reports whether not all of the directory's links are meant.
func (l *Link) isFiltered() bool { return len(Find(l.Attributes, attrFilter)) > 0 }

// where is what the link leads to, or where that has moved.
func (l *Link) where() *Target {
	if to := forwarding(l.Attributes); to != nil {
		return to
	}
	return &l.Target
}

// addNote adds a clause to the note of an item.
func addNote(item *scheme.Item, text string) {
	if item.Note != "" {
		item.Note += "; "
	}
	item.Note += text
}

// fields are what a link says, for programs.
func (l *Link) fields() []scheme.Field {
	host := l.Host
	if l.Port != 0 {
		host += fmt.Sprintf(":%d", l.Port)
	}
	return []scheme.Field{
		{Name: "target", Value: l.Type},
		{Name: "host", Value: host},
		{Name: "hsoname", Value: l.Target.Name},
		{Name: "version", Value: int(l.Version)},
	}
}

// object makes the item of an object that a Prospero server is asked about: the
// link's, or where the object has moved to.
func (l *Link) object(item *scheme.Item) {
	switch l.Type {
	case TypeDirectory, TypeDirectoryFile:
		item.Kind = scheme.KindMenu
	case TypeFile:
		item.Kind, item.Type = scheme.KindObject, media.ByName(l.Target.Name)
	}
	target := l.where()
	if target != &l.Target {
		addNote(item, "it has moved")
	}
	at, err := target.place()
	if err == nil {
		item.URL, err = at.locator(nil)
	}
	if err != nil {
		addNote(item, "no URL: "+err.Error())
	}
	if list := GatewayURLs(target.Name); len(list) > 0 {
		item.Fields = []scheme.Field{{Name: "alternatives", Value: texts(list)}}
	}
}

func texts(list []locus.URL) []string {
	var all []string
	for _, u := range list {
		all = append(all, u.String())
	}
	return all
}

// external makes the item of something that other protocols get: its URL is that of
// the best access method there is one for.
func (l *Link) external(item *scheme.Item) {
	methods, faults := Methods(l.Attributes, l.Target, true)
	item.Fields = []scheme.Field{{Name: "accessMethods", Value: methodFields(methods)}}
	list, others := ways(methods, place{})
	if len(list) > 0 {
		item.URL, item.Kind = list[0].url, list[0].kind()
		if item.Kind == scheme.KindObject {
			item.Type = media.ByName(list[0].ObjectName)
		}
		switch list[0].rank() {
		case session:
			item.Note = strings.Join(list[0].More, " ")
		case login:
			item.Note = "it needs a login of one's own: write a user before the host"
		}
		return
	}
	if len(methods)+len(faults) == 0 {
		addNote(item, "no URL: it has no access method")
		return
	}
	addNote(item, "no URL: "+reasons(others, faults))
}

// methodFields are the access methods, for programs.
func methodFields(methods []Method) [][]scheme.Field {
	records := [][]scheme.Field{}
	for _, m := range methods {
		record := []scheme.Field{{Name: "method", Value: m.Name}, {Name: "host", Value: m.Host}, {Name: "name", Value: m.ObjectName}, {Name: "url"}}
		if m.Port != 0 {
			record[1].Value = fmt.Sprintf("%s:%d", m.Host, m.Port)
		}
		if u, err := m.URL(); err == nil {
			record[3].Value = u.String()
		}
		records = append(records, record)
	}
	return records
}

// kind is what the URL of a way promises.
func (w way) kind() scheme.ItemKind {
	path, _ := w.url.Path()
	switch w.url.Scheme() {
	case "telnet", "tn3270":
		return scheme.KindSession
	case "gopher":
		return gopherKind(path)
	case "ftp":
		if strings.HasSuffix(path, ";type=d") {
			return scheme.KindMenu
		}
	case name:
		return scheme.KindUnknown
	}
	return scheme.KindObject
}

// gopherKind is what the gophertype promises that a url-path begins with (RFC 1436
// section 3.8).
func gopherKind(path string) scheme.ItemKind {
	switch {
	case path == "" || path[0] == '1':
		return scheme.KindMenu
	case path[0] == '7' || path[0] == '2':
		return scheme.KindSearch
	case path[0] == '8' || path[0] == 'T':
		return scheme.KindSession
	}
	return scheme.KindObject
}
