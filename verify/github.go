package verify

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// github confirms links through the GitHub API, which is faster than the web pages and has higher
// request limits. If the API does not confirm a link, the Verifier requests the page, because the
// API token may lack permissions.
type github struct {
	disabled atomic.Bool // the API refused a request, for example because of a request limit
}

// apiURL returns the API URL that may confirm a link to the URL u, or the zero URL if there is
// none.
func (g *github) apiURL(c *Checker, u locus.URL) (api locus.URL) {
	if !c.o.HTTP.GitHub.IsZero() && !g.disabled.Load() && c.traits(u).Has(scheme.Web) {
		api, _ = githubAPI(c.o.HTTP.GitHub, u)
	}
	return api
}

// requestAPI sends the request r to the API. If the API confirms the link, requestAPI sets the
// outcome of the attempt a. Otherwise it sets the next request to a request for the page.
func (g *github) requestAPI(ctx context.Context, c *Checker, a *attempt, r *Request) {
	page := *r
	page.api, page.left = locus.URL{}, 0
	a.followUp = &page
	res, err := c.openURL(ctx, access.Request{URL: r.api, Probe: true, NoFollow: true})
	if err != nil {
		if status := statusOf(err); status == 401 || status == 403 || status == 429 {
			g.disabled.Store(true)
		}
		return
	}
	defer res.Resource.Close()
	if _, ok := res.Resource.(*scheme.Object); !ok {
		// The repository was renamed: the page redirects to the new name.
		return
	}
	a.outcome.Verdict, a.followUp = Alive, nil
	a.public = r.from != nil && r.from.LinkOrigin == policy.FromPublic
}

// githubAPI returns the API URL for a GitHub page. The result ok is false if the API does not
// support the page.
func githubAPI(base, u locus.URL) (api locus.URL, ok bool) {
	host := strings.TrimPrefix(strings.ToLower(u.Host()), "www.")
	if _, port := u.PortText(); host != "github.com" || port {
		return api, false
	}
	path, _ := u.Path()
	if strings.ContainsAny(path, "?&+") {
		return api, false
	}
	path, ok = githubPath(strings.Split(strings.Trim(path, "/"), "/"))
	if !ok {
		return api, false
	}
	api, err := locus.Parse(strings.TrimSuffix(base.String(), "/") + "/" + path)
	return api, err == nil
}

// githubPath returns the API path for a page with the path segments in s.
func githubPath(s []string) (path string, ok bool) {
	for _, segment := range s {
		if segment == "" || segment == "." || segment == ".." {
			return "", false
		}
	}
	if len(s) < 2 || githubOwn[strings.ToLower(s[0])] {
		return "", false
	}
	repository := "repos/" + s[0] + "/" + strings.TrimSuffix(s[1], ".git")
	if len(s) == 2 {
		return repository, true
	}
	rest := s[3:]
	switch kind := s[2]; {
	case (kind == "blob" || kind == "tree" || kind == "raw") && len(rest) > 1:
		// A branch name may contain "/". The API does not find a file in such a branch, so the
		// Verifier requests the page.
		return repository + "/contents/" + strings.Join(rest[1:], "/") + "?ref=" + rest[0], true
	case (kind == "tree" || kind == "commit") && len(rest) == 1:
		return repository + "/commits/" + rest[0], true
	case kind == "issues" && len(rest) == 1 && isNumber(rest[0]):
		return repository + "/issues/" + rest[0], true
	case kind == "pull" && len(rest) > 0 && len(rest) < 3 && isNumber(rest[0]):
		return repository + "/pulls/" + rest[0], true
	case kind == "releases" && len(rest) == 0:
		return repository + "/releases?per_page=1", true
	case kind == "releases" && len(rest) == 2 && rest[0] == "tag":
		return repository + "/releases/tags/" + rest[1], true
	}
	return "", false
}

// githubOwn lists first path segments that are not user names. The map must not be modified.
var githubOwn = map[string]bool{
	"about": true, "apps": true, "collections": true, "enterprise": true, "features": true, "login": true, "marketplace": true,
	"notifications": true, "orgs": true, "organizations": true, "search": true, "settings": true, "site": true, "sponsors": true,
	"topics": true, "trending": true, "users": true,
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
