package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	// govulncheck is the program that finds known vulnerabilities.
	govulncheck = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"
	// vulndb is the module that contains the Go vulnerability database in the directory
	// data/osv.
	vulndb = "golang.org/x/vulndb"
)

// reportVulnerabilities prints the known vulnerabilities in each module of the repository. It
// returns an error if the code of a module can reach a vulnerability in a dependency. It checks
// the tests of a module only if the module contains no other code. It also prints vulnerabilities
// in the standard library, and the Go releases that fix them. Such vulnerabilities are not errors,
// because go.mod does not determine the Go release.
//
// The parameter database is a URL for the flag -db of govulncheck. If it is empty, the function
// downloads the newest vulndb module, so that the check needs only a Go module proxy.
func reportVulnerabilities(ctx context.Context, out io.Writer, o options, database string) error {
	modules, err := modulesIn(o.source)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "locus-vulnerabilities-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if database == "" {
		if database, err = downloadDatabase(ctx, out, work); err != nil {
			return fmt.Errorf("there is no vulnerability database, so nothing was checked: name one by its URL, such as file:///srv/vulndb: %w", err)
		}
	}
	if _, err := command(ctx, work, append(buildEnv(host), "GOBIN="+work), "go", "install", govulncheck); err != nil {
		return err
	}
	reached := 0
	ofGo := map[string]vulnerability{}
	for _, folder := range modules {
		name := filepath.ToSlash(filepath.Join(folder, "go.mod"))
		list, err := checkModule(ctx, filepath.Join(o.source, folder), filepath.Join(work, "govulncheck"), database)
		if err != nil {
			return fmt.Errorf("%s was not checked: %w", name, err)
		}
		found, err := readVulnerabilities(list)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		counts := map[bool]int{}
		for _, v := range found {
			if v.module == "stdlib" {
				if v.reached {
					ofGo[v.id] = v
				}
				continue
			}
			counts[v.reached]++
			if v.reached {
				fmt.Fprintf(out, "%s: %s\n", name, v)
			}
		}
		fmt.Fprintf(out, "%s: known vulnerabilities: %d, and %d in code that it does not call\n", name, counts[true], counts[false])
		reached += counts[true]
	}
	for _, v := range slices.SortedFunc(maps.Values(ofGo), func(a, b vulnerability) int { return cmp.Compare(a.id, b.id) }) {
		fmt.Fprintf(out, "Go: %s\n", v)
	}
	fmt.Fprintf(out, "Go: known vulnerabilities of the standard library: %d\n", len(ofGo))
	if reached > 0 {
		return fmt.Errorf("known vulnerabilities in dependencies: %d", reached)
	}
	return nil
}

// checkModule runs govulncheck on the module in the directory dir, and returns its JSON messages.
func checkModule(ctx context.Context, dir, program, database string) ([]byte, error) {
	files, err := command(ctx, dir, buildEnv(host), "go", "list", "-f", "{{range .GoFiles}}{{.}} {{end}}", "./...")
	if err != nil {
		return nil, err
	}
	// Analyze tests only if there is no other code, because the analysis of a large module
	// with its tests takes many times longer.
	tests := strings.TrimSpace(string(files)) == ""
	return command(ctx, dir, buildEnv(host), program, "-format", "json", "-test="+strconv.FormatBool(tests), "-db", database, "./...")
}

// downloadDatabase returns the URL of the database in the newest vulndb module.
func downloadDatabase(ctx context.Context, out io.Writer, work string) (string, error) {
	list, err := command(ctx, work, buildEnv(host), "go", "mod", "download", "-json", vulndb+"@latest")
	if err != nil {
		return "", err
	}
	var m struct{ Version, Dir string }
	if err := json.Unmarshal(list, &m); err != nil {
		return "", err
	}
	fmt.Fprintf(out, "database: %s %s\n", vulndb, m.Version)
	return "file://" + filepath.ToSlash(filepath.Join(m.Dir, "data", "osv")), nil
}

// vulnerability is a known vulnerability in a module version.
type vulnerability struct {
	id, module, version, fixed, summary string

	reached bool // the code can call the vulnerable function
}

func (v vulnerability) String() string {
	fixed := "no version has a fix"
	if v.fixed != "" {
		fixed = "fixed in " + v.fixed
	}
	return fmt.Sprintf("%s: %s %s (%s): %s", v.id, v.module, v.version, fixed, v.summary)
}

// readVulnerabilities reads the JSON messages of govulncheck. It returns the vulnerabilities,
// sorted by name.
func readVulnerabilities(messages []byte) ([]vulnerability, error) {
	summaries := map[string]string{}
	found := map[string]vulnerability{} // each key contains a vulnerability name and a module
	for d := json.NewDecoder(bytes.NewReader(messages)); d.More(); {
		var m struct {
			OSV     *struct{ ID, Summary string }
			Finding *struct {
				OSV   string
				Fixed string `json:"fixed_version"`
				Trace []struct{ Module, Version, Function string }
			}
		}
		if err := d.Decode(&m); err != nil {
			return nil, err
		}
		if m.OSV != nil {
			summaries[m.OSV.ID] = m.OSV.Summary
		}
		if f := m.Finding; f != nil && len(f.Trace) > 0 {
			at := f.Trace[0]
			key := f.OSV + " " + at.Module
			found[key] = vulnerability{id: f.OSV, module: at.Module, version: at.Version, fixed: f.Fixed, reached: at.Function != "" || found[key].reached}
		}
	}
	var list []vulnerability
	for _, v := range found {
		v.summary = strings.TrimSpace(summaries[v.id])
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b vulnerability) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.module, b.module))
	})
	return list, nil
}
