package tour

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

func (m *Museum) startGopher() error {
	menu, err := m.gopherMenu()
	if err != nil {
		return err
	}
	return m.keep(gophertest.Start(menu, &gophertest.Options{
		Admin: "Keeper of the lists <keeper@museum.example>", Phone: gopherPeople, Listener: m.tcp["gopher"], PhoneListener: m.tcp["phone"],
	}))
}

// gopherPeople are search programs. Their phone numbers are the years in which they began.
var gopherPeople = []gophertest.Person{
	{Alias: "archie", Name: "Archie of Montreal", Email: "archie@museum.example", Phone: "1990", Address: "McGill University\nMontreal"},
	{Alias: "veronica", Name: "Veronica of Reno", Email: "veronica@museum.example", Phone: "1992", Address: "University of Nevada\nReno"},
	{Alias: "jughead", Name: "Jughead of Salt Lake City", Email: "jughead@museum.example", Phone: "1993", Address: "University of Utah\nSalt Lake City"},
}

// gopherMenu returns the root menu.
func (m *Museum) gopherMenu() (gophertest.Item, error) {
	text := map[string]string{}
	for _, name := range []string{"welcome.txt", "welcome.de.txt", "welcome.es.txt", "accents.txt", "plan.txt"} {
		octets, err := m.read("gopher/" + name)
		if err != nil {
			return gophertest.Item{}, err
		}
		text[name] = string(octets)
	}
	texts, err := m.readAll("gopher/[0-9]*.txt")
	if err != nil {
		return gophertest.Item{}, err
	}
	var history []gophertest.Item
	for _, e := range texts {
		history = append(history, gophertest.Item{Name: e.title, Selector: "/history" + strings.TrimPrefix(e.name, "gopher"), Data: e.text})
	}
	gallery := m.gopherGallery(text)
	const plain = "Text/plain"
	return gophertest.Item{Name: "The museum of the network", Items: []gophertest.Item{
		{Type: 'i', Name: "The museum of the network, room of lists"},
		{Type: 'i', Name: "----------------------------------------"},
		{
			Name: "Welcome", Selector: "/welcome", Abstract: "A word of welcome, in three languages.",
			Views: []gophertest.View{
				{Type: plain, Language: "En_US", Data: text["welcome.txt"]},
				{Type: plain, Language: "De_DE", Data: text["welcome.de.txt"]},
				{Type: plain, Language: "Es_ES", Data: text["welcome.es.txt"]},
			},
		},
		{Name: "What happened when", Selector: "/history", Items: history, Abstract: "Three years of Gopher, each a page."},
		{Name: "Gallery", Selector: "/gallery", Items: gallery, Abstract: "Something of each type."},
		{Name: "One octet, one character", Selector: "/accents", Data: text["accents.txt"]},
		{Name: "Search this room", Selector: "/search", Search: searcher(append(history, gallery...))},
		{Name: "Guest book", Selector: "/guestbook", Reply: guestBook, Ask: []string{
			"Note: The keeper of the lists is glad of a word from you.",
			"Ask: Your name",
			"AskL: What did you like?",
			"Choose: Where were you first?\tthe files\tthe pages\tthe lists",
			"Select: Will you come again?:1",
		}},
		{Type: '2', Name: "Phone book"},
		{Type: 'i', Name: ""},
		{Type: 'i', Name: "The other rooms"},
		{Name: "Doors", Selector: "/doors", Items: m.gopherLinks()},
		{Type: '1', Name: "Minnesota, as its address was", Host: "gopher.micro.umn.edu", Port: 70},
	}}, nil
}

// gopherGallery has something of each type.
func (m *Museum) gopherGallery(text map[string]string) []gophertest.Item {
	return []gophertest.Item{
		{Type: 'i', Name: "Something of each type. The first character of its"},
		{Type: 'i', Name: "line, which you do not see, says what it is."},
		{Name: "0, a text: where you are", Selector: "/gallery/plan", Data: text["plan.txt"]},
		{Name: "1, a menu: this gallery again", Selector: "/gallery", Type: '1', Host: m.host("gopher"), Port: m.port("gopher")},
		{
			Type: 'g', Name: "g, a picture as GIF: a gopher", Selector: "/gallery/gopher.gif", Data: string(m.made["pictures/gopher.gif"]),
			Abstract: "The keeper of the lists, drawn on squared paper.",
		},
		{Type: 'I', Name: "I, a picture: the house", Selector: "/gallery/house.png", Data: string(m.made["pictures/house.png"]), Views: []gophertest.View{
			{Type: "image/png", Data: string(m.made["pictures/house.png"])},
		}},
		{Type: 's', Name: "s, a sound: a telephone dials 1738", Selector: "/gallery/1738.wav", Data: string(m.made["sounds/1738.wav"]), Views: []gophertest.View{
			{Type: "audio/x-wav", Data: string(m.made["sounds/1738.wav"])},
		}},
		{Type: '7', Name: "7, a search: all years that have a word", Selector: "/search", Host: m.host("gopher"), Port: m.port("gopher")},
		{Type: '3', Name: "3, an error: there is no room behind this door"},
	}
}

// gopherLinks lead to the other rooms. A selector that begins with "URL:" is how a menu
// links to a scheme without a gophertype.
func (m *Museum) gopherLinks() []gophertest.Item {
	item := func(kind byte, name, server, selector string) gophertest.Item {
		return gophertest.Item{Type: kind, Name: name, Selector: selector, Host: m.host(server), Port: m.port(server)}
	}
	web := func(name, url string) gophertest.Item { return item('h', name, "gopher", "URL:"+url) }
	return []gophertest.Item{
		item('8', "The library, by telnet", "telnet", ""),
		item('8', "The desk, by telnet", "desk", "guest"),
		item('T', "The room of screens, by tn3270", "tn3270", ""),
		web("The lobby, by HTTP", m.base["http"]+"/"),
		web("The files, by FTP", m.base["ftp"]+"/"),
		web("The news", "news:museum.usenet"),
		web("The questions, by WAIS", m.base["wais"]+"/museum"),
		web("The names, by Prospero", m.base["prospero"]+"//museum"),
		web("A letter to the keeper", "mailto:keeper@museum.example"),
	}
}

// searcher returns a search for the items whose texts or names have all the words.
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

// guestBook answers the lines of the form.
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
