package gopher

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Options of a Client. The zero value is sensible.
type Options struct {
	// LiteralTabs sends a TAB for an empty search before a Gopher+ command, by the
	// letter of section 3.4.3: see [URL.AppendLiteralRequest].
	LiteralTabs bool
	// QueryAsSearch takes what follows a "?" in the selector of a search for its
	// words, as the draft's searches are written. RFC 1738 has it in the selector.
	QueryAsSearch bool
	// StrictDots ends a text at the first line that is only a dot, as RFC 1436 has
	// it. Otherwise only the last line can be such an end, because servers send
	// texts that have such lines in them.
	StrictDots bool
	// Raw gives every reply as an object, octet for octet, with the header and the
	// dots that it has.
	Raw bool
	// TLSConfig is for gophers; nil: as crypto/tls has it.
	TLSConfig *tls.Config
	// Limits bound menus, attributes and phone books.
	Limits Limits
	// Patience is the most time to wait for all of a menu, an attribute reply or a
	// phone book's answer, however often a little of it comes; 0: 10 minutes. What
	// is done with the items in the meantime does not count.
	Patience time.Duration
}

const (
	patience = 10 * time.Minute
	// grace is how long a text may go on after a line that is only a dot, before
	// that was its end: servers may keep the connection open.
	grace = 2 * time.Second
	// headTime is how long the first octets may take to become enough to tell what
	// they are.
	headTime = 250 * time.Millisecond
)

// Client accesses URLs of gopher and gophers. It keeps nothing: each transaction
// has a connection of its own. It may be used from many goroutines at once.
type Client struct{ o Options }

// New returns a Client. o may be nil.
func New(o *Options) *Client {
	c := new(Client)
	if o != nil {
		c.o = *o
	}
	c.o.Patience = cmp.Or(c.o.Patience, patience)
	return c
}

// Get dereferences g. A menu, the result of a search, the attributes of items and
// the answer of a phone book are a Menu; what no Gopher request gets is a Referral;
// anything else is an Object. A search without words and the Gopher+ string "?" are
// a Menu that is a form.
func (c *Client) Get(ctx context.Context, d scheme.Dialer, g URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: g.url, Dial: d}, g)
}

// Open implements [scheme.Opener]: Parse, then what Get does. If req.Fill fills in
// a form, its answers are sent. With req.Accept or req.AcceptLanguage, and a URL
// without a Gopher+ string, the views of the item are asked for and the best one
// is got (sections 3.4.7 and 3.4.8). Ending ctx ends the reading of what it
// returned too.
//
// Gopher can't begin in the middle of an object, so req.Offset is of no use here.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	g, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	return c.open(ctx, req, g)
}

func (c *Client) open(ctx context.Context, req *scheme.Request, g URL) (scheme.Resource, error) {
	if c.o.QueryAsSearch {
		var err error
		if g, err = g.queryAsSearch(); err != nil {
			return nil, err
		}
	}
	j := &job{client: c, ctx: ctx, req: req}
	res, err := j.open(g)
	switch {
	case err == nil:
		return res, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("gopher: %w", context.Cause(ctx))
	case errors.As(err, new(*locus.SyntaxError)):
		return nil, err
	}
	return nil, fmt.Errorf("gopher: %w", err)
}

// job is one URL to be accessed.
type job struct {
	client *Client
	ctx    context.Context
	req    *scheme.Request
}

func (j *job) open(g URL) (scheme.Resource, error) {
	to, refers, err := g.Referral()
	switch {
	case err != nil:
		return nil, err
	case refers:
		return &scheme.Referral{URL: g.url, To: []locus.URL{to}}, nil
	case g.asksPhone():
		return j.phone(g)
	case g.wantsWords():
		return j.search(g)
	case g.plus == "?":
		return j.form(g)
	case g.asksAttributes():
		return j.attributes(g)
	case !g.hasPlus && (j.req.Accept != "" || j.req.AcceptLanguage != ""):
		return j.view(g)
	}
	return j.fetch(g)
}

// request is the octets that ask for g.
func (j *job) request(g URL) ([]byte, error) { return g.appendRequest(nil, j.client.o.LiteralTabs) }

// fetch asks for g and gives what the reply is.
func (j *job) fetch(g URL) (scheme.Resource, error) {
	request, err := j.request(g)
	if err != nil {
		return nil, err
	}
	x, err := j.exchange(g, request)
	if err != nil {
		return nil, err
	}
	return x.resource(g)
}

// view chooses among the views of an item. A server without Gopher+ has one.
func (j *job) view(g URL) (scheme.Resource, error) {
	all, err := g.withPlus("!")
	if err != nil {
		return nil, err
	}
	a, err := j.itemAttributes(all)
	switch {
	case errors.Is(err, errNoAttributes):
		return j.fetch(g)
	case err != nil:
		return nil, err
	}
	v, err := ChooseView(g.viewsOf(a), j.req.Accept, j.req.AcceptLanguage)
	if err != nil {
		return nil, err
	}
	plus := "+"
	if len(a.Views) > 0 {
		plus += v.String()
	} // else nobody but us knows a name for the one that there is
	if g, err = g.withPlus(plus); err != nil {
		return nil, err
	}
	return j.fetch(g)
}

// search asks for the words of a search.
func (j *job) search(g URL) (scheme.Resource, error) {
	return j.fill(searchForm(g, ""), j.fetch)
}

// phone looks somebody up in a phone book.
func (j *job) phone(g URL) (scheme.Resource, error) {
	words, ok := g.words()
	if !ok {
		return j.fill(phoneForm(g), j.phone)
	}
	if _, err := AppendQuery(nil, words); err != nil {
		return nil, err
	}
	x, err := j.exchange(g, nil)
	if err != nil {
		return nil, err
	}
	x.wire.left = j.client.o.Patience
	items, err := phoneMenu(struct {
		io.Reader
		io.Writer
	}{x.r, x.conn}, words, g, &j.client.o.Limits, j.req.Traced)
	if err != nil {
		x.Close()
		return nil, err
	}
	return &scheme.Menu{URL: g.url, Items: closing(items, x), Closer: x}, nil
}

// fill has a form filled in, and opens the URL that submits the answers. If there
// is nobody to do it, the form is what there is.
func (j *job) fill(f *scheme.Form, open func(URL) (scheme.Resource, error)) (scheme.Resource, error) {
	answers, ok, err := j.answers(f)
	if err != nil {
		return nil, err
	} else if !ok {
		return formMenu(f), nil
	}
	u, err := f.Submit(answers)
	if err != nil {
		return nil, err
	}
	g, err := Parse(u)
	if err != nil {
		return nil, err
	}
	return open(g)
}

// answers are what Fill says, and such as the form takes.
func (j *job) answers(f *scheme.Form) (answers []string, ok bool, err error) {
	if j.req.Fill == nil {
		return nil, false, nil
	}
	answers, ok, err = j.req.Fill(j.ctx, f)
	if err != nil || !ok {
		return nil, false, err
	}
	return answers, true, f.Check(answers)
}

// formMenu is a menu that is a form alone.
func formMenu(f *scheme.Form) *scheme.Menu {
	return &scheme.Menu{URL: f.URL, Title: f.Title, Form: f, Items: func(func(scheme.Item, error) bool) {}}
}

// form asks for the questions of an item and, when somebody has answered them,
// sends the answers. They go from here to the server: as a URL they might be too
// long, and would be shown in places where those that are hidden must not be.
func (j *job) form(g URL) (scheme.Resource, error) {
	a, err := j.itemAttributes(g)
	if err != nil {
		return nil, err
	}
	if len(a.Ask) == 0 {
		return nil, scheme.Hint(fmt.Errorf("%w: the item has no form", scheme.ErrUnsupported), "leave out the %09%09? to get it as it is")
	}
	f := NewForm(g, a.Info.Name, a.Ask)
	answers, ok, err := j.answers(f)
	if err != nil {
		return nil, err
	} else if !ok {
		return formMenu(f), nil
	}
	plus, err := AppendData([]byte("+"+formStart), a.Ask, answers)
	if err != nil {
		return nil, err
	}
	g.plus = string(plus)
	return j.fetch(g)
}

// errNoAttributes: the server answered in the old style.
var errNoAttributes = fmt.Errorf("%w: the server does not speak Gopher+, and its items have no attributes", scheme.ErrUnsupported)

// itemAttributes returns the attributes of one item. If they are cut, those that
// came come with the error.
func (j *job) itemAttributes(g URL) (Attributes, error) {
	x, err := j.askAttributes(g)
	if err != nil {
		return Attributes{}, err
	}
	defer x.Close()
	for a, err := range ReadAttributes(x.body, &j.client.o.Limits) {
		return a, err
	}
	return Attributes{}, fmt.Errorf("%w: the server sent no attributes", scheme.ErrProtocol)
}

// askAttributes asks for attributes, and leaves them to be read from the body. A
// server that does not know how to choose among them is asked for all.
func (j *job) askAttributes(g URL) (*exchange, error) {
	for {
		request, err := j.request(g)
		if err != nil {
			return nil, err
		}
		x, err := j.exchange(g, request)
		if err != nil {
			return nil, err
		}
		x.wire.left = j.client.o.Patience
		header, err := x.header()
		if err == nil && header.Plus {
			x.body = x.lines(header)
			return x, nil
		}
		x.Close()
		bare := g.plus
		if len(bare) > 1 {
			bare = bare[:1]
		}
		if err != nil {
			return nil, err
		} else if bare == g.plus {
			return nil, errNoAttributes
		}
		if g, err = g.withPlus(bare); err != nil {
			return nil, err
		}
	}
}

// attributes gives the attributes that g asks for as a menu.
func (j *job) attributes(g URL) (scheme.Resource, error) {
	if j.client.o.Raw {
		return j.fetch(g)
	}
	names := attributeNames(g.plus)
	if g.plus[0] == '!' {
		a, err := j.itemAttributes(g)
		if len(a.Blocks) == 0 && err != nil {
			return nil, err
		}
		return attributesMenu(g, a.Only(names...), err), nil
	}
	x, err := j.askAttributes(g)
	if err != nil {
		return nil, err
	}
	return x.attributesMenu(g), nil
}

// exchange is one connection, from its request to the end of its reply.
type exchange struct {
	job  *job
	conn net.Conn // raw, or TLS over it
	raw  net.Conn // as it was dialled
	wire *wire
	r    *bufio.Reader // of wire
	body io.Reader     // of attributes
	stop func() bool   // the end of ctx closes no more
}

// exchange connects to the server of g and sends a request.
func (j *job) exchange(g URL, request []byte) (*exchange, error) {
	if j.req.Dial == nil {
		return nil, fmt.Errorf("%w without a dialer", scheme.ErrUnsupported)
	}
	host := strings.Trim(g.url.Host(), "[]")
	if host == "" {
		return nil, g.url.Errorf(g.url.HostOffset(), "host", "%w: there is none to connect to", locus.ErrValue)
	}
	port := uint16(Port)
	if n, ok := g.url.Port(); ok {
		port = n
	}
	conn, err := j.req.Dial.DialContext(j.ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(int(port))))
	if err != nil {
		return nil, scheme.Unreachable(err)
	}
	x := &exchange{job: j, conn: conn, raw: conn, stop: context.AfterFunc(j.ctx, func() { conn.Close() })}
	if err := x.begin(host, g.Secure(), request); err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

func (x *exchange) begin(host string, secure bool, request []byte) error {
	if secure {
		config := new(tls.Config)
		if x.job.client.o.TLSConfig != nil {
			config = x.job.client.o.TLSConfig.Clone()
		}
		config.ServerName = cmp.Or(config.ServerName, host)
		conn := tls.Client(x.raw, config)
		if err := conn.HandshakeContext(x.job.ctx); err != nil {
			return fmt.Errorf("%w: TLS: %w", scheme.ErrUnreachable, err)
		}
		x.conn = conn
	}
	x.wire = &wire{ctx: x.job.ctx, conn: x.conn}
	x.r = bufio.NewReaderSize(x.wire, readBuffer)
	x.trace(request)
	if _, err := x.conn.Write(request); err != nil {
		return x.wire.failure(err)
	}
	return nil
}

// readBuffer holds what is looked at to tell what an object is.
const readBuffer = 32 << 10

// trace tells of a request. Of a form's answers nobody can tell any more which
// were not to be shown.
func (x *exchange) trace(request []byte) {
	if len(request) == 0 {
		return
	}
	line, data, _ := strings.Cut(string(request), "\r\n")
	x.job.req.Traced(true, line)
	if data != "" {
		x.job.req.Traced(true, fmt.Sprintf("(%d octets of answers)", len(data)))
	}
}

// Close closes the connection. It may be closed already: the end of a menu does that,
// and so does the end of the context.
func (x *exchange) Close() error {
	x.stop()
	if err := x.raw.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// header reads the header of a Gopher+ reply. One that says no is the error.
func (x *exchange) header() (Header, error) {
	h, err := ReadHeader(x.r)
	if err != nil || !h.Plus {
		return h, err
	}
	x.job.req.Traced(false, h.String())
	if h.Failed {
		return h, ReadFailure(h.Body(x.r, true))
	}
	return h, nil
}

// resource gives what the reply to g is.
func (x *exchange) resource(g URL) (res scheme.Resource, err error) {
	defer func() {
		if err != nil {
			x.Close()
		}
	}()
	if x.job.client.o.Raw {
		return x.object(g, "application/octet-stream", x.r, -1), nil
	}
	h := Header{Length: LengthClose}
	// No line of a menu begins like an error of Gopher+.
	if g.hasPlus || g.reply().form == replyMenu && x.beginsWith("--") {
		if h, err = x.header(); err != nil {
			if refusal := (*ReplyError)(nil); errors.As(err, &refusal) && refusal.Moved != nil {
				return x.moved(g, refusal)
			}
			return nil, err
		}
	}
	switch what := g.reply(); what.form {
	case replyMenu:
		if !h.Plus && x.beginsWithInfo() {
			return x.attributes(g, h), nil
		}
		return x.menu(g, h)
	case replyAttributes:
		if !h.Plus {
			return nil, errNoAttributes
		}
		return x.attributes(g, h), nil
	default:
		return x.octets(g, h, what)
	}
}

// octets gives a reply that is an object.
func (x *exchange) octets(g URL, h Header, what reply) (scheme.Resource, error) {
	whole, err := x.look()
	if err != nil {
		return nil, err
	}
	if !h.Plus && (what.form == replyText || whole) {
		// Octets are an error only if nothing else comes: a table can begin like one.
		if err := cmp.Or(plainError(x.head()), plusFailure(x.head(), whole)); err != nil {
			if refusal := (*ReplyError)(nil); errors.As(err, &refusal) && refusal.Moved != nil {
				return x.moved(g, refusal)
			}
			return nil, err
		}
	}
	body := h.Body(x.r, false)
	switch {
	case what.form == replyText:
		return x.text(g, h, what)
	case what.form == replyHTML && !h.Plus:
		body = HTMLBody(x.r)
	}
	return x.object(g, what.mediaType, body, max(h.Length, -1)), nil
}

// text gives a reply that is lines.
func (x *exchange) text(g URL, h Header, what reply) (scheme.Resource, error) {
	const note = "its server does not double the dots that lines begin with: the text is as it came"
	var o *scheme.Object
	options := &TextOptions{Strict: x.job.client.o.StrictDots, Grace: x.grace, Resume: x.resume, NotStuffed: func() { o.Note = note }}
	body := h.TextBody(x.r, options)
	o = x.object(g, what.mediaType, body, max(h.Length, -1))
	if _, dotted := body.(*dotReader); dotted && !options.Strict && NotStuffed(x.head()) {
		o.Note = note
	}
	return o, nil
}

// lines is what [MenuReader] and [ReadAttributes] read of a reply: they know
// themselves the dot that it may end with.
func (x *exchange) lines(h Header) io.Reader {
	if h.Length >= 0 {
		return h.Body(x.r, true)
	}
	return x.r
}

// attributes gives a reply that is the attributes of items.
func (x *exchange) attributes(g URL, h Header) scheme.Resource {
	x.wire.left = x.job.client.o.Patience
	x.body = x.lines(h)
	return x.attributesMenu(g)
}

// beginsWithInfo reports whether a reply without a header is attributes all the
// same, as a Gopher+ search can be answered.
func (x *exchange) beginsWithInfo() bool { return x.beginsWith(infoPrefix) }

// beginsWith reports whether a reply begins with prefix. It waits for no more than
// tells.
func (x *exchange) beginsWith(prefix string) bool {
	for n := 1; n <= len(prefix); n++ {
		if head, _ := x.r.Peek(n); string(head) != prefix[:n] {
			return false
		}
	}
	return true
}

// moved leads to where an item is now.
func (x *exchange) moved(g URL, e *ReplyError) (scheme.Resource, error) {
	to, err := e.Moved.URL(g)
	if err != nil || to.IsZero() {
		return nil, e
	}
	x.Close()
	return &scheme.Referral{URL: g.url, To: []locus.URL{to}, Permanent: true}, nil
}

// look waits for the first octets of an object, and a moment longer for enough of
// them to tell what it is; whole: they are all that there is. It is no error that
// there are none. What is wrong with the connection is for who reads on.
func (x *exchange) look() (whole bool, err error) {
	if _, err := x.r.Peek(1); err != nil && err != io.EOF {
		return false, err
	}
	x.conn.SetReadDeadline(time.Now().Add(headTime))
	_, err = x.r.Peek(mostHead)
	x.conn.SetReadDeadline(time.Time{})
	return err == io.EOF, nil
}

// head is what came of an object so far.
func (x *exchange) head() []byte {
	head, _ := x.r.Peek(min(x.r.Buffered(), mostHead))
	return head
}

// mostHead is the most octets that are looked at.
const mostHead = 4 << 10

// grace gives the server a moment for more than the end of a text.
func (x *exchange) grace() { x.conn.SetReadDeadline(time.Now().Add(grace)) }

// resume lets the server go on after all.
func (x *exchange) resume() { x.conn.SetReadDeadline(time.Time{}) }

// body is the octets of an object, with errors that say where they come from.
type body struct {
	io.Reader
	io.Closer
}

func (b body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("gopher: %w", err)
	}
	return n, err
}

// object is a reply that is octets.
func (x *exchange) object(g URL, mediaType string, octets io.Reader, size int64) *scheme.Object {
	return &scheme.Object{
		URL:  g.url,
		Name: g.name(),
		Type: describe(mediaType, g.name(), x.head()),
		Size: size,
		Body: scheme.Limit(body{octets, x}, x.job.req.Limit),
	}
}

// menu is a reply that is a menu. One of error lines alone is an error.
func (x *exchange) menu(g URL, h Header) (scheme.Resource, error) {
	x.wire.left = x.job.client.o.Patience
	lines := NewMenuReader(x.lines(h), &x.job.client.o.Limits)
	first, err := firstLines(lines)
	if err != nil && err != io.EOF && len(first) == 0 {
		return nil, err
	}
	items := func(yield func(scheme.Item, error) bool) {
		maker := newItemMaker(g)
		for i := range first {
			if !yield(maker.item(&first[i]), nil) {
				return
			}
		}
		for err == nil {
			var l Line
			if l, err = lines.Next(); err == nil && !yield(maker.item(&l), nil) {
				return
			}
		}
		if err != io.EOF {
			yield(scheme.Item{}, fmt.Errorf("gopher: %w", err))
		}
	}
	return &scheme.Menu{URL: g.url, Items: closing(items, x), Closer: x}, nil
}

// wire reads what a server sends, and says what it means when that ends.
type wire struct {
	ctx  context.Context
	conn net.Conn
	left time.Duration // how long to wait yet in all; 0: no bound
	over bool          // there was a bound, and it has passed
}

func (w *wire) Read(p []byte) (int, error) {
	if w.over {
		return 0, fmt.Errorf("the reply did not end in the time that it may take: %w", os.ErrDeadlineExceeded)
	}
	begin := time.Now()
	n, err := w.conn.Read(p)
	if w.left > 0 {
		w.left -= time.Since(begin)
		w.over = w.left <= 0
	}
	return n, w.failure(err)
}

// failure is err as whoever reads should hear of it. A TLS connection that ends
// without a farewell ends all the same: servers often don't take leave, and in
// clear no end can be told from another either.
func (w *wire) failure(err error) error {
	switch {
	case err == nil, err == io.EOF:
		return err
	case w.ctx.Err() != nil:
		return context.Cause(w.ctx)
	case err == io.ErrUnexpectedEOF:
		return io.EOF
	}
	return scheme.Broken(err)
}
