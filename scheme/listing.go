package scheme

// Listing is a kind of menu. It determines the columns of the items.
type Listing string

const (
	ListLinks    Listing = "links"    // titles only
	ListFiles    Listing = "files"    // files with sizes and times
	ListArticles Listing = "articles" // articles of a newsgroup, in threads: see [Item.Thread]
	ListGroups   Listing = "groups"   // newsgroups
	ListResults  Listing = "results"  // the results of a search
)

// ColumnKind is a property of items that a column shows. A kind that is also a field
// of Item.Fields is named like that field.
type ColumnKind string

const (
	ColumnTitle  ColumnKind = "name"
	ColumnSize   ColumnKind = "size"
	ColumnDate   ColumnKind = "date"
	ColumnFrom   ColumnKind = "from"   // the author, in Item.Note
	ColumnNumber ColumnKind = "number" // the article's number in its newsgroup
	ColumnCount  ColumnKind = "count"  // the number of articles in a newsgroup
	ColumnScore  ColumnKind = "score"  // a search result's score
)

// Column is a column of a listing.
type Column struct {
	Kind   ColumnKind
	Title  string // heading of the column
	Number bool   // the column holds numbers, which are aligned to the right: see [Item.Number]
}

// Columns returns the columns of a listing in their usual order. ListLinks has none.
func (l Listing) Columns() []Column {
	switch l {
	case ListFiles:
		return []Column{{ColumnTitle, "Name", false}, {ColumnSize, "Size", true}, {ColumnDate, "Changed", false}}
	case ListArticles:
		return []Column{{ColumnNumber, "Number", true}, {ColumnDate, "Date", false}, {ColumnFrom, "From", false}, {ColumnTitle, "Subject", false}}
	case ListGroups:
		return []Column{{ColumnTitle, "Newsgroup", false}, {ColumnCount, "Articles", true}}
	case ListResults:
		return []Column{{ColumnTitle, "Name", false}, {ColumnScore, "Score", true}, {ColumnDate, "Date", false}, {ColumnSize, "Size", true}}
	}
	return nil
}

// Listing returns the listing to which the item belongs. The first link of a menu
// determines the listing of the menu.
func (i *Item) Listing() Listing {
	has := func(k ColumnKind) bool { _, ok := i.Number(k); return ok }
	_, identified := itemField[string](i, "messageId")
	switch {
	case i.URL.IsZero():
		return ListLinks
	case has(ColumnNumber) && identified:
		return ListArticles
	case has(ColumnCount):
		return ListGroups
	case has(ColumnScore):
		return ListResults
	case i.HasDetails():
		return ListFiles
	}
	return ListLinks
}

// HasDetails reports whether the size or the time of the item is known.
func (i *Item) HasDetails() bool { return i.Size >= 0 || !i.ModTime.IsZero() }

// Number returns the value of the item in a column of numbers. If the item has no such
// value, ok is false.
func (i *Item) Number(k ColumnKind) (n int64, ok bool) {
	if k == ColumnSize {
		return i.Size, i.Size >= 0
	}
	v, ok := itemField[int](i, string(k))
	return int64(v), ok
}

// Thread returns the message ID of an article, and the IDs of the articles that it replies
// to, the oldest first.
func (i *Item) Thread() (id string, references []string) {
	id, _ = itemField[string](i, "messageId")
	references, _ = itemField[[]string](i, "references")
	return id, references
}

// Types returns the document types that the server offers, by the server's names, if
// a client may choose one.
func (i *Item) Types() []string {
	types, _ := itemField[[]string](i, "wtypes")
	return types
}

// itemField returns the value of a field of an item. If the item has no such field, or its
// value has another type, ok is false.
func itemField[T any](i *Item, name string) (v T, ok bool) {
	for _, f := range i.Fields {
		if f.Name == name {
			v, ok = f.Value.(T)
			return v, ok
		}
	}
	return v, false
}
