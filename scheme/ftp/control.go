package ftp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
	"github.com/locus-url/locus/scheme/internal/lineconn"
)

func (c *control) command(verb string, argument ...string) (reply, error) {
	if err := c.send(verb, argument...); err != nil {
		return reply{}, err
	}
	return c.receive()
}

// send sends a command. If the argument contains CR, LF or NUL, send returns an error and
// sends nothing.
func (c *control) send(verb string, argument ...string) error {
	text, err := c.appendCommand(nil, verb, argument...)
	if err != nil {
		return err
	}
	return c.Send(text, commandText(verb, argument...))
}

func (c *control) appendCommand(dst []byte, verb string, argument ...string) ([]byte, error) {
	if c.telnet {
		// This server interprets the control connection as Telnet (RFC 854), in which a data
		// octet FF is doubled.
		argument = slices.Clone(argument)
		for i := range argument {
			argument[i] = strings.ReplaceAll(argument[i], "\xff", "\xff\xff")
		}
	}
	dst, err := line.Append(dst, append([]string{verb}, argument...)...)
	if err != nil {
		return dst, fmt.Errorf("%s: %w", verb, err)
	}
	return dst, nil
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
	for i, text := range r.lines {
		if c.secret != "" && strings.Contains(text, c.secret) {
			text = fmt.Sprintf("%d ***", r.code)
			r.lines[i] = text
		}
		c.Traced(false, text)
	}
	if r.code == 421 {
		// Code 421 means that the server closes the connection, regardless of the command.
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

// maxPreliminary is the maximum number of preliminary replies to a command.
const maxPreliminary = 16

// extends reports whether the list cwd begins with the arguments of all CWD commands that the
// client has sent over c.
func (c *control) extends(cwd []string) bool {
	return len(cwd) >= len(c.cwd) && slices.Equal(cwd[:len(c.cwd)], c.cwd)
}

// changeDirectory sends the CWD commands of the plan that the client has not yet sent over
// the connection. A negative reply means that "the requested action did not take place" (RFC
// 959 section 4.2), so the client still knows the server's state.
func (x *operation) changeDirectory() error {
	c := x.ctl
	if !c.extends(x.plan.cwd) {
		r, err := c.command("CWD", c.home)
		if err != nil {
			return err
		}
		if !r.completed() {
			c.Broken = true
			c.habits.noReturn.Store(true)
			return &pipelineError{refusal("CWD "+c.home, r)}
		}
		c.cwd = nil
	}
	steps := x.findHome()
	for _, dir := range x.plan.cwd[len(c.cwd):] {
		steps = append(steps, step{[]string{"CWD", dir}, func(r reply) error {
			if r.completed() {
				c.cwd = append(c.cwd, dir)
				return nil
			}
			err := refusal("CWD "+dir, r)
			if dir == "" {
				return scheme.HintFor(err, scheme.ReasonEmptySegment, "an empty path segment means CWD without an argument, which this server rejects: write %2F for the root directory, or request the whole path at once")
			}
			return err
		}})
		if err := c.carryOut(steps, ""); err != nil {
			return err
		}
		steps = nil
	}
	return nil
}

// findHome returns the step that requests the name of the login directory, so that the
// connection can return there before the next URL. It sends PWD only if the caller will
// request other URLs, and only from the login directory.
func (x *operation) findHome() []step {
	c := x.ctl
	if !x.req.More || c.home != "" || len(c.cwd) > 0 || len(x.plan.cwd) == 0 || c.habits.noReturn.Load() || c.habits.oneByOne.Load() {
		return nil
	}
	return []step{{[]string{"PWD"}, func(r reply) error {
		if c.home = directoryName(r); c.home == "" {
			c.habits.noReturn.Store(true)
		}
		return nil
	}}}
}

// unknownCommand reports whether the code means that the server does not support the command.
func unknownCommand(code int) bool { return code == 500 || code == 502 }

func (c *control) greet() error {
	c.Owed = 1
	r, err := c.final()
	if err != nil {
		return err
	}
	if !r.completed() {
		return refusal("connection", r)
	}
	// The server of inetutils interprets the control connection as Telnet, as RFC 959
	// requires. Most servers do not, so the client recognizes inetutils by its greeting.
	text := strings.Join(r.lines, " ")
	c.telnet = strings.Contains(text, "GNU inetutils")
	if strings.Contains(text, "Microsoft FTP Service") {
		// Old versions of this server lose commands that arrive before the server has sent its
		// last reply.
		c.habits.oneByOne.Store(true)
	}
	return nil
}

// authenticate logs in. If the server requires a password, authenticate calls the function
// password with the text of the server's reply. This function may also return another user.
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
			c.secret = answer.Password // some servers repeat the password in the reply
			r, err = c.command("PASS", answer.Password)
			c.secret = ""
			if err != nil {
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

// loginFailed reports whether err means that the server rejected a password.
func loginFailed(err error) bool {
	var refused *lineconn.ReplyError
	return errors.As(err, &refused) && refused.Command == "PASS ***" && refused.Kind == scheme.ErrAuth
}
