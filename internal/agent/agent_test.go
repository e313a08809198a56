package agent

import (
	"runtime"
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

func TestDescribe(t *testing.T) {
	platform := "go1.26.0, " + runtime.GOOS + "/" + runtime.GOARCH
	for _, test := range []struct {
		version, revision, modified, want string
	}{
		{"v0.3.1", "", "", "v0.3.1, "},
		{"", "", "", "(devel), "},
		{"(devel)", "0123456789abcdef", "false", "(devel), commit 0123456789ab of 2026-11-22T20:00:00Z, "},
		{"v0.3.2", "0123456789abcdef", "true", "v0.3.2, commit 0123456789ab of 2026-11-22T20:00:00Z with changes, "},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: test.version}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: test.revision}, {Key: "vcs.time", Value: "2026-11-22T20:00:00Z"}, {Key: "vcs.modified", Value: test.modified},
		}}
		if got := describe(info); got != test.want+platform {
			t.Errorf("%q, want %q", got, test.want+platform)
		}
	}
}
