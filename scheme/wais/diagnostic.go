package wais

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Diagnostic is a response record that reports a fault of the request or of one record. Hits
// and texts in the same response are valid. A Diagnostic wraps the error of package scheme
// that corresponds to its code.
type Diagnostic struct {
	Code string // two characters, such as "S1"
	Text string // additional information in any charset; may be empty
}

// minDiagnosticSize is the minimum length of a diagnostic record in octets. Each record
// contains a code and a flag.
const minDiagnosticSize = 3

// These are the codes to which the client reacts.
const (
	codePermanent  = "S1"
	codeOutOfRange = "SF" // the server also sends this code if the document does not exist
)

var meanings = map[string]struct {
	text string
	kind error
}{
	codePermanent:  {"permanent system error", scheme.ErrProtocol},
	"S2":           {"temporary system error", scheme.ErrUnreachable},
	"S3":           {"search not supported", scheme.ErrUnsupported},
	"S5":           {"only stop words", scheme.ErrUnsupported},
	"S6":           {"too many words", scheme.ErrUnsupported},
	"S7":           {"too many operators", scheme.ErrUnsupported},
	"S8":           {"too many truncated words", scheme.ErrUnsupported},
	"S9":           {"too many incomplete subfields", scheme.ErrUnsupported},
	"SA":           {"truncated words too short", scheme.ErrUnsupported},
	"SB":           {"bad record number", scheme.ErrNotFound},
	"SC":           {"too many characters", scheme.ErrUnsupported},
	"SD":           {"too many records", scheme.ErrTooLarge},
	codeOutOfRange: {"out of range", scheme.ErrNotFound},
	"SG":           {"error while presenting", scheme.ErrProtocol},
	"SH":           {"record must not be sent", scheme.ErrAuth},
	"SI":           {"record larger than preferred size", scheme.ErrTooLarge},
	"SJ":           {"record larger than maximum size", scheme.ErrTooLarge},
	"SK":           {"result set as a search term not supported", scheme.ErrUnsupported},
	"SL":           {"only one result set as a search term supported", scheme.ErrUnsupported},
	"SM":           {"only AND with a result set as a search term supported", scheme.ErrUnsupported},
	"SN":           {"result set exists and is not to be replaced", scheme.ErrUnsupported},
	"SO":           {"naming of result sets not supported", scheme.ErrUnsupported},
	"SP":           {"combination of databases not supported", scheme.ErrUnsupported},
	"SQ":           {"element set names not supported", scheme.ErrUnsupported},
	"SR":           {"element set name not valid", scheme.ErrUnsupported},
	"SS":           {"only one element set name supported", scheme.ErrUnsupported},
	"ST":           {"result set deleted by the server", scheme.ErrNotFound},
	"SU":           {"result set in use", scheme.ErrUnreachable},
	"SV":           {"database locked", scheme.ErrUnreachable},
	"SW":           {"ended by the client", scheme.ErrProtocol},
	"SX":           {"no such result set", scheme.ErrNotFound},
	"SY":           {"out of resources, no results", scheme.ErrUnreachable},
	"SZ":           {"out of resources, results not reliable", scheme.ErrUnreachable},
	"T1":           {"out of resources, a part of the results", scheme.ErrUnreachable},
	"T2":           {"access refused", scheme.ErrAuth},
	"T3":           {"security challenge not issued, ended", scheme.ErrAuth},
	"T4":           {"security challenge not issued, record left out", scheme.ErrAuth},
}

// Meaning explains the code in words. If the code is unknown, it returns "".
func (d Diagnostic) Meaning() string { return meanings[d.Code].text }

// Error returns a message with the meaning, the code and the text. The message is safe for a
// terminal.
func (d Diagnostic) Error() string {
	what := "diagnostic " + locus.Quote(d.Code)
	switch meaning := d.Meaning(); {
	case d.isMissingDatabase():
		what = "no such database (" + d.Code + ")"
	case meaning != "":
		what = meaning + " (" + d.Code + ")"
	}
	if d.Text != "" {
		what += ": the server says " + locus.Quote(d.Text)
	}
	return "wais: " + what
}

// Unwrap returns the error of package scheme that corresponds to the code. For all faults of a
// search, freeWAIS sends the same code, so Unwrap recognizes a missing database by the text.
func (d Diagnostic) Unwrap() error {
	if d.isMissingDatabase() {
		return scheme.ErrNotFound
	}
	if m, ok := meanings[d.Code]; ok {
		return m.kind
	}
	return scheme.ErrProtocol
}

func (d Diagnostic) isMissingDatabase() bool {
	return d.Code == codePermanent && strings.Contains(d.Text, "database is not available")
}

// parseDiagnostic parses a diagnostic record of at least minDiagnosticSize octets.
func parseDiagnostic(record []byte) Diagnostic {
	return Diagnostic{Code: string(record[:2]), Text: string(record[2 : len(record)-1])}
}
