// Package agent provides the User-Agent of the program and a description of its build.
package agent

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// URL is the address of the project.
const URL = "https://github.com/locus-url/locus"

// module is the path of this module in the build information.
const module = "github.com/locus-url/locus"

// Name returns the default User-Agent, "locus/VERSION (+URL)" (RFC 9110 section 10.1.5).
func Name() string { return "locus/" + version() + " (+" + URL + ")" }

// version returns the version of this module in the running program, or "devel".
var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	return versionIn(info)
})

func versionIn(info *debug.BuildInfo) string {
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module && strings.HasPrefix(m.Version, "v") {
			return m.Version[1:]
		}
	}
	return "devel"
}

// Build describes the running program by its version, commit, Go version and platform. It omits
// the commit if the go command did not record one.
func Build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	return describe(info)
}

func describe(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	text := cmp.Or(info.Main.Version, "(devel)")
	if revision := settings["vcs.revision"]; revision != "" {
		text += fmt.Sprintf(", commit %.12s of %s", revision, settings["vcs.time"])
		if settings["vcs.modified"] == "true" {
			text += " with changes"
		}
	}
	return fmt.Sprintf("%s, %s, %s/%s", text, info.GoVersion, runtime.GOOS, runtime.GOARCH)
}
