package tour

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// gopherRoom serves lists, texts, a search, a form and a phone book by Gopher and
// Gopher+.
func gopherRoom(exhibits fs.FS) (room, error) {
	menu, err := gopherMenu(exhibits)
	if err != nil {
		return room{}, err
	}
	server, err := gophertest.Start(menu, &gophertest.Options{
		Admin: "Keeper of the lists <keeper@museum.example>",
		Phone: gopherPeople,
	})
	if err != nil {
		return room{}, err
	}
	stop := func(section, title, address, path string) Stop {
		return Stop{Scheme: "gopher", Section: "RFC 1738 " + section, Title: title, URL: locus.MustParse("gopher://" + address + path)}
	}
	here := server.Addr()
	book := stop("3.4.9", "a form: its questions are asked for first, then the answers are sent", here, "/0/guestbook%09%09?")
	book.Answers = []string{"", "Ada", "Lists that I can read.\nNothing moves.", "the lists", "1"}
	return room{
		stops: []Stop{
			stop("3.4.1", "a menu: each line knows its type, its selector and its host", here, "/"),
			stop("3.4.1", "a text: what is sent is the selector, and nothing else", here, "/0/history/1991.txt"),
			stop("3.4.1", "a text whose characters are those of ISO Latin 1, though nothing says so", here, "/0/accents"),
			stop("3.4.2", "a search: words behind a TAB", here, "/7/search%09plus"),
			stop("3.4", "a phone book, which has a protocol of its own", server.PhoneAddr(), "/2%09veronica"),
			stop("3.4.5", "what is known of an item: Gopher+ asks with an exclamation mark", here, "/0/welcome%09%09!"),
			stop("3.4.6", "what is known of all items of a menu", here, "/1/history%09%09$"),
			stop("3.4.7", "the same text in another language", here, "/0/welcome%09%09+text/plain%20De_DE"),
			book,
		},
		close: server.Close,
	}, nil
}

// gopherPeople are programs: none of them minds a call. The numbers are years.
var gopherPeople = []gophertest.Person{
	{Alias: "archie", Name: "Archie of Montreal", Email: "archie@museum.example", Phone: "1990", Address: "McGill University\nMontreal"},
	{Alias: "veronica", Name: "Veronica of Reno", Email: "veronica@museum.example", Phone: "1992", Address: "University of Nevada\nReno"},
	{Alias: "jughead", Name: "Jughead of Salt Lake City", Email: "jughead@museum.example", Phone: "1993", Address: "University of Utah\nSalt Lake City"},
}

// gopherMenu is the room's root menu.
func gopherMenu(exhibits fs.FS) (gophertest.Item, error) {
	text := map[string]string{}
	for _, name := range []string{"welcome.txt", "welcome.de.txt", "welcome.es.txt", "accents.txt"} {
		octets, err := fs.ReadFile(exhibits, "gopher/"+name)
		if err != nil {
			return gophertest.Item{}, err
		}
		text[name] = string(octets)
	}
	history, err := gopherHistory(exhibits)
	if err != nil {
		return gophertest.Item{}, err
	}
	const plain = "Text/plain"
	return gophertest.Item{Name: "The museum of the network", Items: []gophertest.Item{
		{Type: 'i', Name: "The museum of the network, room of lists"},
		{
			Name: "Welcome", Selector: "/welcome", Abstract: "A word of welcome, in three languages.",
			Views: []gophertest.View{
				{Type: plain, Language: "En_US", Data: text["welcome.txt"]},
				{Type: plain, Language: "De_DE", Data: text["welcome.de.txt"]},
				{Type: plain, Language: "Es_ES", Data: text["welcome.es.txt"]},
			},
		},
		{Name: "What happened when", Selector: "/history", Items: history},
		{Name: "One octet, one character", Selector: "/accents", Data: text["accents.txt"]},
		{Name: "Search this room", Selector: "/search", Search: searcher(history)},
		{Name: "Guest book", Selector: "/guestbook", Reply: guestBook, Ask: []string{
			"Note: The keeper of the lists is glad of a word from you.",
			"Ask: Your name",
			"AskL: What did you like?",
			"Choose: Where were you first?\tthe files\tthe pages\tthe lists",
			"Select: Will you come again?:1",
		}},
		{Type: '2', Name: "Phone book"},
		{Type: '1', Name: "Minnesota, as its address was", Host: "gopher.micro.umn.edu", Port: 70},
	}}, nil
}

// gopherHistory are the texts that have a year for a name, by their first lines.
func gopherHistory(exhibits fs.FS) ([]gophertest.Item, error) {
	names, err := fs.Glob(exhibits, "gopher/[0-9]*.txt")
	if err != nil {
		return nil, err
	}
	var items []gophertest.Item
	for _, name := range names {
		octets, err := fs.ReadFile(exhibits, name)
		if err != nil {
			return nil, err
		}
		title, _, _ := strings.Cut(string(octets), "\n")
		items = append(items, gophertest.Item{Name: title, Selector: "/history" + strings.TrimPrefix(name, "gopher"), Data: string(octets)})
	}
	return items, nil
}

// searcher finds the items whose texts have all the words.
func searcher(items []gophertest.Item) func(words string) []gophertest.Item {
	return func(words string) (found []gophertest.Item) {
		for _, item := range items {
			all := true
			for word := range strings.FieldsSeq(strings.ToLower(words)) {
				all = all && strings.Contains(strings.ToLower(item.Data), word)
			}
			if all {
				found = append(found, item)
			}
		}
		return found
	}
}

// guestBook is what the guest book says to the lines that came.
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
