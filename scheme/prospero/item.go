package prospero

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

func (l *link) isObject() bool {
	switch l.Type {
	case typeFile, typeDirectory, typeDirectoryFile, typeObject:
		return true
	}
	return false
}

// item returns the menu item for the link.
func (l *link) item() scheme.Item {
	item := scheme.Item{
		Title:   l.Name,
		Kind:    scheme.KindUnknown,
		Size:    sizeOf(l.Attributes),
		ModTime: modTime(l.Attributes),
	}
	switch {
	case l.Err != nil:
		item.Kind, item.Note = scheme.KindError, l.Err.Error()
		return item
	case l.isObject():
		l.setObject(&item)
	case l.Type == typeExternal:
		l.setExternal(&item)
	case l.Type == typeSymbolic:
		addNote(&item, "a link to the virtual system "+locus.Quote(l.Host)+", which is not available here")
	case l.Type == typeNull:
		addNote(&item, "the server shows only its name")
		return item
	default:
		addNote(&item, "unexpected link type "+locus.Quote(l.Type))
	}
	if l.isFiltered() {
		addNote(&item, "the link has a filter, which is not applied: the directory is shown whole")
	}
	item.Fields = append(l.fields(), item.Fields...)
	return item
}

// isFiltered reports whether the link has a filter, which selects only some links of the target
// directory.
func (l *link) isFiltered() bool { return len(find(l.Attributes, attrFilter)) > 0 }

// currentTarget returns the target of the link. If the target has moved, the result is its new
// address.
func (l *link) currentTarget() *target {
	if to := forwarding(l.Attributes); to != nil {
		return to
	}
	return &l.target
}

func addNote(item *scheme.Item, text string) {
	if item.Note != "" {
		item.Note += "; "
	}
	item.Note += text
}

func (l *link) fields() []scheme.Field {
	host := l.Host
	if l.Port != 0 {
		host += fmt.Sprintf(":%d", l.Port)
	}
	return []scheme.Field{
		{Name: "target", Value: l.Type},
		{Name: "host", Value: host},
		{Name: "hsoname", Value: l.target.Name},
		{Name: "version", Value: int(l.Version)},
	}
}

// setObject sets the fields of item for an object on a Prospero server.
func (l *link) setObject(item *scheme.Item) {
	switch l.Type {
	case typeDirectory, typeDirectoryFile:
		item.Kind = scheme.KindMenu
	case typeFile:
		item.Kind, item.Type = scheme.KindObject, media.ByName(l.target.Name)
	}
	target := l.currentTarget()
	if target != &l.target {
		addNote(item, "moved")
	}
	loc, err := target.location()
	if err == nil {
		item.URL, err = loc.locator(nil)
	}
	if err != nil {
		addNote(item, "no URL: "+err.Error())
	}
	if list := gatewayURLs(target.Name); len(list) > 0 {
		item.Fields = []scheme.Field{{Name: "alternatives", Value: urlTexts(list)}}
	}
}

func urlTexts(list []locus.URL) []string {
	var all []string
	for _, u := range list {
		all = append(all, u.String())
	}
	return all
}

// setExternal sets the fields of item for an object that other protocols serve. The item's URL is
// the URL of the best access method that has a URL.
func (l *link) setExternal(item *scheme.Item) {
	methods, faults := methodsOf(l.Attributes, l.target, true)
	item.Fields = []scheme.Field{{Name: "accessMethods", Value: methodFields(methods)}}
	list, unusable := candidates(methods, location{})
	switch {
	case len(list) > 0:
		best := list[0]
		item.URL, item.Kind = best.url, best.kind()
		if item.Kind == scheme.KindObject {
			item.Type = media.ByName(best.target.Name)
		}
		switch best.rank() {
		case session:
			item.Note = strings.Join(best.More, " ")
		case login:
			item.Note = "it requires your own login: write a user before the host"
		}
	case len(methods)+len(faults) == 0:
		addNote(item, "no URL: it has no access method")
	default:
		addNote(item, "no URL: "+joinReasons(unusable, faults))
	}
}

func methodFields(methods []method) [][]scheme.Field {
	records := [][]scheme.Field{}
	for _, m := range methods {
		record := []scheme.Field{{Name: "method", Value: m.Name}, {Name: "host", Value: m.Host}, {Name: "name", Value: m.target.Name}, {Name: "url"}}
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

func (c candidate) kind() scheme.ItemKind {
	path, _ := c.url.Path()
	switch c.url.Scheme() {
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

// gopherKind returns the item kind for the gophertype at the beginning of a url-path (RFC 1436
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
