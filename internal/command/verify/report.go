package verify

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/verify"
)

// safeText prepares text from documents and servers for a terminal: it escapes control characters
// and masks passwords.
func safeText(text string) string { return term.Safe(locus.MaskText(charset.Text(text))) }

// isShown reports whether the report shows a result even without --all.
func (v *verifier) isShown(r *verify.Result) bool {
	if r.Err != nil {
		return true
	}
	if r.Accepted || r.Known {
		return false
	}
	switch r.Verdict {
	case verify.Warning, verify.Denied:
		return true
	case verify.Ignored:
		// An ignored URL argument causes no other output, so the report must show the reason.
		return r.Document == ""
	case verify.Moved:
		return r.Permanent && (v.tell.moved || v.tell.fix)
	}
	return r.Verdict.IsBad()
}

func (v *verifier) status(r *verify.Result) int {
	switch {
	case r.Err != nil:
		return base.StatusAccess
	case v.writeBaseline:
		// The user named the file explicitly.
	case r.IsBad(), v.strict && r.Verdict == verify.Warning && !r.Accepted:
		return base.StatusNo
	case r.Verdict == verify.Denied && !r.Accepted:
		return base.StatusDenied
	}
	return base.StatusDone
}

// row is a result as text that is safe for a terminal.
type row struct{ document, place, link, verdict, why string }

func rowOf(r *verify.Result) row {
	w := row{document: documentOf(r), place: "-", verdict: "unread"}
	if r.Err != nil {
		w.why = safeText(r.Err.Error())
		return w
	}
	if r.Line > 0 {
		w.place = fmt.Sprintf("%d:%d", r.Line, r.Column)
	}
	w.link, w.verdict, w.why = safeText(r.Link()), r.Verdict.String(), whyOf(r)
	return w
}

// documentOf returns the name of the document that contains the link, with the name of the part if
// the document is a container.
func documentOf(r *verify.Result) string {
	name := cmp.Or(term.Text(r.Document), "(arguments)")
	if r.Member != "" {
		name += ": " + term.Text(r.Member)
	}
	return name
}

func whyOf(r *verify.Result) string {
	var parts []string
	if r.Status != 0 && !strings.Contains(r.Detail, fmt.Sprint(r.Status)) {
		parts = append(parts, fmt.Sprint(r.Status))
	}
	if r.Detail != "" {
		parts = append(parts, safeText(r.Detail)+base.AllowedBy(r.Rule, r.Port))
	}
	if !r.To.IsZero() {
		to := "now redirects to "
		switch {
		case r.Verdict != verify.Moved && r.Verdict != verify.Fragment:
			to = "redirects to "
		case r.Permanent:
			to = "has permanently moved to "
		}
		parts = append(parts, to+safeText(r.To.Shown())+redirectChain(r))
	}
	if r.Tries > 1 && r.Verdict != verify.Alive && r.Verdict != verify.Moved {
		parts = append(parts, fmt.Sprintf("tried %d times", r.Tries))
	}
	if r.Cached && r.Verdict != verify.Alive {
		parts = append(parts, "cached")
	}
	if !r.LastAlive.IsZero() {
		parts = append(parts, "last alive "+r.LastAlive.Format(time.DateOnly))
	}
	if r.Accepted {
		parts = append(parts, "accepted: "+safeText(cmp.Or(r.Reason, "by a rule")))
	}
	if r.Known {
		parts = append(parts, "known")
	}
	if !r.Archive.IsZero() {
		parts = append(parts, "archived copy: "+safeText(r.Archive.Shown()))
	}
	return strings.Join(parts, "; ")
}

// redirectChain returns a text that lists all redirect targets except the last one.
func redirectChain(r *verify.Result) string {
	hops := r.Hops()
	if len(hops) < 2 {
		return ""
	}
	var list []string
	for _, u := range hops[:len(hops)-1] {
		list = append(list, safeText(u.Shown()))
	}
	return " through " + strings.Join(list, ", ")
}

type totals struct {
	links, accepted, known, unread int
	verdicts                       map[verify.Verdict]int
	causes                         map[verify.Cause]int // number of links that were not checked, by cause
	documents                      map[string]bool
}

func (s *totals) add(r *verify.Result) {
	if r.Document != "" {
		s.documents[r.Document] = true
	}
	if r.Err != nil {
		s.unread++
		return
	}
	s.links++
	switch {
	case r.Accepted:
		s.accepted++
	case r.Known:
		s.known++
	default:
		s.verdicts[summaryVerdict(r)]++
		s.causes[r.Cause]++
	}
}

// summaryVerdict returns the verdict for the summary. A link whose target has moved only
// temporarily counts as alive.
func summaryVerdict(r *verify.Result) verify.Verdict {
	if r.Verdict == verify.Moved && !r.Permanent {
		return verify.Alive
	}
	return r.Verdict
}

// summary returns one line with the number of links for each verdict, in order of importance.
func (v *verifier) summary() string {
	s := &v.sum
	var list []string
	for _, count := range []struct {
		n          int
		word, many string
	}{
		{s.verdicts[verify.Dead], "dead", ""},
		{s.verdicts[verify.Fragment], "without their fragment", ""},
		{s.verdicts[verify.TLS], "with a TLS problem", ""},
		{s.verdicts[verify.Malformed], "malformed", ""},
		{s.verdicts[verify.Denied], "denied", ""},
		{s.verdicts[verify.Warning], "warning", "s"},
		{s.verdicts[verify.Moved], "moved", ""},
		{s.verdicts[verify.Alive], "alive", ""},
		{s.verdicts[verify.Ignored], "ignored", ""},
		{s.verdicts[verify.Unsupported], "not supported", ""},
		{s.verdicts[verify.Unknown], "not verified", ""},
		{s.accepted, "accepted", ""},
		{s.known, "known", ""},
		{s.unread, "unread parts", ""},
	} {
		if count.n > 1 {
			count.word += count.many
		}
		if count.n > 0 {
			list = append(list, fmt.Sprint(count.n, " ", count.word))
		}
	}
	text := fmt.Sprintf("%s in %s, %s", countOf(s.links, "link"), countOf(len(s.documents), "document"), countOf(v.verifier.Progress().Found, "URL"))
	if len(list) > 0 {
		text += ": " + strings.Join(list, ", ")
	}
	return text
}

func countOf(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprint(n, " ", thing)
}
