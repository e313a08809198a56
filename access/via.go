package access

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// checkGateway refuses what u has, or what is asked of it, that a gateway can't be
// given.
func (f *follower) checkGateway(u locus.URL, r route) error {
	switch {
	case !f.mayTell(u, r):
		return &policy.DeniedError{Rule: "gateway", Subject: locus.Quote(u.Redacted()), Reason: "its password is not for the gateway " + gatewayTexts(r.by),
			Help: "leave it out"}
	case len(f.request.Like) > 0:
		return fmt.Errorf("%w: documents to be alike can't be told to a gateway", scheme.ErrUnsupported)
	case f.request.Items != scheme.ItemRange{}:
		return fmt.Errorf("%w: which items can't be told to a gateway", scheme.ErrUnsupported)
	}
	return nil
}

// mayTell reports whether a gateway may be told u. A template is told nothing that may
// be a password. A proxy is told it where the scheme's form says that it is not a password, as
// in the search of an http URL; the password of a login does not go along.
func (f *follower) mayTell(u locus.URL, r route) bool {
	switch {
	case u.Redacted() == u.String(), r.proxy.IsZero() && !r.isOther():
		return true
	case r.isOther():
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

// gatewayTexts names gateways.
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

// label gives what a gateway has in place of u the URL that was asked for.
func label(res scheme.Resource, u locus.URL) {
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
