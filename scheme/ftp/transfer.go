package ftp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

// exchange is one use of a control connection, from when it is there to the end
// of the transfer. When its context ends, the connections are closed, and what
// waits for them fails.
type exchange struct {
	job *job
	ctx context.Context
	ctl *control

	mu   sync.Mutex
	stop func() bool // ends the watch over ctx
	over bool
	data []io.Closer // of data connections
}

func newExchange(ctx context.Context, j *job, ctl *control) *exchange {
	x := &exchange{job: j, ctx: ctx, ctl: ctl}
	ctl.trace = j.req.Trace
	x.mu.Lock() // the context may end before there is a stop
	defer x.mu.Unlock()
	x.stop = context.AfterFunc(ctx, func() { x.end(false) })
	return x
}

// hold has a data connection closed at the end of the exchange.
func (x *exchange) hold(data io.Closer) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		data.Close()
	}
	x.data = append(x.data, data)
}

// end ends the exchange, once. If keep is set, the control connection is kept for
// another, unless the state that its server is in is not known; else it is
// closed, which is all that is needed to break a transfer off.
func (x *exchange) end(keep bool) {
	x.mu.Lock()
	over, stop, data := x.over, x.stop, x.data
	x.over = true
	x.mu.Unlock()
	if over {
		return
	}
	stop()
	for _, c := range data {
		c.Close()
	}
	if keep && x.ctl.reusable() {
		x.job.client.keep(x.ctl)
	} else {
		x.ctl.hangUp()
	}
}

// failure is what err means if the context may have ended.
func (x *exchange) failure(err error) error {
	if x.ctx.Err() != nil {
		err = context.Cause(x.ctx)
	}
	return fmt.Errorf("ftp: %w", err)
}

// perform sends what is planned.
func (x *exchange) perform() (res scheme.Resource, err error) {
	if err = x.ctl.walk(x.job.plan.CWD); err == nil {
		if x.job.plan.Action == Retrieve {
			res, err = x.retrieve()
		} else {
			res, err = x.list()
		}
	}
	if err != nil {
		x.end(true)
		return nil, err
	}
	return res, nil
}

// transfer opens a data connection and sends the command that uses it; offset is
// for REST, if it is not 0. It returns what there is to read, and where that
// begins.
func (x *exchange) transfer(offset int64, command ...string) (ch *channel, start int64, err error) {
	if ch, err = x.openChannel(); err != nil {
		return nil, 0, err
	}
	if offset > 0 {
		r, err := x.ctl.command("REST", strconv.FormatInt(offset, 10))
		if err != nil {
			return nil, 0, err
		}
		if r.Code == 350 {
			start = offset
		}
	}
	if err := x.ctl.send(command[0], command[1:]...); err != nil {
		return nil, 0, err
	}
	r, err := x.ctl.receive()
	switch {
	case err != nil:
		return nil, 0, err
	case r.preliminary():
		return ch, start, ch.start(x)
	}
	ch.Close()
	refused := refusal(commandText(command[0], command[1:]...), r)
	if r.completed() {
		x.ctl.broken = true
		return nil, 0, fmt.Errorf("%w: it is done before it began", refused)
	}
	if start > 0 {
		// Whether the next transfer would still begin there is anybody's guess.
		x.ctl.broken = true
		refused = scheme.Hint(refused, "it was asked for from octet "+strconv.FormatInt(start, 10)+" on: begin again without what is there")
	}
	return nil, 0, refused
}

// retrieve opens a file.
func (x *exchange) retrieve() (scheme.Resource, error) {
	o, err := x.describe()
	if err != nil {
		return nil, err
	}
	if limit := x.job.req.Limit; limit > 0 && o.Size-o.Start > limit {
		return nil, fmt.Errorf("%w: %d octets, and %d are the most", scheme.ErrTooLarge, o.Size-o.Start, limit)
	}
	// A server that tells a file's size or time has the file.
	known := o.Size >= 0 || !o.ModTime.IsZero()
	if x.job.req.Probe && known || o.Start > 0 && o.Start == o.Size {
		x.end(true)
		o.Body = io.NopCloser(strings.NewReader(""))
		return o, nil
	}
	name := x.job.plan.Name
	ch, start, err := x.transfer(o.Start, "RETR", name)
	if err != nil {
		return nil, x.maybeDirectory(err)
	}
	o.Start = start
	o.Resumable = start > 0 // a server that has no REST tells when it is sent
	o.Body = scheme.Limit(&body{download: download{x: x, ch: ch, command: "RETR " + name}, size: o.Size, at: start}, x.job.req.Limit)
	return o, nil
}

// describe sets the type and asks what there is to know of a file. A server that
// does not tell leaves it unknown.
func (x *exchange) describe() (*scheme.Object, error) {
	ctl, plan := x.ctl, x.job.plan
	if err := ctl.setType(plan.Type); err != nil {
		return nil, err
	}
	o := &scheme.Object{URL: x.job.req.URL, Name: x.job.url.Name(), Type: media.ByName(x.job.url.Name()), Size: -1}
	var err error
	if plan.Type == "I" {
		// In other types the size is not that of the file, or can't be had.
		if o.Size, err = ctl.size(plan.Name); err != nil {
			return nil, err
		}
	}
	if o.ModTime, err = ctl.modTime(plan.Name); err != nil {
		return nil, err
	}
	if o.Size >= 0 && !o.ModTime.IsZero() {
		o.Tag = fmt.Sprintf("%d-%s", o.Size, o.ModTime.Format("20060102150405.999"))
	}
	if plan.Type == "I" {
		o.Start = resumeAt(x.job.req, o)
	}
	return o, nil
}

// resumeAt returns where to go on: Request.Offset, or 0 if the file is not, or is
// not known to be, the one that the first part is of.
func resumeAt(req *scheme.Request, o *scheme.Object) int64 {
	switch {
	case req.Tag != "" && req.Tag != o.Tag,
		!req.ModTime.IsZero() && !req.ModTime.Truncate(time.Second).Equal(o.ModTime.Truncate(time.Second)),
		o.Size >= 0 && req.Offset > o.Size:
		return 0
	}
	return max(req.Offset, 0)
}

// maybeDirectory adds a hint to the refusal of RETR if the name is a directory's,
// as CWD can tell.
func (x *exchange) maybeDirectory(err error) error {
	name := x.job.plan.Name
	if !errors.Is(err, scheme.ErrNotFound) || !x.ctl.reusable() || name == "" {
		return err
	}
	r, cwdErr := x.ctl.command("CWD", name)
	if cwdErr != nil || !r.completed() {
		return err
	}
	x.ctl.cwd = append(slices.Clip(x.ctl.cwd), name)
	return scheme.Hint(err, `it is a directory: with "/" behind it the URL lists it`)
}

// download is a transfer that goes on.
type download struct {
	x       *exchange
	ch      *channel
	command string
	err     error // that it ended with, io.EOF if all went well
}

// finish ends the transfer when the data have ended, with err, and tells how it
// went. The data connection is closed first: there are servers that say nothing
// before it is. whole: no octet is missing.
func (d *download) finish(err error, whole bool) error {
	if errors.Is(err, io.ErrUnexpectedEOF) && whole {
		err = io.EOF // TLS without its end, and nothing cut off
	}
	if err != io.EOF {
		d.x.end(false)
		return d.x.failure(fmt.Errorf("%s: data connection: %w", locus.Quote(d.command), scheme.Broken(err)))
	}
	err = d.complete()
	d.x.end(true)
	if err != nil {
		return d.x.failure(err)
	}
	return io.EOF
}

// complete closes the data connection and reads the reply that ends the transfer.
func (d *download) complete() error {
	d.ch.Close()
	r, err := d.x.ctl.final()
	if err == nil && !r.completed() {
		err = &ReplyError{Command: d.command, Reply: r, Kind: scheme.ErrProtocol}
	}
	return err
}

// Close ends the transfer. If it was not at its end it is broken off, and the
// control connection with it.
func (d *download) Close() error {
	d.x.end(false)
	return nil
}

// body is the octets of a file.
type body struct {
	download
	size int64 // of the whole file; -1: unknown
	at   int64 // where in the file the next octet is
}

// Read reads the file. It ends in io.EOF only if the server said that it sent all
// of it, and the size, if that is known, says so too.
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.ch.Read(p)
	b.at += int64(n)
	if err == nil {
		return n, nil
	}
	b.err = b.finish(err, b.at == b.size)
	if b.err == io.EOF && b.at < b.size {
		b.err = fmt.Errorf("ftp: %s: %w", locus.Quote(b.command), scheme.ErrProtocol)
	}
	if b.err != io.EOF && b.size >= 0 && b.x.ctx.Err() == nil {
		b.err = fmt.Errorf("%w: the server stopped after %d of %d octets", b.err, b.at, b.size)
	}
	return n, b.err
}

// list opens a directory as a menu.
func (x *exchange) list() (scheme.Resource, error) {
	plan := x.job.plan
	if x.job.req.Probe && plan.Name == "" && len(plan.CWD) > 0 {
		// The directory has been gone into, and so is there.
		x.end(true)
		return &scheme.Menu{URL: x.job.req.URL, Items: func(func(scheme.Item, error) bool) {}}, nil
	}
	verb := ""
	if plan.Action == Directory {
		var err error
		if verb, err = x.ctl.listVerb(); err != nil {
			return nil, err
		}
	}
	if err := x.ctl.setListType(); err != nil {
		return nil, err
	}
	command := plan.last(verb)
	ch, _, err := x.transfer(0, command...)
	if refused := (*ReplyError)(nil); verb == "MLSD" && errors.As(err, &refused) && unknownCommand(refused.Reply) {
		x.ctl.mlsd, verb = no, "LIST" // whatever FEAT said
		command = plan.last(verb)
		ch, _, err = x.transfer(0, command...)
	}
	title := bnf.Decode(x.job.url.fpath())
	if noFiles(err) {
		x.end(true)
		return &scheme.Menu{URL: x.job.req.URL, Title: title, Items: func(func(scheme.Item, error) bool) {}}, nil
	}
	if err != nil {
		return nil, err
	}
	m := &menu{
		download: download{x: x, ch: ch, command: commandText(command[0], command[1:]...)},
		lines:    newListing(ch),
		parse:    x.entryParser(command[0]),
	}
	if command[0] == "LIST" {
		m.unread = new(unread)
	}
	return &scheme.Menu{URL: x.job.req.URL, Title: title, Items: m.items(), Closer: m}, nil
}

// noFiles reports whether err is how a server says that a directory is empty: "450
// No files found". A directory that does not exist gets the same code with other
// words.
func noFiles(err error) bool {
	var refused *ReplyError
	if !errors.As(err, &refused) || refused.Reply.Code != 450 && refused.Reply.Code != 550 {
		return false
	}
	return strings.Contains(strings.ToLower(refused.Reply.Text()), "no files")
}

// parsedLine is one line of a listing and what it says. base makes the URL of the entry.
type parsedLine struct {
	base linker
	Entry
}

// entryParser returns the function that reads a line of the reply to verb. The
// function reports false for a line without an entry.
func (x *exchange) entryParser(verb string) func(text string) (parsedLine, bool) {
	u, now := x.job.url, time.Now()
	base := newLinker(u)
	argument := x.job.plan.Name
	return func(text string) (p parsedLine, ok bool) {
		p.base = base
		switch {
		case verb == "MLSD":
			p.Entry, ok = ParseMLSD(text)
		case verb == "LIST":
			p.Entry, ok = ParseLIST(text, now)
		case text == argument:
			// NLST of a file gives its name back.
			p.base, p.Entry = parentLinker(u), unknown(u.Name())
			ok = listed(p.Name)
		default:
			p.Entry, ok = ParseNLST(text, argument)
		}
		return p, ok
	}
}

// menu is the lines of a listing.
type menu struct {
	download
	lines  *listing
	parse  func(text string) (parsedLine, bool)
	unread *unread // of the reply to LIST; nil for other verbs
	told   bool    // the error was yielded
}

// items reads items off the data connection as they are requested. A loop that
// stops early and starts again continues after the last item.
func (m *menu) items() iter.Seq2[scheme.Item, error] {
	return func(yield func(scheme.Item, error) bool) {
		for {
			it, err := m.next()
			if err == io.EOF || err != nil && m.told {
				return
			}
			m.told = err != nil
			if !yield(it, err) {
				return
			}
		}
	}
}

// next returns the next item. At the end the error is io.EOF.
func (m *menu) next() (scheme.Item, error) {
	for {
		if text, ok := m.unread.shift(); ok {
			return newLinker(m.x.job.url).item(unknown(""), text), nil
		}
		if m.err != nil {
			return scheme.Item{}, m.err
		}
		text, err := m.lines.next()
		if err != nil {
			m.end(err)
			continue
		}
		if p, ok := m.parse(text); ok && m.unread.take(p.Entry, text) {
			return p.base.item(p.Entry, text), nil
		}
	}
}

// end ends the listing. Where lines of the reply to LIST could not be read, NLST
// is sent for the names in them.
func (m *menu) end(err error) {
	if err != io.EOF || !m.unread.wantsNames() {
		m.err = m.finish(err, false)
		m.unread.release()
		return
	}
	plan := m.x.job.plan
	plan.Action = NameList
	command := plan.last("")
	if err = m.complete(); err == nil {
		var ch *channel
		if ch, _, err = m.x.transfer(0, command...); err == nil {
			m.ch, m.lines = ch, newListing(ch)
			m.command = commandText(command[0], command[1:]...)
			m.parse = m.x.entryParser("NLST")
			m.unread.names = true
			return
		}
		if m.x.ctx.Err() == nil {
			err = nil // the listing itself is whole
		}
	}
	m.x.end(true)
	m.unread.release()
	if m.err = io.EOF; err != nil {
		m.err = m.x.failure(err)
	}
}
