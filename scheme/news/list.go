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

// defaultCount is the default number of articles in a newsgroup's menu.
const defaultCount = 1000

// span is a range of article numbers that includes low and high. If low > high, the range is
// empty.
type span struct{ low, high int64 }

// selectNumbers returns the article numbers of the newsgroup g that r selects. If there are
// more than maxCount numbers, it returns the highest numbers.
func selectNumbers(g group, r scheme.ItemRange, maxCount int64) span {
	s := span{max(g.low, r.First, 1), g.high}
	if r.Last > 0 {
		s.high = min(s.high, r.Last)
	}
	switch {
	case r.Newest > 0:
		maxCount = min(maxCount, r.Newest)
	case r.First <= 0:
		maxCount = min(maxCount, defaultCount)
	}
	s.low = max(s.low, s.high-maxCount+1)
	return s
}

func (s span) isEmpty() bool { return s.low > s.high }

// selectFrom returns the article numbers in the archived range s that r selects from the
// newsgroup g. If r selects more than maxCount numbers, only the highest numbers count.
func (s span) selectFrom(g group, r scheme.ItemRange, maxCount int64) span {
	if r == (scheme.ItemRange{}) {
		return s
	}
	w := selectNumbers(g, r, maxCount)
	return span{max(s.low, w.low), min(s.high, w.high)}
}

func (s span) String() string {
	if s.low == s.high {
		return strconv.FormatInt(s.low, 10)
	}
	return fmt.Sprintf("%d-%d", s.low, s.high)
}

// split returns the first n numbers of s, and the remaining numbers.
func (s span) split(n int64) (head, tail span) {
	end := min(s.low+n-1, s.high)
	return span{s.low, end}, span{end + 1, s.high}
}

// missingItem returns an item that reports which article numbers of g are not in s. If no
// numbers are missing, ok is false.
func (s span) missingItem(g group) (it scheme.Item, ok bool) {
	var out []string
	if s.isEmpty() {
		out = append(out, span{g.low, g.high}.String())
	} else {
		if g.low < s.low {
			out = append(out, span{g.low, s.low - 1}.String())
		}
		if s.high < g.high {
			out = append(out, span{s.high + 1, g.high}.String())
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
	initial   []scheme.Item // items to return before the first call of readNext
	readNext  nextItem
	itemsLeft int64 // maximum number of items that readNext may still return
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
		for len(l.initial) > 0 {
			it := l.initial[0]
			l.initial = l.initial[1:]
			if !yield(it, nil) {
				return
			}
		}
		for l.err == nil {
			it, err := l.readNext()
			if err == nil && l.itemsLeft == 0 {
				err = fmt.Errorf("%w: the server sent more items than were requested", scheme.ErrTooLarge)
			}
			if err != nil {
				if l.finish(err); l.err != io.EOF {
					yield(scheme.Item{}, l.err)
				}
				return
			}
			l.itemsLeft--
			if !yield(it, nil) {
				return
			}
		}
	}
}

// completeMenu releases the connection and returns the menu. The list must not need more data
// from the server.
func (l *list) completeMenu(title string) *scheme.Menu {
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

// urlPrefix returns the common beginning of the items' URLs. In an nntp URL, the article number
// follows. In a news URL, the message-id or the name of the newsgroup follows.
func (n URL) urlPrefix() string {
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
	base, byNumber := n.urlPrefix(), isNNTP(n.url)
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
	if g.isEmpty() || x.req.Probe {
		return l.completeMenu(name), nil
	}
	s := selectNumbers(g, x.req.Items, x.client.o.Limits.Items)
	shown := s.selectFrom(g, x.wanted, x.client.o.Limits.Items)
	if it, ok := shown.missingItem(g); ok {
		l.initial = append(l.initial, it)
	}
	if shown.isEmpty() {
		return l.completeMenu(name), nil
	}
	if l.itemsLeft = s.high - s.low + 1; x.archived {
		l.itemsLeft = x.client.o.Limits.Items // the request that was archived may have selected other articles
	}
	item, isOut := x.url.articleItems(), false
	if shown != s {
		every := item
		item = func(o *overview) scheme.Item {
			isOut = o.Number < shown.low || o.Number > shown.high
			return every(o)
		}
	}
	switch r, err := x.requestOverview(s); {
	case err != nil:
		return nil, err
	case r.code == 224:
		x.conn.beginBlock(x.client.o.Limits.Octets)
		l.readNext = x.blockItems(func(text string) scheme.Item {
			o, err := x.conn.format.parse(text)
			if err != nil {
				return badItem(text, err)
			}
			return item(&o)
		})
	case r.isUnknown():
		if l.readNext, err = x.listWithoutOverview(s, item); err != nil {
			return nil, err
		}
		l.command = x.conn.over
	default: // no articles have these numbers
		return l.completeMenu(name), nil
	}
	next := l.readNext
	l.readNext = func() (scheme.Item, error) {
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

// requestOverview requests the overview of the articles in s, and returns the reply. If the
// server does not support overviews, r is the reply to an unknown command.
func (x *operation) requestOverview(s span) (r reply, err error) {
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
		if r, err = c.sendCommand(verb, s.String()); err != nil {
			return reply{}, err
		}
		switch {
		case r.code == 224 || r.code == 423 || r.code == 420:
			c.over = verb
			return r, nil
		case !r.isUnknown():
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
	r, err := c.sendCommand("LIST", "OVERVIEW.FMT")
	f := new(overviewFormat)
	if err == nil && r.code == 215 {
		err = c.readBlock(maxFormatText, f.addLine)
	}
	if err != nil {
		return err
	}
	c.format = f
	return nil
}

// listWithoutOverview lists articles on a server that does not support overviews.
func (x *operation) listWithoutOverview(s span, item func(*overview) scheme.Item) (nextItem, error) {
	for _, verb := range fieldVerbs {
		if x.conn.over != "" && x.conn.over != verb {
			continue
		}
		first, rest := s.split(fieldWindow)
		found, ok, err := x.requestFields(verb, first)
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

// requestedFields lists the header fields that HDR requests.
var requestedFields = [...]string{"Message-ID", "Subject", "From", "Date", "References"}

// These constants limit the number of articles per HDR command, and the number of bytes that
// the client buffers. The client must buffer, because it requests each field of all articles
// with a separate command.
const (
	fieldWindow = 500
	maxFields   = 16 << 20
)

// requestFields requests the header fields of the articles in s. If the server does not support
// the command, ok is false.
func (x *operation) requestFields(verb string, s span) (list overviews, ok bool, err error) {
	list = overviews{}
	left := min(x.client.o.Limits.Octets, maxFields)
	for _, name := range requestedFields {
		r, err := x.conn.sendCommand(verb, name, s.String())
		switch {
		case err != nil:
			return nil, false, err
		case r.code == 423 || r.code == 420:
			return list, true, nil
		case r.code != 225 && r.code != 221:
			if !r.isUnknown() {
				return nil, false, refusal(commandText(verb, name, s.String()), r)
			} else if len(list) == 0 {
				return nil, false, nil
			}
			continue
		}
		err = x.conn.readBlock(left, func(text string) {
			left -= int64(len(text))
			list.addLine(text, fieldName(name), s)
		})
		if err != nil {
			return nil, false, err
		}
	}
	return list, true, nil
}

// addLine adds a line of the reply to HDR. The line contains an article number and the content
// of the field.
func (o overviews) addLine(text, field string, s span) {
	digits, content, _ := strings.Cut(text, " ")
	n, ok := parseCount(digits)
	if !ok || n < s.low || n > s.high {
		return
	}
	if o[n] == nil {
		o[n] = &overview{Number: n, Bytes: -1, Lines: -1}
	}
	if content != "(none)" { // XHDR replies "(none)" for a missing field
		o[n].set(field, content)
	}
}

// fieldItems returns a function that converts the overviews in list to items. After the last
// of these items, the function requests the remaining articles.
func (x *operation) fieldItems(verb string, list overviews, remaining span, item func(*overview) scheme.Item) nextItem {
	numbers := slices.Sorted(maps.Keys(list))
	return func() (scheme.Item, error) {
		for len(numbers) == 0 {
			if remaining.isEmpty() {
				return scheme.Item{}, io.EOF
			}
			var window span
			var ok bool
			var err error
			window, remaining = remaining.split(fieldWindow)
			if list, ok, err = x.requestFields(verb, window); err != nil {
				return scheme.Item{}, err
			} else if !ok {
				return scheme.Item{}, fmt.Errorf("%w: the server supported %s and no longer does", scheme.ErrProtocol, verb)
			}
			numbers = slices.Sorted(maps.Keys(list))
		}
		o := list[numbers[0]]
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
	next, left := s.low, x.client.o.Limits.Octets
	return func() (scheme.Item, error) {
		for {
			number := next
			switch {
			case numbers == nil && next > s.high, numbers != nil && len(numbers) == 0:
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
// cannot list the numbers, numbers returns nil.
func (x *operation) numbers(s span) ([]int64, error) {
	r, err := x.conn.sendCommand("LISTGROUP")
	if err != nil || r.code != 211 {
		return nil, err
	}
	numbers := []int64{}
	err = x.conn.readBlock(x.client.o.Limits.Octets, func(text string) {
		if n, ok := parseCount(text); ok && s.low <= n && n <= s.high && int64(len(numbers)) <= s.high-s.low {
			numbers = append(numbers, n)
		}
	})
	slices.Sort(numbers)
	return numbers, err
}

// head returns the head of an article, up to maxHead octets. It subtracts the number of octets
// that it reads from *budget.
func (x *operation) head(number int64, budget *int64) (string, error) {
	if _, err := x.conn.expect(221, "HEAD", strconv.FormatInt(number, 10)); err != nil {
		return "", err
	}
	dots := x.conn.blockReader()
	limited := scheme.Limit(io.NopCloser(dots), *budget)
	text, err := io.ReadAll(io.LimitReader(limited, maxHead))
	if err != nil {
		return "", err
	}
	rest, err := io.Copy(io.Discard, limited)
	if err != nil {
		return "", err
	}
	x.conn.endDots(dots)
	*budget -= int64(len(text)) + rest
	return string(text), nil
}

// listGroups lists the newsgroups on a server. For a probe, it does not request the
// descriptions.
func (x *operation) listGroups() (scheme.Resource, error) {
	x.conn.record(x.source)
	var described map[string]string
	if !x.req.Probe {
		var err error
		if described, err = x.requestDescriptions(); err != nil {
			return nil, err
		}
	}
	// RFC 977 has only LIST without an argument, which requests the same list.
	command := []string{"LIST", "ACTIVE"}
	r, err := x.conn.sendCommand(command...)
	if err == nil && r.isUnknown() {
		command = command[:1]
		r, err = x.conn.sendCommand(command...)
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
	l := &list{block: block{operation: x, command: text}, itemsLeft: limits.Items}
	base := x.url.urlPrefix()
	l.readNext = x.blockItems(func(text string) scheme.Item { return groupItem(text, base, described) })
	return l.menu(x.server.Host()), nil
}

// These constants limit the newsgroup descriptions in memory. The largest servers need less
// than half of each limit.
const (
	maxDescriptions = 32 << 20 // maximum number of bytes
	maxDescribed    = 1 << 18  // maximum number of newsgroups
)

// requestDescriptions requests the descriptions of newsgroups, and returns a map from names to
// descriptions. If the server has no descriptions, the map is empty.
func (x *operation) requestDescriptions() (map[string]string, error) {
	r, err := x.conn.sendCommand("LIST", "NEWSGROUPS")
	switch {
	case err != nil:
		return nil, err
	case r.code == codeNoLogin || r.code == codeNotReader || r.code == codeNoEncryption:
		return nil, refusal("LIST NEWSGROUPS", r)
	case r.code != 215:
		return nil, nil
	}
	described := descriptions{map[string]string{}, maxDescriptions, maxDescribed}
	err = x.conn.readBlock(x.client.o.Limits.Octets, described.addLine)
	return described.byName, err
}

// descriptions maps newsgroup names to descriptions. It also counts how many bytes and
// newsgroups may still be added.
type descriptions struct {
	byName             map[string]string
	octets, newsgroups int
}

// addLine adds a line of the reply to LIST NEWSGROUPS, unless a limit is reached.
func (d *descriptions) addLine(text string) {
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
