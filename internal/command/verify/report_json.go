package verify

import (
	"encoding/json"
	"iter"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/verify"
)

// jsonReport writes one JSON object per link.
type jsonReport struct{ *json.Encoder }

func newJSONReport(_ *verifier, o *output) reporter {
	e := json.NewEncoder(o.w)
	e.SetEscapeHTML(false)
	return jsonReport{e}
}

// WriteJSON writes results to standard output in the format of "locus verify --json".
func WriteJSON(a *base.App, results iter.Seq[verify.Result]) {
	report := newJSONReport(nil, &output{w: a.Out})
	for r := range results {
		report.result(&r)
		if a.OutputFailed() {
			break
		}
	}
	report.end()
}

type verifyJSON struct {
	Document  shape.Text     `json:"document"`
	Member    shape.Text     `json:"member,omitempty"`
	Line      int64          `json:"line"`
	Column    int64          `json:"column"`
	URL       *shape.Text    `json:"url"`
	Written   shape.Text     `json:"written,omitempty"` // text of the link, if it is a relative reference or not a URL
	Verdict   verify.Verdict `json:"verdict"`
	Status    *int           `json:"status"`
	Detail    shape.Text     `json:"detail,omitempty"`
	To        shape.Text     `json:"to,omitempty"`
	Permanent bool           `json:"permanent,omitempty"`
	Hops      []shape.Text   `json:"hops,omitempty"` // redirect targets, if there are several
	LastAlive string         `json:"lastAlive,omitempty"`
	Archive   shape.Text     `json:"archive,omitempty"`
	Tries     int            `json:"tries"`
	Cached    bool           `json:"cached"`
	Accepted  bool           `json:"accepted,omitempty"`
	Reason    shape.Text     `json:"reason,omitempty"`
	Known     bool           `json:"known,omitempty"`
	Context   shape.Text     `json:"context,omitempty"`
}

// unreadJSON describes a document that can't be read.
type unreadJSON struct {
	Document shape.Text   `json:"document"`
	Error    shape.Reason `json:"error"`
}

func (j jsonReport) result(r *verify.Result) {
	if r.Err != nil {
		// Encoding can't fail, and the output stores write errors.
		_ = j.Encode(unreadJSON{shape.Text(r.Document), base.NewReason(r.Err)})
		return
	}
	d := verifyJSON{
		Document: shape.Text(r.Document), Member: shape.Text(r.Member), Line: r.Line, Column: r.Column,
		URL:     shape.Present(r.URL.WithoutPassword().Shown(), !r.URL.IsZero()),
		Verdict: r.Verdict, Detail: shape.Text(locus.MaskText(r.Detail) + base.AllowedBy(r.Rule, r.Port)), To: shape.Text(r.To.Shown()), Permanent: r.Permanent, Archive: shape.Text(r.Archive.Shown()),
		Tries: r.Tries, Cached: r.Cached, Accepted: r.Accepted, Reason: shape.Text(r.Reason), Known: r.Known, Context: shape.Text(r.Context),
	}
	switch {
	case r.Written == "":
	case r.URL.IsZero(), r.URL.Shown() != r.URL.String():
		d.Written = shape.Text(r.Link())
	default:
		d.Written = shape.Text(locus.Mask(r.Written))
	}
	if r.Status != 0 {
		d.Status = &r.Status
	}
	if hops := r.Hops(); len(hops) > 1 {
		for _, u := range hops {
			d.Hops = append(d.Hops, shape.Text(u.Shown()))
		}
	}
	if !r.LastAlive.IsZero() {
		d.LastAlive = r.LastAlive.Format(time.RFC3339)
	}
	_ = j.Encode(d)
}

func (jsonReport) end() {}
