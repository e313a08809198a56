// Package agent names the program in requests.
package agent

import (
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
