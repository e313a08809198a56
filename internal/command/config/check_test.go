package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Check returns all mistakes in the file and the environment with their positions.
func TestCheckFindsEveryMistake(t *testing.T) {
	name := filepath.Join(t.TempDir(), "gateway.toml")
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"LOCUS_MAX_TIME": "never", "LOCUS_PER_HOST": "x", "LOCUS_GATEWAY_REQUESTS": "0", "LOCUS_GATEWAYS_FTP": "::"}
	source := Source{File: name, Getenv: func(name string) string { return env[name] }, Schemes: []string{"ftp"}}
	problems := func() (list []string) {
		c := Default()
		for _, p := range source.Check(&c).Problems {
			list = append(list, fmt.Sprintf("%s:%d %s %v", filepath.Base(p.File), p.Line, p.Variable, errors.Unwrap(&p)))
		}
		return list
	}
	write("timeout = \"soon\"\n[policy]\nallow_privat = true\nallow_ports = [70000]\n\n[gateway]\nterminals = 0\nlisten = 7\n[gateways]\nftp = \"x\"\n")
	list := problems()
	for i, want := range []string{
		`gateway.toml:1  timeout: invalid duration "soon"`, `gateway.toml:3  policy.allow_privat: unknown key`, `gateway.toml:4  policy.allow_ports: a port`,
		`gateway.toml:8  gateway.listen: `, `gateway.toml:10  gateways.ftp: `, `.:0 LOCUS_MAX_TIME invalid duration "never"`, `.:0 LOCUS_PER_HOST "x" is not a number`,
		`.:0 LOCUS_GATEWAYS_FTP `, `.:0 LOCUS_GATEWAY_REQUESTS it must be at least 1`, `gateway.toml:7  gateway.terminals: it must be at least 1`,
	} {
		if !slices.ContainsFunc(list, func(p string) bool { return len(p) >= len(want) && p[:len(want)] == want }) {
			t.Errorf("mistake %d, %s, is missing", i, want)
		}
	}
	if len(list) != 10 {
		t.Errorf("%d mistakes: %q", len(list), list)
	}
	// Read returns the first mistake.
	c := Default()
	if err := source.Read(&c); err == nil || err.Error() != name+`: line 1: timeout: invalid duration "soon": write 5 (seconds), 5s, 2m or 1h` {
		t.Errorf("%v, want an error and err.Error() %q", err, name+`: line 1: timeout: invalid duration "soon": write 5 (seconds), 5s, 2m or 1h`)
	}
	write("timeout = = 3\n")
	clear(env)
	if list := problems(); len(list) != 1 || list[0][:16] != "gateway.toml:1  " {
		t.Errorf("problems() = %q, want 1 of list and list[0][:16] %q", list, "gateway.toml:1  ")
	}
	write("[gateway]\nlisten = \"127.0.0.1:0\"\n")
	c = Default()
	r := source.Check(&c)
	if len(r.Problems) > 0 {
		t.Errorf("Check() = %v, want no r.Problems", r.Problems)
	}
	// A mistake that only a subcommand can detect also has a position.
	env["LOCUS_GATEWAY_DENY"] = "x"
	r = source.Check(&c)
	for key, want := range map[string]Problem{"gateway.listen": {File: name, Line: 2}, "gateway.deny": {Variable: "LOCUS_GATEWAY_DENY"}, "timeout": {}} {
		if p := r.At(key, errors.New("no")); p.File != want.File || p.Line != want.Line || p.Variable != want.Variable {
			t.Errorf("%s: %+v, want p.File %q, p.Line %d and p.Variable %q", key, p, want.File, want.Line, want.Variable)
		}
	}
}
