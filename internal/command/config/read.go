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
	File    string              // file named by --config; if empty, LOCUS_CONFIG names the file, or else the default file is used
	Getenv  func(string) string // returns the value of an environment variable
	Environ func() []string     // returns the environment as NAME=VALUE; may be nil
	Schemes []string            // registered schemes; each has a variable for its gateway
}

// Read applies the file and then the environment to c. The error is the first [Problem].
func (s Source) Read(c *Config) error {
	if r := s.Check(c); len(r.Problems) > 0 {
		return &r.Problems[0]
	}
	return nil
}

// unregistered returns the schemes that only the environment names: LOCUS_GATEWAYS_X_FOO means
// x-foo. In a variable's name, "_" always becomes "-".
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

// Path returns the path of the file, or "" without a home directory. The result required
// reports whether the user named the file.
func (s Source) Path() (name string, required bool) {
	if name := cmp.Or(s.File, s.Getenv("LOCUS_CONFIG")); name != "" {
		return name, true
	}
	if folder := UserFolder(s.Getenv, "XDG_CONFIG_HOME", ".config"); folder != "" {
		return filepath.Join(folder, "config.toml"), false
	}
	return "", false
}

// UserFolder returns a directory "locus" (XDG base directory specification). If the
// environment variable with the given name contains an absolute path, that path is the
// parent directory. Otherwise the parent is the directory atHome in the home directory. If
// the home directory is unknown, it returns "".
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
