package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/secrettest"
)

// No code path shows a password, except in the URL that "locus canonical" writes.
func TestNoInputShowsPasswords(t *testing.T) {
	for _, url := range secrettest.URLs(secrettest.Password, "h.example") {
		t.Chdir(t.TempDir())
		const file = "invalid"
		for _, line := range []string{
			"check", "check --quiet", "check --rules rfc1630", "check --rules rfc3986", "check --rules whatwg", "check --rules whatwg --base http://b.example/",
			"check --rules all", "check --by host", "check --by scheme", "check --by rule", "check --by host --json", "canonical --by host", "canonical --by scheme --unique",
		} {
			got := sideBySide(t, line, []byte(url+"\n"), false, 1)
			if strings.Contains(got.out+got.errs, secrettest.Password) {
				t.Errorf("%s of %s: %s%s, want no %q in got.out + got.errs", line, url, got.out, got.errs, secrettest.Password)
			}
		}
		for _, line := range []string{"canonical", "canonical --json", "parse", "canonical --invalid drop", "canonical --invalid keep", "canonical --invalid " + file, "canonical --invalid " + url} {
			if strings.HasSuffix(line, " "+url) && (len(strings.Fields(line)) > 3 || filepath.IsAbs(url)) {
				continue // a space in the URL, or a file outside the directory
			}
			got := sideBySide(t, line, []byte(url+"\n"), false, 1)
			if strings.Contains(got.errs, secrettest.Password) {
				t.Errorf("%s of %s: %s, want no %q in errs", line, url, got.errs, secrettest.Password)
			}
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("the file for inputs that are not URLs: %v, %v", info.Mode(), err)
		}
	}
}

// If hasNoLogin returns true, the function shown masks and escapes nothing.
func FuzzHasNoLogin(f *testing.F) {
	for _, url := range secrettest.URLs(secrettest.Password, "h") {
		f.Add(url)
	}
	f.Add("http://h/%41")
	f.Add("http://h/?//u%253ax")
	f.Fuzz(func(t *testing.T, url string) {
		if _, err := locus.Parse(url); err == nil && hasNoLogin(url) && shown(url) != url {
			t.Errorf("%q is shown as %q", url, shown(url))
		}
	})
}

func TestNothingUnsafeIsShown(t *testing.T) {
	const text = "http://h\u202e.example/\nhttp://h\x9b.example/\nhttp://\x1b[31m/\nhttp://h/\u202egnp\nhttp://h/\xe9\n"
	for _, line := range []string{
		"check", "check --rules whatwg", "check --rules whatwg --base http://b.example/", "check --rules rfc3986", "check --by host", "check --by scheme", "check --by rule", "canonical --by host", "canonical --by host --unique",
	} {
		got := sideBySide(t, line, []byte(text), false, 1)
		if strings.ContainsAny(got.out+got.errs, "\u202e\x1b\u009b") || strings.ToValidUTF8(got.out, "") != got.out {
			t.Errorf("%s: %q %q, want none of %q in got.out + got.errs", line, got.out, got.errs, "\u202e\x1b\u009b")
		}
	}
}

// The message about a long line does not grow with the line.
func TestLongLinesAreShortened(t *testing.T) {
	for _, long := range []string{strings.Repeat("\x00", 300_000), "http://h/" + strings.Repeat("~", locus.MaxLen), "http://h/" + strings.Repeat("y", 3*locus.MaxLen)} {
		for _, terminal := range []bool{false, true} {
			for _, line := range commandLines {
				if len(long) < 2*locus.MaxLen && (strings.Contains(line, "whatwg") || strings.Contains(line, "all")) {
					continue // the URL Standard has no limit
				}
				got := sideBySide(t, line, []byte(long+"\n"), terminal, 1)
				if n := len(got.out) + len(got.errs); n > 6000 || n == 0 || got.status != base.StatusUsage {
					t.Errorf("%s (terminal %v) of %d octets: status %d, %d octets: %.300q", line, terminal, len(long), got.status, n, got.out+got.errs)
				}
			}
		}
	}
	// Each byte causes a finding that repeats the URL.
	got := sideBySide(t, "check", []byte("http://h/"+strings.Repeat("~", 10_000)+"\n"), false, 1)
	if n := len(got.out); n < 10_000*1000 || n > 10_000*2000 {
		t.Errorf("%d octets", n)
	}
}

// For lines near the maximum length, both code paths return the same results.
func TestLongestLine(t *testing.T) {
	for _, size := range []int{locus.MaxLen - 1, locus.MaxLen, locus.MaxLen + 1, 2*locus.MaxLen - 2, 2*locus.MaxLen - 1, 2 * locus.MaxLen, 2*locus.MaxLen + 1, 4*locus.MaxLen - 1, 4 * locus.MaxLen, 4*locus.MaxLen + 1} {
		for _, end := range []string{"", "\n", "\r\n", "\r"} {
			url := "http://h/"
			line := url + strings.Repeat("y", size-len(url)) + end
			for _, before := range []string{"", "http://a/\n"} {
				for _, command := range []string{"canonical", "check --json", "canonical --rules whatwg"} {
					compareVariants(t, command, []byte(before+line), false, 1)
					if t.Failed() {
						t.Fatalf("%s with a line of %d octets and %q", command, size, end)
					}
				}
			}
		}
	}
}

// A list of URLs is not an index, even if a line begins with "!".
func TestExclamationMarkIsNotAnIndex(t *testing.T) {
	got := sideBySide(t, "canonical", []byte("!000000000000000000000\nhttp://a\n"), false, 1)
	if got.out != "http://a/\n" || got.status != base.StatusUsage || !strings.Contains(got.errs, "line 1") {
		t.Errorf("sideBySide(canonical) = status %d, %q, %q, want out %q, status %d and %q in errs", got.status, got.out, got.errs, "http://a/\n", base.StatusUsage, "line 1")
	}
}

// The command never writes a truncated line as a complete line.
func TestInvalidDropsTruncatedLine(t *testing.T) {
	file := t.TempDir() + "/invalid"
	for _, how := range []string{"keep", file} {
		got := sideBySide(t, "canonical --invalid "+how, []byte(strings.Repeat("x", 300_000)+"\nhttp://a/\n"), false, 1)
		if got.out != "http://a/\n" || !strings.Contains(got.errs, "line 1: ") || !strings.Contains(got.errs, "300000 bytes") || got.status != base.StatusUsage {
			t.Errorf("--invalid %s: status %d, %.100q, %.300q", how, got.status, got.out, got.errs)
		}
	}
	if kept, err := os.ReadFile(file); err != nil || len(kept) > 0 {
		t.Errorf("%d octets, %v", len(kept), err)
	}
}

// The file for invalid inputs must not overwrite an input file.
func TestInvalidFileIsAnInput(t *testing.T) {
	dir := t.TempDir()
	list, other := dir+"/list", dir+"/other"
	const text = "http://a/\nfoo\n"
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(list, other); err != nil {
		t.Skip(err)
	}
	for _, line := range []string{"canonical --files --invalid " + other + " " + list, "parse --files --invalid " + list + " " + list} {
		a, out, errs := newApp(t, nil, false, 1)
		if status := execute(a, line); status != base.StatusUsage || out.Len() > 0 || !strings.Contains(errs.String(), "is an input") {
			t.Errorf("%s: status %d, %q, %q, want status %d, no out and %q in errs", line, status, out, errs, base.StatusUsage, "is an input")
		}
	}
	if kept, err := os.ReadFile(list); err != nil || string(kept) != text {
		t.Errorf("the input is %q, %v", kept, err)
	}
	if got := sideBySide(t, "canonical --invalid -", []byte(text), false, 1); got.status != base.StatusUsage || !strings.Contains(got.errs, "use --invalid keep") {
		t.Errorf("sideBySide(canonical --invalid -) = status %d, %q, want status %d and %q in errs", got.status, got.errs, base.StatusUsage, "use --invalid keep")
	}
}
