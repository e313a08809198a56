package config

import (
	"cmp"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Source says where to read a configuration.
type Source struct {
	File    string              // of --config; empty: that of LOCUS_CONFIG, or else the user's own
	Getenv  func(string) string // the value of an environment variable
	Environ func() []string     // every NAME=VALUE of the environment; may be nil
	Schemes []string            // registered schemes, which have variables for their gateways
}

// Read changes c to what the file says, and then to what the environment says. The error is
// the first [Problem].
func (s Source) Read(c *Config) error {
	if r := s.Check(c); len(r.Problems) > 0 {
		return &r.Problems[0]
	}
	return nil
}

// unregistered returns the schemes that only the environment names: the variable
// LOCUS_GATEWAYS_X_FOO is of x-foo. A "." or "+" in a name looks like a "-" there.
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

// Path returns the path of the file, or "" if there is no home for one. required means
// that the user named it.
func (s Source) Path() (name string, required bool) {
	if name := cmp.Or(s.File, s.Getenv("LOCUS_CONFIG")); name != "" {
		return name, true
	}
	if folder := UserFolder(s.Getenv, "XDG_CONFIG_HOME", ".config"); folder != "" {
		return filepath.Join(folder, "config.toml"), false
	}
	return "", false
}

// UserFolder returns the folder "locus" in the folder that the variable names, or else
// in the folder atHome of the user's home (XDG base directory specification). It is
// empty if there is no home.
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
