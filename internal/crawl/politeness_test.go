package crawl

import (
	"math"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
)

func TestSettle(t *testing.T) {
	usual := access.Politeness{Parallel: 32, PerHost: 2, Interval: 100 * time.Millisecond, Retry: 2, Wait: time.Second, MaxWait: time.Minute}
	given := access.Politeness{Parallel: 1, PerHost: 3, Interval: 4, Retry: 5, Wait: 6, MaxWait: 7}
	for name, test := range map[string]struct{ p, want access.Politeness }{
		"zero":  {access.Politeness{}, usual},
		"given": {given, given},
		"none": {
			access.Politeness{Parallel: access.None, PerHost: access.None, Interval: access.None, Retry: access.None, Wait: access.None, MaxWait: access.None},
			access.Politeness{Parallel: access.MaxParallel},
		},
		"many": {
			access.Politeness{Parallel: math.MaxInt, PerHost: math.MaxInt, Interval: math.MaxInt64, Retry: math.MaxInt, Wait: math.MaxInt64, MaxWait: math.MaxInt64},
			access.Politeness{Parallel: access.MaxParallel, PerHost: math.MaxInt, Interval: math.MaxInt64, Retry: math.MaxInt, Wait: math.MaxInt64, MaxWait: math.MaxInt64},
		},
		"least": {
			access.Politeness{Parallel: math.MinInt, PerHost: math.MinInt, Interval: math.MinInt64, Retry: math.MinInt, Wait: math.MinInt64, MaxWait: math.MinInt64},
			access.Politeness{Parallel: access.MaxParallel},
		},
	} {
		if got := Settle(test.p); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

func TestInterval(t *testing.T) {
	for rate, want := range map[float64]time.Duration{
		0: access.None, -1: access.None, math.Inf(-1): access.None, math.NaN(): access.None,
		10: 100 * time.Millisecond, 0.5: 2 * time.Second, 1e12: 1, math.Inf(1): 1, 1e-300: 1e6 * time.Second,
	} {
		if got := Interval(rate); got != want {
			t.Errorf("%v: %v, want %v", rate, got, want)
		}
	}
}

func TestBackoff(t *testing.T) {
	usual := Settle(access.Politeness{})
	none := Settle(access.Politeness{Retry: 9, Wait: access.None, MaxWait: access.None})
	long := Settle(access.Politeness{Retry: math.MaxInt, Wait: time.Hour})
	endless := Settle(access.Politeness{Retry: 9, Wait: math.MaxInt64, MaxWait: math.MaxInt64})
	for name, test := range map[string]struct {
		p           access.Politeness
		tries       int
		asked       time.Duration
		least, most time.Duration
		again       bool
	}{
		"first":           {usual, 1, 0, time.Second / 2, time.Second, true},
		"second":          {usual, 2, 0, time.Second, 2 * time.Second, true},
		"asked":           {usual, 1, 30 * time.Second, 30 * time.Second, 30 * time.Second, true},
		"asked for less":  {usual, 2, time.Millisecond, time.Second, 2 * time.Second, true},
		"asked for all":   {usual, 1, time.Minute, time.Minute, time.Minute, true},
		"too long":        {usual, 1, time.Minute + 1, time.Minute + 1, time.Minute + 1, false},
		"no more":         {usual, 3, 0, 0, 0, false},
		"no more, asked":  {usual, 3, time.Second, time.Second, time.Second, false},
		"at once":         {none, 5, 0, 0, 0, true},
		"any is too long": {none, 1, 1, 1, 1, false},
		"limited":         {long, 1, 0, time.Minute / 2, time.Minute, true},
		"endless":         {endless, 1, 0, maxPause / 2, maxPause, true},
		"endless, again":  {endless, 9, 0, maxPause / 2, maxPause, true},
		"many":            {long, math.MaxInt, 0, time.Minute / 2, time.Minute, true},
	} {
		for range 20 {
			if got, again := Backoff(test.p, test.tries, test.asked); got < test.least || got > test.most || again != test.again {
				t.Errorf("%s: %v, %v; want %v to %v, %v", name, got, again, test.least, test.most, test.again)
			}
		}
	}
}

func TestHostName(t *testing.T) {
	for text, want := range map[string]string{
		"http://a.example/":            "a.example",
		"https://anna:x@A.Example./b":  "a.example",
		"ftp://a.example:2121/b":       "a.example:2121",
		"gopher://[2001:DB8::1]:70/1/": "[2001:db8::1]:70",
		"news:a.b":                     "news",
		"data:,x":                      "data",
		"file:///a":                    "file",
	} {
		if got := HostName(locus.MustParse(text)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
