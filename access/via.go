package access

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

func (f *follower) checkGateway(u locus.URL, r route) error {
	switch {
	case !f.mayForward(u, r):
		return &policy.DeniedError{Rule: "gateway", Subject: locus.Quote(u.Redacted()), Reason: "its password is not for the gateway " + gatewayTexts(r.by),
			Help: "leave it out"}
	case len(f.request.Like) > 0:
		return fmt.Errorf("%w: a gateway can't be asked for similar documents", scheme.ErrUnsupported)
	case f.request.Items != scheme.ItemRange{}:
		return fmt.Errorf("%w: a gateway can't be asked for a range of items", scheme.ErrUnsupported)
	}
	return nil
}

// mayForward reports whether u may be sent to a gateway. A template gets nothing that
// may be a password. A proxy gets it if the scheme's syntax says that it is not one, as in
// the search of an http URL. The password of a login is never sent, nor a user that may
// contain one ("u%253Apassword").
func (f *follower) mayForward(u locus.URL, r route) bool {
	switch {
	case u.Redacted() == u.String(), r.proxy.IsZero() && !r.isOther():
		return true
	case r.isOther(), hasSecretUser(u):
		return false
	case u.WithoutPassword() != u:
		return true
	}
	s, known := f.client.registry.Lookup(u.Scheme())
	if !known {
		return false
	}
	_, err := s.Fields(u)
	return err == nil
}

// hasSecretUser reports whether the user of u may contain a password.
func hasSecretUser(u locus.URL) bool {
	user, _ := u.User()
	rest := locus.Mask(u.String())[len(u.Scheme())+len(":"):]
	return user != "" && !strings.HasPrefix(rest, "//"+user)
}

func gatewayTexts(list []Gateway) string {
	var b strings.Builder
	for i, g := range list {
		if i > 0 {
			b.WriteString(" and ")
		}
		b.WriteString(g.String())
	}
	return b.String()
}

func setURL(res scheme.Resource, u locus.URL) {
	switch r := res.(type) {
	case *scheme.Object:
		r.URL = u
	case *scheme.Menu:
		r.URL = u
	case *scheme.Session:
		r.URL = u
	case *scheme.Referral:
		r.URL = u
	}
}
