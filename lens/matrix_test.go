package lens

import (
	"context"
	"errors"
	"testing"
)

func TestMatrixCounts(t *testing.T) {
	strict := hostParser("strict", func(url string) (string, bool) { return url, url != "loose" })
	loose := hostParser("loose", func(url string) (string, bool) {
		if url == "apart" {
			return "b.test", true
		}
		return url, true
	})
	l := New(newLens(t).registry, strict, loose, brokenParser{hostParser("broken", firstAt)})
	reports, err := l.Compare(context.Background(), []string{"alike", "apart", "loose"})
	if err != nil {
		t.Fatal(err)
	}
	m := l.Matrix(reports)
	if m.URLs != 3 || m.Danger != 1 || m.Alike != 1 || len(m.Parsers) != 3 {
		t.Errorf("%+v", m)
	}
	for i, want := range []MatrixParser{{"strict", "1", KindParser, 2, 0}, {"loose", "1", KindParser, 3, 0}, {"broken", "", KindParser, 0, 3}} {
		if m.Parsers[i] != want {
			t.Errorf("%+v, want %+v", m.Parsers[i], want)
		}
	}
	want := [][]Pair{{{}, {Host: 1, Any: 1, Verdict: 1}, {}}, {{Host: 1, Any: 1, Verdict: 1}, {}, {}}, {{}, {}, {}}}
	for i := range want {
		for j := range want {
			if m.Pairs[i][j] != want[i][j] {
				t.Errorf("%s and %s: %+v, want %+v", m.Parsers[i].Name, m.Parsers[j].Name, m.Pairs[i][j], want[i][j])
			}
		}
	}
}

// A behavior must describe which parsers accept the URL and which agree, but not the values of
// parts.
func TestBehavior(t *testing.T) {
	l := New(newLens(t).registry, hostParser("first", firstAt), hostParser("last", lastAt))
	reports, err := l.Compare(context.Background(), []string{"//u@a@b", "//x@y@z", "//a@b", "a"})
	if err != nil {
		t.Fatal(err)
	}
	e := Entry{Class: "userinfo"}
	two, same, alike, refused := l.Behavior(e, reports[0]), l.Behavior(e, reports[1]), l.Behavior(e, reports[2]), l.Behavior(e, reports[3])
	if two != same || two == alike || alike == refused || two == l.Behavior(Entry{Class: "host"}, reports[0]) {
		t.Errorf("%q %q %q %q", two, same, alike, refused)
	}
}

// cancelingParser ends its context in the middle of a search.
type cancelingParser struct {
	Parser
	calls  *int
	cancel context.CancelFunc
}

func (s cancelingParser) Parse(ctx context.Context, urls []string) ([]ParseResult, error) {
	if *s.calls++; *s.calls == 4 {
		s.cancel()
		return nil, errors.New("killed")
	}
	return s.Parser.Parse(ctx, urls)
}

// A finding that could not be minimized must still be returned.
func TestGuardEndsWhileItMinimizes(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls := 0
	o := GuardOptions{From: []string{"http://u@a.example@b.test/"}}
	result, err := newLens(t).Guard(ctx, hostParser("first", firstAt), cancelingParser{hostParser("last", lastAt), &calls, cancel}, &o)
	if !errors.Is(err, context.Canceled) || len(result.Findings) != 1 {
		t.Fatalf("%+v, %v", result, err)
	}
	if f := result.Findings[0]; f.URL != f.Found || f.Report.Input != f.URL || !f.Report.Danger {
		t.Errorf("%+v", f)
	}
}
