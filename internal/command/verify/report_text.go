package verify

import (
	"bufio"
	"fmt"
	"strings"
	"time"

	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/verify"
)

// textReport writes text for a terminal. textReport lists the links in each document below the
// document's name.
type textReport struct {
	v            *verifier
	out          *bufio.Writer
	tty          bool
	all          bool
	colors       term.Colors
	current      string          // name of the current document; empty before the first document
	shownReasons map[string]bool // reasons for warnings that the report has shown
}

func newTextReport(v *verifier, o *output) reporter {
	return &textReport{v: v, out: o.w, tty: o.tty, all: o.all, colors: o.colors, shownReasons: map[string]bool{}}
}

func (t *textReport) result(r *verify.Result) {
	if t.isRepeated(r) {
		return
	}
	w := rowOf(r)
	out := t.out
	if w.document != t.current {
		if t.current != "" {
			out.WriteByte('\n')
		}
		t.current = w.document
		fmt.Fprintln(out, t.colors.In(term.Bold, w.document))
	}
	style := term.Cyan
	switch {
	case r.Err != nil:
		w.link, w.why = w.why, ""
		fallthrough
	case r.IsBad():
		style = term.Red
	case r.Verdict == verify.Warning, r.Verdict == verify.Denied:
		style = term.Yellow
	}
	fmt.Fprintf(out, "  %-8s %s %s", w.place, t.colors.In(style, fmt.Sprintf("%-11s", w.verdict)), w.link)
	if w.why != "" {
		fmt.Fprintf(out, "\n           %11s %s", "", w.why)
	}
	out.WriteByte('\n')
	if r.Context != "" {
		fmt.Fprintf(out, "           %11s | %s\n", "", safeText(strings.TrimSpace(r.Context)))
	}
	if t.tty {
		out.Flush()
	}
}

// isRepeated reports whether r is a warning about the spelling of a link that the report has
// already shown for another link. A note contains the number of such warnings, because a page may
// cause a thousand.
func (t *textReport) isRepeated(r *verify.Result) bool {
	if t.all || r.Err != nil || r.Verdict != verify.Warning || r.Cause != verify.Escaped {
		return false
	}
	repeated := t.shownReasons[r.Detail]
	t.shownReasons[r.Detail] = true
	return repeated
}

const (
	// slowHosts is the maximum number of slow hosts in the report. A host is slow if its mean
	// response time is at least slowFrom.
	slowHosts = 3
	slowFrom  = time.Second
)

func (t *textReport) end() {
	out := t.out
	if t.current != "" {
		out.WriteByte('\n')
	}
	if t.v.a.Flags.Quiet {
		return
	}
	fmt.Fprintln(out, t.v.summary())
	if slow := t.v.slowHostsLine(); slow != "" {
		fmt.Fprintln(out, slow)
	}
}

// slowHostsLine returns one line with the slow hosts, or "" if there are none.
func (v *verifier) slowHostsLine() string {
	var slow []string
	for _, h := range v.verifier.Slowest(slowHosts) {
		if h.Mean >= slowFrom {
			slow = append(slow, fmt.Sprintf("%s %v (%s)", safeText(h.Host), h.Mean.Round(100*time.Millisecond), countOf(h.Requests, "request")))
		}
	}
	if len(slow) == 0 {
		return ""
	}
	return "slowest: " + strings.Join(slow, ", ")
}
