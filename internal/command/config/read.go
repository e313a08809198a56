package config

import (
	"cmp"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Source is the origin of a configuration: a file and an environment.
type Source struct {
	File    string              // file that --config names; if empty, the file in LOCUS_CONFIG or the default file
	Getenv  func(string) string // returns the value of an environment variable
	Environ func() []string     // returns the environment as NAME=VALUE; may be nil
	Schemes []string            // registered schemes; an environment variable can set the gateway for each scheme
}

// Read applies the configuration file and then the environment to c. It returns the first
// [Problem] as an error.
func (s Source) Read(c *Config) error {
	if r := s.Check(c); len(r.Problems) > 0 {
		return &r.Problems[0]
	}
	return nil
}

// unregistered returns the schemes that only the environment names. For example,
// LOCUS_GATEWAYS_X_FOO names the scheme x-foo, because each "_" in the name of a variable
// represents "-".
func (s Source) unregistered(key setting, known map[string]bool) (names []string) {
	if s.Environ == nil {
		return nil
	}
	for _, variable := range s.Environ() {
		variable, _, _ = strings.Cut(variable, "=")
		name, ok := strings.CutPrefix(variable, key.variable()+"_")
		if ok && name != "" && !known[variable] && name == strings.ToUpper(name) {
			names = append(names, strings.ToLower(strings.ReplaceAll(name, "_", "-")))
		}
	}
	slices.Sort(names)
	return names
}

// Path returns the path of the configuration file, or "" if there is no home directory. The result
// required reports whether the user named the file.
func (s Source) Path() (name string, required bool) {
	if name := cmp.Or(s.File, s.Getenv("LOCUS_CONFIG")); name != "" {
		return name, true
	}
	if folder := UserFolder(s.Getenv, "XDG_CONFIG_HOME", ".config"); folder != "" {
		return filepath.Join(folder, "config.toml"), false
	}
	return "", false
}

// UserFolder returns the path of a directory named "locus", by the rules of the XDG base directory
// specification. If the named environment variable contains an absolute path, this path is the
// parent directory. Otherwise, the parent is the path atHome below the home directory. If the home
// directory is unknown, UserFolder returns "".
func UserFolder(env func(string) string, variable, atHome string) string {
	folder := env(variable)
	if !filepath.IsAbs(folder) {
		home := env("HOME")
		if home == "" && runtime.GOOS == "windows" {
			home = env("USERPROFILE")
		}
		if home == "" {
			return ""
		}
		folder = filepath.Join(home, atHome)
	}
	return filepath.Join(folder, "locus")
}
