package clitest

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// CheckContract compares the keys of JSON objects with the keys that a section of the contract
// lists. The parameter file is the path of docs/contract.md, and section is a heading in that
// file. The section must list exactly the keys that objects of the given types can contain. It
// lists keys in the first column of a table or as {"name","kind"}. The table row of an optional
// key must state when an object omits the key.
func CheckContract(t *testing.T, file, section string, types ...reflect.Type) {
	t.Helper()
	listed := contractKeys(t, file, section)
	condition := regexp.MustCompile(`\b(optional|only|if|with)\b`)
	required := map[string]bool{} // maps each JSON key to true if objects always contain the key
	for _, typ := range types {
		for key, r := range jsonKeys(typ) {
			row, ok := listed[key]
			if !ok {
				t.Errorf("%s: section %q has no key %q of %v", file, section, key, typ)
			} else if row != "" && !r && !condition.MatchString(row) {
				t.Errorf("%s: section %q: the row of %q must say when the key is missing: %v omits it", file, section, key, typ)
			}
			before, seen := required[key]
			required[key] = r && (before || !seen)
		}
	}
	for key, row := range listed {
		r, ok := required[key]
		if !ok {
			t.Errorf("%s: section %q has the key %q, which %v do not write", file, section, key, types)
		} else if r && strings.Contains(row, "optional") {
			t.Errorf("%s: section %q: %q is not optional: %v always write it", file, section, key, types)
		}
	}
}

// contractKeys returns the keys that a section of the contract lists. The value for a key is its
// table row.
func contractKeys(t *testing.T, file, section string) map[string]string {
	t.Helper()
	octets, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(strings.ReplaceAll(string(octets), "\r\n", "\n"), "\n### "+section+"\n")
	if !ok {
		t.Fatalf("%s has no section %q", file, section)
	}
	for _, next := range []string{"\n## ", "\n### "} {
		text, _, _ = strings.Cut(text, next)
	}
	list, code := regexp.MustCompile(`\{("\w+",?)+\}`), regexp.MustCompile("`([^`]+)`")
	keys := map[string]string{}
	inExample := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			inExample = !inExample
		}
		if inExample {
			continue
		}
		for _, names := range list.FindAllString(line, -1) {
			for key := range strings.SplitSeq(strings.Trim(names, "{}"), ",") {
				keys[strings.Trim(key, `"`)] += ""
			}
		}
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(line, " | ")
		for _, key := range code.FindAllStringSubmatch(cells[0], -1) {
			keys[key[1]] += strings.Join(cells[1:], " | ")
		}
	}
	if len(keys) == 0 {
		t.Fatalf("%s: section %q lists no keys", file, section)
	}
	return keys
}

// jsonKeys returns the keys that package encoding/json writes for a struct. The value for a key
// reports whether the key is always present.
func jsonKeys(typ reflect.Type) map[string]bool {
	keys := map[string]bool{}
	for _, f := range reflect.VisibleFields(typ) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || f.Anonymous && name == "" || !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		keys[name] = !slices.Contains(strings.Split(options, ","), "omitempty")
	}
	return keys
}
