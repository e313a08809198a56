package access

import (
	"context"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Recording records one request of a client and its response. See [Options].Record.
type Recording interface {
	scheme.Recorder
	// Filled is called if the client submitted a form. The response then depends on the
	// form and not only on the URL.
	Filled()
	// Opened is called once, with the outcome of the request. Opened returns the resource
	// that the client must use instead of res. The returned resource records the bytes that
	// the client reads from it. Closing that resource ends the recording.
	Opened(res scheme.Resource, err error) scheme.Resource
}

// IsRecording reports whether the client records the resources that it opens.
func (c *Client) IsRecording() bool { return c.options.Record != nil }

// Record begins to record a request for u that the program itself sends with the dialer of
// [Client.DialerFor]. It returns nil if the client does not record.
func (c *Client) Record(u locus.URL) Recording { return c.record(&scheme.Request{URL: u}) }

// record begins to record req. If the client does not record, record returns nil.
func (c *Client) record(req *scheme.Request) Recording {
	if c.options.Record == nil {
		return nil
	}
	if c.has(req.URL, scheme.Local) && !c.has(req.URL, scheme.Files) {
		return nil // the opener makes the resource from the URL, or from another resource
	}
	r := c.options.Record(req)
	if r == nil {
		return nil
	}
	if password, ok := req.URL.Password(); ok {
		r.Secret(password)
	}
	return r
}

// startRecord begins to record req, and sets the fields of req that recording needs.
func (c *Client) startRecord(req *scheme.Request) Recording {
	r := c.record(req)
	if r == nil {
		return nil
	}
	req.Record, req.Source = r, true
	if ask := req.Ask; ask != nil {
		req.Ask = func(ctx context.Context, q scheme.Question) (scheme.Credentials, bool, error) {
			login, ok, err := ask(ctx, q)
			r.Secret(login.Password)
			return login, ok, err
		}
	}
	if fill := req.Fill; fill != nil {
		req.Fill = func(ctx context.Context, f *scheme.Form) ([]string, bool, error) {
			answers, ok, err := fill(ctx, f)
			if ok && err == nil {
				r.Filled()
				for i, field := range f.Fields {
					if i < len(answers) && field.Secret() {
						r.Secret(answers[i])
					}
				}
			}
			return answers, ok, err
		}
	}
	return r
}
