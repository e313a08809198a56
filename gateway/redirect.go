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

// redirectTarget returns the target of the redirect in a response.
func (g *Gateway) redirectTarget(u locus.URL, resp *http.Response) (locus.URL, error) {
	ref, err := relative.Parse(resp.Header.Get("Location"))
	if err != nil {
		return locus.URL{}, fmt.Errorf("%w: invalid redirect: %w", scheme.ErrProtocol, err)
	}
	to, _, err := g.client.Registry().Resolve(u, ref, relative.Options{})
	return to, err
}

// mayRedirect returns an error if a browser must not automatically follow the redirect from u to
// target.
func (g *Gateway) mayRedirect(ctx context.Context, u, target locus.URL) error {
	if target.WithoutFragment() == u.WithoutFragment() {
		return access.NewError("open", target, fmt.Errorf("%w: %w", scheme.ErrProtocol, access.ErrRedirectLoop))
	}
	return g.checkRedirect(ctx, u, target, 1)
}

// checkRedirect is like [access.Client.CheckRedirect], but also records a denial as an observed
// request.
func (g *Gateway) checkRedirect(ctx context.Context, source, target locus.URL, hops int) error {
	return g.observeDenial(ctx, target, g.client.CheckRedirect(source, target, hops))
}

// redirect redirects the browser to the page for target.
func (v *view) redirect(target locus.URL) error {
	err := v.gateway.mayRedirect(v.r.Context(), v.head.URL, target)
	path := v.gateway.pagePath(target.WithoutPassword(), v.head.Show)
	switch {
	case err != nil:
		return v.confirm(target, err)
	case path == "":
		return fmt.Errorf("%w: the server redirects to %s, which the gateway cannot show", scheme.ErrUnsupported, locus.Quote(target.Shown()))
	}
	seeOther(v.w, path)
	return nil
}

// If err is a denial by the policy, confirm shows a page with a link to target. The user can then
// decide whether to follow the redirect. If err is another error, confirm returns err.
func (v *view) confirm(target locus.URL, err error) error {
	if !errors.Is(err, policy.ErrDenied) {
		return err
	}
	v.w.failure = access.Denied
	v.write(http.StatusForbidden, func(w io.Writer) error { return v.printer.Redirect(w, v.head, target, err) })
	return nil
}

// refuseRedirect responds to a request if the policy denies the redirect from w.url to target. A
// browser gets a page with a link, and other clients get the error.
func (g *Gateway) refuseRedirect(w *recorder, r *http.Request, target locus.URL, err error) error {
	if !wantsHTML(r) {
		return err
	}
	return g.newView(w, r, w.url, "").confirm(target, err)
}

// redirectStatuses lists the statuses for which clients follow the Location header.
var redirectStatuses = []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect}

// checkRelayed checks a redirect that a proxy client would follow. It ignores an invalid Location
// header. It allows a redirect to the same URL, because the response may differ after the server
// has set a cookie.
func (g *Gateway) checkRelayed(ctx context.Context, resp *http.Response, u locus.URL) (target locus.URL, err error) {
	if !slices.Contains(redirectStatuses, resp.StatusCode) || resp.Header.Get("Location") == "" {
		return target, nil
	}
	if target, err = g.redirectTarget(u, resp); err != nil {
		return locus.URL{}, nil
	}
	return target, g.checkRedirect(ctx, u, target, 1)
}
