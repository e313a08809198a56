package wais

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/scheme"
)

type operation struct {
	client   *Client
	ctx      context.Context
	req      *scheme.Request
	url      URL
	server   server
	prefer   scheme.Preference // preferred document types
	answers  *archived.Buffer  // buffer for Menu.Source; nil if the caller needs no source
	archived *conn             // connection that replays archived responses; nil if the client sends requests to the server
}

func (op *operation) open() (scheme.Resource, error) {
	if op.url.form == NoDocument && !op.url.hasSearch {
		if err := op.fill(); err != nil {
			return nil, err
		}
	}
	words, searching := op.url.Words()
	switch {
	case searching:
		return op.find(words)
	case len(op.req.Like) > 0:
		return nil, scheme.Hint(fmt.Errorf("wais: %w: only a search can find documents like another", scheme.ErrUnsupported),
			"add ? and words to the URL of the database")
	case op.url.form == NoDocument:
		return op.describe()
	}
	return op.document()
}

// fill calls req.Fill with the database's search form. If req.Fill returns answers, fill
// changes the operation's URL to the URL of the search.
func (op *operation) fill() error {
	if op.req.Fill == nil {
		return nil
	}
	form := op.form("")
	answers, ok, err := op.req.Fill(op.ctx, form)
	if err != nil || !ok {
		return err
	}
	u, err := form.Submit(answers)
	if err != nil {
		return err
	}
	op.url, err = Parse(u)
	return err
}

// form returns the search form. The default value of its field is the given search words.
func (op *operation) form(words string) *scheme.Form {
	field := scheme.FormField{Kind: scheme.FieldText, Prompt: "Words to search for", Default: words}
	p := op.parts()
	return scheme.NewForm(op.url.url, "Search "+op.title(), field, func(words string) (locus.URL, error) {
		if strings.Trim(words, " ") == "" {
			return locus.URL{}, &scheme.AnswerError{Prompt: field.Prompt, Err: errors.New("enter at least one word")}
		}
		search := p
		search.Search = &words
		x, err := search.URL()
		return x.url, err
	})
}

func (op *operation) parts() Parts {
	port, _ := op.url.url.Port()
	return Parts{Host: op.url.url.Host(), Port: port, Database: op.url.database}
}

func (op *operation) title() string { return cmp.Or(op.url.database, op.url.url.Host()) }

func (op *operation) document() (scheme.Resource, error) {
	if isNeighbor(op.url.wtype) {
		return nil, fmt.Errorf("wais: %w: %s is not a document type: it requests the document-id of another document", scheme.ErrUnsupported, op.url.wtype)
	}
	id, _ := op.url.DocumentID()
	b, err := op.get(id)
	note := ""
	if again, ok := op.url.decodedAgain(); ok && mayBeAnother(err) {
		if other, otherErr := op.get(again); otherErr == nil {
			b, id, err = other, again, nil
			note = "the document-id in the URL is escaped twice"
		}
	}
	if err != nil {
		return nil, err
	}
	if mediaType := mediaTypeOf(op.url.wtype); op.prefer.Quality(mediaType) == 0 {
		note = joined(note, fmt.Sprintf("the URL specifies the type %s, which is %s: the preference %s has no effect", op.url.wtype, mediaType, op.prefer))
	}
	o := &scheme.Object{
		URL:   op.url.url,
		Name:  id.name(),
		Type:  mediaTypeOf(op.url.wtype),
		Size:  -1,
		Start: b.begin,
		Note:  note,
		Body:  scheme.Limit(b, op.req.Limit),

		Resumable: true,
	}
	if b.err == io.EOF {
		o.Size = b.request.Start
	}
	return o, nil
}

func (op *operation) get(id DocumentID) (*body, error) {
	b, err := newBody(op.url.database, id, op.url.wtype)
	if err != nil {
		return nil, err
	}
	err = op.run(func(x *exchange) error {
		return b.readFirst(x, max(op.req.Offset, 0), op.client.o.Limits.Octets)
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// mayBeAnother reports whether a wrong document-id may be the cause of err. If the document-id
// is wrong, servers send a diagnostic or an empty packet, or close the connection.
func mayBeAnother(err error) bool {
	return errors.Is(err, scheme.ErrNotFound) || errors.Is(err, ErrEmpty) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

func (op *operation) search(q *query) (*searchReply, error) {
	packet, err := appendSearch(nil, q)
	if err != nil {
		return nil, err
	}
	var reply searchReply
	err = op.run(func(x *exchange) error {
		if err := x.search(q, packet); err != nil {
			return err
		}
		reply = x.reply
		x.finish()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &reply, nil
}

// maxHits is the maximum number of hits that the client requests. The limit is necessary
// because servers allocate memory for the requested number.
const maxHits = 10_000

// span returns the ranks of the first and the last requested hit. The first rank is 1.
func (op *operation) span() (first, last int) {
	r, usual := op.req.Items, int64(op.client.o.Max)
	from, to := max(r.First, 1), r.Last
	switch {
	case to == 0 && r.Newest > 0:
		to = from + min(r.Newest, maxHits) - 1
	case to == 0:
		to = from + usual - 1
	case r.Newest > 0:
		to = min(to, from+min(r.Newest, maxHits)-1)
	}
	most := max(maxHits, usual)
	return int(min(from, most+1)), int(min(to, most))
}

func (op *operation) find(words string) (scheme.Resource, error) {
	examples, err := op.examples()
	if err != nil {
		return nil, err
	}
	first, last := op.span()
	if first > last {
		return nil, fmt.Errorf("wais: %w: hits from %d were requested, but only %d can be", scheme.ErrTooLarge, op.req.Items.First, last)
	}
	r, err := op.search(&query{Database: op.url.database, Words: words, Max: last, Examples: examples})
	if err == nil && !r.hasHit() {
		err = refusal(r)
	}
	if err != nil {
		return nil, err
	}
	title := op.title()
	if words != "" {
		title = words + " in " + title
	}
	return op.menu(title, words, &listing{reply: r, firstRank: first, requested: last, links: !isHelp(words)}), nil
}

// isHelp reports whether a search for the given words returns help about the database itself.
func isHelp(words string) bool { return words == "" || words[0] == '?' || words[0] == '*' }

// hasHit reports whether the search found a document. If a search finds nothing, the server
// lists a document with score 0.
func (r *searchReply) hasHit() bool {
	return slices.ContainsFunc(r.Hits, func(h hit) bool { return h.Score != 0 })
}

func (op *operation) examples() ([]example, error) {
	var list []example
	for _, u := range op.req.Like {
		x, err := Parse(u)
		id, ok := x.DocumentID()
		if err != nil || !ok {
			return nil, scheme.Hint(fmt.Errorf("wais: %w: a search for documents like %s", scheme.ErrUnsupported, locus.Quote(u.Shown())),
				"use the wais URL of a document from a search")
		}
		if err := x.sendable(); err != nil {
			return nil, err
		}
		list = append(list, example{ID: id, Wtype: x.wtype})
	}
	return list, nil
}

func refusal(r *searchReply) error {
	var list []error
	for _, d := range r.Diagnostics {
		list = append(list, d)
	}
	return errors.Join(list...)
}

// describe sends a search without words to a database. Servers return the source description
// and other documents about the database.
func (op *operation) describe() (scheme.Resource, error) {
	var head []scheme.Item
	reply, err := op.search(&query{Database: op.url.database, Max: op.client.o.Max})
	if err == nil {
		head, err = op.sourceItems(reply.Hits)
	}
	if err == nil && len(reply.Hits)+len(reply.Diagnostics) == 0 {
		err = op.checkExists()
	}
	if err == nil && !reply.hasHit() {
		err = refusal(reply)
	}
	switch {
	case err == nil:
	case errors.Is(err, scheme.ErrNotFound), errors.Is(err, scheme.ErrAuth):
		return nil, err
	case errors.Is(err, ErrEmpty):
		reply = new(searchReply)
		head = []scheme.Item{errorItem(err)}
	case reply == nil || len(reply.Diagnostics) == 0:
		return nil, err
	}
	return op.menu(op.title(), "", &listing{head: head, reply: reply, firstRank: 1, requested: op.client.o.Max}), nil
}

// checkExists returns an error if the server reports that the database does not exist. It
// searches for "?", because freeWAIS responds to a search without words without opening the
// database.
func (op *operation) checkExists() error {
	r, err := op.search(&query{Database: op.url.database, Words: "?", Max: op.client.o.Max})
	if op.ctx.Err() != nil {
		return err
	}
	if err != nil {
		return nil // the server may not support a search for "?"
	}
	if why := refusal(r); errors.Is(why, scheme.ErrNotFound) {
		return why
	}
	return nil
}

// sourceItems fetches the first source description in hits, and returns items that describe
// the database. If the description is invalid, an item reports the fault. If the connection
// fails, sourceItems returns an error.
func (op *operation) sourceItems(hits []hit) ([]scheme.Item, error) {
	i := slices.IndexFunc(hits, func(h hit) bool { return slices.Contains(h.Wtypes, wtypeSource) })
	if i < 0 {
		return nil, nil
	}
	s, err := op.readSource(hits[i].ID, maxSource)
	if op.ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return []scheme.Item{errorItem(err)}, nil
	}
	return s.items(), nil
}

// readSource fetches a source description. The description may have at most maxSize bytes.
func (op *operation) readSource(id DocumentID, maxSize int64) (*source, error) {
	b, err := newBody(op.url.database, id, wtypeSource)
	if err == nil {
		err = op.run(func(x *exchange) error { return b.readFirst(x, 0, maxSize) })
	}
	if err != nil {
		return nil, err
	}
	defer b.Close()
	text, err := io.ReadAll(b)
	if err != nil {
		return nil, err
	}
	return parseSource(text)
}
