package tour

import (
	"strings"

	"github.com/locus-url/locus/scheme/news/newstest"
)

func (m *Demo) startNews(o newstest.Options) error {
	var groups newstest.Groups
	if err := m.readJSON("news/groups.json", &groups); err != nil {
		return err
	}
	for _, group := range groups {
		for i, text := range group.Articles {
			group.Articles[i] = strings.ReplaceAll(text, "\n", "\r\n")
		}
	}
	o.Greeting = "201 The museum of the network, room of news: nobody writes here any more"
	return m.closeLater(newstest.Start(groups, &o))
}
