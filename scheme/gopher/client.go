package gopher

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/scheme"
)

// Options configures a [Client]. The zero Options selects the defaults.
type Options struct {
	// LiteralTabs means that the client sends a TAB for an empty search before a Gopher+
	// command, as RFC 1738 section 3.4.3 requires. Some servers reject such requests.
	LiteralTabs bool
	// Raw means that the client returns every reply as an object with unchanged bytes,
	// including the header and all dots.
	Raw bool
	// TLSConfig is the TLS configuration for gophers URLs. If TLSConfig is nil, the defaults
	// of crypto/tls apply.
	TLSConfig *tls.Config
	// Limits bounds the size of menus, attributes and phone book replies.
	Limits Limits
	// ReplyTimeout is the maximum total time that the client waits for a menu, for attributes
	// or for the reply of a phone book. It does not include the time between the caller's
	// requests for items. The default is 10 minutes.
	ReplyTimeout time.Duration
}

const (
	replyTimeout = 10 * time.Minute
	// grace is the time for which the client waits after a line that contains only a dot,
	// because servers may leave the connection open. If no text follows within this time, the
	// line is the end of the text.
	grace = 2 * time.Second
	// headTime is the maximum time after the first byte for which the client waits for enough
	// data to detect the media type.
	headTime = 250 * time.Millisecond
)

// Client opens gopher and gophers URLs. Each request uses its own connection. The methods of a
// Client may be called concurrently.
type Client struct{ o Options }

// New returns a Client. If o is nil, the client has the default options.
func New(o *Options) *Client {
	c := new(Client)
	if o != nil {
		c.o = *o
	}
	c.o.ReplyTimeout = cmp.Or(c.o.ReplyTimeout, replyTimeout)
	return c
}

// Open implements [scheme.Opener]. It returns menus, search results, attributes and phone book
// entries as a [*scheme.Menu]. It returns a [*scheme.Redirect] for an item that no Gopher
// request can fetch. For a search without words and for the Gopher+ string "?", it returns a
// Menu with a form. If req.Fill fills in the form, Open sends the answers instead. It returns
// anything else as a [*scheme.Object].
//
// If req.Accept or req.AcceptLanguage is set and the URL contains no Gopher+ string, Open
// requests the list of the item's views, and fetches the best view (RFC 1738 sections 3.4.7
// and 3.4.8). When ctx ends, reads from the resource fail. Open ignores req.Offset, because
// Gopher cannot resume a transfer.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	g, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	op := &operation{client: c, ctx: ctx, req: req, source: archived.For(req)}
	res, err := op.open(g)
	switch {
	case err == nil:
		if m, ok := res.(*scheme.Menu); ok && op.asked {
			op.source.Attach(m, "")
		}
		return res, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("gopher: %w", context.Cause(ctx))
	case errors.As(err, new(*locus.SyntaxError)):
		return nil, err
	}
	return nil, fmt.Errorf("gopher: %w", err)
}

type operation struct {
	client   *Client
	ctx      context.Context
	req      *scheme.Request
	source   *archived.Buffer // buffer for the last reply; nil if the caller needs no source
	asked    bool             // the operation has sent a request
	archived bool             // the reply comes from an archive, so there is no TLS
}

func (op *operation) open(g URL) (scheme.Resource, error) {
	to, refers, err := g.Redirect()
	switch {
	case err != nil:
		return nil, err
	case refers:
		return &scheme.Redirect{URL: g.url, To: []locus.URL{to}}, nil
	case g.asksPhone():
		return op.phone(g)
	case g.wantsWords():
		return op.fill(wordsForm(g, "", "Words to search for"), op.fetch)
	case g.plus == "?":
		return op.form(g)
	case g.asksAttributes():
		return op.attributes(g)
	case !g.hasPlus && (op.req.Accept != "" || op.req.AcceptLanguage != ""):
		return op.view(g)
	}
	return op.fetch(g)
}

func (op *operation) send(g URL) (*exchange, error) {
	request, err := g.appendRequest(nil, op.client.o.LiteralTabs)
	if err != nil {
		return nil, err
	}
	return op.exchange(g, request)
}

func (op *operation) fetch(g URL) (scheme.Resource, error) {
	x, err := op.send(g)
	if err != nil {
		return nil, err
	}
	return x.resource(g)
}

// view fetches the best view of an item. If the server does not support Gopher+, view fetches
// the item without a Gopher+ string.
func (op *operation) view(g URL) (scheme.Resource, error) {
	all, err := g.withPlus("!")
	if err != nil {
		return nil, err
	}
	a, err := op.itemAttributes(all)
	switch {
	case errors.Is(err, errNoAttributes):
		return op.fetch(g)
	case err != nil:
		return nil, err
	}
	v, err := chooseView(g.viewsOf(a), op.req.Accept, op.req.AcceptLanguage)
	if err != nil {
		return nil, err
	}
	plus := "+"
	if len(a.Views) > 0 {
		plus += v.String() // if the attributes list no views, the single view has no name
	}
	if g, err = g.withPlus(plus); err != nil {
		return nil, err
	}
	return op.fetch(g)
}

func (op *operation) phone(g URL) (scheme.Resource, error) {
	words, ok := g.words()
	if !ok {
		return op.fill(wordsForm(g, "Phone book", "Name to look up"), op.phone)
	}
	if _, err := appendQuery(nil, words); err != nil {
		return nil, err
	}
	x, err := op.exchange(g, nil)
	if err != nil {
		return nil, err
	}
	x.limitTime()
	items, err := phoneMenu(x.r, x, words, g, &op.client.o.Limits, op.req.Traced)
	if err != nil {
		x.Close()
		return nil, err
	}
	return &scheme.Menu{URL: g.url, Items: closeAtEnd(items, x), Closer: x}, nil
}

// fill calls req.Fill for the answers to a form, and opens the URL that submits the answers.
// If req.Fill returns no answers, fill returns the form as a menu.
func (op *operation) fill(f *scheme.Form, open func(URL) (scheme.Resource, error)) (scheme.Resource, error) {
	answers, ok, err := op.answers(f)
	if err != nil {
		return nil, err
	} else if !ok {
		return f.Menu(), nil
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

func (op *operation) answers(f *scheme.Form) (answers []string, ok bool, err error) {
	if op.req.Fill == nil {
		return nil, false, nil
	}
	answers, ok, err = op.req.Fill(op.ctx, f)
	if err != nil || !ok {
		return nil, false, err
	}
	return answers, true, f.Check(answers)
}

// form fetches the form of an item, and sends the answers. It does not build a URL with the
// answers, because the URL might be too long, and would reveal passwords.
func (op *operation) form(g URL) (scheme.Resource, error) {
	a, err := op.itemAttributes(g)
	if err != nil {
		return nil, err
	}
	if len(a.Ask) == 0 {
		return nil, scheme.Hint(fmt.Errorf("%w: the item has no form", scheme.ErrUnsupported), "leave out the %09%09? to get the item itself")
	}
	f := newForm(g, plusView{}, a.Info.Name, a.Ask)
	answers, ok, err := op.answers(f)
	if err != nil {
		return nil, err
	} else if !ok {
		return f.Menu(), nil
	}
	plus, err := appendData([]byte("+"+formStart), a.Ask, answers)
	if err != nil {
		return nil, err
	}
	g.plus = string(plus)
	return op.fetch(g)
}

// errNoAttributes is the error for a server that does not support Gopher+.
var errNoAttributes = fmt.Errorf("%w: the server does not speak Gopher+, and its items have no attributes", scheme.ErrUnsupported)

// itemAttributes returns the attributes of one item. If the reply is truncated, it returns the
// attributes that are complete, and an error.
func (op *operation) itemAttributes(g URL) (attributes, error) {
	x, err := op.askAttributes(g)
	if err != nil {
		return attributes{}, err
	}
	defer x.Close()
	for a, err := range readAttributes(x.body, &op.client.o.Limits) {
		return a, err
	}
	return attributes{}, fmt.Errorf("%w: the server sent no attributes", scheme.ErrProtocol)
}

// askAttributes requests the attributes that g names. The caller reads them from the body of
// the exchange. If the server cannot select single attributes, askAttributes requests all
// attributes.
func (op *operation) askAttributes(g URL) (*exchange, error) {
	for {
		x, err := op.send(g)
		if err != nil {
			return nil, err
		}
		x.limitTime()
		header, err := x.header()
		if err == nil && header.Plus {
			x.body = x.lines(header)
			return x, nil
		}
		x.Close()
		if err != nil {
			return nil, err
		} else if len(g.plus) <= 1 {
			return nil, errNoAttributes
		}
		if g, err = g.withPlus(g.plus[:1]); err != nil {
			return nil, err
		}
	}
}

func (op *operation) attributes(g URL) (scheme.Resource, error) {
	if op.client.o.Raw {
		return op.fetch(g)
	}
	if g.plus[0] == '!' {
		a, err := op.itemAttributes(g)
		if len(a.Blocks) == 0 && err != nil {
			return nil, err
		}
		return attributesMenu(g, a.Only(attributeNames(g.plus)...), err), nil
	}
	x, err := op.askAttributes(g)
	if err != nil {
		return nil, err
	}
	return x.attributesMenu(g), nil
}

// exchange is a connection for one request and its reply.
type exchange struct {
	*scheme.Conn
	op   *operation
	in   *replyReader
	r    *bufio.Reader // buffered reader for in
	body io.Reader     // reader for the attributes, to pass to readAttributes
}

func (op *operation) exchange(g URL, request []byte) (*exchange, error) {
	req := *op.req
	req.URL = g.url
	conn, err := scheme.Connect(op.ctx, &req, Port)
	if err != nil {
		return nil, err
	}
	op.source.Reset()
	op.asked = true
	x := &exchange{Conn: conn, op: op, in: &replyReader{conn: conn}}
	x.r = bufio.NewReaderSize(op.source.Tee(x.in), maxHead)
	if g.Secure() && !op.archived {
		err = x.secure()
	}
	if err == nil {
		x.trace(request)
		_, err = conn.Write(request)
		conn.Conn = req.Recorded(conn.Conn, "")
		x.record(request)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return x, nil
}

func (x *exchange) secure() error {
	config := new(tls.Config)
	if x.op.client.o.TLSConfig != nil {
		config = x.op.client.o.TLSConfig.Clone()
	}
	host, _, _ := net.SplitHostPort(x.Address)
	config.ServerName = cmp.Or(config.ServerName, host)
	conn := tls.Client(x.Conn.Conn, config)
	if err := conn.HandshakeContext(x.op.ctx); err != nil {
		return fmt.Errorf("%w: TLS: %w", scheme.ErrUnreachable, err)
	}
	x.Conn.Conn = conn
	return nil
}

// trace reports a request to the request's Trace function. It omits the answers to a form,
// which may be secret.
func (x *exchange) trace(request []byte) {
	if len(request) == 0 {
		return
	}
	line, data, _ := strings.Cut(string(request), "\r\n")
	x.op.req.Traced(true, line)
	if data != "" {
		x.op.req.Traced(true, fmt.Sprintf("(%d bytes of answers)", len(data)))
	}
}

// record records a request, but omits the answers to a form, which may be secret.
func (x *exchange) record(request []byte) {
	if x.op.req.Record == nil {
		return
	}
	if line, data, _ := bytes.Cut(request, []byte("\r\n")); len(data) > 0 {
		request = append(bytes.Clone(line), "\r\n***"...)
	}
	x.op.req.Record.Octets("", true, request)
}

// limitTime applies Options.ReplyTimeout to the rest of the reply.
func (x *exchange) limitTime() { x.in.left = x.op.client.o.ReplyTimeout }

// header reads the Gopher+ header of the reply. If the server reports an error, header returns
// the error.
func (x *exchange) header() (plusHeader, error) {
	h, err := readHeader(x.r)
	if err != nil || !h.Plus {
		return h, err
	}
	x.op.req.Traced(false, h.String())
	if h.Failed {
		return h, readFailure(h.Body(x.r, true))
	}
	return h, nil
}

func (x *exchange) resource(g URL) (res scheme.Resource, err error) {
	defer func() {
		if err != nil {
			x.Close()
		}
	}()
	if x.op.client.o.Raw {
		return x.object(g, "application/octet-stream", x.r, -1), nil
	}
	h := plusHeader{Length: lengthClose}
	// In a menu, "--" at the beginning means a Gopher+ error, because no menu line begins with
	// it.
	if g.hasPlus || g.reply().form == replyMenu && x.beginsWith("--") {
		if h, err = x.header(); err != nil {
			return x.failed(g, err)
		}
	}
	switch what := g.reply(); what.form {
	case replyMenu:
		if !h.Plus && x.beginsWith(infoPrefix) { // some servers reply to a Gopher+ search with attributes, but without a header
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

// failed returns a redirect if err means that the item has moved. Otherwise, it returns err.
func (x *exchange) failed(g URL, err error) (scheme.Resource, error) {
	var e *ReplyError
	if !errors.As(err, &e) || e.moved == nil {
		return nil, err
	}
	to, urlErr := e.moved.URL(g)
	if urlErr != nil || to.IsZero() {
		return nil, err
	}
	x.Close()
	return &scheme.Redirect{URL: g.url, To: []locus.URL{to}, Permanent: true}, nil
}

func (x *exchange) octets(g URL, h plusHeader, what reply) (scheme.Resource, error) {
	whole, err := x.look()
	if err != nil {
		return nil, err
	}
	if !h.Plus && (what.form == replyText || whole) {
		// The beginning of the reply is an error only if nothing follows, because a table can
		// begin like an error.
		if err := cmp.Or(plainError(x.head()), plusFailure(x.head(), whole)); err != nil {
			return x.failed(g, err)
		}
	}
	switch {
	case what.form == replyText:
		return x.text(g, h, what)
	case what.form == replyHTML && !h.Plus:
		return x.object(g, what.mediaType, htmlBody(x.r), -1), nil
	}
	return x.object(g, what.mediaType, h.Body(x.r, false), max(h.Length, -1)), nil
}

func (x *exchange) text(g URL, h plusHeader, what reply) (scheme.Resource, error) {
	const note = "the server does not double dots at the start of lines: the text is unchanged"
	var o *scheme.Object
	options := &textOptions{
		Grace:      func() { x.SetReadDeadline(time.Now().Add(grace)) },
		Resume:     func() { x.SetReadDeadline(time.Time{}) },
		NotStuffed: func() { o.Note = note },
	}
	body := h.TextBody(x.r, options)
	o = x.object(g, what.mediaType, body, max(h.Length, -1))
	if _, dotted := body.(*dotReader); dotted && notStuffed(x.head()) {
		o.Note = note
	}
	return o, nil
}

// lines returns the body for menuReader and readAttributes, including the lone dot at the end,
// which these readers detect themselves.
func (x *exchange) lines(h plusHeader) io.Reader {
	if h.Length >= 0 {
		return h.Body(x.r, true)
	}
	return x.r
}

func (x *exchange) attributes(g URL, h plusHeader) scheme.Resource {
	x.limitTime()
	x.body = x.lines(h)
	return x.attributesMenu(g)
}

// beginsWith reports whether the reply begins with prefix. It waits for no more data than this
// check needs.
func (x *exchange) beginsWith(prefix string) bool {
	for n := 1; n <= len(prefix); n++ {
		if head, _ := x.r.Peek(n); string(head) != prefix[:n] {
			return false
		}
	}
	return true
}

// look waits for the first byte of an object, and then briefly for enough data to detect the
// media type. If the reply has ended, whole is true. If look receives data before an error,
// the reader of the object returns the error later.
func (x *exchange) look() (whole bool, err error) {
	if _, err := x.r.Peek(1); err != nil && err != io.EOF {
		return false, err
	}
	x.SetReadDeadline(time.Now().Add(headTime))
	_, err = x.r.Peek(maxHead)
	x.SetReadDeadline(time.Time{})
	return err == io.EOF, nil
}

// maxHead is the maximum number of bytes of an object that the client examines before it
// returns the object.
const maxHead = 4 << 10

// head returns the beginning of the object that has already arrived.
func (x *exchange) head() []byte {
	head, _ := x.r.Peek(min(x.r.Buffered(), maxHead))
	return head
}

// body reads the body of an object. It adds the package name to errors.
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

func (x *exchange) object(g URL, mediaType string, octets io.Reader, size int64) *scheme.Object {
	return &scheme.Object{
		URL:  g.url,
		Name: g.name(),
		Type: describe(mediaType, g.name(), x.head()),
		Size: size,
		Body: scheme.Limit(body{octets, x}, x.op.req.Limit),
	}
}

// menu returns the reply as a menu. If the reply contains an error line but no items, menu
// returns an error.
func (x *exchange) menu(g URL, h plusHeader) (scheme.Resource, error) {
	x.limitTime()
	lines := newMenuReader(x.lines(h), &x.op.client.o.Limits)
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
			var l menuLine
			if l, err = lines.Next(); err == nil && !yield(maker.item(&l), nil) {
				return
			}
		}
		if err != io.EOF {
			yield(scheme.Item{}, fmt.Errorf("gopher: %w", err))
		}
	}
	return &scheme.Menu{URL: g.url, Items: closeAtEnd(items, x), Closer: x}, nil
}

// replyReader reads from a connection, with a limit for the total waiting time. It accepts the
// end of a TLS connection without a closing alert, because servers often omit the alert, and
// because plain Gopher cannot detect a truncated reply either.
type replyReader struct {
	conn    *scheme.Conn
	left    time.Duration // remaining time; zero means no limit
	expired bool          // the time limit has passed
}

func (r *replyReader) Read(p []byte) (int, error) {
	if r.expired {
		return 0, fmt.Errorf("the response exceeded its time limit: %w", os.ErrDeadlineExceeded)
	}
	begin := time.Now()
	n, err := r.conn.Read(p)
	if r.left > 0 {
		r.left -= time.Since(begin)
		r.expired = r.left <= 0
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}
