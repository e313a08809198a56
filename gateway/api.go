package gateway

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/iri"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/profile"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

//go:embed openapi.json
var openAPI []byte

const (
	// maxAPIBody is the maximum size of a request body in bytes.
	maxAPIBody = 1 << 20
	// maxInputs is the maximum number of inputs in one call.
	maxInputs = 10_000
)

// serveAPI handles an API call. The file openapi.json describes the calls. A response is JSON, as
// the command writes it with the flag --json. For one input, the response is one object. For
// several inputs, the response contains one line per input.
func (g *Gateway) serveAPI(w *recorder, r *http.Request, name string, values url.Values) {
	c := &call{gateway: g, w: w, r: r, values: values}
	w.Header().Set("Cache-Control", "private, no-cache")
	answer, ok := map[string]func() error{
		"openapi.json": c.openAPI, "schemes": c.schemes, "check": c.check, "compare": c.compare, "resolve": c.resolve, "extract": c.extract, "get": c.describeResource,
		"parse": c.parse, "canonical": c.canonical, "lens": func() error { return c.forEachInput(c.lens) },
	}[name]
	err := error(&problem{http.StatusNotFound, "", "unknown API call: see " + g.options.Prefix + "/api/openapi.json"})
	if ok {
		err = answer()
	}
	if err != nil {
		c.refuse(err)
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

// refuse responds to an invalid call.
func (c *call) refuse(err error) {
	status := http.StatusBadRequest
	var p *problem
	if errors.As(err, &p) {
		status = p.status
	}
	c.reply(status, struct {
		Error shape.Error `json:"error"`
	}{shape.Error{Message: shape.Text(locus.MaskText(err.Error()))}})
}

func (c *call) openAPI() error {
	c.w.Header().Set("Content-Type", "application/json")
	// An error means that the client has disconnected.
	_, _ = c.w.Write(openAPI)
	return nil
}

// reply writes one object.
func (c *call) reply(status int, v any) {
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(status)
	if c.r.Method != http.MethodHead {
		// An error means that the client has disconnected.
		_ = c.line(v)
	}
}

// forEachInput calls f for each input, and writes the results. An input is a query parameter or a
// line of the request body.
func (c *call) forEachInput(f func(input string) (answer any, ok bool)) error {
	inputs := c.values["url"]
	if c.r.Method == http.MethodPost {
		var err error
		if inputs, err = c.lines(); err != nil {
			return err
		}
	} else if len(inputs) == 1 {
		v, ok := f(inputs[0])
		status := http.StatusOK
		if !ok {
			status = http.StatusUnprocessableEntity
		}
		c.reply(status, v)
		return nil
	}
	if len(inputs) == 0 || len(inputs) > maxInputs {
		return fmt.Errorf("expected 1 to %d inputs, as url= parameters or as lines of the body", maxInputs)
	}
	c.beginLines()
	for _, input := range inputs {
		v, _ := f(input)
		if c.line(v) != nil {
			break
		}
	}
	return nil
}

// beginLines begins a response with several lines.
func (c *call) beginLines() {
	c.w.Header().Set("Content-Type", "application/x-ndjson")
	c.w.WriteHeader(http.StatusOK)
}

func (c *call) line(v any) error {
	var b bytes.Buffer
	if err := shape.Write(&b, v); err != nil {
		return err
	}
	b.WriteByte('\n')
	extendWrite(http.NewResponseController(c.w))
	_, err := c.w.Write(b.Bytes())
	return err
}

// lines returns the lines of the request body.
func (c *call) lines() (list []string, err error) {
	s := bufio.NewScanner(http.MaxBytesReader(c.w, c.r.Body, maxAPIBody))
	s.Buffer(nil, 2*locus.MaxLen)
	for s.Scan() {
		if len(list) > maxInputs {
			break // too many lines
		}
		list = append(list, strings.TrimSuffix(s.Text(), "\r"))
	}
	return list, s.Err()
}

func (c *call) schemes() error {
	list := []shape.Scheme{}
	for _, s := range c.registry().All() {
		list = append(list, shape.NewScheme(s))
	}
	c.reply(http.StatusOK, list)
	return nil
}

// rules returns the rules in the parameter "rules". This parameter contains names separated by
// commas, or "all".
func (c *call) rules() ([]profile.Rules, error) {
	profiles, err := profile.Parse(cmp.Or(c.values.Get("rules"), locus.RFC1738.String()), profile.All())
	list := make([]profile.Rules, len(profiles))
	for i, p := range profiles {
		list[i] = profile.Rules{Profile: p, Registry: c.registry()}
	}
	return list, err
}

func (c *call) parse() error {
	rules, err := c.rules()
	if err != nil {
		return err
	}
	return c.forEachInput(func(input string) (any, bool) {
		if p := rules[0].Profile; len(rules) == 1 && p <= locus.RFC1630 {
			u, err := shape.Read(input)
			if err != nil {
				return shape.NewFailure(input, err), false
			}
			return shape.NewParse(c.registry(), p, input, u), true
		}
		j, err := shape.ParseInput(rules, input, nil)
		return j, err == nil || len(rules) > 1
	})
}

func (c *call) check() error {
	rules, err := c.rules()
	if err != nil {
		return err
	}
	return c.forEachInput(func(input string) (any, bool) {
		verdicts := make([]shape.Verdict, len(rules))
		for i, r := range rules {
			list, err := shape.CheckInput(r, input, nil)
			verdicts[i] = shape.NewVerdict(r, input, list, err)
		}
		j := shape.NewCheck(input, verdicts...)
		return j, j.OK || len(rules) > 1
	})
}

func (c *call) canonical() error {
	rules, err := c.rules()
	if err != nil {
		return err
	}
	return c.forEachInput(func(input string) (any, bool) {
		forms := make([]shape.CanonicalForm, len(rules))
		for i, r := range rules {
			text, changes, err := shape.CanonicalInput(r, input)
			if err != nil && len(rules) == 1 {
				return shape.NewFailure(input, err), false
			}
			forms[i] = shape.NewCanonicalForm(r.Profile, text, changes, err)
		}
		j := shape.NewCanonical(input, forms...)
		return j, j.OK || len(rules) > 1
	})
}

func (c *call) compare() error {
	if !c.values.Has("a") || !c.values.Has("b") {
		return errors.New("compare needs two URLs: a=URL&b=URL")
	}
	rules, err := c.rules()
	if err != nil {
		return err
	}
	status := http.StatusOK
	list := make([]shape.Comparison, len(rules))
	for i, r := range rules {
		x, y := shape.NewSide(r, c.values.Get("a"), nil), shape.NewSide(r, c.values.Get("b"), nil)
		if (x.Err != nil || y.Err != nil) && len(rules) == 1 {
			status = http.StatusUnprocessableEntity
		}
		list[i] = shape.NewComparison(r, x, y)
	}
	c.reply(status, shape.NewCompare(c.values.Get("a"), c.values.Get("b"), list...))
	return nil
}

func (c *call) resolve() error {
	input, ref := c.values.Get("base"), c.values.Get("ref")
	name := cmp.Or(c.values.Get("rules"), relative.RFC3986.String())
	base, err := shape.ReadBase(input, name == relative.RFC1630.String())
	var j shape.Resolve
	switch {
	case err != nil:
		e := shape.NewError(err)
		j = shape.Resolve{Base: shape.Text(input), Ref: shape.Present(ref, true), Rules: name, Error: &e}
	case name == locus.WHATWG.String():
		j = shape.ResolveAsBrowser(base, ref, nil)
	default:
		o := relative.Options{Hierarchy: c.registry().Hierarchy(base)}
		if o.Rules, err = relative.ParseRules(name); err != nil {
			return err
		}
		j = shape.NewResolve(base, ref, nil, o)
	}
	if !j.OK {
		c.reply(http.StatusUnprocessableEntity, j)
		return nil
	}
	c.reply(http.StatusOK, j)
	return nil
}

// extract writes the URLs that the request body contains.
func (c *call) extract() error {
	if c.r.Method != http.MethodPost {
		c.w.Header().Set("Allow", "POST")
		return &problem{http.StatusMethodNotAllowed, "", "extract requires POST"}
	}
	text, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxAPIBody))
	if err != nil {
		return &problem{http.StatusRequestEntityTooLarge, "", fmt.Sprintf("the text is longer than %d bytes", maxAPIBody)}
	}
	c.beginLines()
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
			break
		}
	}
	return nil
}

// describeResource describes the resource at a URL. For an object, the description omits the data.
func (c *call) describeResource() error {
	u, err := shape.Read(c.values.Get("url"))
	if err == nil {
		u = u.WithoutFragment()
		c.w.url = u
		err = c.follow(u)
	}
	if err != nil {
		status, _ := c.w.recordFailure(err)
		text := u.Shown()
		if u.IsZero() {
			text = locus.Mask(c.values.Get("url"))
		}
		c.reply(status, shape.Failed{URL: shape.Text(text), Error: shape.NewReason(err)})
	}
	return nil
}

// follow opens u, follows its redirects, and writes the response.
func (c *call) follow(u locus.URL) error {
	g := c.gateway
	asked := make(map[locus.URL]bool)
	for at, hops := u, 1; ; hops++ {
		if g.traits(at).Has(scheme.Interactive) {
			_, err := g.dialerFor(c.r.Context(), at)
			if err == nil {
				c.reply(http.StatusOK, shape.NewResource(u, at, "session"))
			}
			return err
		}
		next, err := c.openOnce(u, at)
		if err != nil || next.IsZero() {
			return err
		}
		asked[at] = true
		err = g.checkRedirect(c.r.Context(), at, next, hops)
		if err == nil && asked[next] {
			err = access.NewError("open", next, fmt.Errorf("%w: %w", scheme.ErrProtocol, access.ErrRedirectLoop))
		}
		if err != nil {
			return err
		}
		at = next
	}
}

// openOnce requests u. If the server redirects u, openOnce returns the target of the redirect.
// Otherwise it writes the response. The requested URL is the URL in the API call.
func (c *call) openOnce(requested, u locus.URL) (target locus.URL, err error) {
	accept := "application/json, */*;q=0.9"
	if isWeb(u.Scheme()) {
		accept = "*/*"
	}
	res, m, err := c.gateway.fetch(c.r.Context(), fetchRequest{Request: access.Request{URL: u, Accept: accept, AcceptLanguage: languages(c.r, u)}})
	if err != nil {
		return target, err
	}
	defer res.Close()
	switch res := res.(type) {
	case *scheme.Redirect:
		target = res.To[0].WithoutFragment()
	case *scheme.Menu:
		c.w.Header().Set("Content-Type", "application/json")
		c.w.WriteHeader(http.StatusOK)
		if c.r.Method != http.MethodHead {
			body := newMenuBody(menuJSON, res, u, m)
			defer body.Close()
			// If the menu is incomplete, the response is still valid JSON, and contains the reason.
			c.w.broken = stream(c.w, body)
		}
	case *scheme.Object:
		c.object(requested, u, res, m)
	}
	return target, nil
}

func (c *call) object(asked, at locus.URL, o *scheme.Object, m meta) {
	if !m.resourceURL.IsZero() {
		at = m.resourceURL
	}
	c.reply(http.StatusOK, shape.Object{
		Resource:  shape.NewResource(asked, at, "object"),
		MediaType: shape.Present(o.Type, o.Type != ""),
		Size:      shape.Known(o.Size),
		Modified:  shape.At(o.ModTime),
	})
}
