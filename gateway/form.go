package gateway

import (
	"context"
	"crypto/hmac"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/scheme"
)

const (
	// maxFormAnswers is the maximum size of a form submission in bytes.
	maxFormAnswers = 256 << 10
	// maxParts is the maximum number of answers in a form.
	maxParts = 512
)

// readForm reads a submitted form. The size limit is so low that net/http creates no temporary
// files.
func readForm(w *recorder, r *http.Request) (url.Values, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxFormAnswers)
	// ParseMultipartForm hides the error of ParseForm.
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	if err := r.ParseMultipartForm(maxFormAnswers); err != nil && err != http.ErrNotMultipart {
		return nil, err
	}
	values := r.PostForm
	if r.MultipartForm != nil {
		for name, files := range r.MultipartForm.File {
			f, err := files[0].Open()
			if err != nil {
				return nil, err
			}
			text, err := io.ReadAll(f)
			if err != nil {
				return nil, err
			}
			values.Set(name, string(text))
		}
	}
	if len(values) > maxParts {
		return nil, fmt.Errorf("the form has more than %d answers", maxParts)
	}
	return values, nil
}

// readPosted returns the values of a submitted form, and the URL of the form. It rejects forms that
// no page of this gateway contains. If proxied is true, it also accepts forms on pages for proxy
// clients.
func (g *Gateway) readPosted(w *recorder, r *http.Request, proxied bool) (values url.Values, u locus.URL, err error) {
	if values, err = readForm(w, r); err != nil {
		return nil, u, &problem{http.StatusBadRequest, "syntax", err.Error()}
	}
	u, err = queryURL(values)
	token := values.Get("token")
	if !g.checkToken(w, r, token) && !(proxied && err == nil && hmac.Equal([]byte(token), []byte(g.proxyToken(r)))) {
		err = &problem{http.StatusForbidden, "denied", "the form has expired, or the browser does not accept cookies: reload the page"}
	}
	return values, u, err
}

// serveSubmit handles the answers to a form, and redirects to the resulting URL. The pageTime is
// the time of the page that contains the form, in the format of Show.At.
func (g *Gateway) serveSubmit(w *recorder, r *http.Request, pageTime string) error {
	values, u, err := g.readPosted(w, r, true)
	if err != nil {
		return err
	}
	w.url = u
	var t time.Time
	if pageTime != "" && g.options.Archive != nil {
		if t, err = archive.ParseTime(pageTime); err != nil {
			return &problem{http.StatusBadRequest, "syntax", err.Error()}
		}
	}
	f, err := g.requestForm(r.Context(), u, t)
	if err != nil {
		return err
	}
	pageTime = linksAt(page.Show{At: pageTime}, t)
	v := g.newView(w, r, u, pageTime)
	v.at = t
	answers := page.Answers(f, values)
	var target locus.URL
	if err = f.Check(answers); err == nil {
		target, err = f.Submit(answers)
	}
	secret := clearSecrets(f, answers)
	if err != nil {
		v.write(http.StatusUnprocessableEntity, func(w io.Writer) error { return v.printer.Form(w, v.head, f, answers, err) })
		return nil
	}
	if secret || len(target.String()) > maxShownURL {
		// The URL contains the answers. A secret answer must not appear in the page or in the
		// browser's history.
		v.run(func() error { return v.openUncached(target) })
		return nil
	}
	seeOther(w, g.pagePath(target, page.Show{At: pageTime}))
	return nil
}

// maxShownURL is the maximum length in bytes of a URL to which the gateway redirects a browser.
const maxShownURL = 8 << 10

// requestForm requests the form at u again. If there is an archive, requestForm requests the
// capture for captureTime. The gateway must request the form again, because a page cannot store the form's
// Submit function.
func (g *Gateway) requestForm(ctx context.Context, u locus.URL, captureTime time.Time) (*scheme.Form, error) {
	result, leave, err := g.openURL(ctx, access.Request{URL: u, At: captureTime})
	if err != nil {
		return nil, err
	}
	defer leave()
	defer result.Resource.Close()
	m, ok := result.Resource.(*scheme.Menu)
	if !ok || m.Form == nil {
		return nil, fmt.Errorf("%w: this URL is not a form", scheme.ErrUnsupported)
	}
	return m.Form, nil
}

// clearSecrets removes secret answers and files from answers. It reports whether an answer was
// secret.
func clearSecrets(f *scheme.Form, answers []string) (secret bool) {
	for i, field := range f.Fields {
		secret = secret || field.Secret() && answers[i] != ""
		if field.Secret() || field.Kind == scheme.FieldFile {
			answers[i] = ""
		}
	}
	return secret
}

// oneLine replaces the line ends in text with spaces.
func oneLine(text string) string {
	return strings.TrimSpace(strings.NewReplacer("\r", "", "\n", " ").Replace(text))
}
