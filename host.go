package locus

import (
	"strconv"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// upperFact returns HostLower, a fact that does not hold, if shape records an upper-case
// letter in the host.
func upperFact(shape octet.HostShape) Facts {
	if shape&octet.HostUpper != 0 {
		return HostLower
	}
	return 0
}

// emptyFact returns NoHost if the offsets start and end delimit an empty host.
func emptyFact(start, end int) Facts {
	if start == end {
		return NoHost
	}
	return 0
}

// hostFacts returns the fact for the production that matches the host s[start:end]. shape is the
// result of octet.Host for this host. The productions are:
//
//	hostname    = *[ domainlabel "." ] toplabel
//	domainlabel = alphadigit | alphadigit *[ alphadigit | "-" ] alphadigit
//	toplabel    = alpha | alpha *[ alphadigit | "-" ] alphadigit
//	hostnumber  = digits "." digits "." digits "." digits
func hostFacts(s string, start, end int, shape octet.HostShape) Facts {
	if shape&(octet.HostEdges|octet.HostDigit) == 0 && end-start <= MaxLabel {
		return HostName
	}
	return rareHostFacts(s[start:end], shape)
}

// rareHostFacts is like hostFacts for a host that is long, contains a label that begins with a
// digit, or is invalid.
func rareHostFacts(host string, shape octet.HostShape) Facts {
	switch top := strings.LastIndexByte(host, '.') + 1; {
	case shape&octet.HostEdges != 0, len(host) > MaxHost, len(host) > MaxLabel && hasLongLabel(host):
		return 0
	case octet.Is(host[top], octet.Alpha):
		return HostName
	case isHostNumber(host):
		return HostNumber
	}
	return 0
}

// MaxLabel and MaxHost are the maximum sizes of a label and of a hostname in
// octets (RFC 1034 section 3.1).
const (
	MaxLabel = 63
	MaxHost  = 253
)

func hasLongLabel(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		if len(label) > MaxLabel {
			return true
		}
	}
	return false
}

func isHostNumber(host string) bool {
	for range 3 {
		number, rest, ok := strings.Cut(host, ".")
		if !ok || !isOctet(number) {
			return false
		}
		host = rest
	}
	return isOctet(host)
}

// isOctet reports whether text is a number from 0 to 255 without leading zeros.
func isOctet(text string) bool {
	if text == "" || len(text) > 3 || len(text) > 1 && text[0] == '0' || octet.All(text)&octet.Digit == 0 {
		return false
	}
	n, _ := strconv.Atoi(text)
	return n <= 255
}
