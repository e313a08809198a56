package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Setting is a configuration setting and its value.
type Setting struct {
	Key, Help string
	Variable  string // name of the environment variable
	Value     any    // bool, int64, string, a list of these, or nil; contains no password
	empty     string // notation for the empty value in a configuration file
}

// Settings returns all settings. Each proxy in the table of proxies is a separate setting.
func (c *Config) Settings() []Setting {
	var list []Setting
	for _, s := range c.settings() {
		g, ok := s.value.(*ProxyTable)
		if !ok {
			value, empty := plainValue(s.value)
			list = append(list, Setting{s.key, s.help, s.variable(), value, empty})
			continue
		}
		n := len(list)
		add := func(name, value string) {
			if value != "" {
				list = append(list, Setting{s.key + "." + name, s.help, s.entryVariable(name), value, ""})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(g.Rules.Schemes)) {
			gateway := g.Rules.Schemes[name]
			add(name, gateway.String())
		}
		add(AllSchemes, g.Rules.All.String())
		add(exceptions, g.Rules.Except)
		if len(list) == n {
			list = append(list, Setting{s.key, s.help, s.variable(), nil, "{}"})
		}
	}
	return list
}

// plainValue returns the value to which the pointer refers. For an empty text or list, it returns
// nil, and the notation for the empty value in a configuration file.
func plainValue(value any) (plain any, empty string) {
	v := reflect.ValueOf(value).Elem()
	text := fmt.Sprint(v.Interface())
	switch s, ok := value.(fmt.Stringer); {
	case v.Kind() == reflect.Bool:
		return v.Bool(), ""
	case v.Kind() == reflect.Int:
		return v.Int(), ""
	case v.Kind() == reflect.Slice && v.Len() == 0:
		return nil, "[]"
	case v.Kind() == reflect.Slice:
		return v.Interface(), ""
	case v.Kind() == reflect.Struct && v.IsZero():
		text = ""
	case ok:
		text = s.String()
	}
	if text == "" {
		return nil, `""`
	}
	return text, ""
}

// TOML returns the value in the syntax of the configuration file.
func (s Setting) TOML() string {
	if s.Value == nil {
		return s.empty
	}
	var b strings.Builder
	if err := toml.NewEncoder(&b).Encode(map[string]any{"v": s.Value}); err != nil {
		return err.Error() // unreachable: TOML can encode the types of all settings
	}
	return strings.TrimSpace(strings.TrimPrefix(b.String(), "v = "))
}
