package access

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/locus-url/locus/policy"
)

// ObserveFunc is called at the start of each request of a client. Each redirect is a request of its
// own. An ObserveFunc returns a function (the result end), which the client calls once when the
// request has ended. The returned function may be nil. A request for an object, a menu or a session
// ends when the program closes the resource, or when this context ends.
//
// The parameter ctx is the context that the program passed to the client. Concurrent calls of
// [Client.Do] call an ObserveFunc concurrently. Another goroutine may call the returned function.
// Both functions must return soon, because the request waits for them.
type ObserveFunc func(ctx context.Context, a Attempt) (end func(AttemptResult))

// Attempt describes a request at its start. An Attempt contains no password.
type Attempt struct {
	// URL is the requested URL without its fragment, as [locus.URL.Shown] returns it.
	URL string
	// Scheme is the scheme of URL, which need not be registered.
	Scheme string
	// Host is the host of URL in lower case, without brackets and port. Host may be empty.
	Host string
	// Plan is the destination of the request. "direct" is the server of the URL or this
	// machine, and "tunnel" is that server through a connection that a proxy makes. "proxy"
	// is an HTTP proxy, "template" is the gateway of a URL template, and "archive" is the
	// archive. Plan is empty if the client rejected the URL before it selected a
	// destination.
	Plan string
	// Proxies holds the proxies and templates of Plan, in their order.
	Proxies []Proxy
	// Hop is the number of redirects before the request.
	Hop int
	// Header receives header fields from the ObserveFunc. If the protocol has a request
	// header, the client adds these fields to the request. They replace other fields of the
	// same name.
	Header http.Header
}

// AttemptResult describes the end of a request. An AttemptResult contains no password.
type AttemptResult struct {
	// Err is the error of the request or of reading its resource. If nil, the request
	// succeeded.
	Err error
	// Kind is the class of Err: see [KindOf]. If Err is nil, Kind is empty.
	Kind Kind
	// Rule is the policy rule that denied the request: see [policy.DeniedError]. If the
	// policy allowed the request, Rule is empty.
	Rule string
	// Bytes is the number of bytes that the program read from an object. Bytes is zero for
	// other resources.
	Bytes int64
}

// String returns the value of [Attempt].Plan.
func (o outcome) String() string {
	return [...]string{planDirect: "direct", planTunnel: "tunnel", planProxy: "proxy", planTemplate: "template", planArchive: "archive"}[o]
}

// Observation is a request in progress. A nil Observation ignores all calls. Its methods may
// be called concurrently.
type Observation struct {
	ends   [2]func(AttemptResult) // may be nil
	header http.Header

	mu     sync.Mutex
	result AttemptResult
	over   bool
}

// Observe starts the observation of a request that the program itself sends with the dialer of
// [Client.DialerFor]. It calls Options.Observe and the Observe field of req. It uses only the URL
// and Observe fields of req, and does not apply the policy. The program must call
// [Observation.End]. If nothing observes the request, Observe returns nil.
func (c *Client) Observe(ctx context.Context, req Request) *Observation {
	if !c.isObserved(&req) {
		return nil
	}
	p, err := c.options.Proxies.plan(req.URL, c.registry)
	if p.url = req.URL; p.outcome == planProxy {
		p.outcome = planTunnel // the outcome for connections of [Client.DialerFor]
	}
	return c.observe(ctx, &req, p, err == nil, 0)
}

func (c *Client) isObserved(req *Request) bool { return c.options.Observe != nil || req.Observe != nil }

// observe starts the observation of the request that the plan p describes. If planned is false, the
// client made no plan, and p contains only the URL.
func (c *Client) observe(ctx context.Context, req *Request, p plan, planned bool, hops int) *Observation {
	if !c.isObserved(req) {
		return nil
	}
	o := &Observation{header: make(http.Header)}
	u := p.url.WithoutFragment()
	a := Attempt{URL: u.Shown(), Scheme: u.Scheme(), Host: hostKey(u), Hop: hops, Header: o.header}
	if planned {
		a.Plan, a.Proxies = p.outcome.String(), p.proxies()
	}
	for i, f := range [...]ObserveFunc{c.options.Observe, req.Observe} {
		if f != nil {
			o.ends[i] = f(ctx, a)
		}
	}
	return o
}

// Header returns the header fields that the program must add to the request.
func (o *Observation) Header() http.Header {
	if o == nil {
		return nil
	}
	return o.header
}

// Read records that the program read n bytes of the object and that the read returned err. It
// ignores [io.EOF]. The first error that Read records is the error of the request.
func (o *Observation) Read(n int64, err error) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.result.Bytes += n
	if o.result.Err == nil && err != nil && err != io.EOF {
		o.result.Err = err
	}
}

// End ends the observation. The parameter err is the error of the request, or nil. If the
// observation has already ended, End does nothing.
func (o *Observation) End(err error) {
	if o == nil {
		return
	}
	o.Read(0, err)
	o.mu.Lock()
	over, result := o.over, o.result
	o.over = true
	o.mu.Unlock()
	if over {
		return
	}
	if result.Err != nil {
		result.Kind = KindOf(result.Err)
		if denied, ok := errors.AsType[*policy.DeniedError](result.Err); ok {
			result.Rule = denied.Rule
		}
	}
	for _, end := range o.ends {
		if end != nil {
			end(result)
		}
	}
}
