package tour

import (
	"io/fs"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/news/newstest"
)

// newsRoom serves newsgroups by NNTP. Its server is the one that news URLs, which
// name none, are read from.
func newsRoom(h *house) (room, error) {
	stop := func(name, section, title, u string) Stop {
		return Stop{Scheme: name, Section: "RFC 1738 " + section, Title: title, URL: locus.MustParse(u)}
	}
	r, err := openNews(h, newstest.Options{Listener: h.tcp["nntp"]}, room{
		name: "News", about: "Articles in groups, in threads, with files and pictures in them. They have the same name on every server.",
		stops: []Stop{
			stop("news", "3.6", "all newsgroups of the reader's own server, which no news URL names", "news:*"),
			stop("news", "3.6", "a newsgroup: its articles, by their own names", "news:museum.usenet"),
			stop("news", "3.6", "an article, which has the same name on every server", "news:rfc977.1986@museum.example"),
			stop("news", "3.6", "an article with a file in it", "news:renaming.1987@museum.example"),
			stop("news", "3.6", "an article with a picture, in the manner of before MIME", "news:terminal.1993@museum.example"),
			stop("nntp", "3.7", "the same newsgroup, by the numbers that this one server gave", h.base["nntp"]+"/museum.usenet"),
			stop("nntp", "3.7", "an article by its number", h.base["nntp"]+"/museum.usenet/2"),
		},
	})
	r.news = locus.MustParse(h.base["nntp"])
	return r, err
}

// openNews starts a server of the newsgroups for r.
func openNews(h *house, o newstest.Options, r room) (room, error) {
	groups := newstest.Groups{
		"museum.announce": {Description: "What is new at the museum. (Moderated)", Status: "m"},
		"museum.usenet":   {Description: "How the news came about."},
	}
	for name, group := range groups {
		var err error
		if group.Articles, err = newsArticles(h, name); err != nil {
			return room{}, err
		}
		groups[name] = group
	}
	o.Greeting = "201 The museum of the network, room of news: nobody writes here any more"
	server, err := newstest.Start(groups, &o)
	if err != nil {
		return room{}, err
	}
	r.close = server.Close
	return r, nil
}

// newsArticles are the articles of a group as they go over the wire, oldest first.
func newsArticles(h *house, group string) ([]string, error) {
	names, err := fs.Glob(h.exhibits, "news/"+group+"/*.eml")
	if err != nil {
		return nil, err
	}
	var articles []string
	for _, name := range names {
		octets, err := h.read(name)
		if err != nil {
			return nil, err
		}
		articles = append(articles, strings.ReplaceAll(string(octets), "\n", "\r\n"))
	}
	return articles, nil
}
