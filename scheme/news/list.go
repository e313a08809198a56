package news

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

// newest is the default number of articles in a newsgroup's menu.
const newest = 1000

// span is a range of article numbers that includes from and to. If from > to, the range is
// empty.
type span struct{ from, to int64 }

// choose returns the article numbers of the newsgroup g that r selects. If there are more than
// most, it returns the highest numbers.
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

func (s span) empty() bool { return s.from > s.to }

// of returns the article numbers in the archived range s that r selects from the newsgroup g.
// If r selects more than most numbers, only the highest numbers count.
func (s span) of(g group, r scheme.ItemRange, most int64) span {
	if r == (scheme.ItemRange{}) {
		return s
	}
	w := choose(g, r, most)
	return span{max(s.from, w.from), min(s.to, w.to)}
}

func (s span) String() string {
	if s.from == s.to {
		return strconv.FormatInt(s.from, 10)
	}
	return fmt.Sprintf("%d-%d", s.from, s.to)
}

// cut returns the first n numbers of s, and the remaining numbers.
func (s span) cut(n int64) (first, rest span) {
	end := min(s.from+n-1, s.to)
	return span{s.from, end}, span{end + 1, s.to}
}

// leftOut returns an item that reports which article numbers of g are not in s. If no numbers
// are missing, ok is false.
func (s span) leftOut(g group) (it scheme.Item, ok bool) {
	var out []string
	if s.empty() {
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

// nextItem returns the next item of a menu. After the last item, it returns io.EOF.
type nextItem func() (scheme.Item, error)

// list is a menu that reads its items from the server on demand.
type list struct {
	block
	first []scheme.Item // items to return before the first call of next
	next  nextItem
	left  int64 // maximum number of items that next may still return
}

func (l *list) menu(title string) *scheme.Menu {
	m := &scheme.Menu{URL: l.req.URL, Title: title, Items: l.items(), Closer: l}
	l.source.Attach(m, "")
	return m
}

// items returns an iterator over the items. A second iterator continues where the first one
// stopped.
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
			it, err := l.next()
			if err == nil && l.left == 0 {
				err = fmt.Errorf("%w: the server sent more items than were requested", scheme.ErrTooLarge)
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

// complete releases the connection and returns the menu. The list must not need more data from
// the server.
func (l *list) complete(title string) *scheme.Menu {
	l.End(true)
	l.err = io.EOF
	return l.menu(title)
}

// blockItems returns a function that reads a block and converts each line to an item.
func (x *operation) blockItems(item func(text string) scheme.Item) nextItem {
	return func() (scheme.Item, error) {
		text, ok, err := x.conn.blockLine()
		switch {
		case err != nil:
			return scheme.Item{}, err
		case !ok:
			return scheme.Item{}, io.EOF
		}
		return item(string(text)), nil
	}
}

// badItem is an item for an invalid line of a list.
func badItem(text string, err error) scheme.Item {
	return scheme.Item{Title: text, Kind: scheme.KindError, Size: -1, Note: err.Error()}
}

// base returns the common beginning of the items' URLs. In an nntp URL, the article number
// follows. In a news URL, the message-id or the name of the newsgroup follows.
func (n URL) base() string {
	text := n.url.WithoutFragmentText()
	if !isNNTP(n.url) {
		text = text[:n.url.PathOffset()]
	}
	if _, ok := n.url.Path(); isNNTP(n.url) || !ok && n.url.Host() != "" {
		text += "/"
	}
	return n.url.Scheme() + text[len(n.url.Scheme()):]
}

// newsLink returns the news URL with the given beginning and parts. If the URL would be
// invalid, or if no command can contain its parts, newsLink returns the zero URL.
func newsLink(base string, p Parts) locus.URL {
	text, err := p.grouppart()
	if err != nil {
		return locus.URL{}
	}
	u, err := locus.Parse(base + text)
	if err != nil {
		return locus.URL{}
	}
	if n, err := Parse(u); err != nil || n.sendable() != nil {
		return locus.URL{}
	}
	return u
}

// articleItems returns a function that converts an article's overview to a menu item.
func (n URL) articleItems() func(o *overview) scheme.Item {
	base, byNumber := n.base(), isNNTP(n.url)
	return func(o *overview) scheme.Item {
		it := o.item()
		if byNumber {
			// If the URL is too long, Parse returns the zero URL.
			it.URL, _ = locus.Parse(base + strconv.FormatInt(o.Number, 10))
		} else {
			it.URL = newsLink(base, Parts{MessageID: unbracketed(o.MessageID)})
		}
		return it
	}
}

// listGroup lists the articles of the newsgroup. It uses the first command that the server
// supports from the list OVER, XOVER, HDR, XHDR, HEAD.
func (x *operation) listGroup() (scheme.Resource, error) {
	name := x.url.newsgroup
	x.conn.record(x.source)
	g, err := x.conn.selectGroup(name, true)
	if err != nil {
		return nil, err
	}
	l := &list{block: block{operation: x, command: "OVER"}}
	if g.empty() || x.req.Probe {
		return l.complete(name), nil
	}
	s := choose(g, x.req.Items, x.client.o.Limits.Items)
	shown := s.of(g, x.wanted, x.client.o.Limits.Items)
	if it, ok := shown.leftOut(g); ok {
		l.first = append(l.first, it)
	}
	if shown.empty() {
		return l.complete(name), nil
	}
	if l.left = s.to - s.from + 1; x.archived {
		l.left = x.client.o.Limits.Items // the request that was archived may have selected other articles
	}
	item, isOut := x.url.articleItems(), false
	if shown != s {
		every := item
		item = func(o *overview) scheme.Item {
			isOut = o.Number < shown.from || o.Number > shown.to
			return every(o)
		}
	}
	switch r, err := x.overview(s); {
	case err != nil:
		return nil, err
	case r.code == 224:
		x.conn.beginBlock(x.client.o.Limits.Octets)
		l.next = x.blockItems(func(text string) scheme.Item {
			o, err := x.conn.format.parse(text)
			if err != nil {
				return badItem(text, err)
			}
			return item(&o)
		})
	case r.unknown():
		if l.next, err = x.withoutOverview(s, item); err != nil {
			return nil, err
		}
		l.command = x.conn.over
	default: // no articles have these numbers
		return l.complete(name), nil
	}
	next := l.next
	l.next = func() (scheme.Item, error) {
		for {
			isOut = false
			if it, err := next(); err != nil || !isOut {
				return it, err
			}
		}
	}
	return l.menu(name), nil
}

// These commands list articles. The first pair requests overviews, and the second pair
// requests one header field of all articles. The second command of each pair is older than RFC
// 3977.
var (
	overviewVerbs = [...]string{"OVER", "XOVER"}
	fieldVerbs    = [...]string{"HDR", "XHDR"}
)

const headOnly = "HEAD"

// overview requests the overview of the articles in s, and returns the reply. If the server
// does not support overviews, r is the reply to an unknown command.
func (x *operation) overview(s span) (r reply, err error) {
	c := x.conn
	if c.over != "" && !slices.Contains(overviewVerbs[:], c.over) {
		return reply{code: 500}, nil
	}
	if c.format == nil {
		if err := c.readFormat(); err != nil {
			return reply{}, err
		}
	}
	for _, verb := range overviewVerbs {
		if c.over != "" && c.over != verb {
			continue
		}
		if r, err = c.command(verb, s.String()); err != nil {
			return reply{}, err
		}
		switch {
		case r.code == 224 || r.code == 423 || r.code == 420:
			c.over = verb
			return r, nil
		case !r.unknown():
			return reply{}, refusal(verb+" "+s.String(), r)
		}
	}
	return r, nil
}

// maxFormatText is the maximum length of the reply to LIST OVERVIEW.FMT in octets.
const maxFormatText = 64 << 10

// readFormat requests the order of the fields in an overview. If the server does not report
// the order, readFormat assumes the order of RFC 3977.
func (c *conn) readFormat() error {
	r, err := c.command("LIST", "OVERVIEW.FMT")
	f := new(overviewFormat)
	if err == nil && r.code == 215 {
		err = c.block(maxFormatText, f.add)
	}
	if err != nil {
		return err
	}
	c.format = f
	return nil
}

// withoutOverview lists articles on a server that does not support overviews.
func (x *operation) withoutOverview(s span, item func(*overview) scheme.Item) (nextItem, error) {
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
			return x.fieldItems(verb, found, rest, item), nil
		}
	}
	x.conn.over = headOnly
	return x.headItems(s, item)
}

// overviews maps article numbers to overviews.
type overviews map[int64]*overview

// askedFields lists the header fields that HDR requests.
var askedFields = [...]string{"Message-ID", "Subject", "From", "Date", "References"}

// These constants limit the number of articles per HDR command, and the number of bytes that
// the client buffers. The client must buffer, because it requests each field of all articles
// with a separate command.
const (
	fieldWindow = 500
	maxFields   = 16 << 20
)

// fields requests the header fields of the articles in s. If the server does not support
// the command, ok is false.
func (x *operation) fields(verb string, s span) (found overviews, ok bool, err error) {
	found = overviews{}
	left := min(x.client.o.Limits.Octets, maxFields)
	for _, name := range askedFields {
		r, err := x.conn.command(verb, name, s.String())
		switch {
		case err != nil:
			return nil, false, err
		case r.code == 423 || r.code == 420:
			return found, true, nil
		case r.code != 225 && r.code != 221:
			if !r.unknown() {
				return nil, false, refusal(commandText(verb, name, s.String()), r)
			} else if len(found) == 0 {
				return nil, false, nil
			}
			continue
		}
		err = x.conn.block(left, func(text string) {
			left -= int64(len(text))
			found.add(text, fieldName(name), s)
		})
		if err != nil {
			return nil, false, err
		}
	}
	return found, true, nil
}

// add adds a line of the reply to HDR, which contains an article number and the content of the
// field.
func (o overviews) add(text, field string, s span) {
	digits, content, _ := strings.Cut(text, " ")
	n, ok := parseCount(digits)
	if !ok || n < s.from || n > s.to {
		return
	}
	if o[n] == nil {
		o[n] = &overview{Number: n, Bytes: -1, Lines: -1}
	}
	if content != "(none)" { // XHDR replies "(none)" for a missing field
		o[n].set(field, content)
	}
}

// fieldItems returns a function that converts the overviews in found to items. After the last
// of these items, the function requests the articles in the range rest.
func (x *operation) fieldItems(verb string, found overviews, rest span, item func(*overview) scheme.Item) nextItem {
	numbers := slices.Sorted(maps.Keys(found))
	return func() (scheme.Item, error) {
		for len(numbers) == 0 {
			if rest.empty() {
				return scheme.Item{}, io.EOF
			}
			var window span
			var ok bool
			var err error
			window, rest = rest.cut(fieldWindow)
			if found, ok, err = x.fields(verb, window); err != nil {
				return scheme.Item{}, err
			} else if !ok {
				return scheme.Item{}, fmt.Errorf("%w: the server supported %s and no longer does", scheme.ErrProtocol, verb)
			}
			numbers = slices.Sorted(maps.Keys(found))
		}
		o := found[numbers[0]]
		numbers = numbers[1:]
		return item(o), nil
	}
}

// headItems requests the head of each article and converts it to an item. The client uses it
// for servers that support only RFC 977.
func (x *operation) headItems(s span, item func(*overview) scheme.Item) (nextItem, error) {
	numbers, err := x.numbers(s)
	if err != nil {
		return nil, err
	}
	next, left := s.from, x.client.o.Limits.Octets
	return func() (scheme.Item, error) {
		for {
			number := next
			switch {
			case numbers == nil && next > s.to, numbers != nil && len(numbers) == 0:
				return scheme.Item{}, io.EOF
			case numbers == nil:
				next++
			default:
				number, numbers = numbers[0], numbers[1:]
			}
			text, err := x.head(number, &left)
			switch {
			case errors.Is(err, scheme.ErrNotFound):
				continue
			case err != nil:
				return scheme.Item{}, err
			}
			o := overviewOf(number, text)
			return item(&o), nil
		}
	}, nil
}

// numbers returns the numbers in s that belong to existing articles, in order. If the server
// cannot list the numbers, the method returns nil.
func (x *operation) numbers(s span) ([]int64, error) {
	r, err := x.conn.command("LISTGROUP")
	if err != nil || r.code != 211 {
		return nil, err
	}
	numbers := []int64{}
	err = x.conn.block(x.client.o.Limits.Octets, func(text string) {
		if n, ok := parseCount(text); ok && s.from <= n && n <= s.to && int64(len(numbers)) <= s.to-s.from {
			numbers = append(numbers, n)
		}
	})
	slices.Sort(numbers)
	return numbers, err
}

// head returns the head of an article, up to maxHead octets. It subtracts the number of octets
// that it reads from *left.
func (x *operation) head(number int64, left *int64) (string, error) {
	if _, err := x.conn.expect(221, "HEAD", strconv.FormatInt(number, 10)); err != nil {
		return "", err
	}
	dots := x.conn.dots()
	limited := scheme.Limit(io.NopCloser(dots), *left)
	text, err := io.ReadAll(io.LimitReader(limited, maxHead))
	if err != nil {
		return "", err
	}
	rest, err := io.Copy(io.Discard, limited)
	if err != nil {
		return "", err
	}
	x.conn.endDots(dots)
	*left -= int64(len(text)) + rest
	return string(text), nil
}

// listGroups lists the newsgroups on a server. For a probe, it does not request the
// descriptions.
func (x *operation) listGroups() (scheme.Resource, error) {
	x.conn.record(x.source)
	var described map[string]string
	if !x.req.Probe {
		var err error
		if described, err = x.descriptions(); err != nil {
			return nil, err
		}
	}
	// RFC 977 has only LIST without an argument, which requests the same list.
	command := []string{"LIST", "ACTIVE"}
	r, err := x.conn.command(command...)
	if err == nil && r.unknown() {
		command = command[:1]
		r, err = x.conn.command(command...)
	}
	text := commandText(command...)
	switch {
	case err != nil:
		return nil, err
	case r.code != 215:
		return nil, refusal(text, r)
	}
	limits := x.client.o.Limits
	x.conn.beginBlock(limits.Octets)
	l := &list{block: block{operation: x, command: text}, left: limits.Items}
	base := x.url.base()
	l.next = x.blockItems(func(text string) scheme.Item { return groupItem(text, base, described) })
	return l.menu(x.server.Host()), nil
}

// These constants limit the newsgroup descriptions in memory. The largest servers need less
// than half of each limit.
const (
	maxDescriptions = 32 << 20 // maximum number of bytes
	maxDescribed    = 1 << 18  // maximum number of newsgroups
)

// descriptions requests the descriptions of newsgroups, and returns a map from names to
// descriptions. If the server has no descriptions, the map is empty.
func (x *operation) descriptions() (map[string]string, error) {
	r, err := x.conn.command("LIST", "NEWSGROUPS")
	switch {
	case err != nil:
		return nil, err
	case r.code == codeNoLogin || r.code == codeNotReader || r.code == codeNoEncryption:
		return nil, refusal("LIST NEWSGROUPS", r)
	case r.code != 215:
		return nil, nil
	}
	described := descriptions{map[string]string{}, maxDescriptions, maxDescribed}
	err = x.conn.block(x.client.o.Limits.Octets, described.add)
	return described.byName, err
}

// descriptions maps newsgroup names to descriptions. It also counts how many bytes and
// newsgroups may still be added.
type descriptions struct {
	byName             map[string]string
	octets, newsgroups int
}

// add adds a line of the reply to LIST NEWSGROUPS, unless a limit is reached.
func (d *descriptions) add(text string) {
	i := strings.IndexAny(text, " \t")
	if d.octets -= len(text); d.octets < 0 || d.newsgroups == 0 || i <= 0 {
		return
	}
	d.newsgroups--
	d.byName[text[:i]] = strings.TrimSpace(text[i:])
}

// groupItem converts a line of the reply to LIST ACTIVE to an item. The line contains a name,
// the highest article number, the lowest article number and a status.
func groupItem(text, base string, described map[string]string) scheme.Item {
	fields := strings.Fields(text)
	if len(fields) < 3 {
		return badItem(text, fmt.Errorf("%w: a newsgroup needs a name and two numbers", scheme.ErrProtocol))
	}
	high, okHigh := parseCount(fields[1])
	low, okLow := parseCount(fields[2])
	if !okHigh || !okLow {
		return badItem(text, fmt.Errorf("%w: invalid article numbers", scheme.ErrProtocol))
	}
	status := ""
	if len(fields) > 3 {
		status = fields[3]
	}
	return scheme.Item{
		URL:   newsLink(base, Parts{Newsgroup: fields[0]}),
		Title: fields[0],
		Kind:  scheme.KindMenu,
		Size:  -1,
		Note:  described[fields[0]],
		Fields: []scheme.Field{
			{Name: "count", Value: int(max(high-low+1, 0))},
			{Name: "low", Value: int(low)},
			{Name: "high", Value: int(high)},
			{Name: "status", Value: status},
		},
	}
}
