package verify

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
)

// Certificates records the expiry times of server certificates. To record certificates, set
// [tls.Config].VerifyConnection of the client to the method Record. The zero value is empty and
// ready to use. The methods may be called concurrently.
type Certificates struct {
	mu  sync.Mutex
	end map[string]time.Time // certificate expiration times by host name
}

// maxCertificates limits the number of hosts with a recorded certificate.
const maxCertificates = 1 << 16

// Record records the server certificate of a TLS connection. The returned error is always nil.
func (c *Certificates) Record(s tls.ConnectionState) error {
	if len(s.PeerCertificates) == 0 {
		return nil
	}
	end := s.PeerCertificates[0].NotAfter
	for _, chain := range s.VerifiedChains {
		for _, certificate := range chain[:max(len(chain)-1, 0)] {
			if certificate.NotAfter.Before(end) {
				end = certificate.NotAfter
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end == nil {
		c.end = map[string]time.Time{}
	}
	if len(c.end) < maxCertificates {
		c.end[certificateHost(s.ServerName)] = end
	}
	return nil
}

func (c *Certificates) expiry(host string) (end time.Time, ok bool) {
	if c == nil || host == "" {
		return end, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	end, ok = c.end[certificateHost(host)]
	return end, ok
}

func certificateHost(host string) string {
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// isTLSProblem reports whether the error err means that the server can't prove its identity or
// does not support TLS.
func isTLSProblem(err error) bool {
	return errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(tls.RecordHeaderError))
}

// tlsProblem describes a TLS failure for users. The description quotes host names in the
// certificate.
func tlsProblem(err error, now time.Time) string {
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && now.After(invalid.Cert.NotAfter):
		return fmt.Sprintf("the certificate expired %s ago, on %s", days(now.Sub(invalid.Cert.NotAfter)), invalid.Cert.NotAfter.UTC().Format(time.DateOnly))
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate is not valid before " + invalid.Cert.NotBefore.UTC().Format(time.DateOnly)
	case errors.As(err, &name):
		return "the certificate is for " + namesOf(name.Certificate) + ", not for " + locus.Quote(name.Host)
	case errors.As(err, &authority) && authority.Cert != nil && authority.Cert.Issuer.String() == authority.Cert.Subject.String():
		return "the certificate is self-signed"
	case errors.As(err, &authority):
		return "the certificate is signed by an unknown authority"
	case errors.As(err, new(tls.RecordHeaderError)):
		return "the server does not speak TLS at this port"
	case errors.As(err, &invalid):
		return "the certificate is not valid: " + locus.Quote(invalid.Error())
	}
	return reason(err)
}

// maxNames is the maximum number of certificate names in a message.
const maxNames = 3

// namesOf returns the host names of a certificate, for a message.
func namesOf(c *x509.Certificate) string {
	names := c.DNSNames
	for _, address := range c.IPAddresses {
		names = append(names[:len(names):len(names)], net.IP(address).String())
	}
	if len(names) == 0 {
		return "no host"
	}
	var quoted []string
	for _, name := range names[:min(len(names), maxNames)] {
		quoted = append(quoted, locus.Quote(name))
	}
	text := strings.Join(quoted, ", ")
	if more := len(names) - len(quoted); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
