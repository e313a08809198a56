package verify

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/locus-url/locus/internal/agent"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/verify"
)

// sarifReport writes SARIF 2.1.0 (OASIS) with one result per line. For the fingerprints, it counts
// equal links in a document.
type sarifReport struct {
	v     *verifier
	out   *bufio.Writer
	dir   string // working directory, ending in "/"; empty if unknown
	rows  int
	same  map[string]int // number of occurrences of each link in a document
	rules map[string]int // rule indexes
}

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

type (
	sarifText struct {
		Text string `json:"text"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Name    string       `json:"name"`
		Short   sarifText    `json:"shortDescription"`
		Full    sarifText    `json:"fullDescription"`
		Help    sarifText    `json:"help"`
		HelpURI string       `json:"helpUri"`
		Default sarifDefault `json:"defaultConfiguration"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		Line   int64 `json:"startLine"`
		Column int64 `json:"startColumn,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Kind         string             `json:"kind"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations,omitempty"`
		Fingerprints map[string]string  `json:"partialFingerprints,omitempty"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
)

// sarifRules returns a rule for each verdict that may occur in a report. The rule "unread"
// describes documents that can't be read.
func sarifRules() []sarifRule {
	var rules []sarifRule
	add := func(id, name, level, short, full string) {
		rules = append(rules, sarifRule{id, name, sarifText{short}, sarifText{full}, sarifText{full}, agent.URL, sarifDefault{level}})
	}
	add("dead", "DeadLink", "error", "Dead link.", "The resource or its host does not exist.")
	add("fragment", "MissingFragment", "error", "Missing fragment.", "The document exists but lacks the link's fragment.")
	add("malformed", "MalformedLink", "error", "Malformed link.", "The text is not a URL, or not a valid URL of its scheme.")
	add("tls", "TLSProblem", "error", "TLS problem.", "The server can't prove its identity.")
	add("unread", "UnreadDocument", "error", "Unread document.", "The document, or a part of it, can't be read.")
	add("denied", "DeniedLink", "warning", "Denied link.", "The policy forbids the request.")
	add("warning", "InconclusiveLink", "warning", "Inconclusive link.", "The response does not show whether the resource exists.")
	add("moved", "MovedLink", "note", "Moved link.", "The resource has moved.")
	add("alive", "AliveLink", "none", "Alive link.", "The resource exists.")
	add("ignored", "IgnoredLink", "none", "Ignored link.", "A rule or robots.txt excludes the link, or its URL is incomplete.")
	add("unsupported", "UnsupportedLink", "none", "Unsupported link.", "Locus can't open URLs of this scheme.")
	add("unknown", "UnverifiedLink", "none", "Unverified link.", "The run ended before the link was verified.")
	return rules
}

func newSARIFReport(v *verifier, o *output) reporter {
	s := &sarifReport{v: v, out: o.w, same: map[string]int{}, rules: map[string]int{}}
	if dir, err := os.Getwd(); err == nil {
		s.dir = filepath.ToSlash(dir)
	}
	rules := sarifRules()
	for i, r := range rules {
		s.rules[r.ID] = i
	}
	version := strings.TrimPrefix(strings.Fields(agent.Name())[0], "locus/")
	fmt.Fprintf(s.out, `{"$schema":%s,"version":"2.1.0","runs":[{"tool":{"driver":%s},`+"\n", asJSON(sarifSchema), asJSON(sarifDriver{"locus verify", version, agent.URL, rules}))
	fmt.Fprintf(s.out, `"columnKind":"unicodeCodePoints","originalUriBaseIds":{"%%SRCROOT%%":{"description":{"text":"the working directory"}}},"results":[`)
	return s
}

func asJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // impossible, because the values are strings and numbers
	}
	return text
}

func (s *sarifReport) result(r *verify.Result) {
	w := rowOf(r)
	level, kind := s.levelOf(r), "fail"
	if level == "none" {
		kind = "notApplicable"
		if r.Err == nil && r.Verdict == verify.Alive {
			kind = "pass"
		}
	}
	index, ok := s.rules[w.verdict]
	if !ok {
		// The rule index -1 means that the report does not describe the rule.
		index = -1
	}
	message := w.verdict
	for _, part := range []string{w.link, w.why} {
		if part != "" {
			message += ": " + part
		}
	}
	result := sarifResult{RuleID: w.verdict, RuleIndex: index, Kind: kind, Level: level, Message: sarifText{message}, Locations: s.locationOf(r)}
	if kind == "fail" {
		result.Fingerprints = map[string]string{"locusLink/v1": s.fingerprintOf(r, w)}
	}
	switch {
	case r.Accepted:
		result.Suppressions = []sarifSuppression{{"external", "accepted by a rule"}}
	case r.Known:
		result.Suppressions = []sarifSuppression{{"external", "in the baseline"}}
	}
	if s.rows++; s.rows > 1 {
		s.out.WriteByte(',')
	}
	s.out.WriteByte('\n')
	s.out.Write(asJSON(result))
}

func (s *sarifReport) levelOf(r *verify.Result) string {
	switch {
	case r.Err != nil:
		return "error"
	case r.Verdict == verify.Warning, r.Verdict == verify.Denied:
		return "warning"
	case r.Verdict == verify.Moved:
		return "note"
	case r.Verdict.IsBad(), s.v.status(r) == base.StatusNo:
		return "error"
	}
	return "none"
}

// locationOf returns the position of a link, or nil for a URL argument.
func (s *sarifReport) locationOf(r *verify.Result) []sarifLocation {
	if r.Document == "" || r.Document == "-" {
		return nil
	}
	l := sarifLocation{Physical: sarifPhysical{Artifact: s.artifactOf(r)}}
	switch {
	case r.Member != "":
		// The line and the column are those in a part of a container, which has no location in
		// SARIF.
		l.Logical = []sarifLogical{{term.Text(r.Member), "member"}}
	case r.Line > 0:
		l.Physical.Region = &sarifRegion{r.Line, r.Column}
	}
	return []sarifLocation{l}
}

// artifactOf returns the location of a document. The URI is relative if the document is below the
// working directory.
func (s *sarifReport) artifactOf(r *verify.Result) sarifArtifact {
	if !isFile(r) {
		return sarifArtifact{URI: safeText(r.Document)}
	}
	name := path.Clean(filepath.ToSlash(r.Document))
	if below, ok := strings.CutPrefix(name, strings.TrimSuffix(s.dir, "/")+"/"); ok && s.dir != "" {
		name = below
	}
	if name == ".." || strings.HasPrefix(name, "../") {
		name = path.Join(s.dir, name)
	}
	if filepath.IsAbs(name) || strings.HasPrefix(name, "/") {
		if u, err := base.FileURL(filepath.FromSlash(name)); err == nil {
			return sarifArtifact{URI: u.String()}
		}
	}
	return sarifArtifact{(&url.URL{Path: name}).String(), "%SRCROOT%"}
}

// fingerprintOf returns a text that identifies a link, and that does not change if lines are added
// above the link.
func (s *sarifReport) fingerprintOf(r *verify.Result, w row) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{w.verdict, r.Document, r.Member, w.link}, "\x00")))
	id := hex.EncodeToString(sum[:16])
	s.same[id]++
	return fmt.Sprintf("%s:%d", id, s.same[id])
}

func (s *sarifReport) end() {
	interrupted := s.v.a.Context.Err() != nil
	fmt.Fprintf(s.out, "\n],\"invocations\":[{\"executionSuccessful\":%t}]}]}\n", !interrupted)
}
