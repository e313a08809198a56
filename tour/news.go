package tour

import (
	"strings"

	"github.com/locus-url/locus/scheme/news/newstest"
)

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
