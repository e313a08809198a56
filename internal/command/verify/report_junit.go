package verify

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"strings"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/verify"
)

// junitReport writes JUnit XML with a test suite for each document and a test case for each link.
// junitReport uses only attributes in the Jenkins schema, which all consumers of JUnit XML
// support.
type junitReport struct {
	v     *verifier
	out   *bufio.Writer
	suite *junitSuite
	xml   *xml.Encoder
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Skipped *string       `xml:"skipped"`
	Error   *junitMessage `xml:"error"`
	Failure *junitMessage `xml:"failure"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"` // position, link and reason
}

func newJUnitReport(v *verifier, o *output) reporter {
	o.w.WriteString(xml.Header + "<testsuites name=\"locus verify\">\n")
	e := xml.NewEncoder(o.w)
	e.Indent("", "  ")
	return &junitReport{v: v, out: o.w, xml: e}
}

func (j *junitReport) result(r *verify.Result) {
	w := rowOf(r)
	name := cmp.Or(term.Text(r.Document), "(arguments)")
	if j.suite == nil || j.suite.Name != name {
		j.flush()
		j.suite = &junitSuite{Name: name}
	}
	s := j.suite
	c := junitCase{Class: name, Name: w.place + " " + w.link}
	if r.Err != nil {
		c.Name = "read"
	}
	message := &junitMessage{w.why, w.verdict, oneLine(w)}
	switch j.v.status(r) {
	case base.StatusNo:
		s.Failures++
		c.Failure = message
	case base.StatusAccess, base.StatusDenied:
		s.Errors++
		c.Error = message
	default:
		if r.Verdict != verify.Alive && r.Verdict != verify.Moved {
			s.Skipped++
			c.Skipped = new(strings.TrimSuffix(w.verdict+": "+w.why, ": "))
		}
	}
	s.Tests++
	s.Cases = append(s.Cases, c)
}

// oneLine formats a row like a compiler message.
func oneLine(w row) string {
	text := w.document
	if w.place != "-" {
		text += ":" + w.place
	}
	for _, part := range []string{w.link, w.why} {
		if part != "" {
			text += ": " + part
		}
	}
	return text
}

func (j *junitReport) flush() {
	if j.suite != nil {
		// The output stores write errors.
		_ = j.xml.Encode(j.suite)
		j.out.WriteByte('\n')
	}
	j.suite = nil
}

func (j *junitReport) end() {
	j.flush()
	j.out.WriteString("</testsuites>\n")
}
