package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// checkTests says of each named test why it can't hold a promise, if it can't. ci is the
// script that runs the tests which skip without CI.
func checkTests(root string, names []testName, ci string) (faults []error) {
	folders := map[string]*testFolder{}
	for _, n := range names {
		f := folders[n.folder]
		if f == nil {
			var err error
			if f, err = readTests(filepath.Join(root, n.folder)); err != nil {
				return append(faults, err)
			}
			folders[n.folder] = f
		}
		if err := f.check(n); err != nil {
			faults = append(faults, err)
		} else if f.needsCI(n.function) && !runsWithCI(ci, n.folder) && !strings.Contains(ci, "go run ./internal/promises") {
			faults = append(faults, fmt.Errorf("%s skips without CI=true, and .ci/run does not set that for its package", n))
		}
	}
	return faults
}

// checkPromises compares the rows of the table of promises with the sentences of their
// sources: each row quotes a sentence and names a test, and each promise has a row.
func checkPromises(table string, sources map[string][]string) (faults []error) {
	quoted := map[string][]string{}
	for _, row := range rows(table, "Where", "Promise", "Tests") {
		if len(row) != 3 {
			faults = append(faults, fmt.Errorf("a row has %d cells, not 3: %s", len(row), row[0]))
			continue
		}
		where, promise := strings.Trim(row[0], "`"), row[1]
		sentences, known := sources[where]
		names, err := testsIn(row[2])
		switch {
		case err != nil:
			faults = append(faults, err)
		case !known:
			faults = append(faults, fmt.Errorf("%q is not a source of promises", where))
		case !slices.Contains(sentences, promise):
			faults = append(faults, fmt.Errorf("%s has no sentence %q", where, promise))
		case len(names) == 0:
			faults = append(faults, fmt.Errorf("%s: no test holds %q", where, promise))
		}
		quoted[where] = append(quoted[where], promise)
	}
	for _, where := range slices.Sorted(maps.Keys(sources)) {
		for _, s := range promises(sources[where]) {
			if !slices.Contains(quoted[where], s) {
				faults = append(faults, fmt.Errorf("%s: docs/threat-model.md has no row for %q", where, s))
			}
		}
	}
	return faults
}

// readSources reads the files whose promises need a row.
func readSources(root string) (map[string][]string, error) {
	sources := map[string][]string{}
	for name, file := range map[string]string{
		"README.md": "README.md", "CONTRIBUTING.md": "CONTRIBUTING.md",
		"access": "access/doc.go", "policy": "policy/doc.go", "gateway": "gateway/doc.go",
	} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, err
		}
		read := markdownSentences
		if strings.HasSuffix(file, ".go") {
			read = commentSentences
		}
		sources[name] = read(string(text))
	}
	return sources, nil
}

// checkLimits compares the rows of the tables of limits with the constants that they
// name, and returns how many it compared. Each row names a test.
func checkLimits(root, table string) (compared int, faults []error) {
	folders := map[string]*constants{}
	for _, row := range rows(table, "What", "Limit", "Constant", "Tests") {
		if len(row) != 4 {
			faults = append(faults, fmt.Errorf("a row has %d cells, not 4: %s", len(row), row[0]))
			continue
		}
		names, err := testsIn(row[3])
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if len(names) == 0 {
			faults = append(faults, fmt.Errorf("%s: no test", row[0]))
		}
		if row[2] == "" {
			continue
		}
		compared++
		folder, name, _ := strings.Cut(strings.Trim(row[2], "`"), ".")
		if folder == "locus" {
			folder = "."
		}
		c := folders[folder]
		if c == nil {
			if c, err = readConstants(root, folder); err != nil {
				return compared, append(faults, err)
			}
			folders[folder] = c
		}
		got, err := c.value(name)
		want, err2 := parseLimit(row[1])
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("%s: %w", row[2], err))
		case err2 != nil:
			faults = append(faults, fmt.Errorf("%s: %w", row[0], err2))
		case got != want:
			faults = append(faults, fmt.Errorf("%s: the table has %s (%d), and %s is %d", row[0], row[1], want, row[2], got))
		}
	}
	return compared, faults
}
