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
	"github.com/locus-url/locus/scheme"
)

// job is one URL to be accessed.
type job struct {
	client *Client
	ctx    context.Context
	req    *scheme.Request
	url    URL
	place  place
	prefer scheme.Preference // among the types of a document
}

func (j *job) open() (scheme.Resource, error) {
	if j.url.form == NoDocument && !j.url.hasSearch {
		if err := j.fill(); err != nil {
			return nil, err
		}
	}
	words, searching := j.url.Words()
	switch {
	case searching:
		return j.find(words)
	case len(j.req.Like) > 0:
		return nil, scheme.Hint(fmt.Errorf("wais: %w: nothing but a search is for what is like a document", scheme.ErrUnsupported),
			"add ? and words to the URL of the database")
	case j.url.form == NoDocument:
		return j.describe()
	}
	return j.document()
}

// fill has the form of a database filled in, if there is somebody to do it. Then the
// job is the search.
func (j *job) fill() error {
	if j.req.Fill == nil {
		return nil
	}
	form := j.form("")
	answers, ok, err := j.req.Fill(j.ctx, form)
	if err != nil || !ok {
		return err
	}
	u, err := form.Submit(answers)
	if err != nil {
		return err
	}
	j.url, err = Parse(u)
	return err
}

// form asks for the words of a search. words are those that there were before.
func (j *job) form(words string) *scheme.Form {
	const prompt = "Words to search for"
	f := &scheme.Form{
		URL:    j.url.url,
		Title:  "Search " + j.title(),
		Fields: []scheme.FormField{{Kind: scheme.FieldText, Prompt: prompt, Default: words}},
	}
	p := j.parts()
	f.Submit = func(answers []string) (locus.URL, error) {
		if err := f.Check(answers); err != nil {
			return locus.URL{}, err
		}
		if strings.Trim(answers[0], " ") == "" {
			return locus.URL{}, &scheme.AnswerError{Prompt: prompt, Err: errors.New("no words to look for")}
		}
		search := p
		search.Search = &answers[0]
		x, err := search.URL()
		return x.url, err
	}
	return f
}

// parts are those of the database's URL.
func (j *job) parts() Parts {
	port, _ := j.url.url.Port()
	return Parts{Host: j.url.url.Host(), Port: port, Database: j.url.database}
}

// title is what the database is called.
func (j *job) title() string { return cmp.Or(j.url.database, j.url.url.Host()) }

// document opens a document.
func (j *job) document() (scheme.Resource, error) {
	if isNeighbour(j.url.wtype) {
		return nil, fmt.Errorf("wais: %w: %s is no type of a document: with it a server is asked for the document-id of another", scheme.ErrUnsupported, j.url.wtype)
	}
	id, _ := j.url.DocumentID()
	b, err := j.get(id)
	note := ""
	if again, ok := j.url.decodedAgain(); ok && mayBeAnother(err) {
		if other, otherErr := j.get(again); otherErr == nil {
			b, id, err = other, again, nil
			note = "the server knows the document by a document-id that the URL has escaped twice"
		}
	}
	if err != nil {
		return nil, err
	}
	if mediaType := MediaType(j.url.wtype); j.prefer.Quality(mediaType) == 0 {
		note = joined(note, fmt.Sprintf("the URL itself names the type %s, which is %s: what is wanted (%s) does not change it", j.url.wtype, mediaType, j.prefer))
	}
	o := &scheme.Object{
		URL:   j.url.url,
		Name:  id.name(),
		Type:  MediaType(j.url.wtype),
		Size:  -1,
		Start: b.begin,
		Note:  note,
		Body:  scheme.Limit(b, j.req.Limit),

		Resumable: true,
	}
	if b.err == io.EOF {
		o.Size = b.ask.Start
	}
	return o, nil
}

// get opens the document of an id.
func (j *job) get(id DocumentID) (*body, error) {
	b, err := newBody(j.url.database, id, j.url.wtype)
	if err != nil {
		return nil, err
	}
	err = j.run(func(x *exchange) error {
		return b.open(x, max(j.req.Offset, 0), j.client.o.Limits.Octets)
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// mayBeAnother reports whether err is what servers do when a document-id is wrong:
// they have no such document, answer with nothing, or close the connection.
func mayBeAnother(err error) bool {
	return errors.Is(err, scheme.ErrNotFound) || errors.Is(err, ErrEmpty) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// search asks for what q says.
func (j *job) search(q *Query) (*SearchReply, error) {
	packet, err := AppendSearch(nil, q)
	if err != nil {
		return nil, err
	}
	var reply SearchReply
	err = j.run(func(x *exchange) error {
		if err := x.search(q, packet); err != nil {
			return err
		}
		reply = x.reply
		x.end()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &reply, nil
}

// mostHits is the most hits that are asked for: servers take memory for as many as a
// request wants.
const mostHits = 10_000

// span returns which hits are wanted, by their places from 1 on, the best first.
func (j *job) span() (first, last int) {
	r, usual := j.req.Items, int64(j.client.o.Max)
	from, to := max(r.First, 1), r.Last
	switch {
	case to == 0 && r.Newest > 0:
		to = from + min(r.Newest, mostHits) - 1
	case to == 0:
		to = from + usual - 1
	case r.Newest > 0:
		to = min(to, from+min(r.Newest, mostHits)-1)
	}
	most := max(mostHits, usual)
	return int(min(from, most+1)), int(min(to, most))
}

// find searches for words, and for what is like the examples.
func (j *job) find(words string) (scheme.Resource, error) {
	examples, err := j.examples()
	if err != nil {
		return nil, err
	}
	first, last := j.span()
	if first > last {
		return nil, fmt.Errorf("wais: %w: hits from place %d on, and no more than %d are asked for", scheme.ErrTooLarge, j.req.Items.First, last)
	}
	r, err := j.search(&Query{Database: j.url.database, Words: words, Max: last, Examples: examples})
	if err == nil && !r.hasHit() {
		err = refusal(r)
	}
	if err != nil {
		return nil, err
	}
	title := j.title()
	if words != "" {
		title = words + " in " + title
	}
	return j.menu(title, words, &listing{reply: r, first: first, most: last, links: !isHelp(words)}), nil
}

// isHelp reports whether words ask what the database is: the descriptions that answer
// them are its own.
func isHelp(words string) bool { return words == "" || words[0] == '?' || words[0] == '*' }

// hasHit reports whether the search found a document. A score of 0 marks one that is
// shown because nothing was found.
func (r *SearchReply) hasHit() bool {
	return slices.ContainsFunc(r.Hits, func(h Hit) bool { return h.Score != 0 })
}

// examples are the documents that what is found is to be like.
func (j *job) examples() ([]Example, error) {
	var list []Example
	for _, u := range j.req.Like {
		x, err := Parse(u)
		id, ok := x.DocumentID()
		if err != nil || !ok {
			return nil, scheme.Hint(fmt.Errorf("wais: %w: a search for what is like %s", scheme.ErrUnsupported, locus.Quote(u.Redacted())),
				"it is no wais URL of a document, such as a search gives")
		}
		if err := x.sendable(); err != nil {
			return nil, err
		}
		list = append(list, Example{ID: id, Wtype: x.wtype})
	}
	return list, nil
}

// refusal is what the diagnostics of an answer are as an error; nil: there are none.
func refusal(r *SearchReply) error {
	var list []error
	for _, d := range r.Diagnostics {
		list = append(list, d)
	}
	return errors.Join(list...)
}

// describe tells of a database: what its source description says, which servers give
// for a search without words, and what else they give then.
func (j *job) describe() (scheme.Resource, error) {
	q := &Query{Database: j.url.database, Max: j.client.o.Max}
	packet, err := AppendSearch(nil, q)
	if err != nil {
		return nil, err
	}
	var head []scheme.Item
	var reply SearchReply
	err = j.run(func(x *exchange) error {
		err := x.search(q, packet)
		if err != nil {
			return err
		}
		reply, x.reply = x.reply, SearchReply{}
		head, err = j.source(x, reply.Hits)
		x.end()
		return err
	})
	if err == nil && len(reply.Hits)+len(reply.Diagnostics) == 0 {
		err = j.missing()
	}
	if err == nil && !reply.hasHit() {
		err = refusal(&reply)
	}
	switch {
	case err == nil:
	case errors.Is(err, scheme.ErrNotFound), errors.Is(err, scheme.ErrAuth):
		return nil, err
	case errors.Is(err, ErrEmpty):
		reply.Diagnostics = nil
		head = []scheme.Item{errorItem(err)}
	case len(reply.Diagnostics) == 0:
		return nil, err
	}
	return j.menu(j.title(), "", &listing{head: head, reply: &reply, first: 1, most: j.client.o.Max}), nil
}

// missing returns the error for a database that the server does not have, nil if it may
// have it. For no words at all freeWAIS answers with nothing, whether the database has
// no description or is missing; for the words "?" it opens the database.
func (j *job) missing() error {
	r, err := j.search(&Query{Database: j.url.database, Words: "?", Max: j.client.o.Max})
	if j.ctx.Err() != nil {
		return err
	}
	if err != nil {
		return nil // the server may not know such words
	}
	if why := refusal(r); errors.Is(why, scheme.ErrNotFound) {
		return why
	}
	return nil
}

// source fetches the first source description among hits, and returns what it says. A
// fault of the description is an item, and an error is one of the connection.
func (j *job) source(x *exchange, hits []Hit) ([]scheme.Item, error) {
	hit := firstSource(hits)
	if hit == nil {
		return nil, nil
	}
	s, err := j.readSource(x, hit.ID, maxSource)
	if j.ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return []scheme.Item{errorItem(err)}, nil
	}
	return s.items(), nil
}

// readSource fetches a source description of at most so many octets.
func (j *job) readSource(x *exchange, id DocumentID, most int64) (*Source, error) {
	b, err := newBody(j.url.database, id, wtypeSource)
	if err == nil {
		err = b.open(x, 0, most)
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(b)
	if err != nil {
		return nil, err
	}
	return ParseSource(text)
}

func firstSource(hits []Hit) *Hit {
	for i := range hits {
		for _, wtype := range hits[i].Wtypes {
			if wtype == wtypeSource {
				return &hits[i]
			}
		}
	}
	return nil
}
