package ftp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus/internal/line"
	"github.com/locus-url/locus/scheme"
)

// control is a control connection, and what is known of the state that the server
// is in. One exchange uses it at a time.
type control struct {
	link
	lines *line.Reader
	trace scheme.TraceFunc

	maxReply int // Options.MaxReply

	// login is the one it was opened for. asked is what a person answered, if
	// somebody had to be asked; realm is what the server said then.
	login login
	asked *scheme.Credentials
	realm string

	cwd    []string // arguments of the CWD commands that were done
	typed  string   // argument of the last TYPE; empty: there was none
	mlsd   answer   // whether MLSD is offered
	noSize bool     // SIZE is not known here
	noTime bool     // MDTM is not known here
	telnet bool     // an octet FF must be doubled

	// owed is how many replies are to come. With any, or after broken, the state
	// is unknown, and the connection no good for another exchange.
	owed     int
	broken   bool
	reused   bool // it comes out of the pool,
	answered bool // and has answered since
}

// answer is what is known of a thing.
type answer uint8

const (
	unasked answer = iota
	yes
	no
)

// staleError is the failure of a kept connection at its first command: the server
// had closed it meanwhile, and another one may do.
type staleError struct{ error }

// fail notes that the connection is of no more use.
func (c *control) fail(err error) error {
	c.broken = true
	if c.reused && !c.answered {
		return staleError{err}
	}
	return err
}

// command sends a command and returns the reply to it.
func (c *control) command(verb string, argument ...string) (Reply, error) {
	if err := c.send(verb, argument...); err != nil {
		return Reply{}, err
	}
	return c.receive()
}

// send sends a command. An argument that can't be sent is refused before anything
// is.
func (c *control) send(verb string, argument ...string) error {
	shown := commandText(verb, argument...)
	if c.telnet {
		// The server reads the control connection as TELNET (RFC 854).
		argument = slices.Clone(argument)
		for i := range argument {
			argument[i] = strings.ReplaceAll(argument[i], "\xff", "\xff\xff")
		}
	}
	text, err := line.Append(nil, append([]string{verb}, argument...)...)
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	c.traced(true, shown)
	if _, err := c.conn.Write(text); err != nil {
		return c.fail(scheme.Broken(err))
	}
	c.owed++
	return nil
}

// commandText is a command as it may be shown.
func commandText(verb string, argument ...string) string {
	if verb == "PASS" {
		return "PASS ***"
	}
	return strings.Join(append([]string{verb}, argument...), " ")
}

// receive returns the next reply.
func (c *control) receive() (Reply, error) {
	r, err := readReply(c.lines, c.maxReply)
	if err != nil {
		return Reply{}, c.fail(err)
	}
	for _, text := range r.Lines {
		c.traced(false, text)
	}
	if r.Code == 421 {
		// It closes the connection, whatever it was asked.
		return r, c.fail(refusal("connection", r))
	}
	c.answered = true
	if !r.preliminary() {
		c.owed--
	}
	return r, nil
}

// final returns the reply that ends a command after preliminary ones.
func (c *control) final() (Reply, error) {
	for range maxPreliminary {
		r, err := c.receive()
		if err != nil || !r.preliminary() {
			return r, err
		}
	}
	return Reply{}, c.fail(fmt.Errorf("%w: more than %d preliminary replies to one command", scheme.ErrProtocol, maxPreliminary))
}

// maxPreliminary bounds how often a server may say that it has begun.
const maxPreliminary = 16

func (c *control) traced(sent bool, text string) {
	if c.trace != nil {
		c.trace(sent, text)
	}
}

// reusable reports whether the state that the server is in is known.
func (c *control) reusable() bool {
	return !c.broken && c.owed == 0 && c.lines.Buffered() == 0
}

// extends reports whether cwd begins with the CWD commands that c has gone.
func (c *control) extends(cwd []string) bool {
	return len(cwd) >= len(c.cwd) && slices.Equal(cwd[:len(c.cwd)], c.cwd)
}

// walk goes the CWD commands that are still to go. A negative reply means that
// "the requested action did not take place" (RFC 959 section 4.2), so the state is
// known after one too.
func (c *control) walk(cwd []string) error {
	for _, dir := range cwd[len(c.cwd):] {
		r, err := c.command("CWD", dir)
		if err != nil {
			return err
		}
		if !r.completed() {
			err := refusal("CWD "+dir, r)
			if dir == "" {
				return scheme.Hint(err, "an empty part of the path is a CWD with no argument, which this server refuses: --cwd none asks for the whole path at once, and %2F at the path's start means the root of a server that has one")
			}
			return err
		}
		c.cwd = append(c.cwd, dir)
	}
	return nil
}

// setType makes code the type of what follows.
func (c *control) setType(code string) error {
	if c.typed == code {
		return nil
	}
	r, err := c.command("TYPE", code)
	if err != nil {
		return err
	}
	if !r.completed() {
		return refusal("TYPE "+code, r)
	}
	c.typed = code
	return nil
}

// setListType sees to it that a listing is text: names are, and A is the type of
// text, to begin with too (RFC 959 section 5.1).
func (c *control) setListType() error {
	if c.typed == "" {
		return nil
	}
	return c.setType("A")
}

// size asks for the size of a file; -1: unknown.
func (c *control) size(name string) (int64, error) {
	if c.noSize {
		return -1, nil
	}
	r, err := c.command("SIZE", name)
	c.noSize = unknownCommand(r)
	if err != nil {
		return -1, err
	}
	return sizeReply(r), nil
}

// modTime asks when a file was changed; zero: unknown.
func (c *control) modTime(name string) (time.Time, error) {
	if c.noTime {
		return time.Time{}, nil
	}
	r, err := c.command("MDTM", name)
	c.noTime = unknownCommand(r)
	if err != nil {
		return time.Time{}, err
	}
	return timeReply(r), nil
}

// unknownCommand: the server does not know the command at all.
func unknownCommand(r Reply) bool { return r.Code == 500 || r.Code == 502 }

// listVerb returns the verb to list a directory with.
func (c *control) listVerb() (string, error) {
	if c.mlsd == unasked {
		r, err := c.command("FEAT")
		if err != nil {
			return "", err
		}
		if c.mlsd = no; offersMLSD(r) {
			c.mlsd = yes
		}
	}
	if c.mlsd == yes {
		return "MLSD", nil
	}
	return "LIST", nil
}

// greet reads the greeting.
func (c *control) greet() error {
	c.owed = 1
	r, err := c.final()
	if err != nil {
		return err
	}
	if !r.completed() {
		return refusal("connection", r)
	}
	// inetutils and its kin read TELNET on the control connection, as RFC 959 has
	// it, and others take FF for an octet like any other. It can't be asked.
	c.telnet = strings.Contains(strings.Join(r.Lines, " "), "GNU inetutils")
	return nil
}

// authenticate logs in. password is called if the server wants one, with what it
// says; it may also give another user.
func (c *control) authenticate(user string, password func(realm string) (scheme.Credentials, error)) error {
	r, err := c.command("USER", user)
	if err != nil {
		return err
	}
	if r.Code == 331 {
		answer, err := password(r.Text())
		if err != nil {
			return err
		}
		if answer.User != user {
			if r, err = c.command("USER", answer.User); err != nil {
				return err
			}
		}
		user = answer.User
		if r.Code == 331 {
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
	var refused *ReplyError
	return errors.As(err, &refused) && refused.Command == "PASS ***" && refused.Kind == scheme.ErrAuth
}
