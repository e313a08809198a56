package gateway

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway/page"
	"github.com/locus-url/locus/scheme"
)

const (
	// maxAnswers is how many octets the answers to a form may have.
	maxAnswers = 256 << 10
	// maxParts is how many of them there are.
	maxParts = 512
)

// readForm reads what a page sent. Nothing of it touches a disk.
func readForm(w *recorder, r *http.Request) (url.Values, error) {
	body := http.MaxBytesReader(w, r.Body, maxAnswers)
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, errors.New("a form has a media type")
	}
	switch kind {
	case "application/x-www-form-urlencoded":
		text, err := io.ReadAll(body)
		if err != nil {
			return nil, err
		}
		return url.ParseQuery(string(text))
	case "multipart/form-data":
		return readParts(multipart.NewReader(body, params["boundary"]))
	}
	return nil, fmt.Errorf("a form is not %s", locus.Quote(kind))
}

func readParts(r *multipart.Reader) (url.Values, error) {
	values := url.Values{}
	for range maxParts {
		part, err := r.NextPart()
		if err == io.EOF {
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		values.Add(part.FormName(), string(text))
	}
	return nil, errors.New("a form has not so many answers")
}

// posted returns what a page of this gateway sent, and what that was about. If
// anything else sent it, that is answered. proxied: who asks a proxy may have had the
// page.
func (g *Gateway) posted(w *recorder, r *http.Request, proxied bool) (values url.Values, u locus.URL, ok bool) {
	values, err := readForm(w, r)
	if err != nil {
		g.fail(w, r, http.StatusBadRequest, "syntax", err.Error())
		return nil, u, false
	}
	u, err = asked(values)
	token := values.Get("token")
	if !g.checkToken(w, r, token) && !(proxied && err == nil && hmac.Equal([]byte(token), []byte(g.proxyToken(r)))) {
		g.fail(w, r, http.StatusForbidden, "denied", "this form is from before the gateway was started anew, or the browser keeps no cookies: load its page again")
		return nil, u, false
	}
	if err != nil {
		g.failAccess(w, r, err)
		return nil, u, false
	}
	return values, u, true
}

// serveSubmit takes the answers to a form, and leads to what they submit.
func (g *Gateway) serveSubmit(w *recorder, r *http.Request) {
	values, u, ok := g.posted(w, r, true)
	if !ok {
		return
	}
	w.url = u
	f, err := g.form(r, u)
	if err != nil {
		g.failAccess(w, r, err)
		return
	}
	v := g.newView(w, r, u)
	answers := page.Answers(f, values)
	to, err := locus.URL{}, f.Check(answers)
	if err == nil {
		to, err = f.Submit(answers)
	}
	if err != nil {
		v.write(http.StatusUnprocessableEntity, func(w io.Writer) error { return v.printer.Form(w, v.head, f, withoutSecrets(f, answers), err) })
		return
	}
	if hasSecret(f, answers) || len(to.String()) > maxShownURL {
		// The answers are in the URL. One that nobody else may see is not shown, nor
		// kept by the browser.
		v.open(access.Request{URL: to})
		return
	}
	seeOther(w, g.pagePath(to, page.Show{}))
}

// maxShownURL is the longest URL that browsers and whatever is between are asked to
// take.
const maxShownURL = 8 << 10

// form gets the form at u anew: only the server knows what its answers come to.
func (g *Gateway) form(r *http.Request, u locus.URL) (*scheme.Form, error) {
	result, leave, err := g.open(r.Context(), access.Request{URL: u})
	if err != nil {
		return nil, err
	}
	defer leave()
	defer result.Resource.Close()
	m, ok := result.Resource.(*scheme.Menu)
	if !ok || m.Form == nil {
		return nil, fmt.Errorf("%w: nothing is asked there", scheme.ErrUnsupported)
	}
	return m.Form, nil
}

func hasSecret(f *scheme.Form, answers []string) bool {
	for i, field := range f.Fields {
		if field.Secret() && answers[i] != "" {
			return true
		}
	}
	return false
}

func withoutSecrets(f *scheme.Form, answers []string) []string {
	for i, field := range f.Fields {
		if field.Secret() || field.Kind == scheme.FieldFile {
			answers[i] = ""
		}
	}
	return answers
}

// oneLine is text without the ends of its lines.
func oneLine(text string) string {
	return strings.TrimSpace(strings.NewReplacer("\r", "", "\n", " ").Replace(text))
}

// open opens a URL with the access client, without the cache. The caller calls leave
// when it has closed the resource.
func (g *Gateway) open(ctx context.Context, req access.Request) (result *access.Result, leave func(), err error) {
	leave, ok := g.limiter.enterHost(req.URL)
	if !ok {
		return nil, nil, errBusy
	}
	req.From = g.from(req.URL)
	result, err = g.client.Do(ctx, req)
	if err != nil {
		leave()
		return nil, nil, err
	}
	return result, leave, nil
}
