package browse

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/internal/term"
)

// archivedList creates pages that list the archived URLs.
type archivedList struct {
	store  *archive.Store
	opener opener
}

const (
	archivedPerPage = 2000   // maximum number of hosts or URLs on a page
	maxMatches      = 10_000 // maximum number of search matches
)

// hosts lists the archived hosts that follow the host in the parameter after. If the parameter is
// empty, the list begins with the first host.
func (k *archivedList) hosts(after string) place {
	return k.place("archives", func(l *loading) *page {
		p := &page{title: "Archived pages"}
		hosts, err := k.store.Hosts(after, archivedPerPage+1)
		more := len(hosts) > archivedPerPage
		hosts = hosts[:min(len(hosts), archivedPerPage)]
		p.addLink("Search", link{label: "Enter searches the URLs", act: k.ask})
		p.addText(plain, "")
		p.addText(bold, "Hosts")
		for _, host := range hosts {
			title := term.Safe(host)
			if host == "" {
				title = "(no host)"
			}
			p.addLink(title+"/", link{place: k.urls(host, "")})
			l.items.Add(1)
		}
		if more {
			p.addLink("More hosts", link{place: k.hosts(hosts[len(hosts)-1])})
		}
		if len(hosts) == 0 && err == nil {
			p.addText(faint, "(none)")
		}
		return p.ended(err)
	})
}

// urls lists the archived URLs of a host by scheme. The parameter after is the position of the
// last URL on the previous page.
func (k *archivedList) urls(host, after string) place {
	name := term.Safe(host)
	if host == "" {
		name = "URLs without a host"
	}
	return k.place(name, func(l *loading) *page {
		p := &page{title: name}
		list, err := k.store.List(host, after, archivedPerPage)
		next := ""
		if len(list) == archivedPerPage {
			next = list[len(list)-1].After
		}
		slices.SortStableFunc(list, func(a, b archive.Listed) int { return strings.Compare(a.URL.Scheme(), b.URL.Scheme()) })
		for i, each := range list {
			if scheme := each.URL.Scheme(); i == 0 || scheme != list[i-1].URL.Scheme() {
				if i > 0 {
					p.addText(plain, "")
				}
				p.addText(bold, term.Safe(scheme))
			}
			k.add(p, each)
			l.items.Add(1)
		}
		if next != "" {
			p.addLink("More URLs", link{place: k.urls(host, next)})
		}
		return p.ended(err)
	})
}

// ask prompts for words, and lists the URLs that contain all of these words.
func (k *archivedList) ask(m *model) {
	m.ask(prompt{label: "Words in the URL: ", done: func(m *model, text string) {
		if words := strings.Fields(strings.ToLower(text)); len(words) > 0 {
			m.visit(k.search(words))
		}
	}}, "")
}

// search lists the URLs that contain all words, which must be lowercase.
func (k *archivedList) search(words []string) place {
	name := "Archived URLs that contain " + term.Safe(strings.Join(words, " "))
	return k.place(name, func(l *loading) *page {
		p := &page{title: name}
		err := k.all(l, func(each archive.Listed) bool {
			l.items.Add(1)
			text := strings.ToLower(each.URL.Shown())
			if slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
				return true
			}
			k.add(p, each)
			return len(p.links) < maxMatches
		})
		switch {
		case len(p.links) == maxMatches:
			p.addText(plain, "", fmt.Sprintf("Only the first %d are shown.", maxMatches))
		case len(p.links) == 0 && err == nil:
			p.addText(faint, "(none)")
		}
		return p.ended(err)
	})
}

// all calls the function add for each archived URL. It stops when add returns false or the user
// stops loading.
func (k *archivedList) all(l *loading, add func(archive.Listed) bool) error {
	hostAfter := ""
	for {
		hosts, err := k.store.Hosts(hostAfter, archivedPerPage)
		if err != nil || len(hosts) == 0 {
			return err
		}
		for _, host := range hosts {
			for after := ""; ; {
				list, err := k.store.List(host, after, archivedPerPage)
				if err == nil {
					err = l.ctx.Err()
				}
				if err != nil {
					return err
				}
				for _, each := range list {
					if !add(each) {
						return nil
					}
				}
				if len(list) < archivedPerPage {
					break
				}
				after = list[len(list)-1].After
			}
		}
		if hostAfter = hosts[len(hosts)-1]; len(hosts) < archivedPerPage {
			return nil
		}
	}
}

func (k *archivedList) place(name string, read func(*loading) *page) place {
	return place{opener: k.opener, name: name, read: read}
}

// add adds a link to the captures of a URL. The browser treats the URL as if the user had typed
// it, because opening a capture needs no network access.
func (k *archivedList) add(p *page, each archive.Listed) {
	title := term.Safe(each.URL.Shown())
	if each.Status != 0 && each.Status != http.StatusOK {
		title += fmt.Sprintf("  (%d)", each.Status)
	}
	if each.Count > 1 {
		title += fmt.Sprintf("  (%d times)", each.Count)
	}
	b := p.addLink(title, link{place: place{opener: k.opener, url: each.URL.WithoutPassword()}})
	b.detail = human.Time(each.Time) + "  "
}

// ended adds err, if it is not nil, to the page as the reason why the page is incomplete.
func (p *page) ended(err error) *page {
	if err != nil {
		p.broken(err)
	}
	return p
}
