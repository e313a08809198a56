package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// licence is the license for one component.
type licence struct {
	component          // the component with this license
	kinds     []string // SPDX identifiers, sorted
	texts     []file   // unchanged license files
}

// component is a module in the program, or other code such as the standard library.
type component struct {
	name, version string
	sum           string // checksum from go.sum; empty if the component is not a module
	purl          string
}

// expression returns an SPDX expression that requires all licenses in l.kinds.
func (l licence) expression() string { return strings.Join(l.kinds, " AND ") }

// licences returns the license for each component in a program, sorted by name. It returns an
// error if a component has no license or a license that is not permitted.
func (r *repository) licences(ctx context.Context, info *debug.BuildInfo) ([]licence, error) {
	parts, dirs, err := r.partsOf(ctx, info)
	if err != nil {
		return nil, err
	}
	var list []licence
	var errs []error
	for i, part := range parts {
		texts, err := licenceFiles(dirs[i])
		if err != nil {
			return nil, err
		}
		l := licence{component: part, texts: texts}
		if l.kinds, err = kindsOf(texts); err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", part.name, part.version, err))
		}
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b licence) int { return cmp.Compare(a.name, b.name) })
	return list, errors.Join(errs...)
}

// partsOf returns the components in a program, and the directory that contains the license of each
// component.
func (r *repository) partsOf(ctx context.Context, info *debug.BuildInfo) (parts []component, dirs []string, err error) {
	args := []string{"mod", "download", "-json"}
	for _, m := range info.Deps {
		if m.Replace != nil {
			return nil, nil, fmt.Errorf("%s is replaced; a release has only modules that everyone can get", m.Path)
		}
		parts = append(parts, component{m.Path, m.Version, m.Sum, "pkg:golang/" + m.Path + "@" + m.Version})
		args = append(args, m.Path+"@"+m.Version)
	}
	if len(parts) > 0 {
		out, err := command(ctx, r.dir, buildEnv(host), "go", args...)
		if err != nil {
			return nil, nil, err
		}
		for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
			var m struct{ Dir string }
			if err := d.Decode(&m); err != nil {
				return nil, nil, err
			}
			dirs = append(dirs, m.Dir)
		}
	}
	if len(dirs) != len(parts) {
		return nil, nil, fmt.Errorf("go mod download tells of %d modules, not of %d", len(dirs), len(parts))
	}
	goroot, err := command(ctx, r.dir, buildEnv(host), "go", "env", "GOROOT")
	if err != nil {
		return nil, nil, err
	}
	version := strings.TrimPrefix(info.GoVersion, "go")
	parts = append(parts,
		component{"std", version, "", "pkg:golang/std@" + version},
		component{"@xterm/xterm", xtermVersion, "", "pkg:npm/%40xterm/xterm@" + xtermVersion})
	return parts, append(dirs, strings.TrimSpace(string(goroot)), filepath.Join(r.dir, "gateway/internal/page/assets")), nil
}

// xtermVersion is the version of xterm.js that the pages of the gateway include.
const xtermVersion = "6.0.0"

var licenceName = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|copyright|patents)([.-].*)?$`)

// licenceFiles returns the license files in dir.
func licenceFiles(dir string) (list []file, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if err != nil || !e.Type().IsRegular() || !licenceName.MatchString(e.Name()) {
			continue
		}
		f := file{name: e.Name()}
		f.octets, err = os.ReadFile(filepath.Join(dir, e.Name()))
		list = append(list, f)
	}
	return list, err
}

// kinds lists the permitted licenses. The sentences of an element identify the text of the
// license. The sentences are lowercase and contain single spaces.
var kinds = []struct {
	name      string
	sentences []string
	without   string
}{
	{"Apache-2.0", []string{"apache license version 2.0, january 2004", "grant of copyright license"}, ""},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms", "redistributions in binary form must reproduce"}, "neither the name"},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "redistributions in binary form must reproduce", "neither the name"}, ""},
	{"CC0-1.0", []string{"creative commons", "cc0 1.0 universal", "waiver"}, ""},
	{"ISC", []string{"permission to use, copy, modify, and", "distribute this software for any purpose with or without fee is hereby granted"}, ""},
	{"MIT", []string{"permission is hereby granted, free of charge, to any person obtaining a copy", "the above copyright notice and this permission notice shall be included"}, ""},
	{"MPL-2.0", []string{"mozilla public license version 2.0", "exhibit b"}, ""},
	{"Unlicense", []string{"this is free and unencumbered software released into the public domain"}, ""},
}

// foreign contains phrases from licenses whose conditions a release does not fulfill.
var foreign = []string{"gnu general public", "gnu lesser general", "gnu affero", "commons clause", "business source license", "for non-commercial", "noncommercial license", "server side public"}

// kindsOf returns the identifiers of the licenses that the texts contain.
func kindsOf(texts []file) (found []string, err error) {
	for _, f := range texts {
		text := strings.Join(strings.Fields(strings.ToLower(string(f.octets))), " ")
		for _, k := range kinds {
			missing := func(sentence string) bool { return !strings.Contains(text, sentence) }
			if slices.ContainsFunc(k.sentences, missing) || k.without != "" && strings.Contains(text, k.without) || slices.Contains(found, k.name) {
				continue
			}
			found = append(found, k.name)
		}
		// Ignore these phrases in the Mozilla Public License, which mentions other
		// licenses but does not require them.
		for _, word := range foreign {
			if strings.Contains(text, word) && !slices.Contains(found, "MPL-2.0") {
				return nil, fmt.Errorf("%s has the words %q; read it", f.name, word)
			}
		}
	}
	if len(texts) == 0 {
		return nil, errors.New("no licence: there is no file such as LICENSE")
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("the licence in %s is of no known kind; read it, and add the kind to the list", texts[0].name)
	}
	slices.Sort(found)
	return found, nil
}

// licenceText returns the content of a release file with all license texts.
func licenceText(list []licence) []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, "Locus is under the Apache License 2.0: see LICENSE. The program also contains what follows.\n")
	for _, l := range list {
		fmt.Fprintf(&b, "\n%s\n%s %s (%s)\n", strings.Repeat("=", 78), l.name, l.version, l.expression())
		for _, f := range l.texts {
			fmt.Fprintf(&b, "\n%s\n\n%s\n", f.name, bytes.TrimSpace(f.octets))
		}
	}
	return b.Bytes()
}

// reportLicences prints the license for each component on each system. It returns an error if a
// component has no license or a license that is not permitted.
func reportLicences(ctx context.Context, out io.Writer, o options) error {
	r := &repository{dir: o.source}
	info := &debug.BuildInfo{GoVersion: runtime.Version()}
	seen := map[string]bool{}
	for _, t := range o.only.orAll() {
		args := []string{"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./cmd/locus"}
		list, err := command(ctx, r.dir, buildEnv(t), "go", args...)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(list)) {
			path, version, ok := strings.Cut(strings.TrimSpace(line), " ")
			if ok && !seen[path] {
				seen[path] = true
				info.Deps = append(info.Deps, &debug.Module{Path: path, Version: version})
			}
		}
	}
	licences, err := r.licences(ctx, info)
	for _, l := range licences {
		fmt.Fprintf(out, "%-44s %-40s %s\n", l.name, l.version, cmp.Or(l.expression(), "unknown"))
	}
	return err
}
