package ftp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus/internal/line"
	"github.com/locus-url/locus/internal/lineconn"
	"github.com/locus-url/locus/scheme"
)

func (c *control) command(verb string, argument ...string) (reply, error) {
	if err := c.send(verb, argument...); err != nil {
		return reply{}, err
	}
	return c.receive()
}

// send sends a command. It refuses an argument with CR, LF or NUL before sending
// anything.
func (c *control) send(verb string, argument ...string) error {
	shown := commandText(verb, argument...)
	if c.telnet {
		// This server reads the control connection as Telnet (RFC 854).
		argument = slices.Clone(argument)
		for i := range argument {
			argument[i] = strings.ReplaceAll(argument[i], "\xff", "\xff\xff")
		}
	}
	text, err := line.Append(nil, append([]string{verb}, argument...)...)
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	return c.Send(text, shown)
}

func commandText(verb string, argument ...string) string {
	if verb == "PASS" {
		return "PASS ***"
	}
	return strings.Join(append([]string{verb}, argument...), " ")
}

func (c *control) receive() (reply, error) {
	r, err := readReply(c.Lines, c.maxReply)
	if err != nil {
		return reply{}, c.Fail(err)
	}
	for _, text := range r.lines {
		c.Traced(false, text)
	}
	if r.code == 421 {
		// The server closes the connection, whatever the command was.
		return r, c.Fail(refusal("connection", r))
	}
	c.Answered(!r.preliminary())
	return r, nil
}

// final returns the first reply that is not preliminary.
func (c *control) final() (reply, error) {
	for range maxPreliminary {
		r, err := c.receive()
		if err != nil || !r.preliminary() {
			return r, err
		}
	}
	return reply{}, c.Fail(fmt.Errorf("%w: more than %d preliminary replies to one command", scheme.ErrProtocol, maxPreliminary))
}

// maxPreliminary bounds the preliminary replies to one command.
const maxPreliminary = 16

// extends reports whether cwd begins with the CWD commands that were sent over c.
func (c *control) extends(cwd []string) bool {
	return len(cwd) >= len(c.cwd) && slices.Equal(cwd[:len(c.cwd)], c.cwd)
}

// changeDirectory sends the CWD commands of cwd that were not sent yet. A negative
// reply means that "the requested action did not take place" (RFC 959 section 4.2), so
// the state of the server stays known.
func (c *control) changeDirectory(cwd []string) error {
	for _, dir := range cwd[len(c.cwd):] {
		r, err := c.command("CWD", dir)
		if err != nil {
			return err
		}
		if !r.completed() {
			err := refusal("CWD "+dir, r)
			if dir == "" {
				return scheme.HintFor(err, scheme.ReasonEmptySegment, "an empty segment of the path is a CWD without an argument, which this server refuses: write %2F for the root directory, or ask for the whole path at once")
			}
			return err
		}
		c.cwd = append(c.cwd, dir)
	}
	return nil
}

func (c *control) setType(code string) error {
	if c.dataType == code {
		return nil
	}
	r, err := c.command("TYPE", code)
	if err != nil {
		return err
	}
	if !r.completed() {
		return refusal("TYPE "+code, r)
	}
	c.dataType = code
	return nil
}

// setListType sets type A for a listing. It is the default (RFC 959 section 5.1).
func (c *control) setListType() error {
	if c.dataType == "" {
		return nil
	}
	return c.setType("A")
}

// size returns the size of a file; -1: unknown.
func (c *control) size(name string) (int64, error) {
	if c.noSize {
		return -1, nil
	}
	r, err := c.command("SIZE", name)
	c.noSize = unknownCommand(r.code)
	if err != nil {
		return -1, err
	}
	return sizeReply(r), nil
}

// modTime returns the modification time of a file; zero: unknown.
func (c *control) modTime(name string) (time.Time, error) {
	if c.noTime {
		return time.Time{}, nil
	}
	r, err := c.command("MDTM", name)
	c.noTime = unknownCommand(r.code)
	if err != nil {
		return time.Time{}, err
	}
	return timeReply(r), nil
}

// unknownCommand reports that the server does not have the command.
func unknownCommand(code int) bool { return code == 500 || code == 502 }

// findListVerb sets listVerb.
func (c *control) findListVerb() error {
	if c.listVerb != "" {
		return nil
	}
	r, err := c.command("FEAT")
	if err != nil {
		return err
	}
	if c.listVerb = "LIST"; offersMLSD(r) {
		c.listVerb = "MLSD"
	}
	return nil
}

func (c *control) greet() error {
	c.Owed = 1
	r, err := c.final()
	if err != nil {
		return err
	}
	if !r.completed() {
		return refusal("connection", r)
	}
	// inetutils reads the control connection as Telnet, as RFC 959 demands; other
	// servers do not, and no command asks which.
	c.telnet = strings.Contains(strings.Join(r.lines, " "), "GNU inetutils")
	return nil
}

// authenticate logs in. password is called with the server's text if the server wants a
// password; it may return another user too.
func (c *control) authenticate(user string, password func(realm string) (scheme.Credentials, error)) error {
	r, err := c.command("USER", user)
	if err != nil {
		return err
	}
	if r.code == 331 {
		answer, err := password(r.text())
		if err != nil {
			return err
		}
		if answer.User != user {
			if r, err = c.command("USER", answer.User); err != nil {
				return err
			}
		}
		user = answer.User
		if r.code == 331 {
			if r, err = c.command("PASS", answer.Password); err != nil {
				return err
			}
			if !r.completed() {
				return refusal("PASS ***", r)
			}
			return nil
		}
	}
	if !r.completed() {
		return refusal("USER "+user, r)
	}
	return nil
}

// loginFailed reports whether err says that a server refused a password.
func loginFailed(err error) bool {
	var refused *lineconn.ReplyError
	return errors.As(err, &refused) && refused.Command == "PASS ***" && refused.Kind == scheme.ErrAuth
}
