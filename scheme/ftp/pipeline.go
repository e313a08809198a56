package ftp

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/lineconn"
)

// The client sends commands together if they do not depend on each other's replies, which
// saves a round trip per command. No RFC forbids this pipelining, and a server that reads its
// control connection line by line does not notice it. If a server loses such commands or sends
// the wrong replies, the client opens another connection and sends commands one by one.

// pipelineWait is the timeout for each reply after the first, if commands were sent together.
// After this time, the client assumes that the server has lost the commands.
const pipelineWait = 10 * time.Second

// step is a command and a function that handles the reply. If the function done returns an
// error, the open fails.
type step struct {
	words []string
	done  func(reply) error
}

// pipelineError means that commands that were sent together failed. The same commands may
// succeed if they are sent one by one.
type pipelineError struct{ error }

func (e *pipelineError) Unwrap() error { return e.error }

// carryOut sends the commands of the given steps and receives the replies. If ahead is not
// empty, it is the passive command for the next transfer, which carryOut sends after the other
// commands. The method settle later receives the reply to the passive command.
func (c *control) carryOut(steps []step, ahead string) error {
	if c.habits.oneByOne.Load() || len(steps) < 2 && ahead == "" {
		for _, s := range steps {
			r, err := c.command(s.words[0], s.words[1:]...)
			if err == nil {
				err = s.done(r)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := c.sendAll(steps, ahead); err != nil {
		return err
	}
	c.ahead = ahead
	return c.receiveAll(steps)
}

// sendAll sends all commands with one Write, so that one packet can contain them.
func (c *control) sendAll(steps []step, ahead string) error {
	if ahead != "" {
		steps = append(steps, step{words: []string{ahead}})
	}
	var text []byte
	var err error
	for _, s := range steps {
		if text, err = c.appendCommand(text, s.words[0], s.words[1:]...); err != nil {
			return err
		}
	}
	last := len(steps) - 1
	for _, s := range steps[:last] {
		c.Traced(true, commandText(s.words[0], s.words[1:]...))
	}
	c.Owed += last
	if ahead != "" {
		c.Owed-- // the method settle receives the reply to the passive command
	}
	return c.Send(text, commandText(steps[last].words[0], steps[last].words[1:]...))
}

// receiveAll receives the replies to commands that were sent together, and returns the
// first error of a step.
func (c *control) receiveAll(steps []step) (err error) {
	defer c.Stream.SetReadDeadline(time.Time{})
	for i, s := range steps {
		r, fault := c.receive()
		if fault != nil {
			if i == 0 && r.code == 421 {
				return fault // the server would reject the command even if it were sent alone
			}
			return c.outOfStep(fault)
		}
		if !fits(s.words[0], r) {
			return c.outOfStep(fmt.Errorf("%w: %s is not the reply to %s", scheme.ErrProtocol, locus.Quote(r.lines[0]), s.words[0]))
		}
		c.Stream.SetReadDeadline(time.Now().Add(c.wait))
		if err == nil {
			err = s.done(r)
		}
	}
	return err
}

func (c *control) outOfStep(err error) error {
	c.Broken = true
	if lineconn.IsStale(err) {
		return err
	}
	c.habits.oneByOne.Store(true)
	return &pipelineError{err}
}

// fits reports whether r can be a reply to the given command. The check detects servers that
// omit or swap replies.
func fits(verb string, r reply) bool {
	if r.code >= 300 {
		return true
	}
	switch verb {
	case "RETR":
		return r.preliminary()
	case "SIZE":
		return sizeReply(r) >= 0
	case "MDTM":
		return !timeReply(r).IsZero()
	case "EPSV", "PASV":
		return isPassive(r)
	case "FEAT":
		return r.code == 211
	case "PWD":
		return r.code == 257
	}
	return r.code == 200 || r.code == 250
}

func isPassive(r reply) bool { return r.code == 229 || r.code == 227 }

// offer is the reply to a passive command whose port no transfer has used yet.
type offer struct {
	verb  string
	reply reply
	old   bool // the client sent the passive command during an earlier open
}

func (x *operation) passiveVerb() string {
	if x.ctl.noEPSV {
		return "PASV"
	}
	return "EPSV"
}

// askPort returns the step that requests a data port. The client sends this step together
// with other commands.
func (x *operation) askPort() []step {
	ctl := x.ctl
	if ctl.habits.oneByOne.Load() || ctl.offer != nil || x.req.Probe || !x.passiveMode() {
		return nil
	}
	verb := x.passiveVerb()
	return []step{{[]string{verb}, func(r reply) error {
		ctl.offer = &offer{verb: verb, reply: r}
		return nil
	}}}
}

// portAhead returns the passive command for the next transfer, which the client sends together
// with the command of this transfer. If the client must not send one, portAhead returns "".
// This is the case for a server without SIZE: on some servers, the passive command ends the
// transfer, and the client could not detect the truncated file without a size.
func (x *operation) portAhead(verb string) string {
	h := x.ctl.habits
	if !x.req.More || verb != "RETR" || x.plan.typ != "I" || x.ctl.noSize || h.oneByOne.Load() || h.notAhead.Load() || !x.passiveMode() {
		return ""
	}
	return x.passiveVerb()
}

// isReady reports whether the client can send SIZE and MDTM together with RETR. This requires
// an offered port. In addition, the client must not need the replies to SIZE and MDTM before
// it sends RETR.
func (x *operation) isReady() bool {
	ctl, plan, req := x.ctl, x.plan, x.req
	return ctl.offer != nil && isPassive(ctl.offer.reply) && !ctl.habits.oneByOne.Load() &&
		plan.typ == ctl.dataType &&
		!req.Probe && req.Limit == 0 && req.Offset == 0
}

// askPort returns the reply to a passive command. The result old reports whether the reply
// is an offer from an earlier open.
func (c *control) askPort(verb string) (r reply, old bool, err error) {
	if o := c.offer; o != nil {
		c.offer = nil
		if o.verb == verb {
			return o.reply, o.old, nil
		}
	}
	r, err = c.command(verb)
	return r, false, err
}

// receiveAhead returns the final reply to a transfer command. The argument r is the first
// reply that arrived. If the client has sent a passive command ahead, r may be the reply to
// the passive command, because some servers read commands during a transfer. If r completes
// the transfer and no other reply has arrived, settle later receives the reply to the passive
// command.
func (c *control) receiveAhead(r reply) reply {
	if c.ahead == "" || r.completed() && !isPassive(r) && c.Lines.Buffered() == 0 {
		return r
	}
	return c.receiveLast(r)
}

// settle receives the reply to a passive command that the client sent ahead during an earlier
// open.
func (c *control) settle() error {
	if c.ahead != "" {
		c.receiveLast(reply{code: 200})
	}
	if c.offer != nil {
		c.offer.old = true
	}
	if c.Broken || c.Lines.Buffered() > 0 {
		return c.outOfStep(errLost)
	}
	return nil
}

var errLost = fmt.Errorf("%w: the server did not reply to a pipelined command", scheme.ErrProtocol)

// receiveLast receives the second of two replies, and returns the reply to the transfer
// command. The argument r is the first reply. The other reply belongs to the passive command
// that the client sent ahead.
func (c *control) receiveLast(r reply) reply {
	verb := c.ahead
	c.ahead = ""
	c.Owed++
	c.Stream.SetReadDeadline(time.Now().Add(c.wait))
	defer c.Stream.SetReadDeadline(time.Time{})
	passive, err := c.final()
	if err != nil {
		c.habits.oneByOne.Store(true)
		return r
	}
	if isPassive(r) || !isPassive(passive) && passive.completed() {
		r, passive = passive, r
	}
	switch {
	case isPassive(passive):
		c.offer = &offer{verb: verb, reply: passive}
	case passive.completed(): // the server sent an extra reply, and has not yet sent the reply to verb
		c.outOfStep(errLost)
	default:
		c.habits.notAhead.Store(true)
	}
	return r
}

// habits records the known behavior of a server. Its fields may be used concurrently.
type habits struct {
	oneByOne atomic.Bool // the client must receive each reply before it sends the next command
	notAhead atomic.Bool // the client must not send a command during a transfer
	exact    atomic.Bool // the server supports MLSD
	noReturn atomic.Bool // the client can't return to the login directory
}

// maxServers is the maximum number of servers whose habits a client remembers.
const maxServers = 1 << 12

// servers maps each server to its habits. The zero value is an empty map. Its methods may be
// called concurrently.
type servers struct {
	mu    sync.Mutex
	known map[address]*habits
}

type address struct {
	host string
	port uint16
}

func (s *servers) of(l lineconn.Key) *habits {
	at := address{l.Host, l.Port}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.known[at]
	if h != nil {
		return h
	}
	if s.known == nil {
		s.known = make(map[address]*habits)
	}
	if len(s.known) == maxServers {
		for other := range s.known {
			delete(s.known, other)
			break
		}
	}
	h = new(habits)
	s.known[at] = h
	return h
}

func (c *control) setType(code string) []step {
	if c.dataType == code {
		return nil
	}
	return []step{{[]string{"TYPE", code}, func(r reply) error {
		if !r.completed() {
			return refusal("TYPE "+code, r)
		}
		c.dataType = code
		return nil
	}}}
}

// setListType returns the steps that set type A for a listing. If the client has sent no TYPE,
// there are none, because type A is the default (RFC 959 section 5.1).
func (c *control) setListType() []step {
	if c.dataType == "" {
		return nil
	}
	return c.setType("A")
}

// findListVerb returns the step that determines listVerb, or nil if listVerb is already known.
func (c *control) findListVerb() []step {
	if c.listVerb != "" {
		return nil
	}
	return []step{{[]string{"FEAT"}, func(r reply) error {
		if c.listVerb = "LIST"; offersMLSD(r) {
			c.listVerb = "MLSD"
			c.habits.exact.Store(true)
		}
		return nil
	}}}
}
