package tour

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/news/newstest"
)

// newsRoom has newsgroups. Its server is also that of news URLs, which name none.
func (m *Museum) newsRoom() (Room, error) {
	const article = "message/rfc822"
	m.news = locus.MustParse(m.base["nntp"])
	return Room{
		Name: "News", About: "Articles in groups, in threads, with files and pictures in them. They have the same name on every server.",
		Stops: []Stop{
			{Section: "RFC 1738 3.6", Kind: scheme.KindMenu, Title: "all newsgroups of the reader's own server, which no news URL names", URL: locus.MustParse("news:*")},
			{Section: "RFC 1738 3.6", Kind: scheme.KindMenu, Title: "a newsgroup: its articles, by their own names", URL: locus.MustParse("news:museum.usenet")},
			{Section: "RFC 1738 3.6", Type: article, Title: "an article, which has the same name on every server", URL: locus.MustParse("news:rfc977.1986@museum.example")},
			{Section: "RFC 1738 3.6", Type: article, Title: "an article with a file in it", URL: locus.MustParse("news:renaming.1987@museum.example")},
			{Section: "RFC 1738 3.6", Type: article, Title: "an article with a picture, in the manner of before MIME", URL: locus.MustParse("news:terminal.1993@museum.example")},
			{Section: "RFC 1738 3.7", Kind: scheme.KindMenu, Title: "the same newsgroup, by the numbers that this one server gave", URL: m.url("nntp", "/museum.usenet")},
			{Section: "RFC 1738 3.7", Type: article, Title: "an article by its number", URL: m.url("nntp", "/museum.usenet/2")},
		},
	}, m.startNews(newstest.Options{Listener: m.tcp["nntp"]})
}

// startNews starts a server of the newsgroups.
func (m *Museum) startNews(o newstest.Options) error {
	groups := newstest.Groups{
		"museum.announce": {Description: "What is new at the museum. (Moderated)", Status: "m"},
		"museum.usenet":   {Description: "How the news came about."},
	}
	for name, group := range groups {
		articles, err := m.readAll("news/" + name + "/*.eml")
		if err != nil {
			return err
		}
		for _, e := range articles {
			group.Articles = append(group.Articles, strings.ReplaceAll(e.text, "\n", "\r\n"))
		}
		groups[name] = group
	}
	o.Greeting = "201 The museum of the network, room of news: nobody writes here any more"
	return m.keep(newstest.Start(groups, &o))
}
