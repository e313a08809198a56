package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// decode parses the text of a configuration file. It rejects unknown keys, because they may be
// misspelled. It returns the line number of each key, and the mistakes. If the line of a mistake
// is known, the error is a *lineError.
func (c *Config) decode(text string) (lines map[string]int, errs []error) {
	d := decoder{settings: map[string]setting{}, lines: map[string]int{}}
	for _, s := range c.settings() {
		d.settings[s.key] = s
	}
	var top map[string]toml.Primitive
	meta, err := toml.Decode(text, &top)
	if err != nil {
		return nil, []error{plainError(err)}
	}
	d.meta = &meta
	errs = d.table(top, d.value)
	slices.SortStableFunc(errs, func(a, b error) int { return lineOf(a) - lineOf(b) })
	return d.lines, errs
}

type decoder struct {
	meta     *toml.MetaData
	settings map[string]setting
	lines    map[string]int // maps each key to its line number
}

// table calls the function set for each key of a table.
func (d *decoder) table(table map[string]toml.Primitive, set func(name string, value toml.Primitive) []error) (errs []error) {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		errs = append(errs, set(name, table[name])...)
	}
	return errs
}

func (d *decoder) value(key string, value toml.Primitive) []error {
	s, known := d.settings[key]
	gateways, isOpen := s.value.(*ProxyTable)
	if known {
		d.lines[key] = lineOf(d.refuse(value, "known"))
	}
	if known && !isOpen {
		return d.decode(value, s.value)
	}
	if !known && !d.isTable(key) {
		return []error{d.refuse(value, "unknown key")}
	}
	table, err := d.asTable(value)
	if err != nil {
		return []error{err}
	}
	return d.table(table, func(name string, value toml.Primitive) []error {
		if !isOpen {
			return d.value(key+"."+name, value)
		}
		entry := gateways.Entry(name)
		return d.decode(value, &entry)
	})
}

func (d *decoder) decode(value toml.Primitive, to any) []error {
	if err := d.meta.PrimitiveDecode(value, to); err != nil {
		return []error{plainError(err)}
	}
	return nil
}

func (d *decoder) isTable(key string) bool {
	for known := range d.settings {
		if strings.HasPrefix(known, key+".") {
			return true
		}
	}
	return false
}

func (d *decoder) asTable(value toml.Primitive) (list map[string]toml.Primitive, err error) {
	if err = d.meta.PrimitiveDecode(value, &list); err != nil {
		return nil, plainError(err)
	}
	if list == nil {
		// Decoding a value that is not a table leaves list nil.
		err = d.refuse(value, "it is a table, not a value")
	}
	return list, err
}

// refuse returns an error with the line number of the key to which the value belongs.
func (d *decoder) refuse(value toml.Primitive, why string) error {
	r := refusal(why)
	return plainError(d.meta.PrimitiveDecode(value, &r))
}

type refusal string

func (r *refusal) UnmarshalTOML(any) error { return errors.New(string(*r)) }

// lineError is a mistake in a line of the configuration file.
type lineError struct {
	line int
	text string // message, which begins with the key if the key is known
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.text) }

// lineOf returns the line number of a mistake, or 0 if the number is unknown.
func lineOf(err error) int {
	if e, ok := err.(*lineError); ok {
		return e.line
	}
	return 0
}

// plainError rewrites an error so that the text begins with the line and the key, and removes the
// package name.
func plainError(err error) error {
	var e toml.ParseError
	if !errors.As(err, &e) {
		return errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	text := strings.TrimPrefix(e.Message, "toml: ")
	if e.LastKey != "" {
		text = e.LastKey + ": " + text
	}
	return &lineError{e.Position.Line, text}
}
