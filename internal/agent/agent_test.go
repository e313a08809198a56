package agent

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	other := &debug.Module{Path: "example.org/x", Version: "v9.9.9"}
	for _, c := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{}, "devel"},
		{debug.BuildInfo{Main: debug.Module{Path: module, Version: "(devel)"}, Deps: []*debug.Module{other}}, "devel"},
		{debug.BuildInfo{Main: debug.Module{Path: module, Version: "v0.2.0"}}, "0.2.0"},
		{debug.BuildInfo{Main: *other, Deps: []*debug.Module{other, {Path: module, Version: "v0.3.1"}}}, "0.3.1"},
	} {
		if got := versionIn(&c.info); got != c.want {
			t.Errorf("%+v: %s, want %s", c.info, got, c.want)
		}
	}
	if got, want := Name(), "locus/"+version()+" (+https://github.com/locus-url/locus)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
