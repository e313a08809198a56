package tour

import (
	"io/fs"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/nntp/nntptest"
)

// newsRoom serves a newsgroup by NNTP. Its server is the one that news URLs, which
// name none, are read from.
func newsRoom(exhibits fs.FS) (room, error) {
	articles, err := newsArticles(exhibits)
	if err != nil {
		return room{}, err
	}
	server, err := nntptest.Start(nntptest.Groups{
		"museum.announce": {Description: "What is new at the museum. (Moderated)", Status: "m"},
		"museum.usenet":   {Description: "How the news came about.", Articles: articles},
	}, &nntptest.Options{Greeting: "201 The museum of the network, room of news: nobody writes here any more"})
	if err != nil {
		return room{}, err
	}
	base := "nntp://" + server.Addr()
	stop := func(name, section, title, u string) Stop {
		return Stop{Scheme: name, Section: "RFC 1738 " + section, Title: title, URL: locus.MustParse(u)}
	}
	return room{
		stops: []Stop{
			stop("news", "3.6", "all newsgroups of the reader's own server, which no news URL names", "news:*"),
			stop("news", "3.6", "a newsgroup: its articles, by their own names", "news:museum.usenet"),
			stop("news", "3.6", "an article, which has the same name on every server", "news:rfc977.1986@museum.example"),
			stop("news", "3.6", "an article with a file in it", "news:renaming.1987@museum.example"),
			stop("nntp", "3.7", "the same newsgroup, by the numbers that this one server gave", base+"/museum.usenet"),
			stop("nntp", "3.7", "an article by its number", base+"/museum.usenet/2"),
		},
		news:  locus.MustParse(base),
		close: server.Close,
	}, nil
}

// newsArticles are the articles as they go over the wire, oldest first.
func newsArticles(exhibits fs.FS) ([]string, error) {
	names, err := fs.Glob(exhibits, "news/*.eml")
	if err != nil {
		return nil, err
	}
	var articles []string
	for _, name := range names {
		octets, err := fs.ReadFile(exhibits, name)
		if err != nil {
			return nil, err
		}
		articles = append(articles, strings.ReplaceAll(string(octets), "\n", "\r\n"))
	}
	return articles, nil
}
