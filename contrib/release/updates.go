package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// updatesTime is the maximum time for requesting the dependencies of one module from the module
// proxy.
const updatesTime = 2 * time.Minute

// reportUpdates prints the dependencies with newer versions, for each module in the repository. If
// a module proxy does not respond, the report contains a line about the failure, but reportUpdates
// returns no error.
func reportUpdates(ctx context.Context, out io.Writer, o options) error {
	modules, err := modulesIn(o.source)
	if err != nil {
		return err
	}
	for _, module := range modules {
		if err := reportModule(ctx, out, o.source, module); err != nil {
			return err
		}
	}
	return nil
}

// modulesIn returns the directories below source that contain a go.mod file, relative to source.
// Like the go command, it skips directories named testdata or vendor, and names that begin with
// "." or "_".
func modulesIn(source string) (modules []string, err error) {
	err = filepath.WalkDir(source, func(name string, d fs.DirEntry, err error) error {
		base := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != source && (base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")):
			return fs.SkipDir
		case d.IsDir() || base != "go.mod":
			return nil
		}
		module, err := filepath.Rel(source, filepath.Dir(name))
		modules = append(modules, module)
		return err
	})
	return modules, err
}

// dependency is a module in the output of "go list -m -u".
type dependency struct {
	Path, Version, Deprecated string
	Retracted                 []string
	Update                    *struct{ Version string }
	Replace                   *struct{ Version string }
	Error                     *struct{ Err string }
}

// reportModule prints the dependencies of a module that have newer versions. The module is in a
// subdirectory of source.
func reportModule(ctx context.Context, out io.Writer, source, module string) error {
	ctx, cancel := context.WithTimeout(ctx, updatesTime)
	defer cancel()
	name := filepath.ToSlash(filepath.Join(module, "go.mod"))
	list, err := command(ctx, filepath.Join(source, module), buildEnv(host), "go", "list", "-m", "-u", "-e", "-json=Path,Version,Update,Replace,Deprecated,Retracted,Error", "all")
	if err != nil {
		fmt.Fprintf(out, "%s: newer versions are not known: %v\n", name, err)
		return nil
	}
	count := 0
	for d := json.NewDecoder(bytes.NewReader(list)); d.More(); {
		var m dependency
		if err := d.Decode(&m); err != nil {
			return err
		}
		if text := m.look(); text != "" {
			fmt.Fprintf(out, "%s: %s %s%s\n", name, m.Path, m.Version, text)
			count++
		}
	}
	fmt.Fprintf(out, "%s: modules that need a look: %d\n", name, count)
	return nil
}

// look returns the reason why a maintainer should review the dependency m, or "" if there is no
// reason.
func (m *dependency) look() string {
	switch {
	case m.Replace != nil && m.Replace.Version == "":
		return "" // a directory in the repository replaces the module
	case m.Error != nil:
		return ": " + m.Error.Err
	case len(m.Retracted) > 0:
		return fmt.Sprintf(" is retracted: %q", m.Retracted)
	case m.Deprecated != "":
		return fmt.Sprintf(" is deprecated: %q", m.Deprecated)
	case m.Update != nil:
		return ": there is " + m.Update.Version
	}
	return ""
}
