package scheme

// Listing is a kind of menu. It determines the columns in which a program shows the items.
type Listing string

const (
	ListLinks    Listing = "links"    // links with only a title
	ListFiles    Listing = "files"    // files with sizes and times
	ListArticles Listing = "articles" // articles of a newsgroup, with threads (see [Item.Thread])
	ListGroups   Listing = "groups"   // newsgroups
	ListResults  Listing = "results"  // the results of a search
)

// ColumnKind is the property of an item that a column shows. If the property is a field in
// Item.Fields, the kind has the same name as the field.
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
	Number bool   // the column contains numbers, which are right-aligned (see [Item.Number])
}

// Columns returns the columns of a listing in their usual order. A listing of kind ListLinks
// has no columns.
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

// Listing returns the kind of menu in which the item usually appears. The first link of a menu
// determines the menu's Listing.
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

// Number returns the item's value in a numeric column. If the item has no value for the
// column, ok is false.
func (i *Item) Number(k ColumnKind) (n int64, ok bool) {
	if k == ColumnSize {
		return i.Size, i.Size >= 0
	}
	v, ok := itemField[int](i, string(k))
	return int64(v), ok
}

// Thread returns the message ID of an article. The result references contains the message IDs
// of the articles above it in the thread, the oldest first.
func (i *Item) Thread() (id string, references []string) {
	id, _ = itemField[string](i, "messageId")
	references, _ = itemField[[]string](i, "references")
	return id, references
}

// Types returns the names of the document types from which a client may choose, as the server
// spells them.
func (i *Item) Types() []string {
	types, _ := itemField[[]string](i, "wtypes")
	return types
}

// itemField returns the value of the named field. If the item does not have the field, or the
// value is not a T, ok is false.
func itemField[T any](i *Item, name string) (v T, ok bool) {
	for _, f := range i.Fields {
		if f.Name == name {
			v, ok = f.Value.(T)
			return v, ok
		}
	}
	return v, false
}
