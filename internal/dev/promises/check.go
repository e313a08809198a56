package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// folderOf returns the directory name of a package, in the notation of the documents.
func folderOf(name string) string {
	if name == "locus" {
		return "."
	}
	return name
}

// checkTests returns an error for each named test that does not exist.
func checkTests(root string, names []string) (faults []error) {
	for _, name := range names {
		folder, function, _ := strings.Cut(name, ".")
		function, _, _ = strings.Cut(function, "/")
		files, err := filepath.Glob(filepath.Join(root, folderOf(folder), "*_test.go"))
		if err != nil {
			return append(faults, err)
		}
		if !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "\nfunc "+function+"(")
		}) {
			faults = append(faults, fmt.Errorf("%s: unknown test", name))
		}
	}
	return faults
}

var idText = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// checkPromises checks the table of promises and returns the number of its rows. Each row must
// contain a unique ID, a sentence, and the name of a test.
func checkPromises(text string) (count int, faults []error) {
	seen := map[string]bool{}
	for _, row := range rows(text, "ID", "Promise", "Tests") {
		count++
		if len(row) != 3 {
			faults = append(faults, fmt.Errorf("a row has %d cells, not 3: %s", len(row), row[0]))
			continue
		}
		id := strings.Trim(row[0], "`")
		tests, err := testsIn(row[2])
		switch {
		case err != nil:
			faults = append(faults, err)
		case !idText.MatchString(id):
			faults = append(faults, fmt.Errorf("invalid ID %q: write words-like-these", id))
		case seen[id]:
			faults = append(faults, fmt.Errorf("two promises have the ID %s", id))
		case row[1] == "":
			faults = append(faults, fmt.Errorf("%s: the sentence is missing", id))
		case len(tests) == 0:
			faults = append(faults, fmt.Errorf("%s: no test", id))
		}
		seen[id] = true
	}
	return count, faults
}

// checkLimits compares each limit in the tables with the constant that the same row names, and
// returns the number of rows. Each row must name a test.
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
		folder = folderOf(folder)
		c := folders[folder]
		if c == nil {
			if c, err = readConstants(filepath.Join(root, folder)); err != nil {
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
