package walk

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// GlobalIgnore returns the name of the user's own ignore file, which git-config(1) describes. The
// name is the value of core.excludesFile in the git configuration, or the default. The function
// env returns the value of an environment variable. The file need not exist.
func GlobalIgnore(env func(string) string) string {
	home, config := env("HOME"), env("XDG_CONFIG_HOME")
	if config == "" && home != "" {
		config = filepath.Join(home, ".config")
	}
	name := ""
	if home != "" {
		name = excludesFile(filepath.Join(home, ".gitconfig"), home)
	}
	if name == "" && config != "" {
		name = cmp.Or(excludesFile(filepath.Join(config, "git", "config"), home), filepath.Join(config, "git", "ignore"))
	}
	return name
}

// excludesFile returns the value of core.excludesFile in a git configuration file, or "".
func excludesFile(name, home string) (value string) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRules {
		return ""
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(strings.Trim(line, "[] \t"))
			continue
		}
		key, v, ok := strings.Cut(line, "=")
		if ok && section == "core" && strings.EqualFold(strings.TrimSpace(key), "excludesfile") {
			value = strings.Trim(strings.TrimSpace(v), `"`)
		}
	}
	if rest, ok := strings.CutPrefix(value, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return value
}
