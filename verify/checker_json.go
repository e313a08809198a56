package verify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
)

// responseRecord is the JSON form of a Response.
type responseRecord struct {
	record
	Rule     string `json:"r,omitempty"`
	Port     uint16 `json:"o,omitempty"`
	Public   bool   `json:"u,omitempty"`
	Scripted bool   `json:"c,omitempty"`
}

// MarshalJSON encodes Outcome, When, Public, Scripted and Fragments as JSON. The JSON contains no
// password.
func (a *Response) MarshalJSON() ([]byte, error) {
	o := &a.Outcome
	r := newRecord(o, a.When, a.Fragments)
	r.Detail = locus.MaskText(r.Detail)
	return json.Marshal(responseRecord{record: r, Rule: o.Rule, Port: o.Port, Public: a.Public, Scripted: a.Scripted})
}

// UnmarshalJSON parses the output of MarshalJSON. The text may come from an untrusted source.
func (a *Response) UnmarshalJSON(text []byte) error {
	var r responseRecord
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	out := r.outcome()
	out.Cached = false
	out.Rule, out.Port = r.Rule, r.Port
	*a = Response{Outcome: out, When: time.Unix(r.When, 0).UTC(), Fragments: r.Fragments, Public: r.Public, Scripted: r.Scripted}
	return nil
}

// foundRecord is the JSON form of a Found. foundRecord contains only the data from which Decode
// can compute the other fields.
type foundRecord struct {
	Document    string        `json:"document,omitempty"`
	Member      string        `json:"member,omitempty"`
	Line        int64         `json:"line,omitempty"`
	Column      int64         `json:"column,omitempty"`
	Context     string        `json:"context,omitempty"`
	Written     string        `json:"written,omitempty"`
	URL         string        `json:"url,omitempty"`
	Verdict     Verdict       `json:"verdict,omitempty"` // verdict on a link that needs no request
	Cause       Cause         `json:"cause,omitempty"`   // classifies Detail or Note
	Detail      string        `json:"detail,omitempty"`
	From        string        `json:"from,omitempty"`
	Origin      policy.Origin `json:"origin,omitempty"`
	First       string        `json:"first,omitempty"`
	Depth       int           `json:"depth,omitempty"`
	Alternative string        `json:"alternative,omitempty"`
	Joined      bool          `json:"joined,omitempty"`
	Note        string        `json:"note,omitempty"`
}

// ErrSecret means that a link contains a password, so it can't be encoded or decoded.
var ErrSecret = fmt.Errorf("verify: the link contains a password")

// Encode returns f as JSON. If f contains a password, the error is [ErrSecret].
func (c *Checker) Encode(f *Found) ([]byte, error) {
	for _, u := range []locus.URL{f.Result.URL, f.Target.From, f.Target.First, f.Alternative} {
		if hasSecret(u) {
			return nil, ErrSecret
		}
	}
	r := &f.Result
	return json.Marshal(foundRecord{
		Document: r.Document, Member: r.Member, Line: r.Line, Column: r.Column, Context: r.Context, Written: r.Written,
		URL: r.URL.String(), Verdict: r.Verdict, Cause: cmp.Or(r.Cause, f.Cause), Detail: r.Detail,
		From: f.Target.From.String(), Origin: f.Target.Origin, First: f.Target.First.String(), Depth: f.Target.Depth,
		Alternative: f.Alternative.String(), Joined: f.Joined, Note: f.Note,
	})
}

// Decode parses the output of Encode. The text may come from an untrusted source, so Decode parses
// the URLs again and computes all other fields from the URLs.
func (c *Checker) Decode(text []byte) (Found, error) {
	var r foundRecord
	if err := json.Unmarshal(text, &r); err != nil {
		return Found{}, err
	}
	var urls [4]locus.URL
	for i, text := range []string{r.URL, r.From, r.First, r.Alternative} {
		if text == "" {
			continue
		}
		u, err := locus.Parse(text)
		if err != nil {
			return Found{}, err
		}
		if hasSecret(u) {
			return Found{}, ErrSecret
		}
		urls[i] = u
	}
	if !slices.Contains([]policy.Origin{policy.Typed, policy.FromPublic, policy.FromPrivate}, r.Origin) || r.Depth < 0 {
		return Found{}, fmt.Errorf("verify: invalid origin %d or depth %d", r.Origin, r.Depth)
	}
	l := link{
		url: urls[0], alternative: urls[3], member: r.Member, context: r.Context, written: r.Written,
		line: r.Line, column: r.Column, note: r.Note, cause: r.Cause,
	}
	if r.Detail != "" {
		l.verdict, l.detail = r.Verdict, r.Detail
	}
	var at *origins
	if !urls[1].IsZero() {
		from := &access.Result{URL: urls[1], LinkOrigin: r.Origin}
		at = &origins{files: from, others: from}
	}
	f := c.newFound(&l, at)
	f.Result.Document, f.Joined = r.Document, r.Joined
	if !f.Target.URL.IsZero() {
		f.Target.First, f.Target.Depth = urls[2], r.Depth
	}
	return f, nil
}
