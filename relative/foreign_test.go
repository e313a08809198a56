package relative_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
)

const foreign = "../testdata/foreign/relative"

// foreignCase is a line in a table from another project, or in the list of expected differences.
type foreignCase struct{ base, ref, rules string }

// readForeign calls handle with the columns of every line in a table.
func readForeign(t *testing.T, name string, columns int, handle func(position string, fields []string)) {
	t.Helper()
	f, err := os.Open(filepath.Join(foreign, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if line := lines.Text(); line != "" && !strings.HasPrefix(line, "#") {
			fields := strings.Split(line, "\t")
			at := fmt.Sprintf("%s:%d", name, n)
			if len(fields) != columns {
				t.Fatalf("%s: %d columns, want %d", at, len(fields), columns)
			}
			handle(at, fields)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// The results must equal the results in the tables from other projects, except for listed
// differences.
func TestForeign(t *testing.T) {
	type difference struct{ at, got string }
	expected := map[foreignCase]difference{}
	readForeign(t, "expected_differences.txt", 5, func(at string, fields []string) {
		c := foreignCase{fields[0], fields[1], fields[2]}
		if _, twice := expected[c]; twice || !strings.Contains(fields[4], "RFC") && !strings.Contains(fields[4], "draft") {
			t.Errorf("%s: %v is there twice, or its reason names no section", at, c)
		}
		expected[c] = difference{at, fields[3]}
	})
	for _, table := range []struct {
		name  string
		least int
	}{{"dwid-org.txt", 234}, {"uri-draft.txt", 30}} {
		cases := 0
		readForeign(t, table.name, 4, func(at string, fields []string) {
			cases++
			c, want := foreignCase{fields[0], fields[1], fields[2]}, fields[3]
			o := relative.Options{}
			if c.rules != "rfc3986" {
				o.Rules = relative.RFC1630
			}
			base := locus.MustParse(c.base)
			o.Hierarchy = hierarchyOf(base)
			u, _, err := relative.MustParse(strings.Trim(c.ref, `"`)).ResolveWith(base, o)
			got := u.String()
			if err != nil {
				got = fmt.Sprint(u, " ", err)
			}
			d, listed := expected[c]
			delete(expected, c)
			switch {
			case !listed && got != want:
				t.Errorf("%s\t%q in %s by %s: %s, want %s", at, c.ref, c.base, c.rules, got, want)
			case listed && got == want:
				t.Errorf("%s: the difference of %s is gone", d.at, at)
			case listed && got != d.got:
				t.Errorf("%s: %s, and the expected difference is %s", at, got, d.got)
			}
		})
		if cases < table.least {
			t.Errorf("%s has %d cases, want %d", table.name, cases, table.least)
		}
	}
	for c, d := range expected {
		t.Errorf("%s: no table has %v", d.at, c)
	}
}
