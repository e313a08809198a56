package generator

import (
	"fmt"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// values are the scalars of a configuration, and the items of its lists, by their keys in
// lower case: "collections.docs.permalink". Those of a list of tables are in its order.
type values map[string][]string

const (
	maxKey     = 1 << 10 // octets of a key with those above it
	maxValue   = 1 << 10 // octets of a value: it is a part of an address
	maxTOML    = 1 << 20 // octets of a text
	maxNesting = 100     // of TOML
)

// add adds a value to a key, unless one of them is too long to mean anything.
func (v values) add(key, value string) {
	if len(key) <= maxKey && len(value) <= maxValue {
		v[key] = append(v[key], value)
	}
}

// get returns the first value of a key.
func (v values) get(key string) string {
	if list := v[key]; len(list) > 0 {
		return list[0]
	}
	return ""
}

// matter returns the front matter of a document: YAML between lines "---", TOML between
// lines "+++", and whether there is one.
func matter(source string) (values, bool) {
	source = strings.TrimPrefix(source, "\uFEFF")
	for mark, parse := range map[string]func(string) values{"---": parseYAML, "+++": parseTOML} {
		rest, ok := strings.CutPrefix(source, mark)
		if !ok {
			continue
		}
		first, rest, ok := strings.Cut(rest, "\n")
		if !ok || strings.TrimSpace(first) != "" {
			continue
		}
		end := 0
		for line := range strings.Lines(rest) {
			if strings.TrimRight(line, " \t\r\n") == mark {
				return parse(rest[:end]), true
			}
			end += len(line)
		}
	}
	return nil, false
}

// parseTOML reads the scalars and lists of scalars of TOML. Of a malformed text it returns
// what was read: the generator itself reports the fault.
func parseTOML(text string) values {
	if !isModest(text) {
		return values{}
	}
	var tree map[string]any
	_, _ = toml.Decode(text, &tree)
	v := values{}
	v.flatten("", tree)
	return v
}

func (v values) flatten(key string, value any) {
	if len(key) > maxKey {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			if key != "" {
				name = key + "." + name
			}
			v.flatten(name, inner)
		}
	case []map[string]any:
		for _, table := range value {
			v.flatten(key, table)
		}
	case []any:
		for _, item := range value {
			if _, nested := item.(map[string]any); !nested {
				v.flatten(key, item)
			}
		}
	default:
		v.add(strings.ToLower(key), scalar(value))
	}
}

// scalar returns a value of TOML as YAML writes it.
func scalar(value any) string {
	if date, ok := value.(time.Time); ok {
		return date.Format(time.RFC3339)
	}
	return fmt.Sprint(value)
}

// parseYAML reads the scalars of YAML in block style, and lists of scalars. That is all
// that the configurations of generators have which decides about addresses; other nodes
// are skipped.
func parseYAML(text string) values {
	v := values{}
	type level struct {
		indent int
		key    string
	}
	var open []level
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		rest := strings.TrimLeft(line, " ")
		indent := len(line) - len(rest)
		if rest == "" || rest[0] == '#' {
			continue
		}
		item, isItem := strings.CutPrefix(rest, "- ")
		for len(open) > 0 && (open[len(open)-1].indent > indent || open[len(open)-1].indent == indent && !isItem) {
			open = open[:len(open)-1]
		}
		prefix := ""
		if len(open) > 0 {
			prefix = open[len(open)-1].key
		}
		if isItem && !strings.Contains(item, ": ") {
			v.add(prefix, yamlScalar(item))
			continue
		} else if isItem {
			rest, indent = item, indent+len("- ")
		}
		key, value, ok := strings.Cut(rest, ":")
		if !ok || value != "" && value[0] != ' ' {
			continue
		}
		key = strings.ToLower(yamlScalar(key))
		if prefix != "" {
			key = prefix + "." + key
		}
		if len(key) > maxKey {
			key = "\x00" // no setting has this name, nor one below it
		}
		open = append(open, level{indent, key})
		switch value = strings.TrimSpace(value); {
		case value == "", value[0] == '|', value[0] == '>', value[0] == '&', value[0] == '{':
		case value[0] == '[':
			for part := range strings.SplitSeq(strings.Trim(value, "[]"), ",") {
				if part = yamlScalar(part); part != "" {
					v.add(key, part)
				}
			}
		default:
			v.add(key, yamlScalar(value))
		}
	}
	return v
}

// yamlScalar returns a scalar without quotes and without the comment after it.
func yamlScalar(text string) string {
	text = strings.TrimSpace(text)
	for _, quote := range []string{`"`, "'"} {
		if rest, ok := strings.CutPrefix(text, quote); ok {
			value, _, _ := strings.Cut(rest, quote)
			return value
		}
	}
	if i := strings.Index(text, " #"); i >= 0 {
		text = strings.TrimSpace(text[:i])
	}
	return text
}
