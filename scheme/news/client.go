package news

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/scheme"
)

// Reader reads news from a server, with connections of req.Dial. A server is
// written "nntp://host:port", or "nntps://host:port" for one within TLS, perhaps
// with user and password. What is opened has req.URL as its URL. The client of
// package nntp is a Reader.
type Reader interface {
	// OpenArticle opens an article by its message-id, without "<" and ">".
	OpenArticle(ctx context.Context, req *scheme.Request, server locus.URL, messageID string) (*scheme.Object, error)
	// OpenGroup lists the articles of a newsgroup that req.Items chooses. Each item
	// that is one has a field "messageId", a string without "<" and ">".
	OpenGroup(ctx context.Context, req *scheme.Request, server locus.URL, newsgroup string) (*scheme.Menu, error)
	// OpenGroups lists all newsgroups. Each item that is one is a KindMenu and has
	// the name as its title.
	OpenGroups(ctx context.Context, req *scheme.Request, server locus.URL) (*scheme.Menu, error)
}

// Options of a Client. The zero value knows no server, and opens only what names
// one.
type Options struct {
	// Server is the reader's own: "nntp://host:port" or "nntps://host:port". The
	// zero URL: there is none.
	Server locus.URL
	// Received opens an article among those that were received already (URI draft,
	// "News"), by its message-id without "<" and ">". It is asked before a server is,
	// but not for a URL that names a server. An error that wraps scheme.ErrNotFound
	// leaves the article to the server. nil: there are none.
	Received func(ctx context.Context, req *scheme.Request, messageID string) (*scheme.Object, error)
}

// Client accesses URLs of news and snews. It may be used from many goroutines at
// once if its Reader may.
type Client struct {
	reader Reader
	o      Options
}

// New returns a Client that reads through r. o may be nil.
func New(r Reader, o *Options) *Client {
	c := &Client{reader: r}
	if o != nil {
		c.o = *o
	}
	return c
}

// Get dereferences n: an article is an Object; a newsgroup is a Menu of the newest
// of its articles, and all newsgroups are one too.
func (c *Client) Get(ctx context.Context, d scheme.Dialer, n URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: n.url, Dial: d}, n)
}

// Open implements [scheme.Opener]: Parse, then what Get does. Request.Items
// chooses articles by their numbers, which are those of the server that is asked.
// The items are news URLs: of no server, or of the one that req.URL names.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	n, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	return c.open(ctx, req, n)
}

func (c *Client) open(ctx context.Context, req *scheme.Request, n URL) (scheme.Resource, error) {
	if err := n.sendable(); err != nil {
		return nil, err
	}
	var missing error
	if n.messageID != "" && n.url.Host() == "" && c.o.Received != nil {
		o, err := c.o.Received(ctx, req, n.messageID)
		if err == nil {
			return o, nil
		}
		if !errors.Is(err, scheme.ErrNotFound) {
			return nil, fmt.Errorf("news: %w", err)
		}
		missing = err
	}
	server, err := c.server(n)
	if err != nil && missing != nil {
		return nil, fmt.Errorf("news: %w, and no news server is known", missing)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case n.messageID != "":
		o, err := c.reader.OpenArticle(ctx, req, server, n.messageID)
		if err != nil {
			return nil, err
		}
		return o, nil
	case n.newsgroup != "":
		m, err := c.reader.OpenGroup(ctx, req, server, n.newsgroup)
		return n.menu(m, err, articleParts)
	default:
		m, err := c.reader.OpenGroups(ctx, req, server)
		return n.menu(m, err, groupParts)
	}
}

// sendable says why n can't be asked for, if it can't: it holds what would end a
// command, or what no message-id has (RFC 3977 section 3.6). Nothing is asked
// then.
func (n URL) sendable() error {
	octets, part, not := n.newsgroup, "group", ""
	if n.messageID != "" {
		octets, part, not = n.messageID, "article", "<>"
	}
	i := strings.IndexFunc(octets, func(r rune) bool { return r <= ' ' || r == 0x7F || strings.ContainsRune(not, r) })
	if i < 0 {
		return nil
	}
	text, offset := grouppart(n.url)
	return n.url.Errorf(offset+bnf.OctetOffset(text, i), part, "%w: %s can't be in a name that is sent to a server", locus.ErrValue, locus.Quote(octets[i:i+1]))
}

// server returns the URL of the server to ask. snews has one within TLS, on its
// own port unless it is known by another.
func (c *Client) server(n URL) (locus.URL, error) {
	from := n.url
	if from.Host() == "" {
		from = c.o.Server
	}
	if from.IsZero() {
		return locus.URL{}, scheme.Hint(fmt.Errorf("news: %w: no news server is known, and a news URL names none", scheme.ErrUnsupported),
			"NNTPSERVER in the environment, or news.server in the configuration, names one")
	}
	p := from.Parts()
	p.Path, p.Fragment = nil, nil
	switch {
	case from == n.url && n.Secure():
		p.Scheme = "nntps"
	case from == n.url:
		p.Scheme = "nntp"
	case n.Secure() && from.Scheme() != "nntps":
		p.Scheme, p.Port = "nntps", 0
	}
	return p.URL()
}

// menu is m with items that have news URLs.
func (n URL) menu(m *scheme.Menu, err error, parts func(scheme.Item) Parts) (scheme.Resource, error) {
	if err != nil {
		return nil, err
	}
	m.Items = n.link(m.Items, parts)
	return m, nil
}

// link gives items the URLs that parts tell, at the server that n names, if any.
// An item whose parts are no URL, or none that can be asked for, locates nothing.
func (n URL) link(items iter.Seq2[scheme.Item, error], parts func(scheme.Item) Parts) iter.Seq2[scheme.Item, error] {
	base := n.url.Scheme() + n.url.String()[len(n.url.Scheme()):n.url.PathOffset()]
	if _, ok := n.url.Path(); !ok && n.url.Host() != "" {
		base += "/"
	}
	return func(yield func(scheme.Item, error) bool) {
		for it, err := range items {
			it.URL = locus.URL{}
			if text, bad := parts(it).grouppart(); bad == nil {
				it.URL = asked(base + text)
			}
			if !yield(it, err) {
				return
			}
		}
	}
}

// asked returns the URL that text is, or the zero URL if nobody can be asked for it.
func asked(text string) locus.URL {
	u, err := locus.Parse(text)
	if err != nil {
		return locus.URL{}
	}
	if n, err := Parse(u); err != nil || n.sendable() != nil {
		return locus.URL{}
	}
	return u
}

// groupParts is the newsgroup that an item is.
func groupParts(it scheme.Item) Parts {
	if it.Kind != scheme.KindMenu {
		return Parts{}
	}
	return Parts{Newsgroup: it.Title}
}

// articleParts is the article that an item is.
func articleParts(it scheme.Item) Parts {
	i := slices.IndexFunc(it.Fields, func(f scheme.Field) bool { return f.Name == "messageId" })
	if i < 0 {
		return Parts{}
	}
	id, _ := it.Fields[i].Value.(string)
	return Parts{MessageID: id}
}
