package tour

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

func (m *Demo) startGopher() error {
	var people []gophertest.Person // phone book entries: each person is a search program, and the phone number is the year of its first release
	if err := m.readJSON("gopher/people.json", &people); err != nil {
		return err
	}
	items, err := m.gopherMenu("gopher/menu.json")
	if err != nil {
		return err
	}
	for i := range items {
		switch items[i].Selector {
		case "/search":
			items[i].Search = searcher(slices.Concat(items[3].Items, items[4].Items))
		case "/guestbook":
			items[i].Reply = guestBook
		}
	}
	return m.closeLater(gophertest.Start(gophertest.Item{Name: "The museum of the network", Items: items}, &gophertest.Options{
		Admin: "Keeper of the lists <keeper@museum.example>", Phone: people, Listener: m.tcp["gopher"], PhoneListener: m.tcp["phone"],
	}))
}

func (m *Demo) startSecureGopher() error {
	items, err := m.gopherMenu("gopher/sealed.json")
	if err != nil {
		return err
	}
	return m.closeLater(gophertest.Start(gophertest.Item{Name: "The museum of the network, sealed", Items: items},
		&gophertest.Options{Listener: m.tcp["gophers"], Secure: true, TLS: m.server}))
}

// gopherItem is an item in an exhibit.
type gopherItem struct {
	gophertest.Item
	Type    string // gophertype of the item
	Server  string // name of the tour server that holds the item; if empty, Host applies
	Exhibit string // name of the exhibit that is the item's content
	Items   []gopherItem
}

func (m *Demo) gopherMenu(name string) ([]gophertest.Item, error) {
	var list []gopherItem
	if err := m.readJSON(name, &list); err != nil {
		return nil, err
	}
	return m.gopherItems(list)
}

func (m *Demo) gopherItems(list []gopherItem) (items []gophertest.Item, err error) {
	for _, from := range list {
		item := from.Item
		if from.Type != "" {
			item.Type = from.Type[0]
		}
		if from.Server != "" {
			item.Host, item.Port = m.host(from.Server), m.port(from.Server)
		}
		if item.Items, err = m.gopherItems(from.Items); err != nil {
			return nil, err
		}
		if from.Exhibit != "" {
			data, err := m.readExhibit(from.Exhibit)
			if err != nil {
				return nil, err
			}
			item.Data = string(data)
		}
		items = append(items, item)
	}
	return items, nil
}

// searcher returns a search function. That function returns the items whose text or name contains
// all words of the query.
func searcher(items []gophertest.Item) func(words string) []gophertest.Item {
	return func(words string) (found []gophertest.Item) {
		for _, item := range items {
			text := item.Name
			if item.Type == 0 {
				text += " " + item.Data
			}
			if item.Type != 'i' && hasAll(text, words) {
				found = append(found, item)
			}
		}
		return found
	}
}

func guestBook(lines []string) string {
	if len(lines) == 0 {
		return "The guest book is open, and nobody has written a word.\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Thank you, %s. This is what came, one line for each:\n\n", lines[0])
	for _, line := range lines {
		b.WriteString("    " + line + "\n")
	}
	b.WriteString("\nThe guest book forgets it when you leave.\n")
	return b.String()
}
