package nntp

import (
	"fmt"
	"math"
	"strings"

	"github.com/locus-url/locus/internal/line"
	"github.com/locus-url/locus/scheme"
)

// maxCapabilities bounds what a server may say of itself, which takes some dozen
// lines.
const maxCapabilities = 64 << 10

// conn is a connection to a server, and what is known of the state that the
// server is in. One exchange uses it at a time.
type conn struct {
	link
	lines *line.Reader
	trace scheme.TraceFunc

	// place is the one it was opened for. login is what the server took, asked
	// whether a person gave it, and realm what the server said then.
	place place
	login *scheme.Credentials
	asked bool
	realm string

	group  group        // that is selected; the zero group: none
	caps   capabilities // nil: they have to be asked for, or the server has no list
	over   string       // verb of an overview that the server has
	format *OverviewFormat

	// owed is how many replies, or ends of blocks, are to come. With any, or after
	// broken, the state is unknown, and the connection no good for another
	// exchange.
	owed     int
	broken   bool
	reused   bool // it comes out of the pool,
	answered bool // and has answered since
}

// staleError is the failure of a kept connection at its first command: the server
// had closed it meanwhile, and another one may do.
type staleError struct{ error }

func (e staleError) Unwrap() error { return e.error }

// fail notes that the connection is of no more use.
func (c *conn) fail(err error) error {
	c.broken = true
	if c.reused && !c.answered {
		return staleError{err}
	}
	return err
}

// reusable reports whether the state that the server is in is known.
func (c *conn) reusable() bool {
	return !c.broken && c.owed == 0 && c.lines.Buffered() == 0
}

// command sends a command and returns the reply to it. Words that can't be sent
// are refused before anything is.
func (c *conn) command(words ...string) (Reply, error) {
	text, err := appendCommand(nil, words...)
	if err != nil {
		return Reply{}, fmt.Errorf("%s: %w", words[0], err)
	}
	c.traced(true, commandText(words...))
	if _, err := c.conn.Write(text); err != nil {
		return Reply{}, c.fail(scheme.Broken(err))
	}
	c.owed++
	return c.receive()
}

// expect is command for one that must have the reply code; any other is an error.
func (c *conn) expect(code int, words ...string) (Reply, error) {
	r, err := c.command(words...)
	if err == nil && r.Code != code {
		err = refusal(commandText(words...), r)
	}
	return r, err
}

// commandText is a command as it may be shown.
func commandText(words ...string) string {
	if len(words) == 3 && words[0] == "AUTHINFO" && words[1] == "PASS" {
		return "AUTHINFO PASS ***"
	}
	return strings.Join(words, " ")
}

// receive returns the next reply.
func (c *conn) receive() (Reply, error) {
	c.lines.Allow(math.MaxInt64) // it is one line
	text, err := c.lines.Line()
	if err != nil {
		return Reply{}, c.fail(replyError(err))
	}
	c.traced(false, string(text))
	r, err := parseReply(string(text))
	if err != nil {
		return Reply{}, c.fail(err)
	}
	if r.Code == 400 {
		// It closes the connection, whatever it was asked.
		return r, c.fail(refusal("connection", r))
	}
	c.answered = true
	c.owed--
	return r, nil
}

func (c *conn) traced(sent bool, text string) {
	if c.trace != nil {
		c.trace(sent, text)
	}
}

// beginBlock notes that lines follow, of so many octets at most.
func (c *conn) beginBlock(octets int64) {
	c.owed++
	c.lines.Allow(octets)
}

// blockLine returns the next line of a block, as it was before a dot was put in
// front of another. ok is false at its end.
func (c *conn) blockLine() (text []byte, ok bool, err error) {
	text, err = c.lines.Line()
	if err != nil {
		return nil, false, c.fail(replyError(err))
	}
	if len(text) == 0 || text[0] != '.' {
		return text, true, nil
	}
	if len(text) == 1 {
		c.owed--
		return nil, false, nil
	}
	return text[1:], true, nil
}

// block calls f with each line of a block.
func (c *conn) block(octets int64, f func(text string)) error {
	c.beginBlock(octets)
	for {
		text, ok, err := c.blockLine()
		if err != nil || !ok {
			return err
		}
		f(string(text))
	}
}

// greet reads the greeting (RFC 3977 section 5.1).
func (c *conn) greet() error {
	c.owed = 1
	r, err := c.receive()
	if err == nil && r.Code != 200 && r.Code != 201 {
		err = c.fail(refusal("connection", r))
	}
	return err
}

// capabilities asks what the server can do, unless it has said so. A server that
// has no such command is none of RFC 3977, and nil.
func (c *conn) capabilities() (capabilities, error) {
	if c.caps != nil {
		return c.caps, nil
	}
	r, err := c.command("CAPABILITIES")
	if err != nil || r.Code != 101 {
		return nil, err
	}
	caps := capabilities{}
	err = c.block(maxCapabilities, func(text string) {
		c.traced(false, text)
		caps.add(text)
	})
	if err != nil {
		return nil, err
	}
	c.caps = caps
	return caps, nil
}

// becomeReader sees to it that the server serves readers. One that says it does,
// or that it never will, is left alone.
func (c *conn) becomeReader() error {
	caps, err := c.capabilities()
	if err != nil || caps.has("READER") || caps != nil && !caps.has("MODE-READER") {
		return err
	}
	return c.modeReader()
}

// modeReader switches the server over (RFC 3977 section 5.3). Servers that have
// nothing to switch need not know the command, and one that wants a login first
// will say so again.
func (c *conn) modeReader() error {
	r, err := c.command("MODE", "READER")
	if err != nil {
		return err
	}
	switch r.Code {
	case 200, 201:
		c.forget()
	case 502:
		return c.fail(refusal("MODE READER", r))
	}
	return nil
}

// forget forgets what was true before the server changed its state.
func (c *conn) forget() { c.caps, c.group = nil, group{} }

// selectGroup selects a newsgroup. With fresh it is asked about even if it is
// selected.
func (c *conn) selectGroup(name string, fresh bool) (group, error) {
	if c.group.name == name && !fresh {
		return c.group, nil
	}
	r, err := c.expect(211, "GROUP", name)
	if err != nil {
		return group{}, err
	}
	if c.group, err = parseGroup(name, r); err != nil {
		return group{}, c.fail(err)
	}
	return c.group, nil
}

// authenticate logs in (RFC 4643 section 2.3).
func (c *conn) authenticate(login scheme.Credentials) error {
	command := []string{"AUTHINFO", "USER", login.User}
	r, err := c.command(command...)
	if err == nil && r.Code == 381 {
		command = []string{"AUTHINFO", "PASS", login.Password}
		r, err = c.command(command...)
	}
	switch {
	case err != nil:
		return err
	case r.Code == 281:
		c.login, c.caps = &login, nil
		return nil
	case r.Code == codeNoEncryption, r.Code == 500:
		return refusal(commandText(command...), r)
	}
	// Servers have many codes for a password that is wrong, or has octets that they
	// don't take.
	return &loginError{ReplyError{Command: commandText(command...), Reply: r, Kind: scheme.ErrAuth}}
}

// loginError says that a server refused a user or password.
type loginError struct{ ReplyError }
