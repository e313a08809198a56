package news

import (
	"fmt"
	"math"
	"strings"

	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/lineconn"
)

// maxCapabilities is the maximum size of a capability list in bytes. Real lists contain a few
// dozen lines.
const maxCapabilities = 64 << 10

// sendCommand sends a command and returns its reply. If a word cannot be part of a command, it
// returns an error and sends nothing.
func (c *conn) sendCommand(words ...string) (reply, error) {
	text, err := appendCommand(nil, words...)
	if err != nil {
		return reply{}, fmt.Errorf("%s: %w", words[0], err)
	}
	if err := c.Send(text, commandText(words...)); err != nil {
		return reply{}, err
	}
	return c.receive()
}

// expect sends a command and returns its reply. If the reply does not have the given code,
// expect returns an error.
func (c *conn) expect(code int, words ...string) (reply, error) {
	r, err := c.sendCommand(words...)
	if err == nil && r.code != code {
		err = refusal(commandText(words...), r)
	}
	return r, err
}

// commandText returns a command for messages, without a password.
func commandText(words ...string) string {
	if len(words) == 3 && words[0] == "AUTHINFO" && words[1] == "PASS" {
		return "AUTHINFO PASS ***"
	}
	return strings.Join(words, " ")
}

// record starts to record the server's replies in source. It also discards the known list
// format, so that the client requests the format again and the recording contains everything
// that a reader needs.
func (c *conn) record(source *archived.Buffer) {
	if source != nil {
		source.Reset()
		c.source, c.over, c.format = source, "", nil
	}
}

// recordLine appends a line from the server to the recording, if there is one.
func (c *conn) recordLine(text []byte) {
	if c.source != nil {
		c.source.Write(text)
		c.source.Write([]byte("\r\n"))
	}
}

// receive returns the next reply.
func (c *conn) receive() (reply, error) {
	c.Lines.Allow(math.MaxInt64) // a reply is one line, and the line length has its own limit
	text, err := c.Lines.Line()
	if err != nil {
		return reply{}, c.Fail(readError(err))
	}
	c.Traced(false, string(text))
	c.recordLine(text)
	r, err := parseReply(string(text))
	if err != nil {
		return reply{}, c.Fail(err)
	}
	if r.code == 400 {
		// This code means that the server closes the connection, whatever the command was.
		return r, c.Fail(refusal("connection", r))
	}
	c.Answered(true)
	return r, nil
}

// beginBlock prepares to read a multi-line block of at most the given number of octets.
func (c *conn) beginBlock(octets int64) {
	c.Owed++
	c.Lines.Allow(octets)
}

// blockLine returns the next line of a multi-line block, without dot-stuffing. At the end of
// the block, ok is false.
func (c *conn) blockLine() (text []byte, ok bool, err error) {
	text, err = c.Lines.Line()
	if err != nil {
		return nil, false, c.Fail(readError(err))
	}
	c.recordLine(text)
	if len(text) == 0 || text[0] != '.' {
		return text, true, nil
	}
	if len(text) == 1 {
		c.Owed--
		return nil, false, nil
	}
	return text[1:], true, nil
}

// readBlock reads a multi-line block and calls f for each line.
func (c *conn) readBlock(octets int64, f func(text string)) error {
	c.beginBlock(octets)
	for {
		text, ok, err := c.blockLine()
		if err != nil || !ok {
			return err
		}
		f(string(text))
	}
}

// readGreeting reads the greeting (RFC 3977 section 5.1).
func (c *conn) readGreeting() error {
	c.Owed = 1
	r, err := c.receive()
	if err == nil && r.code != 200 && r.code != 201 {
		err = c.Fail(refusal("connection", r))
	}
	return err
}

// capabilities returns the server's capabilities, and requests the list if necessary. A server
// older than RFC 3977 does not support the command. For such a server, capabilities returns
// nil.
func (c *conn) capabilities() (capabilities, error) {
	if c.caps != nil {
		return c.caps, nil
	}
	r, err := c.sendCommand("CAPABILITIES")
	if err != nil || r.code != 101 {
		return nil, err
	}
	caps := capabilities{}
	err = c.readBlock(maxCapabilities, func(text string) {
		c.Traced(false, text)
		caps.addLine(text)
	})
	if err != nil {
		return nil, err
	}
	c.caps = caps
	return caps, nil
}

// becomeReader switches the server to reader mode, if the capabilities show that the server
// supports this mode and is in another mode.
func (c *conn) becomeReader() error {
	caps, err := c.capabilities()
	if err != nil || caps.has("READER") || caps != nil && !caps.has("MODE-READER") {
		return err
	}
	return c.sendModeReader()
}

// sendModeReader sends MODE READER (RFC 3977 section 5.3). Servers with only one mode may not
// support the command. A server that requires a login reports the requirement only in the
// reply to the next command.
func (c *conn) sendModeReader() error {
	r, err := c.sendCommand("MODE", "READER")
	if err != nil {
		return err
	}
	switch r.code {
	case 200, 201:
		c.discardState()
	case 502:
		return c.Fail(refusal("MODE READER", r))
	}
	return nil
}

// discardState discards the state that is no longer valid after the server has changed its mode.
func (c *conn) discardState() { c.caps, c.group = nil, group{} }

// selectGroup selects a newsgroup. If fresh is true, it sends the command even if the
// newsgroup is already selected.
func (c *conn) selectGroup(name string, fresh bool) (group, error) {
	if c.group.name == name && !fresh {
		return c.group, nil
	}
	r, err := c.expect(211, "GROUP", name)
	if err != nil {
		return group{}, err
	}
	if c.group, err = parseGroup(name, r); err != nil {
		return group{}, c.Fail(err)
	}
	return c.group, nil
}

// loginError means that a server rejected a user or password.
type loginError struct{ lineconn.ReplyError }

// authenticate logs in (RFC 4643 section 2.3).
func (c *conn) authenticate(login scheme.Credentials) error {
	command := []string{"AUTHINFO", "USER", login.User}
	r, err := c.sendCommand(command...)
	if err == nil && r.code == 381 {
		command = []string{"AUTHINFO", "PASS", login.Password}
		r, err = c.sendCommand(command...)
	}
	switch {
	case err != nil:
		return err
	case r.code == 281:
		c.login, c.caps = &login, nil
		return nil
	case r.code == codeNoEncryption, r.code == 500:
		return refusal(commandText(command...), r)
	}
	// Servers send various codes for a wrong password, and for a password with invalid
	// characters.
	return &loginError{lineconn.ReplyError{Command: commandText(command...), Code: r.code, Text: r.text, Kind: scheme.ErrAuth}}
}
