package scheme

import (
	_ "embed"
	"iter"
	"strings"

	"github.com/locus-url/locus"
)

// ianaNames contains a name and a status on each line, in order of the names,
// after comments.
//
//go:embed iana.txt
var ianaNames string

// NameStatus returns the status of a scheme in IANA's registry of URI schemes (RFC 7595):
// "permanent", "provisional" or "historical". It returns "unregistered" for a name in
// wide use that IANA does not register, and "" for any other name. The name must be in
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
