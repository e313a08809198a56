package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/internal/command/base"
)

// configured runs a subcommand without an effect, with the given arguments, configuration file and
// environment. It returns the App of the run.
func configured(t *testing.T, file string, env map[string]string, args ...string) *base.App {
	t.Helper()
	name := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(name, []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	var errOut strings.Builder
	a := base.New(context.Background(), strings.NewReader(""), io.Discard, &errOut, func(name string) string { return env[name] })
	args = append([]string{"canonical", "http://h/", "--config", name}, args...)
	if status := commands.Run(a, args); status != base.StatusDone {
		t.Fatalf("status %d: %s, want status %d", status, errOut.String(), base.StatusDone)
	}
	return a
}

const configFile = `
timeout = "20s"
parallel = 3
[policy]
allow_private = true
allow_link_local = true
allow_ports = [25, 119]
max_size = "10M"
[ftp]
cwd = "single"
`

func TestFlagsGoBeforeEnvironmentBeforeFile(t *testing.T) {
	env := map[string]string{
		"LOCUS_TIMEOUT": "30s", "LOCUS_POLICY_ALLOW_PORTS": "70, 71", "LOCUS_POLICY_ALLOW_PRIVATE": "false", "LOCUS_POLICY_ALLOW_LINK_LOCAL": "false",
		"LOCUS_FTP_CWD": "none", "LOCUS_FTP_TLS": "true", "LOCUS_FTP_ANONYMOUS_PASSWORD": "me@h",
	}
	for _, test := range []struct {
		name string
		a    *base.App
		want base.Flags
		cwd  string
	}{
		{"file", configured(t, configFile, nil), base.Flags{Timeout: 20 * time.Second, AllowPrivate: true, AllowLinkLocal: true, AllowPorts: []uint16{25, 119}, MaxSize: 10 << 20}, "single"},
		{"environment", configured(t, configFile, env), base.Flags{Timeout: 30 * time.Second, AllowPorts: []uint16{70, 71}, MaxSize: 10 << 20}, "none"},
		{
			"flags", configured(t, configFile, env, "--timeout", "40s", "--allow-private", "--allow-link-local", "--allow-port", "1", "--allow-port=2,1", "--max-size", "0"),
			base.Flags{Timeout: 40 * time.Second, AllowPrivate: true, AllowLinkLocal: true, AllowPorts: []uint16{1, 2}}, "none",
		},
	} {
		test.a.Flags.Config = ""
		if !reflect.DeepEqual(test.a.Flags, test.want) || string(test.a.Config.FTP.CWD) != test.cwd {
			t.Errorf("%s: %+v, cwd %s; want %+v, %s", test.name, test.a.Flags, test.a.Config.FTP.CWD, test.want, test.cwd)
		}
	}
	if c := configured(t, configFile, env).Config; c.Parallel != 3 || c.PerHost != 2 || !c.FTP.TLS || c.FTP.AnonymousPassword != "me@h" {
		t.Errorf("%+v, want c.Parallel 3, c.PerHost 2 and c.FTP.AnonymousPassword %q", c, "me@h")
	}
}
