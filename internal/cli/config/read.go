package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Source says where to read a configuration.
type Source struct {
	File    string              // of --config; empty: that of LOCUS_CONFIG, or else the user's own
	Getenv  func(string) string // the value of an environment variable
	Environ func() []string     // every NAME=VALUE of the environment; may be nil
	Schemes []string            // registered schemes, which have variables for their gateways
}

// Read changes c to what the file says, and then to what the environment says.
func (s Source) Read(c *Config) error {
	if err := s.readFile(c); err != nil {
		return err
	}
	for _, key := range c.settings() {
		if text := s.Getenv(key.variable()); text != "" {
			if err := key.setText(text); err != nil {
				return fmt.Errorf("the environment variable %s: %w", key.variable(), err)
			}
		}
		if t, ok := key.value.(*GatewayTable); ok {
			if err := s.readEntries(key, t); err != nil {
				return err
			}
		}
	}
	return c.check()
}

// readEntries reads the variables of a table: first those of registered schemes and of
// the other keys, then those of schemes that are not registered.
func (s Source) readEntries(key setting, t *GatewayTable) error {
	names := append([]string{AllSchemes, exceptions}, s.Schemes...)
	known := map[string]bool{}
	for _, name := range names {
		known[key.entryVariable(name)] = true
	}
	names = append(names, s.unregistered(key, known)...)
	for _, name := range names {
		variable := key.entryVariable(name)
		if text := s.Getenv(variable); text != "" {
			if err := t.Entry(name).UnmarshalText([]byte(text)); err != nil {
				return fmt.Errorf("the environment variable %s: %w", variable, err)
			}
		}
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

// readFile reads the named file, which must exist, or else the user's own, if any.
func (s Source) readFile(c *Config) error {
	name, required := s.Path()
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !required:
		return nil
	case err != nil:
		return err
	}
	if err := c.decode(string(text)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// UserFolder returns the folder "locus" in the folder that the variable names, or else
// in the folder atHome of the user's home (XDG base directory specification). It is
// empty if there is no home.
func UserFolder(env func(string) string, variable, atHome string) string {
	folder := env(variable)
	if !filepath.IsAbs(folder) {
		home := env("HOME")
		if home == "" {
			return ""
		}
		folder = filepath.Join(home, atHome)
	}
	return filepath.Join(folder, "locus")
}

// decode reads the text of a file. An unknown key is an error, because it may be misspelt.
func (c *Config) decode(text string) error {
	d := decoder{settings: map[string]setting{}}
	for _, s := range c.settings() {
		d.settings[s.key] = s
	}
	var top map[string]toml.Primitive
	meta, err := toml.Decode(text, &top)
	if err != nil {
		return plainError(err)
	}
	d.meta = &meta
	return d.table(top, d.value)
}

type decoder struct {
	meta     *toml.MetaData
	settings map[string]setting
}

// table sets the value of each key of a table by set.
func (d *decoder) table(table map[string]toml.Primitive, set func(name string, value toml.Primitive) error) error {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if err := set(name, table[name]); err != nil {
			return plainError(err)
		}
	}
	return nil
}

func (d *decoder) value(key string, value toml.Primitive) error {
	s, known := d.settings[key]
	gateways, isOpen := s.value.(*GatewayTable)
	if known && !isOpen {
		return d.meta.PrimitiveDecode(value, s.value)
	}
	if !known && !d.isTable(key) {
		return d.refuse(value, "no such key")
	}
	table, err := d.asTable(value)
	if err != nil {
		return err
	}
	return d.table(table, func(name string, value toml.Primitive) error {
		if !isOpen {
			return d.value(key+"."+name, value)
		}
		entry := gateways.Entry(name)
		return d.meta.PrimitiveDecode(value, &entry)
	})
}

func (d *decoder) isTable(key string) bool {
	for known := range d.settings {
		if strings.HasPrefix(known, key+".") {
			return true
		}
	}
	return false
}

// asTable returns the values of a table.
func (d *decoder) asTable(value toml.Primitive) (list map[string]toml.Primitive, err error) {
	if err = d.meta.PrimitiveDecode(value, &list); err == nil && list == nil {
		// Decoding a value that is not a table leaves list nil.
		err = d.refuse(value, "a table, not a value")
	}
	return list, err
}

// refuse returns an error with the position of the key of value.
func (d *decoder) refuse(value toml.Primitive, why string) error {
	r := refusal(why)
	return d.meta.PrimitiveDecode(value, &r)
}

type refusal string

func (r *refusal) UnmarshalTOML(any) error { return errors.New(string(*r)) }

// plainError puts line and key first, and removes the package's name.
func plainError(err error) error {
	var e toml.ParseError
	if !errors.As(err, &e) {
		return errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	text := strings.TrimPrefix(e.Message, "toml: ")
	if e.LastKey == "" {
		return fmt.Errorf("line %d: %s", e.Position.Line, text)
	}
	return fmt.Errorf("line %d: %s: %s", e.Position.Line, e.LastKey, text)
}
