package main

import (
	"context"
	"encoding"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// configured runs a subcommand that does nothing with args, a configuration file
// and an environment, and returns its app.
func configured(t *testing.T, file string, env map[string]string, args ...string) *app {
	t.Helper()
	name := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(name, []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	var errOut strings.Builder
	a := newApp(context.Background(), strings.NewReader(""), io.Discard, &errOut, func(name string) string { return env[name] })
	args = append([]string{"canonical", "http://h/", "--config", name}, args...)
	if status := a.run(args); status != statusDone {
		t.Fatalf("status %d: %s", status, errOut.String())
	}
	return a
}

const configFile = `
timeout = "20s"
parallel = 3
[policy]
allow_private = true
allow_ports = [25, 119]
max_size = "10M"
[ftp]
cwd = "single"
`

func TestFlagsGoBeforeEnvironmentBeforeFile(t *testing.T) {
	env := map[string]string{
		"LOCUS_TIMEOUT": "30s", "LOCUS_POLICY_ALLOW_PORTS": "70, 71", "LOCUS_POLICY_ALLOW_PRIVATE": "false",
		"LOCUS_FTP_CWD": "none", "LOCUS_FTP_TLS": "true", "LOCUS_FTP_ANONYMOUS_PASSWORD": "me@h",
	}
	for _, test := range []struct {
		name string
		a    *app
		want globalFlags
		cwd  cwdMode
	}{
		{"file", configured(t, configFile, nil), globalFlags{timeout: 20 * time.Second, allowPrivate: true, allowPort: []uint16{25, 119}, maxSize: 10 << 20}, "single"},
		{"environment", configured(t, configFile, env), globalFlags{timeout: 30 * time.Second, allowPort: []uint16{70, 71}, maxSize: 10 << 20}, "none"},
		{
			"flags", configured(t, configFile, env, "--timeout", "40s", "--allow-private", "--allow-port", "1", "--allow-port=2,1", "--max-size", "0"),
			globalFlags{timeout: 40 * time.Second, allowPrivate: true, allowPort: []uint16{1, 2}}, "none",
		},
	} {
		test.a.flags.config = ""
		if !reflect.DeepEqual(test.a.flags, test.want) || test.a.config.FTP.CWD != test.cwd {
			t.Errorf("%s: %+v, cwd %s; want %+v, %s", test.name, test.a.flags, test.a.config.FTP.CWD, test.want, test.cwd)
		}
	}
	if c := configured(t, configFile, env).config; c.Parallel != 3 || c.PerHost != 2 || !c.FTP.TLS || c.FTP.AnonymousPassword != "me@h" {
		t.Errorf("%+v", c)
	}
}

// TestEveryFieldIsASetting changes each setting and sees each field change.
func TestEveryFieldIsASetting(t *testing.T) {
	texts := map[string]string{
		"bool": "true", "int": "7", "string": "x", "duration": "7s", "ports": "7", "size": "7", "cwdMode": "none",
		"newsServer": "h", "paths": "/x", "sender": "a@b", "relay": "smtp://h", "words": "x", "model": "3", "codePage": "1047", "archive": "http://h/{url}", "gatewayTable": "http=http://h", "logFormat": "json", "listenAddress": "127.0.0.1:7",
	}
	c := defaultConfig()
	for _, s := range c.settings() {
		if err := s.setText(texts[reflect.TypeOf(s.value).Elem().Name()]); err != nil {
			t.Errorf("%s: %v", s.key, err)
		}
	}
	var walk func(name string, got, old reflect.Value)
	walk = func(name string, got, old reflect.Value) {
		// A setting may be a struct itself.
		isText := reflect.PointerTo(got.Type()).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
		if got.Kind() == reflect.Struct && !isText {
			for i := range got.NumField() {
				walk(name+"."+got.Type().Field(i).Name, got.Field(i), old.Field(i))
			}
			return
		}
		if reflect.DeepEqual(got.Interface(), old.Interface()) {
			t.Errorf("no setting changes %s", name)
		}
	}
	walk("config", reflect.ValueOf(c), reflect.ValueOf(defaultConfig()))
}

func TestSize(t *testing.T) {
	for _, test := range []struct {
		in   string
		want int64
		out  string
	}{
		{"0", 0, "0"}, {"1", 1, "1"}, {"1023", 1023, "1023"}, {"1K", 1 << 10, "1K"}, {"10M", 10 << 20, "10M"}, {"5g", 5 << 30, "5G"},
		{"5GB", 5 << 30, "5G"}, {"1536", 1536, "1536"}, {"8388607T", 8388607 << 40, "8388607T"},
	} {
		var s size
		if err := s.Set(test.in); err != nil || int64(s) != test.want || s.String() != test.out {
			t.Errorf("%q: %d %q, %v", test.in, s, s.String(), err)
		}
	}
	for _, in := range []string{"", "K", "-1", "1.5M", "1X", "8388608T", "9223372036854775808", "1 M"} {
		var s size
		if err := s.Set(in); err == nil {
			t.Errorf("%q is %d", in, s)
		}
	}
}

func TestPorts(t *testing.T) {
	var p ports
	for _, in := range []string{"0", "65536", "-1", "x", "", "1,,2"} {
		if err := p.Set(in); err == nil {
			t.Errorf("%q is %v", in, p)
		}
	}
	p = nil
	if err := p.UnmarshalText([]byte("25, 119,25")); err != nil || !slices.Equal(p, []uint16{25, 119}) || p.String() != "25,119" {
		t.Errorf("%v, %v", p, err)
	}
	if err := p.UnmarshalText(nil); err != nil || p != nil {
		t.Errorf("%v, %v", p, err)
	}
}
