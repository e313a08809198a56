package base

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/access"
)

func TestPoliteness(t *testing.T) {
	a := New(t.Context(), strings.NewReader(""), io.Discard, io.Discard, noEnv)
	a.Config.Parallel, a.Config.PerHost = 8, 3
	for _, test := range []struct {
		flags access.Politeness
		rate  float64
		want  access.Politeness
	}{
		{access.Politeness{}, 0, access.Politeness{Parallel: 8, PerHost: 3, Interval: access.None, Retry: access.None, MaxWait: access.None}},
		{
			access.Politeness{Parallel: 32, PerHost: 1, Retry: 2, MaxWait: time.Minute}, 10,
			access.Politeness{Parallel: 32, PerHost: 1, Interval: 100 * time.Millisecond, Retry: 2, MaxWait: time.Minute},
		},
	} {
		if got := a.Politeness(test.flags, test.rate); got != test.want {
			t.Errorf("%+v, %v: %+v, want %+v", test.flags, test.rate, got, test.want)
		}
	}
}
