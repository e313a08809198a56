package cache

import (
	"net/http"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

const (
	// These constants bound the lifetime of a dated file. The lifetime is a tenth of the time since
	// the file changed, as RFC 9111 section 4.2.2 suggests for HTTP.
	fileMin = 10 * time.Minute
	fileMax = 24 * time.Hour

	missingAge = 30 * time.Second // for a "not found" response
	// outageAge is how long a stale response may replace an error, for schemes other than
	// http and https.
	outageAge = 24 * time.Hour
)

// age returns how long a response for u stays fresh, for schemes other than http and https. The
// parameter h is the response header.
func (s *Store) age(u locus.URL, h http.Header) time.Duration {
	f := s.registry.Freshness(u)
	if !f.Dated {
		return f.For
	}
	modified, err := http.ParseTime(h.Get("Last-Modified"))
	if err != nil {
		return f.For
	}
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return f.For
	}
	return min(max(date.Sub(modified)/10, fileMin), fileMax)
}

func (s *Store) isWeb(u locus.URL) bool { return s.registry.Scheme(u).Traits.Has(scheme.Web) }
