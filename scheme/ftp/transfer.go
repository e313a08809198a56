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
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/internal/piece"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/lineconn"
)

// operation is one call of Client.Open. It lasts from the choice of a connection to the end of
// the transfer.
type operation struct {
	client *Client
	ctx    context.Context
	req    *scheme.Request
	url    URL
	plan   plan

	lineconn.Lease
	ctl     *control
	answer  *scheme.Credentials // login from req.Ask; nil if there is none, or if the server rejected it
	refused int                 // number of logins from req.Ask that the server rejected
}

func (x *operation) use(ctl *control) {
	x.ctl = ctl
	x.Begin(x.ctx, &ctl.Conn, x.req, func() { x.client.pool.Put(ctl) })
}

func (x *operation) perform() (res scheme.Resource, err error) {
	if err = x.changeDirectory(); err == nil {
		if x.plan.action == retrieve {
			res, err = x.retrieve()
		} else {
			res, err = x.list()
		}
	}
	if err != nil {
		x.End(true)
		return nil, err
	}
	return res, nil
}

// transfer opens a data connection and sends a transfer command. It first sends the commands
// of the given steps, and REST if offset is not 0. It returns the data connection, and the
// offset at which the transferred data begins.
func (x *operation) transfer(offset int64, before []step, command ...string) (ch *channel, start int64, err error) {
	if ch, err = x.openChannel(); err != nil {
		return nil, 0, err
	}
	if offset > 0 {
		r, err := x.ctl.command("REST", strconv.FormatInt(offset, 10))
		if err != nil {
			return nil, 0, err
		}
		if r.code == 350 {
			start = offset
		}
	}
	var r reply
	steps := append(before, step{command, func(answer reply) error {
		r = answer
		return nil
	}})
	if err := x.ctl.carryOut(steps, x.portAhead(command[0])); err != nil {
		return nil, 0, err
	}
	if r.preliminary() {
		return ch, start, ch.start(x)
	}
	ch.Close()
	refused := refusal(commandText(command[0], command[1:]...), r)
	if r.completed() {
		x.ctl.Broken = true
		return nil, 0, fmt.Errorf("%w: the server sent no preliminary reply", refused)
	}
	if start > 0 {
		// On some servers, this REST would also apply to the next transfer.
		x.ctl.Broken = true
		refused = scheme.Hint(refused, "this request resumes at byte "+strconv.FormatInt(start, 10)+": retry from the beginning")
	}
	x.ctl.receiveAhead(r)
	return nil, 0, refused
}

func (x *operation) retrieve() (scheme.Resource, error) {
	o := &scheme.Object{URL: x.req.URL, Name: x.url.Name(), Type: media.ByName(x.url.Name()), Size: -1}
	questions := x.questions(o)
	if !x.isReady() {
		if err := x.ctl.carryOut(append(questions, x.askPort()...), ""); err != nil {
			return nil, err
		}
		questions = nil
		if x.plan.typ == "I" {
			o.Tag = tag(o)
			o.Start = resumeAt(x.req, o)
		}
		if limit := x.req.Limit; limit > 0 && o.Size-o.Start > limit {
			return nil, fmt.Errorf("%w: %d bytes, and the limit is %d", scheme.ErrTooLarge, o.Size-o.Start, limit)
		}
		// If the server reports the size or time of the file, the file exists.
		known := o.Size >= 0 || !o.ModTime.IsZero()
		if x.req.Probe && known || o.Start > 0 && o.Start == o.Size {
			x.End(true)
			o.Body = io.NopCloser(strings.NewReader(""))
			return o, nil
		}
	}
	name := x.plan.name
	ch, start, err := x.transfer(o.Start, questions, "RETR", name)
	if err != nil {
		return nil, x.maybeDirectory(err)
	}
	o.Tag, o.Start = tag(o), start
	o.Resumable = start > 0 // only the reply to REST reveals whether the server supports REST
	o.Body = scheme.Limit(&body{download: download{x: x, ch: ch, command: "RETR " + name}, size: o.Size, at: start}, x.req.Limit)
	return o, nil
}

// questions returns the steps that set the type, and request the size and time of the file.
func (x *operation) questions(o *scheme.Object) []step {
	ctl, plan := x.ctl, x.plan
	steps := ctl.setType(plan.typ)
	if x.isListed() {
		o.Size, o.ModTime = x.req.Listed.Size, x.req.Listed.ModTime
		return steps
	}
	if plan.typ == "I" && !ctl.noSize {
		// With other types, SIZE fails or does not return the size of the file.
		steps = append(steps, step{[]string{"SIZE", plan.name}, func(r reply) error {
			ctl.noSize, o.Size = unknownCommand(r.code), sizeReply(r)
			return nil
		}})
	}
	if !ctl.noTime {
		steps = append(steps, step{[]string{"MDTM", plan.name}, func(r reply) error {
			ctl.noTime, o.ModTime = unknownCommand(r.code), timeReply(r)
			return nil
		}})
	}
	return steps
}

// isListed reports whether an MLSD listing contained both the size and time of the file. The
// client then does not request them, because an MLSD listing is exact (RFC 3659 section 7.5).
func (x *operation) isListed() bool {
	req := x.req
	return req.Listed != nil && req.Listed.Size >= 0 && !req.Listed.ModTime.IsZero() && x.ctl.habits.exact.Load() &&
		x.plan.typ == "I" && !req.Probe && req.Offset == 0
}

func tag(o *scheme.Object) string {
	if o.Size < 0 || o.ModTime.IsZero() {
		return ""
	}
	return fmt.Sprintf("%d-%s", o.Size, o.ModTime.Format("20060102150405.999"))
}

// resumeAt returns req.Offset. If the file has changed since the earlier transfer, it returns
// 0.
func resumeAt(req *scheme.Request, o *scheme.Object) int64 {
	switch {
	case req.Tag != "" && req.Tag != o.Tag,
		!req.ModTime.IsZero() && !req.ModTime.Truncate(time.Second).Equal(o.ModTime.Truncate(time.Second)),
		o.Size >= 0 && req.Offset > o.Size:
		return 0
	}
	return max(req.Offset, 0)
}

// maybeDirectory checks with CWD whether the name is that of a directory, after the server has
// rejected RETR. If it is, maybeDirectory adds a hint to err.
func (x *operation) maybeDirectory(err error) error {
	name := x.plan.name
	if !errors.Is(err, scheme.ErrNotFound) || !x.ctl.Reusable() || name == "" {
		return err
	}
	r, cwdErr := x.ctl.command("CWD", name)
	if cwdErr != nil || !r.completed() {
		return err
	}
	x.ctl.cwd = append(slices.Clip(x.ctl.cwd), name)
	return scheme.Hint(err, `it is a directory: add "/" to the URL to list it`)
}

// download is a running transfer.
type download struct {
	x       *operation
	ch      *channel
	command string
	err     error // the error that ended the transfer; io.EOF after a success
}

// finish ends the transfer, and returns io.EOF or the reason for the failure. The argument err
// is the error from the data connection. If all data arrived, whole is true.
func (d *download) finish(err error, whole bool) error {
	if errors.Is(err, io.ErrUnexpectedEOF) && whole {
		err = io.EOF // the server did not close TLS properly, but the file is complete
	}
	if err != io.EOF {
		if d.x.ctl.ahead != "" && d.x.ctx.Err() == nil {
			d.x.ctl.habits.notAhead.Store(true) // the passive command may have ended the transfer
		}
		d.x.End(false)
		return lineconn.Failure(d.x.ctx, "ftp", fmt.Errorf("%s: data connection: %w", locus.Quote(d.command), scheme.ProtocolError(err)))
	}
	err = d.complete()
	d.x.End(true)
	if err != nil {
		return lineconn.Failure(d.x.ctx, "ftp", err)
	}
	return io.EOF
}

// complete closes the data connection and reads the final reply. Some servers send the final
// reply only after the client has closed the data connection.
func (d *download) complete() error {
	d.ch.Close()
	r, err := d.x.ctl.final()
	if err == nil {
		r = d.x.ctl.receiveAhead(r)
	}
	if err == nil && !r.completed() {
		err = failed(d.command, r, scheme.ErrProtocol)
	}
	return err
}

// Close ends the transfer. If the transfer is incomplete, Close closes the control connection.
func (d *download) Close() error {
	d.x.End(false)
	return nil
}

// body reads a file from a data connection. It is the Body of the object.
type body struct {
	download
	size int64 // size of the whole file; -1 if unknown
	at   int64 // offset of the next byte in the file
}

// Read returns io.EOF only if the server reported success and the number of bytes matches the
// known size.
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.ch.Read(p)
	return n, b.took(int64(n), err)
}

// CopyPiece implements [piece.Copier].
func (b *body) CopyPiece(w io.Writer, n int64) (int64, error) {
	if b.err != nil {
		return 0, b.err
	}
	m, err := piece.Copy(w, b.ch.conn, n)
	if errors.Is(err, errors.ErrUnsupported) {
		return 0, err
	}
	return m, b.took(m, err)
}

// took processes the result of a read, n bytes and the error err. It returns the error for the
// caller.
func (b *body) took(n int64, err error) error {
	b.at += n
	if err == nil {
		return nil
	}
	b.err = b.finish(err, b.at == b.size)
	if b.err == io.EOF && b.at < b.size {
		b.err = fmt.Errorf("ftp: %s: %w", locus.Quote(b.command), scheme.ErrProtocol)
	}
	if b.err != io.EOF && b.size >= 0 && errors.Is(b.err, scheme.ErrProtocol) {
		b.err = fmt.Errorf("%w: the server stopped after %d of %d bytes", b.err, b.at, b.size)
	}
	return b.err
}

func (x *operation) list() (scheme.Resource, error) {
	plan, ctl := x.plan, x.ctl
	if x.req.Probe && plan.name == "" && len(plan.cwd) > 0 {
		// The server accepted CWD, so the directory exists.
		x.End(true)
		return &scheme.Menu{URL: x.req.URL, Items: noItems}, nil
	}
	var steps []step
	if plan.action == directory {
		steps = ctl.findListVerb()
	}
	steps = append(append(steps, ctl.setListType()...), x.askPort()...)
	if err := ctl.carryOut(steps, ""); err != nil {
		return nil, err
	}
	verb := ""
	if plan.action == directory {
		verb = ctl.listVerb
	}
	command := plan.last(verb)
	ch, _, err := x.transfer(0, nil, command...)
	if refused := (*lineconn.ReplyError)(nil); verb == "MLSD" && errors.As(err, &refused) && unknownCommand(refused.Code) {
		ctl.listVerb, verb = "LIST", "LIST" // the reply to FEAT listed MLST, but the server does not support MLSD
		ctl.habits.exact.Store(false)
		command = plan.last(verb)
		ch, _, err = x.transfer(0, nil, command...)
	}
	title := bnf.Decode(x.url.fpath())
	if noFiles(err) {
		x.End(true)
		empty := &scheme.Menu{URL: x.req.URL, Title: title, Items: noItems}
		archived.For(x.req).Attach(empty, "")
		return empty, nil
	}
	if err != nil {
		return nil, err
	}
	source := archived.For(x.req)
	m := &menu{
		download: download{x: x, ch: ch, command: commandText(command[0], command[1:]...)},
		lines:    newListing(source.Tee(ch)),
		source:   source,
		parse:    x.entryParser(command[0]),
	}
	if command[0] == "LIST" {
		m.unread = new(unread)
	}
	listed := &scheme.Menu{URL: x.req.URL, Title: title, Items: m.items(), Closer: m}
	source.Attach(listed, "")
	return listed, nil
}

func noItems(func(scheme.Item, error) bool) {}

// noFiles reports whether err is a reply that means an empty directory, such as "450 No files
// found". For a missing directory, servers send the same code with another text.
func noFiles(err error) bool {
	var refused *lineconn.ReplyError
	if !errors.As(err, &refused) || refused.Code != 450 && refused.Code != 550 {
		return false
	}
	return strings.Contains(strings.ToLower(refused.Text), "no files")
}

// entryParser returns a function that parses a line of the reply to verb. This function
// returns the URL of the entry's directory, and the entry. If the line contains no entry, the
// last result is false.
func (x *operation) entryParser(verb string) func(text string) (linker, scheme.Item, bool) {
	return lineParser(x.url, x.plan.name, verb, time.Now())
}

// lineParser returns the same function as entryParser, for a listing of u. The parameter
// argument is the argument of NLST, and now is the time of the listing.
func lineParser(u URL, argument, verb string, now time.Time) func(text string) (linker, scheme.Item, bool) {
	base := newLinker(u)
	return func(text string) (_ linker, it scheme.Item, ok bool) {
		switch {
		case verb == "MLSD":
			it, ok = parseMLSD(text)
		case verb == "LIST":
			it, ok = parseLIST(text, now)
		case text == argument:
			// For a file, NLST returns the name of the file.
			return parentLinker(u), unknown(u.Name()), listed(u.Name())
		default:
			it, ok = parseNLST(text, argument)
		}
		return base, it, ok
	}
}

// menu reads the items of a listing from a data connection.
type menu struct {
	download
	lines  *listing
	parse  func(text string) (linker, scheme.Item, bool)
	unread *unread          // lines of the reply to LIST; nil for other verbs
	source *archived.Buffer // buffer for Menu.Source; nil if the caller needs no source
	told   bool             // the menu has yielded its error
}

// items returns an iterator that reads items from the data connection on demand. A second
// iteration continues where the first one stopped.
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

// next returns the next item. At the end of the menu, the error is io.EOF.
func (m *menu) next() (scheme.Item, error) {
	for {
		if text, ok := m.unread.shift(); ok {
			return newLinker(m.x.url).item(unknown(""), text), nil
		}
		if m.err != nil {
			return scheme.Item{}, m.err
		}
		text, err := m.lines.next()
		if err != nil {
			m.end(err)
			continue
		}
		if base, it, ok := m.parse(text); ok && m.unread.take(it, text) {
			return base.item(it, text), nil
		}
	}
}

// end ends the listing. If the parsers could not read some lines of the reply to LIST, end
// first requests the names with NLST.
func (m *menu) end(err error) {
	if err != io.EOF || !m.unread.wantsNames() {
		m.err = m.finish(err, false)
		m.unread.release()
		return
	}
	plan := m.x.plan
	plan.action = nameList
	command := plan.last("")
	if err = m.complete(); err == nil {
		var ch *channel
		if ch, _, err = m.x.transfer(0, nil, command...); err == nil {
			m.source.Write([]byte(nextListing + "\r\n"))
			m.ch, m.lines = ch, newListing(m.source.Tee(ch))
			m.command = commandText(command[0], command[1:]...)
			m.parse = m.x.entryParser("NLST")
			m.unread.names = true
			return
		}
		if m.x.ctx.Err() == nil {
			err = nil // the reply to LIST is complete, so an error of NLST does not matter
		}
	}
	m.x.End(true)
	m.unread.release()
	if m.err = io.EOF; err != nil {
		m.err = lineconn.Failure(m.x.ctx, "ftp", err)
	}
}
