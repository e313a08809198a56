package file

import (
	"reflect"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme"
)

// These regular expressions implement this grammar of RFC 1738 section 5:
//
//	fileurl  = "file://" [ host | "localhost" ] "/" fpath
//	fpath    = fsegment *[ "/" fsegment ]
//	fsegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
const (
	fsegment = "(?:" + bnftest.Uchar + "|[?:@&=])*"
	fpath    = fsegment + "(?:/" + fsegment + ")*"
	fileurl  = "file://(?:" + bnftest.Host + "|localhost)?/" + fpath
)

var seeds = []string{
	"file://vms.host.edu/disk$user/my/notes/note12345.txt",
	"file:///etc/motd",
	"file://localhost/usr/share/a%20b/",
	"file://LOCALHOST/x",
	"file://10.0.0.1/a/./../b?c:d@e&f=g",
	"file:///C:/x",
	"file:/x", "file://h", "file://u@h/x", "file://h:80/x",
}

var invariants = bnftest.Invariants{
	Scheme:    Scheme(nil),
	Reference: bnftest.Production(fileurl),
	Same:      sameFields,
	Parse:     bnftest.Parser(Parse),
}

// sameFields compares the fields of a URL with the fields of its canonical form, in which the host
// of a local URL is empty.
func sameFields(a, b []scheme.Field) bool {
	host := func(fields []scheme.Field) string {
		if name := fields[0].Value.(string); !isLocal(name) {
			return name
		}
		return ""
	}
	return sameHost(host(a), host(b)) && reflect.DeepEqual(a[1], b[1])
}

// sameHost compares two hosts. It ignores case and the leading zeros in an address.
func sameHost(a, b string) bool {
	zeros := func(s string) string {
		labels := strings.Split(s, ".")
		for i, l := range labels {
			if strings.Trim(l, "0123456789") == "" && l != "" {
				labels[i] = strings.TrimLeft(l[:len(l)-1], "0") + l[len(l)-1:]
			}
		}
		return strings.Join(labels, ".")
	}
	return strings.EqualFold(zeros(a), zeros(b))
}

func TestAgainstProduction(t *testing.T) { invariants.Random(t, 25_000, seeds) }
