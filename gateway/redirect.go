package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// A client follows a redirect with a new request, which looks like a request of the user. So the
// gateway checks each redirect against the policy before it sends the redirect to the client.

// leadsTo returns the target of a redirect that the response contains.
func (g *Gateway) leadsTo(u locus.URL, resp *http.Response) (locus.URL, error) {
	ref, err := relative.Parse(resp.Header.Get("Location"))
	if err != nil {
		return locus.URL{}, fmt.Errorf("%w: invalid redirect: %w", scheme.ErrProtocol, err)
	}
	to, _, err := g.client.Registry().Resolve(u, ref, relative.Options{})
	return to, err
}

// mayRedirect returns an error if a browser must not automatically follow the redirect from u to
// the given target.
func (g *Gateway) mayRedirect(ctx context.Context, u, to locus.URL) error {
	if to.WithoutFragment() == u.WithoutFragment() {
		return access.NewError("open", to, fmt.Errorf("%w: %w", scheme.ErrProtocol, access.ErrRedirectLoop))
	}
	return g.checkRedirect(ctx, u, to, 1)
}

// checkRedirect is like [access.Client.CheckRedirect], but also records a denial as an observed
// request.
func (g *Gateway) checkRedirect(ctx context.Context, from, to locus.URL, hops int) error {
	return g.observeDenial(ctx, to, g.client.CheckRedirect(from, to, hops))
}

// redirect redirects the browser to the page for the given URL.
func (v *view) redirect(to locus.URL) error {
	err := v.gateway.mayRedirect(v.r.Context(), v.head.URL, to)
	path := v.gateway.pagePath(to.WithoutPassword(), v.head.Show)
	switch {
	case err != nil:
		return v.confirm(to, err)
	case path == "":
		return fmt.Errorf("%w: the server redirects to %s, which the gateway cannot show", scheme.ErrUnsupported, locus.Quote(to.Shown()))
	}
	seeOther(v.w, path)
	return nil
}

// If err is a denial by the policy, confirm shows a page with a link to the redirect target. The
// user can then decide whether to follow the redirect. If err is another error, confirm returns
// err.
func (v *view) confirm(to locus.URL, err error) error {
	if !errors.Is(err, policy.ErrDenied) {
		return err
	}
	v.w.failure = access.Denied
	v.write(http.StatusForbidden, func(w io.Writer) error { return v.printer.Redirect(w, v.head, to, err) })
	return nil
}

// refuseRedirect responds to a request if the policy denies the redirect from w.url to the given
// target. A browser gets a page with a link, and other clients get the error.
func (g *Gateway) refuseRedirect(w *recorder, r *http.Request, to locus.URL, err error) error {
	if !wantsHTML(r) {
		return err
	}
	return g.newView(w, r, w.url, "").confirm(to, err)
}

// followed lists the statuses for which clients follow the Location header.
var followed = []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect}

// checkRelayed checks a redirect that a proxy client would follow. It ignores an invalid Location
// header. It allows a redirect to the same URL, because the response may differ after the server
// has set a cookie.
func (g *Gateway) checkRelayed(ctx context.Context, resp *http.Response, u locus.URL) (to locus.URL, err error) {
	if !slices.Contains(followed, resp.StatusCode) || resp.Header.Get("Location") == "" {
		return to, nil
	}
	if to, err = g.leadsTo(u, resp); err != nil {
		return locus.URL{}, nil
	}
	return to, g.checkRedirect(ctx, u, to, 1)
}
