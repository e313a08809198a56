package nntp

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// newest is how many articles of a newsgroup are listed if nobody says.
const newest = 1000

// span is article numbers, from and to; none if from is over to.
type span struct{ from, to int64 }

// choose returns the numbers of g that a request asks for, most at most, counted
// from the newest back.
func choose(g group, r scheme.ItemRange, most int64) span {
	s := span{max(g.low, r.First, 1), g.high}
	if r.Last > 0 {
		s.to = min(s.to, r.Last)
	}
	switch {
	case r.Newest > 0:
		most = min(most, r.Newest)
	case r.First <= 0:
		most = min(most, newest)
	}
	s.from = max(s.from, s.to-most+1)
	return s
}

func (s span) none() bool { return s.from > s.to }

// count is how many numbers there are, at most.
func (s span) count() int64 { return max(s.to-s.from+1, 0) }

func (s span) String() string {
	if s.from == s.to {
		return strconv.FormatInt(s.from, 10)
	}
	return fmt.Sprintf("%d-%d", s.from, s.to)
}

// leftOut returns a line that says which numbers of g are not in s. ok is false if
// all are.
func (s span) leftOut(g group) (it scheme.Item, ok bool) {
	var out []string
	if s.none() {
		out = append(out, span{g.low, g.high}.String())
	} else {
		if g.low < s.from {
			out = append(out, span{g.low, s.from - 1}.String())
		}
		if s.to < g.high {
			out = append(out, span{s.to + 1, g.high}.String())
		}
	}
	if len(out) == 0 {
		return scheme.Item{}, false
	}
	return scheme.Item{Title: "not listed: " + strings.Join(out, " and "), Kind: scheme.KindInfo, Size: -1}, true
}

// list is a menu whose items come as they are asked for.
type list struct {
	block
	first []scheme.Item // come before what is read
	// read returns the next item. The error is io.EOF at the end of the list.
	read func() (scheme.Item, error)
	left int64 // how many items may come yet
}

// menu is the list as a menu. Who stops and asks again goes on behind the last
// item.
func (l *list) menu(title string) *scheme.Menu {
	return &scheme.Menu{URL: l.job.req.URL, Title: title, Items: l.items(), Closer: l}
}

func (l *list) items() iter.Seq2[scheme.Item, error] {
	return func(yield func(scheme.Item, error) bool) {
		for len(l.first) > 0 {
			it := l.first[0]
			l.first = l.first[1:]
			if !yield(it, nil) {
				return
			}
		}
		for l.err == nil {
			it, err := l.read()
			if err == nil && l.left == 0 {
				err = fmt.Errorf("%w: the list goes on beyond what was asked for", scheme.ErrTooLarge)
			}
			if err != nil {
				if l.finish(err); l.err != io.EOF {
					yield(scheme.Item{}, l.err)
				}
				return
			}
			l.left--
			if !yield(it, nil) {
				return
			}
		}
	}
}

// line returns the next line of a block.
func (x *exchange) line() (string, error) {
	text, ok, err := x.conn.blockLine()
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", io.EOF
	}
	return string(text), nil
}

// listGroup lists the articles of a newsgroup. base is its URL with "/" behind it.
func (x *exchange) listGroup(newsgroup, base string) (scheme.Resource, error) {
	g, err := x.conn.selectGroup(newsgroup, true)
	if err != nil {
		return nil, err
	}
	l := &list{block: block{exchange: x, what: "OVER"}}
	if g.empty() || x.job.req.Probe {
		return l.nothing(newsgroup), nil
	}
	s := choose(g, x.job.req.Items, x.job.client.o.Limits.Items)
	if it, ok := s.leftOut(g); ok {
		l.first = append(l.first, it)
	}
	if s.none() {
		return l.nothing(newsgroup), nil
	}
	l.left = s.count()
	switch r, err := x.overview(s); {
	case err != nil:
		return nil, err
	case r.Code == 224:
		x.conn.beginBlock(x.job.client.o.Limits.Octets)
		l.read = x.overviewReader(base)
	case r.unknown():
		if l.read, err = x.withoutOverview(s, base); err != nil {
			return nil, err
		}
		l.what = x.conn.over
	default: // nothing in that range
		return l.nothing(newsgroup), nil
	}
	return l.menu(newsgroup), nil
}

// nothing is a menu that nothing more has to be read for.
func (l *list) nothing(title string) *scheme.Menu {
	l.end(true)
	l.err = io.EOF
	return l.menu(title)
}

// overview asks for the overview of s, in the way that the server has. A reply
// that is unknown says that it has none.
func (x *exchange) overview(s span) (r Reply, err error) {
	c := x.conn
	if c.over != "" && !slices.Contains(overviewVerbs[:], c.over) {
		return Reply{Code: 500}, nil
	}
	if c.format == nil {
		if err := x.readFormat(); err != nil {
			return Reply{}, err
		}
	}
	for _, verb := range overviewVerbs {
		if c.over != "" && c.over != verb {
			continue
		}
		if r, err = c.command(verb, s.String()); err != nil {
			return Reply{}, err
		}
		switch {
		case r.Code == 224 || r.Code == 423 || r.Code == 420:
			c.over = verb
			return r, nil
		case !r.unknown():
			return Reply{}, refusal(verb+" "+s.String(), r)
		}
	}
	return r, nil
}

// The commands that tell of articles: an overview, or one field of all heads, or
// one head. Of each two the second is what servers had before RFC 3977.
var (
	overviewVerbs = [...]string{"OVER", "XOVER"}
	fieldVerbs    = [...]string{"HDR", "XHDR"}
)

const headOnly = "HEAD"

// withoutOverview makes items of what a server tells that has no overview.
func (x *exchange) withoutOverview(s span, base string) (read func() (scheme.Item, error), err error) {
	for _, verb := range fieldVerbs {
		if x.conn.over != "" && x.conn.over != verb {
			continue
		}
		first, rest := s.cut(fieldWindow)
		found, ok, err := x.fields(verb, first)
		if err != nil {
			return nil, err
		}
		if ok {
			x.conn.over = verb
			return x.fieldReader(verb, found, rest, base), nil
		}
	}
	x.conn.over = headOnly
	return x.headReader(s, base)
}

// overviews are those of articles by their numbers.
type overviews map[int64]*Overview

// askedFields are the fields of heads that are asked for one by one.
var askedFields = [...]string{"Message-ID", "Subject", "From", "Date", "References"}

// fields asks for the fields of all articles in s. ok is false if the server does
// not know how.
func (x *exchange) fields(verb string, s span) (found overviews, ok bool, err error) {
	found = overviews{}
	left := min(x.job.client.o.Limits.Octets, maxFields)
	for _, name := range askedFields {
		r, err := x.conn.command(verb, name, s.String())
		switch {
		case err != nil:
			return nil, false, err
		case r.Code == 423 || r.Code == 420:
			return found, true, nil
		case r.Code != 225 && r.Code != 221:
			if !r.unknown() {
				return nil, false, refusal(commandText(verb, name, s.String()), r)
			} else if len(found) == 0 {
				return nil, false, nil
			}
			continue
		}
		err = x.conn.block(left, func(text string) {
			left -= int64(len(text))
			found.add(text, fieldOf(name), s)
		})
		if err != nil {
			return nil, false, err
		}
	}
	return found, true, nil
}

// add adds the line of one article: its number, and what the field has.
func (o overviews) add(text string, field overviewField, s span) {
	digits, content, _ := strings.Cut(text, " ")
	n, ok := parseCount(digits)
	if !ok || n < s.from || n > s.to {
		return
	}
	if o[n] == nil {
		o[n] = &Overview{Number: n, Bytes: -1, Lines: -1}
	}
	if content != "(none)" { // as XHDR says it
		o[n].set(field, content)
	}
}

// The fields of so many articles are asked for at once, and may be so many octets:
// they are held until all of them are there.
const (
	fieldWindow = 500
	maxFields   = 16 << 20
)

// cut returns the first n numbers of s, and those that are left.
func (s span) cut(n int64) (first, rest span) {
	end := min(s.from+n-1, s.to)
	return span{s.from, end}, span{end + 1, s.to}
}

// fieldReader makes items of what was found, and then of what verb tells of rest.
func (x *exchange) fieldReader(verb string, found overviews, rest span, base string) func() (scheme.Item, error) {
	numbers := found.numbers()
	return func() (scheme.Item, error) {
		for len(numbers) == 0 {
			if rest.none() {
				return scheme.Item{}, io.EOF
			}
			var window span
			var ok bool
			var err error
			window, rest = rest.cut(fieldWindow)
			if found, ok, err = x.fields(verb, window); err != nil {
				return scheme.Item{}, err
			} else if !ok {
				return scheme.Item{}, fmt.Errorf("%w: the server does not know %s any more", scheme.ErrProtocol, verb)
			}
			numbers = found.numbers()
		}
		o := found[numbers[0]]
		numbers = numbers[1:]
		return o.item(base), nil
	}
}

// numbers returns those that there are, in order.
func (o overviews) numbers() []int64 { return slices.Sorted(maps.Keys(o)) }

// readFormat asks for the order of the fields in an overview. A server that does
// not say has the one of RFC 3977.
func (x *exchange) readFormat() error {
	r, err := x.conn.command("LIST", "OVERVIEW.FMT")
	f := new(OverviewFormat)
	if err == nil && r.Code == 215 {
		err = x.conn.block(maxFormatText, f.Add)
	}
	if err != nil {
		return err
	}
	x.conn.format = f
	return nil
}

// maxFormatText bounds the reply to LIST OVERVIEW.FMT.
const maxFormatText = 64 << 10

// overviewReader reads items off the lines of an overview.
func (x *exchange) overviewReader(base string) func() (scheme.Item, error) {
	return func() (scheme.Item, error) {
		text, err := x.line()
		if err != nil {
			return scheme.Item{}, err
		}
		o, err := x.conn.format.Parse(text)
		if err != nil {
			return badItem(text, err), nil
		}
		return o.item(base), nil
	}
}

// headReader makes items of the heads of articles, one by one, for servers that
// have no overview, as RFC 977 knows none.
func (x *exchange) headReader(s span, base string) (func() (scheme.Item, error), error) {
	next, err := x.numbers(s)
	if err != nil {
		return nil, err
	}
	left := x.job.client.o.Limits.Octets
	return func() (scheme.Item, error) {
		for {
			number, ok := next()
			if !ok {
				return scheme.Item{}, io.EOF
			}
			text, err := x.head(number, &left)
			switch {
			case errors.Is(err, scheme.ErrNotFound):
				continue
			case err != nil:
				return scheme.Item{}, err
			}
			o := overviewOf(number, text)
			return o.item(base), nil
		}
	}, nil
}

// numbers returns what tells the numbers in s one by one: those that there are, if
// the server can list them, or else all.
func (x *exchange) numbers(s span) (next func() (int64, bool), err error) {
	r, err := x.conn.command("LISTGROUP")
	if err != nil {
		return nil, err
	}
	if r.Code != 211 {
		return func() (int64, bool) {
			s.from++
			return s.from - 1, s.from-1 <= s.to
		}, nil
	}
	var numbers []int64
	err = x.conn.block(x.job.client.o.Limits.Octets, func(text string) {
		if n, ok := parseCount(text); ok && s.from <= n && n <= s.to && int64(len(numbers)) < s.count() {
			numbers = append(numbers, n)
		}
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(numbers)
	return func() (int64, bool) {
		if len(numbers) == 0 {
			return 0, false
		}
		n := numbers[0]
		numbers = numbers[1:]
		return n, true
	}, nil
}

// head returns the head of an article, or as much of it as is looked at. What is
// read is taken from left.
func (x *exchange) head(number int64, left *int64) (string, error) {
	command := strconv.FormatInt(number, 10)
	if _, err := x.conn.expect(221, "HEAD", command); err != nil {
		return "", err
	}
	dots := x.conn.dots()
	limited := scheme.Limit(io.NopCloser(&dots), *left)
	text, err := io.ReadAll(io.LimitReader(limited, maxHead))
	if err != nil {
		return "", err
	}
	rest, err := io.Copy(io.Discard, limited)
	if err != nil {
		return "", err
	}
	x.conn.endDots(&dots)
	*left -= int64(len(text)) + rest
	return string(text), nil
}

// listGroups lists the newsgroups of a server.
func (x *exchange) listGroups(server locus.URL) (scheme.Resource, error) {
	var described map[string]string
	if !x.job.req.Probe {
		var err error
		if described, err = x.descriptions(); err != nil {
			return nil, err
		}
	}
	// RFC 977 has the same list under the shorter name.
	command := []string{"LIST", "ACTIVE"}
	r, err := x.conn.command(command...)
	if err == nil && r.unknown() {
		command = command[:1]
		r, err = x.conn.command(command...)
	}
	what := commandText(command...)
	switch {
	case err != nil:
		return nil, err
	case r.Code != 215:
		return nil, refusal(what, r)
	}
	limits := x.job.client.o.Limits
	x.conn.beginBlock(limits.Octets)
	l := &list{block: block{exchange: x, what: what}, left: limits.Items}
	l.read = func() (scheme.Item, error) {
		text, err := x.line()
		if err != nil {
			return scheme.Item{}, err
		}
		return groupItem(text, server, described), nil
	}
	return l.menu(server.Host()), nil
}

// These bound what is kept of the descriptions of newsgroups. The servers with the
// most have less than half of it.
const (
	maxDescriptions = 32 << 20 // octets
	mostDescribed   = 1 << 18  // newsgroups
)

// descriptions returns what the server says of its newsgroups, by their names. One
// that says nothing is none the worse.
func (x *exchange) descriptions() (map[string]string, error) {
	r, err := x.conn.command("LIST", "NEWSGROUPS")
	switch {
	case err != nil:
		return nil, err
	case r.Code == codeNoLogin || r.Code == codeNotReader || r.Code == codeNoEncryption:
		return nil, refusal("LIST NEWSGROUPS", r)
	case r.Code != 215:
		return nil, nil
	}
	described := map[string]string{}
	left := maxDescriptions
	err = x.conn.block(x.job.client.o.Limits.Octets, func(text string) {
		if left -= len(text); left >= 0 && len(described) < mostDescribed {
			i := strings.IndexAny(text, " \t")
			if i > 0 {
				described[text[:i]] = strings.TrimSpace(text[i:])
			}
		}
	})
	return described, err
}

// groupItem reads a line of LIST ACTIVE: name, highest number, lowest, status.
func groupItem(text string, server locus.URL, described map[string]string) scheme.Item {
	fields := strings.Fields(text)
	if len(fields) < 3 {
		return badItem(text, fmt.Errorf("%w: a newsgroup has a name and two numbers", scheme.ErrProtocol))
	}
	high, okHigh := parseCount(fields[1])
	low, okLow := parseCount(fields[2])
	if !okHigh || !okLow {
		return badItem(text, fmt.Errorf("%w: no numbers of articles", scheme.ErrProtocol))
	}
	status := ""
	if len(fields) > 3 {
		status = fields[3]
	}
	it := scheme.Item{Title: fields[0], Kind: scheme.KindMenu, Size: -1, Note: described[fields[0]]}
	it.Fields = []scheme.Field{
		{Name: "count", Value: int(max(high-low+1, 0))},
		{Name: "low", Value: int(low)},
		{Name: "high", Value: int(high)},
		{Name: "status", Value: status},
	}
	if n, err := groupURL(server, fields[0]); err == nil {
		it.URL = n.url
	}
	return it
}
