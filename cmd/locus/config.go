package main

import (
	"encoding"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/spf13/pflag"
)

// config is what the configuration file and the environment say, or else the
// defaults. Flags go before it.
type config struct {
	Timeout  duration
	Parallel int
	PerHost  int
	Policy   policyConfig
	FTP      ftpConfig
}

type policyConfig struct {
	AllowPrivate bool
	AllowPorts   ports
	MaxSize      size
}

type ftpConfig struct {
	CWD               cwdMode
	Active            bool
	TLS               bool
	AnonymousPassword string
}

func defaultConfig() config {
	return config{
		Parallel: 8,
		PerHost:  2,
		FTP:      ftpConfig{CWD: "multi", AnonymousPassword: "anonymous@"},
	}
}

// setting is one key of the configuration. value points into a config.
type setting struct {
	key   string
	value any
	help  string
}

// settings lists every key there is.
func (c *config) settings() []setting {
	return []setting{
		{"timeout", &c.Timeout, `how long a connection, a silence or an answer may take: "20s"`},
		{"parallel", &c.Parallel, "how many resources are got at once"},
		{"per_host", &c.PerHost, "how many of them from one host"},
		{"policy.allow_private", &c.Policy.AllowPrivate, "allow addresses that are not public, wherever the URL comes from"},
		{"policy.allow_ports", &c.Policy.AllowPorts, "ports allowed besides the scheme's own: [25, 119]"},
		{"policy.max_size", &c.Policy.MaxSize, `refuse objects that are larger: "5G"; 0 is no limit`},
		{"ftp.cwd", &c.FTP.CWD, `how a path is walked: "multi" (RFC 1738), "single" or "none"`},
		{"ftp.active", &c.FTP.Active, "let the server connect for data"},
		{"ftp.tls", &c.FTP.TLS, "ask for TLS before the login, and go no further without it"},
		{"ftp.anonymous_password", &c.FTP.AnonymousPassword, "what an anonymous login gives as its password"},
	}
}

// variable returns the name that the key has in the environment.
func (s setting) variable() string {
	return "LOCUS_" + strings.ToUpper(strings.ReplaceAll(s.key, ".", "_"))
}

// setText gives the setting a value from the environment.
func (s setting) setText(text string) (err error) {
	switch v := s.value.(type) {
	case *bool:
		if *v, err = strconv.ParseBool(text); err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
	case *int:
		if *v, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("%q is no number", text)
		}
	case *string:
		*v = text
	case encoding.TextUnmarshaler:
		return v.UnmarshalText([]byte(text))
	}
	return nil
}

// check refuses numbers that would stop all work.
func (c *config) check() error {
	if c.Parallel < 1 || c.PerHost < 1 {
		return errors.New("parallel and per_host are at least 1")
	}
	return nil
}

// duration is a time span that can't be negative.
type duration time.Duration

func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v < 0 {
		return fmt.Errorf(`%q is no time span: write "20s" or "2m"`, text)
	}
	*d = duration(v)
	return nil
}

// cwdMode is how FTP walks a path: a CWD command a segment, one for all, none.
type cwdMode string

func (m *cwdMode) UnmarshalText(text []byte) error {
	if !slices.Contains([]string{"multi", "single", "none"}, string(text)) {
		return fmt.Errorf(`%q is none of "multi", "single" and "none"`, text)
	}
	*m = cwdMode(text)
	return nil
}

// configError is an error of the file or the environment. No flag is wrong.
type configError struct{ error }

// loadConfig reads the file and the environment, and gives the flags that were
// not set their values.
func (a *app) loadConfig(flags *pflag.FlagSet) error {
	if err := a.readEverything(); err != nil {
		return configError{fmt.Errorf("configuration: %w", err)}
	}
	fill := func(name string, set func()) {
		if !flags.Changed(name) {
			set()
		}
	}
	fill("timeout", func() { a.flags.timeout = time.Duration(a.config.Timeout) })
	fill("allow-private", func() { a.flags.allowPrivate = a.config.Policy.AllowPrivate })
	fill("allow-port", func() { a.flags.allowPort = a.config.Policy.AllowPorts })
	fill("max-size", func() { a.flags.maxSize = int64(a.config.Policy.MaxSize) })
	if a.flags.timeout < 0 {
		return usageError("--timeout can't be negative")
	}
	return nil
}

// readEverything reads the file, and over it the environment.
func (a *app) readEverything() error {
	if err := a.readConfig(); err != nil {
		return err
	}
	for _, s := range a.config.settings() {
		text := a.env(s.variable())
		if text == "" {
			continue
		}
		if err := s.setText(text); err != nil {
			return fmt.Errorf("the environment variable %s: %w", s.variable(), err)
		}
	}
	return a.config.check()
}

// readConfig reads the file of --config or LOCUS_CONFIG, which must be there, or
// else the person's own, which need not.
func (a *app) readConfig() error {
	name := a.flags.config
	if name == "" {
		name = a.env("LOCUS_CONFIG")
	}
	must := name != ""
	if !must {
		name = a.configFile()
	}
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !must:
		return nil
	case err != nil:
		return err
	}
	if err := a.config.decode(string(text)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// configFile returns where the person's configuration is if there is one, by
// the XDG base directory specification.
func (a *app) configFile() string {
	dir := a.env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home := a.env("HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "locus", "config.toml")
}

// decode reads the text of a configuration file. A key that does not exist is an
// error: one that is misspelt must not pass for one that is obeyed.
func (c *config) decode(text string) error {
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
	return d.table("", top)
}

// decoder gives the settings their values from a document.
type decoder struct {
	meta     *toml.MetaData
	settings map[string]setting
}

func (d *decoder) table(prefix string, table map[string]toml.Primitive) error {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		key := prefix + name
		if err := d.value(key, table[name]); err != nil {
			return plainError(err)
		}
	}
	return nil
}

func (d *decoder) value(key string, value toml.Primitive) error {
	if s, ok := d.settings[key]; ok {
		return d.meta.PrimitiveDecode(value, s.value)
	}
	for known := range d.settings {
		if strings.HasPrefix(known, key+".") {
			var table map[string]toml.Primitive
			if err := d.meta.PrimitiveDecode(value, &table); err != nil {
				return err
			}
			return d.table(key+".", table)
		}
	}
	return d.meta.PrimitiveDecode(value, new(unknownKey))
}

// unknownKey takes no value. Its error gets the place of the key.
type unknownKey struct{}

func (*unknownKey) UnmarshalTOML(any) error {
	return errors.New("no such key")
}

// plainError says line and key first, and leaves out whose error it is.
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
