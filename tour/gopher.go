package tour

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// gopherRoom serves lists, texts, pictures, a search, a form and a phone book by
// Gopher and Gopher+.
func gopherRoom(h *house) (room, error) {
	menu, err := gopherMenu(h)
	if err != nil {
		return room{}, err
	}
	server, err := gophertest.Start(menu, &gophertest.Options{
		Admin: "Keeper of the lists <keeper@museum.example>",
		Phone: gopherPeople, Listener: h.tcp["gopher"], PhoneListener: h.tcp["phone"],
	})
	if err != nil {
		return room{}, err
	}
	stop := func(section, title, path string) Stop {
		return Stop{Scheme: "gopher", Section: "RFC 1738 " + section, Title: title, URL: h.url("gopher", path)}
	}
	book := stop("3.4.9", "a form: its questions are asked for first, then the answers are sent", "/0/guestbook%09%09?")
	book.Answers = []string{"", "Ada", "Lists that I can read.\nNothing moves.", "the lists", "1"}
	phone := stop("3.4", "a phone book, which has a protocol of its own", "")
	phone.URL = h.url("phone", "/2%09veronica")
	return room{
		name: "Lists", about: "Menus of texts, pictures, searches, forms, and of more menus. They look the same wherever they lead.",
		stops: []Stop{
			stop("3.4.1", "a menu: each line knows its type, its selector and its host", "/"),
			stop("3.4.1", "a text: what is sent is the selector, and nothing else", "/0/history/1991.txt"),
			stop("3.4.1", "a text whose characters are those of ISO Latin 1, though nothing says so", "/0/accents"),
			stop("3.4.1", "a gallery: a type for each kind of thing", "/1/gallery"),
			stop("3.4.1", "a picture, whose type is g", "/g/gallery/gopher.gif"),
			stop("3.4.2", "a search: words behind a TAB", "/7/search%09plus"),
			phone,
			stop("3.4.5", "what is known of an item: Gopher+ asks with an exclamation mark", "/0/welcome%09%09!"),
			stop("3.4.6", "what is known of all items of a menu", "/1/history%09%09$"),
			stop("3.4.7", "the same text in another language", "/0/welcome%09%09+text/plain%20De_DE"),
			book,
		},
		close: server.Close,
	}, nil
}

// gophersRoom has a list within TLS.
func gophersRoom(h *house) (room, error) {
	sealed, err := h.read("gopher/sealed.txt")
	if err != nil {
		return room{}, err
	}
	server, err := gophertest.Start(gophertest.Item{Name: "The museum of the network, sealed", Items: []gophertest.Item{
		{Type: 'i', Name: "The same line is sent, and nobody on the way can read it."},
		{Name: "How an envelope came about", Selector: "/sealed", Data: string(sealed)},
	}}, &gophertest.Options{Listener: h.tcp["gophers"], Secure: true, TLS: h.server})
	if err != nil {
		return room{}, err
	}
	return room{
		stops: []Stop{{Scheme: "gophers", Section: extension, Title: "a list within TLS", URL: h.url("gophers", "/")}},
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
func gopherMenu(h *house) (gophertest.Item, error) {
	text := map[string]string{}
	for _, name := range []string{"welcome.txt", "welcome.de.txt", "welcome.es.txt", "accents.txt", "plan.txt"} {
		octets, err := h.read("gopher/" + name)
		if err != nil {
			return gophertest.Item{}, err
		}
		text[name] = string(octets)
	}
	history, err := gopherHistory(h)
	if err != nil {
		return gophertest.Item{}, err
	}
	gallery := gopherGallery(h, text)
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
		{Name: "Doors", Selector: "/doors", Items: gopherDoors(h)},
		{Type: '1', Name: "Minnesota, as its address was", Host: "gopher.micro.umn.edu", Port: 70},
	}}, nil
}

// gopherGallery has something of each type.
func gopherGallery(h *house, text map[string]string) []gophertest.Item {
	return []gophertest.Item{
		{Type: 'i', Name: "Something of each type. The first character of its"},
		{Type: 'i', Name: "line, which you do not see, says what it is."},
		{Name: "0, a text: where you are", Selector: "/gallery/plan", Data: text["plan.txt"]},
		{Name: "1, a menu: this gallery again", Selector: "/gallery", Type: '1', Host: h.host("gopher"), Port: h.port("gopher")},
		{
			Type: 'g', Name: "g, a picture as GIF: a gopher", Selector: "/gallery/gopher.gif", Data: string(h.made["pictures/gopher.gif"]),
			Abstract: "The keeper of the lists, drawn on squared paper.",
		},
		{Type: 'I', Name: "I, a picture: the house", Selector: "/gallery/house.png", Data: string(h.made["pictures/house.png"]), Views: []gophertest.View{
			{Type: "image/png", Data: string(h.made["pictures/house.png"])},
		}},
		{Type: 's', Name: "s, a sound: a telephone dials 1738", Selector: "/gallery/1738.wav", Data: string(h.made["sounds/1738.wav"]), Views: []gophertest.View{
			{Type: "audio/x-wav", Data: string(h.made["sounds/1738.wav"])},
		}},
		{Type: '7', Name: "7, a search: all years that have a word", Selector: "/search", Host: h.host("gopher"), Port: h.port("gopher")},
		{Type: '3', Name: "3, an error: there is no room behind this door"},
	}
}

// gopherDoors lead to the other rooms. A selector that begins with "URL:" is how a
// menu leads to what has no type.
func gopherDoors(h *house) []gophertest.Item {
	door := func(kind byte, name, room string) gophertest.Item {
		return gophertest.Item{Type: kind, Name: name, Host: h.host(room), Port: h.port(room)}
	}
	web := func(name, url string) gophertest.Item {
		return gophertest.Item{Type: 'h', Name: name, Selector: "URL:" + url, Host: h.host("gopher"), Port: h.port("gopher")}
	}
	desk := door('8', "The desk, by telnet", "desk")
	desk.Selector = "guest"
	return []gophertest.Item{
		door('8', "The library, by telnet", "telnet"),
		desk,
		door('T', "The room of screens, by tn3270", "tn3270"),
		web("The lobby, by HTTP", h.base["http"]+"/"),
		web("The files, by FTP", h.base["ftp"]+"/"),
		web("The news", "news:museum.usenet"),
		web("The questions, by WAIS", h.base["wais"]+"/museum"),
		web("The names, by Prospero", h.base["prospero"]+"//museum"),
		web("A letter to the keeper", "mailto:keeper@museum.example"),
	}
}

// gopherHistory are the texts that have a year for a name, by their first lines.
func gopherHistory(h *house) ([]gophertest.Item, error) {
	names, err := fs.Glob(h.exhibits, "gopher/[0-9]*.txt")
	if err != nil {
		return nil, err
	}
	var items []gophertest.Item
	for _, name := range names {
		octets, err := h.read(name)
		if err != nil {
			return nil, err
		}
		title, _, _ := strings.Cut(string(octets), "\n")
		items = append(items, gophertest.Item{Name: title, Selector: "/history" + strings.TrimPrefix(name, "gopher"), Data: string(octets)})
	}
	return items, nil
}

// searcher finds the items whose texts or names have all the words.
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
