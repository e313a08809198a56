package generator

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v3"
)

// values maps the keys of a configuration to scalars and list items. A key is a full path in lower
// case, such as "collections.docs.permalink". Values from a list of tables are in list order.
type values map[string][]string

const (
	maxKey     = 1 << 10 // maximum bytes in a full key path
	maxValue   = 1 << 10 // maximum bytes in a value; a value can become a part of a path
	maxTOML    = 1 << 20 // maximum bytes in a text
	maxYAML    = 1 << 20 // maximum bytes in a text
	maxNesting = 100     // maximum depth of nested values in TOML and YAML
	maxNodes   = 1 << 18 // maximum number of YAML nodes, including the nodes that aliases repeat
)

// add adds a value for a key, unless the key or the value is too long.
func (v values) add(key, value string) {
	if len(key) <= maxKey && len(value) <= maxValue {
		v[key] = append(v[key], value)
	}
}

func (v values) get(key string) string {
	if list := v[key]; len(list) > 0 {
		return list[0]
	}
	return ""
}

// parseMatter parses the front matter of a document, and reports whether the document has front
// matter. Front matter is YAML between two "---" lines, or TOML between two "+++" lines.
func parseMatter(source string) (values, bool) {
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

// parseTree parses a configuration in the format of its file extension. The result is a tree of
// map[string]any, []any and scalars. If the text is malformed or too large, ok is false. The error
// itself is not returned, because the generator reports such errors.
func parseTree(name, text string) (tree map[string]any, ok bool) {
	switch path.Ext(name) {
	case ".toml":
		return treeOfTOML(text)
	case ".json":
		ok = json.Unmarshal([]byte(text), &tree) == nil
		return tree, ok
	}
	return treeOfYAML(text)
}

func treeOfTOML(text string) (tree map[string]any, ok bool) {
	if !isModest(text) {
		return nil, false
	}
	_, err := toml.Decode(text, &tree)
	return tree, err == nil
}

// parseTOML returns the scalars and lists of scalars in a TOML text. If the text is malformed,
// parseTOML returns the values before the error.
func parseTOML(text string) values {
	tree, _ := treeOfTOML(text)
	return flat(tree)
}

// parseYAML returns the scalars and lists of scalars in a YAML text. If the text is malformed,
// parseYAML returns nil.
func parseYAML(text string) values {
	tree, ok := treeOfYAML(text)
	if !ok {
		return nil
	}
	return flat(tree)
}

// readMatter returns the front matter of the named document, and reports whether the document has
// front matter. If the front matter is malformed, the page may have any path.
func (s *Site) readMatter(name string) (values, bool) {
	v, ok := parseMatter(readText(s.fsys, name))
	s.doubt = s.doubt || ok && v == nil
	return v, ok
}

func flat(tree map[string]any) values {
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
			v.flatten(key, item)
		}
	case nil:
	default:
		v.add(strings.ToLower(key), scalar(value))
	}
}

// scalar returns the YAML text of a value.
func scalar(value any) string {
	if date, ok := value.(time.Time); ok {
		return date.Format(time.RFC3339)
	}
	return fmt.Sprint(value)
}

// treeOfYAML parses the first YAML document in a text. treeOfYAML does not convert scalars to
// numbers, because a version such as "1.10" is not a number.
func treeOfYAML(text string) (tree map[string]any, ok bool) {
	if len(text) > maxYAML {
		return nil, false
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return nil, false
	}
	r := yamlReader{left: maxNodes}
	for _, node := range root.Content {
		tree, ok = r.value(node, 0).(map[string]any)
	}
	return tree, (ok || len(root.Content) == 0) && r.left > 0
}

// yamlReader converts YAML nodes to a tree. yamlReader limits the number of nodes, because each
// alias repeats nodes.
type yamlReader struct{ left int }

func (r *yamlReader) value(node *yaml.Node, depth int) any {
	if r.left--; r.left <= 0 || depth > maxNesting {
		return nil
	}
	switch node.Kind {
	case yaml.AliasNode:
		return r.value(node.Alias, depth+1)
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range node.Content {
			list = append(list, r.value(item, depth+1))
		}
		return list
	case yaml.MappingNode:
		return r.convertMapping(node, depth)
	case yaml.ScalarNode:
		if node.Tag != "!!null" {
			return node.Value
		}
	}
	return nil
}

// convertMapping converts a YAML mapping. The mapping's own keys take precedence over keys from
// merged mappings ("<<").
func (r *yamlReader) convertMapping(node *yaml.Node, depth int) map[string]any {
	m := map[string]any{}
	var merged []any
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], r.value(node.Content[i+1], depth+1)
		if key.Tag != "!!merge" {
			m[key.Value] = value
		} else if list, ok := value.([]any); ok {
			merged = append(merged, list...)
		} else {
			merged = append(merged, value)
		}
	}
	for _, from := range merged {
		from, _ := from.(map[string]any)
		for key, value := range from {
			if _, own := m[key]; !own {
				m[key] = value
			}
		}
	}
	return m
}

// child returns the value at a path of keys in nested mappings, or nil if there is none.
func child(tree any, keys ...string) any {
	for _, key := range keys {
		m, _ := tree.(map[string]any)
		tree = m[key]
	}
	return tree
}

// textOf returns value if it is a string, or "".
func textOf(value any) string {
	s, _ := value.(string)
	return s
}
