package gateway

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/iri"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/roundtrip"
	"github.com/locus-url/locus/scheme"
)

//go:embed openapi.json
var openAPI []byte

const (
	// maxAPIBody is the size limit of a request body, in octets.
	maxAPIBody = 1 << 20
	// maxInputs is the limit of inputs in one call.
	maxInputs = 10_000
)

// serveAPI answers a call of the API, which openapi.json describes. Answers have the
// form of the command's --json: an object for one input, a line for each of several.
func (g *Gateway) serveAPI(w *recorder, r *http.Request, name string, values url.Values) {
	c := &call{gateway: g, w: w, r: r, values: values}
	h := w.Header()
	h.Set("Cache-Control", "private, no-cache")
	switch name {
	case "openapi.json":
		h.Set("Content-Type", "application/json")
		// An error means that the client is gone.
		_, _ = w.Write(openAPI)
	case "schemes":
		c.schemes()
	case "parse":
		c.each(c.parse)
	case "check":
		c.check()
	case "canonical":
		c.each(c.canonical)
	case "compare":
		c.compare()
	case "resolve":
		c.resolve()
	case "extract":
		c.extract()
	case "get":
		c.get()
	default:
		c.refuse(http.StatusNotFound, "no such call; /api/openapi.json describes the calls")
	}
}

// call is one call of the API.
type call struct {
	gateway *Gateway
	w       *recorder
	r       *http.Request
	values  url.Values
}

func (c *call) registry() *scheme.Registry { return c.gateway.client.Registry() }

// refuse answers an invalid call.
func (c *call) refuse(status int, message string) {
	c.answer(status, struct {
		Error shape.Error `json:"error"`
	}{shape.Error{Message: shape.Text(locus.MaskText(message))}})
}

// answer writes one object.
func (c *call) answer(status int, v any) {
	var b bytes.Buffer
	if err := shape.Write(&b, v); err != nil {
		c.w.broken = err
		status = http.StatusInternalServerError
	}
	b.WriteByte('\n')
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(status)
	if c.r.Method != http.MethodHead {
		// An error means that the client is gone.
		_, _ = c.w.Write(b.Bytes())
	}
}

// each calls f for each input, of the query or the lines of the body, and writes what
// it returns.
func (c *call) each(f func(input string) (answer any, ok bool)) {
	inputs := c.values["url"]
	if c.r.Method == http.MethodPost {
		var err error
		if inputs, err = c.lines(); err != nil {
			c.refuse(http.StatusBadRequest, err.Error())
			return
		}
	} else if len(inputs) == 1 {
		v, ok := f(inputs[0])
		status := http.StatusOK
		if !ok {
			status = http.StatusUnprocessableEntity
		}
		c.answer(status, v)
		return
	}
	if len(inputs) == 0 || len(inputs) > maxInputs {
		c.refuse(http.StatusBadRequest, fmt.Sprintf("a call takes 1 to %d inputs: url= parameters, or lines of the body", maxInputs))
		return
	}
	c.begin()
	for _, input := range inputs {
		v, _ := f(input)
		if err := c.line(v); err != nil {
			return
		}
	}
}

// begin begins an answer of several lines.
func (c *call) begin() {
	c.w.Header().Set("Content-Type", "application/x-ndjson")
	c.w.WriteHeader(http.StatusOK)
}

func (c *call) line(v any) error {
	var b bytes.Buffer
	if err := shape.Write(&b, v); err != nil {
		return err
	}
	b.WriteByte('\n')
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Now().Add(writeTime))
	_, err := c.w.Write(b.Bytes())
	return err
}

// lines returns the lines of the body.
func (c *call) lines() (list []string, err error) {
	s := bufio.NewScanner(http.MaxBytesReader(c.w, c.r.Body, maxAPIBody))
	s.Buffer(nil, 2*locus.MaxLen)
	for s.Scan() {
		if len(list) == maxInputs {
			return nil, fmt.Errorf("a call takes 1 to %d inputs", maxInputs)
		}
		list = append(list, strings.TrimSuffix(s.Text(), "\r"))
	}
	return list, s.Err()
}

func (c *call) schemes() {
	list := []shape.Scheme{}
	for _, s := range c.registry().All() {
		list = append(list, shape.NewScheme(s))
	}
	c.answer(http.StatusOK, list)
}

func (c *call) parse(input string) (any, bool) {
	u, err := shape.Read(input)
	if err != nil {
		return shape.NewFailure(input, err), false
	}
	return shape.NewParse(c.registry(), input, u), true
}

func (c *call) check() {
	profile := locus.RFC1738
	switch rules := c.values.Get("rules"); rules {
	case "", locus.RFC1738.String():
	case locus.RFC1630.String():
		profile = locus.RFC1630
	default:
		c.refuse(http.StatusBadRequest, "unknown rules: use rfc1738 or rfc1630")
		return
	}
	c.each(func(input string) (any, bool) {
		list, err := shape.CheckInput(c.registry(), input, nil, profile)
		return shape.NewCheck(input, list, err, profile), err == nil
	})
}

func (c *call) canonical(input string) (any, bool) {
	u, err := shape.Read(input)
	var change locus.Change
	if err == nil {
		u, change, err = c.registry().Canonical(u)
	}
	if err != nil {
		return shape.NewFailure(input, err), false
	}
	return shape.NewCanonical(input, u, change), true
}

func (c *call) compare() {
	if !c.values.Has("a") || !c.values.Has("b") {
		c.refuse(http.StatusBadRequest, "compare needs two URLs: a= and b=")
		return
	}
	x, y := shape.NewSide(c.registry(), c.values.Get("a"), nil), shape.NewSide(c.registry(), c.values.Get("b"), nil)
	status := http.StatusOK
	if x.Err != nil || y.Err != nil {
		status = http.StatusUnprocessableEntity
	}
	c.answer(status, shape.NewCompare(c.registry(), x, y))
}

func (c *call) resolve() {
	var o relative.Options
	if rules := c.values.Get("rules"); rules != "" {
		var err error
		if o.Rules, err = relative.ParseRules(rules); err != nil {
			c.refuse(http.StatusBadRequest, err.Error())
			return
		}
	}
	text := c.values.Get("ref")
	j := shape.Resolve{Base: shape.Text(c.values.Get("base")), Ref: shape.Present(text, true), Rules: o.Rules.String()}
	base, err := shape.Read(c.values.Get("base"))
	var ref relative.Ref
	var u locus.URL
	var notes relative.Notes
	if err == nil {
		ref, err = shape.ReadRef(text)
	}
	if err == nil {
		o.Hierarchy = c.registry().Hierarchy(base)
		u, notes, err = ref.ResolveWith(base, o)
	}
	if err != nil {
		e := shape.NewError(err)
		j.Error = &e
		c.answer(http.StatusUnprocessableEntity, j)
		return
	}
	j.OK, j.URL, j.Other = true, shape.Present(u.String(), true), shape.OtherRules(base, ref, u, o)
	j.Notes = shape.Texts(notes.Texts())
	c.answer(http.StatusOK, j)
}

// extract writes the URLs in the body.
func (c *call) extract() {
	if c.r.Method != http.MethodPost {
		c.w.Header().Set("Allow", "POST")
		c.refuse(http.StatusMethodNotAllowed, "extract requires POST")
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxAPIBody))
	if err != nil {
		c.refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("the text is longer than %d octets", maxAPIBody))
		return
	}
	c.begin()
	lines := extract.LinesOf(text)
	for m := range extract.All(string(text), &extract.Options{Schemes: c.registry().InText()}) {
		at := lines.At(m.Start)
		line := shape.Extract{URL: shape.Text(m.URL.String()), Start: m.Start, End: m.End, Line: at.Line, Column: at.Column, Form: m.Form.String(), IRI: m.IRI}
		if m.IRI {
			if u, err := iri.URL(m.URL); err == nil {
				line.ASCII = shape.Text(u.String())
			}
		}
		if c.line(line) != nil {
			return
		}
	}
}

// get describes what a URL leads to; an object without its octets.
func (c *call) get() {
	u, err := shape.Read(c.values.Get("url"))
	if err != nil {
		c.failed(locus.URL{}, err)
		return
	}
	u = u.WithoutFragment()
	c.w.url = u
	at := u
	asked := make(map[locus.URL]bool)
	for hops := 1; ; hops++ {
		if c.gateway.traits(at).Has(scheme.Interactive) {
			c.session(u, at)
			return
		}
		next, err := c.open(u, at)
		if err != nil {
			c.failed(u, err)
			return
		}
		if next.IsZero() {
			return
		}
		asked[at] = true
		err = c.gateway.client.CheckReferral(at, next, hops)
		if err == nil && asked[next] {
			err = access.NewError("open", next, fmt.Errorf("%w: %w", scheme.ErrProtocol, access.ErrCircle))
		}
		if err != nil {
			c.failed(u, err)
			return
		}
		at = next
	}
}

// session describes a session, without opening it.
func (c *call) session(asked, at locus.URL) {
	if _, err := c.gateway.client.DialerFor(at, c.gateway.from(at)); err != nil {
		c.failed(asked, err)
		return
	}
	c.answer(http.StatusOK, shape.NewResource(asked, at, "session"))
}

// open requests at, and answers unless at redirects to next.
func (c *call) open(asked, at locus.URL) (next locus.URL, err error) {
	req, err := newRequest(c.r.Context(), http.MethodGet, at)
	if err != nil {
		return next, err
	}
	req.Header.Set("Accept", "application/json, */*;q=0.9")
	if isWeb(at.Scheme()) {
		req.Header.Set("Accept", "*/*")
	}
	if language := c.r.Header.Get("Accept-Language"); language != "" {
		req.Header.Set("Accept-Language", language)
	}
	resp, err := c.gateway.send(req)
	if err != nil {
		return next, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		next, err = c.gateway.leadsTo(at, resp)
		if err == nil {
			next = next.WithoutFragment()
		}
		return next, err
	case resp.StatusCode >= 400:
		return next, statusError(resp)
	case roundtrip.IsMenu(resp):
		c.w.Header().Set("Content-Type", "application/json")
		c.w.WriteHeader(http.StatusOK)
		if c.r.Method == http.MethodHead {
			return next, nil
		}
		// A menu that breaks off is complete JSON, with the reason in it.
		c.w.broken = stream(c.w, resp.Body)
		return next, nil
	}
	c.object(asked, at, resp)
	return next, nil
}

func (c *call) object(asked, at locus.URL, resp *http.Response) {
	if found := foundAt(at, resp); !found.IsZero() {
		at = found
	}
	d := shape.Object{Resource: shape.NewResource(asked, at, "object"), Size: shape.Known(resp.ContentLength)}
	kind := resp.Header.Get("Content-Type")
	d.MediaType = shape.Present(kind, kind != "")
	if modified, err := http.ParseTime(resp.Header.Get("Last-Modified")); err == nil {
		d.Modified = shape.At(modified)
	}
	c.answer(http.StatusOK, d)
}

// failed answers why a URL could not be opened.
func (c *call) failed(u locus.URL, err error) {
	status, _ := c.w.fails(err)
	text := shape.Text(u.Redacted())
	if u.IsZero() {
		text = shape.Text(locus.Mask(c.values.Get("url")))
	}
	c.answer(status, shape.Failed{URL: text, Error: shape.NewReason(err)})
}
