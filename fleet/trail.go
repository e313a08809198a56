package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// A trail holds the answers that led a target to another request: redirects and failures. A slot
// that waited for a turn would ask nothing else meanwhile, so it forgets the target, and any slot
// asks again later: the trail answers what was asked before, and the hosts see no request twice.
// A nil trail holds nothing.
type trail struct {
	steps []step
	next  int  // the step that answers the next request
	open  bool // a request began that no step answers
	lost  bool // an earlier request has no step, so the steps after it are of no use
}

// step is the answer to one request over HTTP.
type step struct {
	url      locus.URL
	probe    bool
	referral *scheme.Referral // nil: the answer is err
	err      error
	cookies  []cookieFields
	dialled  []string // addresses with ports; none: a proxy connected to the host
}

// cookieFields are the Set-Cookie fields of one response.
type cookieFields struct {
	url    locus.URL
	fields []string
}

// isWhole reports whether the trail answers all requests so far.
func (t *trail) isWhole() bool { return t != nil && !t.open && !t.lost }

// answer returns the step that answers req, or nil. If another request comes than the one
// before, the rest of the trail is void.
func (t *trail) answer(req *scheme.Request) *step {
	if t == nil || t.next == len(t.steps) {
		return nil
	}
	s := &t.steps[t.next]
	if s.url != req.URL || s.probe != req.Probe {
		t.steps = t.steps[:t.next]
		return nil
	}
	t.next++
	return s
}

// reset makes the trail ready to answer the first request.
func (t *trail) reset() {
	if t != nil {
		t.next, t.open, t.lost = 0, false, false
	}
}

// begin records that a request began. Only requests over HTTP have steps.
func (t *trail) begin(isHTTP bool) {
	if t != nil {
		t.open = true
		t.lost = t.lost || !isHTTP
	}
}

// add adds the answer of the request that began last. The trail does not keep an answer with a
// body. After such an answer the trail adds nothing: the later steps would answer the first
// request of the next attempt.
func (t *trail) add(s step, res scheme.Resource) {
	if t == nil {
		return
	}
	s.referral, _ = res.(*scheme.Referral)
	if s.referral == nil && s.err == nil {
		t.lost = true
	}
	if t.lost {
		return
	}
	t.steps = append(t.steps, s)
	t.next, t.open = len(t.steps), false
}

// cookieLog keeps the cookies of one request.
type cookieLog struct {
	scheme.Cookies
	set []cookieFields
}

func (c *cookieLog) Set(u locus.URL, fields []string) {
	c.Cookies.Set(u, fields)
	c.set = append(c.set, cookieFields{u, fields})
}

// trailOpener is an opener of HTTP whose answers become steps.
type trailOpener struct {
	scheme.Opener
	slot *slot
}

// opener returns o with a trail.
func (s *slot) opener(o scheme.Opener) scheme.Opener {
	t := trailOpener{o, s}
	if via, ok := o.(scheme.ProxyOpener); ok {
		return &trailProxy{t, via}
	}
	return &t
}

func (o *trailOpener) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	return o.slot.open(ctx, req, o.Opener.Open, true)
}

// Close closes idle connections.
func (o *trailOpener) Close() error {
	if c, ok := o.Opener.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// trailProxy is a trailOpener that asks proxies, too.
type trailProxy struct {
	trailOpener
	via scheme.ProxyOpener
}

func (o *trailProxy) OpenVia(ctx context.Context, req *scheme.Request, proxy locus.URL) (scheme.Resource, error) {
	open := func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		return o.via.OpenVia(ctx, req, proxy)
	}
	return o.slot.open(ctx, req, open, false)
}

func (o *trailProxy) Tunnel(ctx context.Context, d scheme.Dialer, proxy locus.URL, address string) (net.Conn, error) {
	return o.via.Tunnel(ctx, d, proxy, address)
}

// open answers req by the trail of the slot, or calls open and adds its answer.
func (s *slot) open(ctx context.Context, req *scheme.Request, open scheme.OpenerFunc, isDirect bool) (scheme.Resource, error) {
	s.mu.Lock()
	known := s.trail.answer(req)
	s.mu.Unlock()
	if known != nil {
		return s.repeat(ctx, req, known, isDirect)
	}
	s.mu.Lock()
	s.dialled = nil
	s.mu.Unlock()
	mine, cookies := *req, &cookieLog{Cookies: req.Cookies}
	if req.Dial != nil {
		mine.Dial = trailDialer{req.Dial, s}
	}
	if req.Cookies != nil {
		mine.Cookies = cookies
	}
	res, err := open(ctx, &mine)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.late == nil && ctx.Err() == nil {
		s.trail.add(step{url: req.URL, probe: req.Probe, err: err, cookies: cookies.set, dialled: s.dialled}, res)
	}
	return res, err
}

// trailDialer is a dialer of HTTP requests that become steps. Two of them are equal if their fields
// are, so that the opener has one transport for them.
type trailDialer struct {
	scheme.Dialer
	slot *slot
}

// DialContext forgets the addresses that were dialled if they are those of a proxy.
func (d trailDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := d.Dialer.DialContext(ctx, network, address)
	if err == nil && scheme.ServerAddr(c) == nil {
		d.slot.mu.Lock()
		defer d.slot.mu.Unlock()
		d.slot.dialled = nil
	}
	return c, err
}

// repeat returns the answer of a step. Where a redirect may lead depends on the addresses that
// were dialled for it, so the client judges these again. Another look-up could return others.
// Nothing is dialled.
func (s *slot) repeat(ctx context.Context, req *scheme.Request, known *step, isDirect bool) (scheme.Resource, error) {
	if req.Cookies != nil {
		for _, c := range known.cookies {
			req.Cookies.Set(c.url, c.fields)
		}
	}
	if known.err != nil {
		return nil, known.err
	}
	if isDirect {
		s.setRepeating(true)
		defer s.setRepeating(false)
		dialled := known.dialled
		if len(dialled) == 0 {
			host := strings.Trim(req.URL.Host(), "[]")
			dialled = []string{net.JoinHostPort(host, fmt.Sprint(s.client.Registry().Port(req.URL)))}
		}
		for _, address := range dialled {
			c, err := req.Dial.DialContext(ctx, "tcp", address)
			if errors.Is(err, policy.ErrDenied) {
				return nil, err
			}
			if err == nil {
				c.Close()
			} // otherwise the address is unknown, and counts as public
		}
	}
	referral := *known.referral
	return &referral, nil
}

func (s *slot) isRepeating() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.repeating
}

func (s *slot) setRepeating(is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repeating = is
}

// noConn returns the connection of a request that the trail answers.
func noConn() net.Conn {
	c, other := net.Pipe()
	other.Close()
	return c
}
