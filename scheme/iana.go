package scheme

import (
	_ "embed"
	"iter"
	"strings"

	"github.com/locus-url/locus"
)

// ianaNames contains comments, and then one line with a name and a status for each scheme,
// sorted by name.
//
//go:embed iana.txt
var ianaNames string

// NameStatus returns the status of a scheme in IANA's registry of URI schemes (RFC 7595):
// "permanent", "provisional" or "historical". For a name in wide use that IANA does not
// register, it returns "unregistered". For any other name, it returns "". The name must be in
// lower case.
func NameStatus(name string) string {
	if !locus.IsScheme(name) {
		return ""
	}
	_, rest, ok := strings.Cut(ianaNames, "\n"+name+" ")
	if !ok {
		return ""
	}
	status, _, _ := strings.Cut(rest, "\n")
	return status
}

// Names yields each name for which [NameStatus] has a status, in order, with the status.
func Names() iter.Seq2[string, string] {
	return func(yield func(name, status string) bool) {
		for line := range strings.Lines(ianaNames) {
			name, status, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if name != "#" && !yield(name, status) {
				return
			}
		}
	}
}
