package ftp

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/locus-url/locus/scheme"
)

var now = time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)

// show returns the text of an entry, in the format of the test tables.
func show(e scheme.Item, ok bool) string {
	if !ok {
		return "-"
	}
	when := ""
	if !e.ModTime.IsZero() {
		when = e.ModTime.Format("2006-01-02T15:04:05")
	}
	return fmt.Sprintf("%s|%q|%d|%s|%s", e.Kind, e.Title, e.Size, when, e.Note)
}

func TestParseLIST(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// These lines are recorded from Pure-FTPd.
		{"-rw-r--r--    1 0          0                  11 Nov 20 20:12  lead.txt", `object|" lead.txt"|11|2026-11-20T20:12:00|`},
		{"-rw-r--r--    1 0          0                   7 Dec 20  1994 b c.txt", `object|"b c.txt"|7|1994-12-20T00:00:00|`},
		{"lrwxrwxrwx    1 0          0                   4 Nov 20 20:12 link -> ../x", `unknown|"link"|-1|2026-11-20T20:12:00|-> ../x`},
		{"drwxr-xr-x    2 0          0                4096 Nov 20 20:12 sub", `menu|"sub"|-1|2026-11-20T20:12:00|`},
		{"drwxr-xr-x    3 0          0                4096 Nov 20 20:12 .", "-"},
		{"drwxr-xr-x    7 0          0                4096 Nov 20 20:12 ..", "-"},
		{"-rw-r--r--    1 0          0                   9 Nov 20 20:12 ff\xff.txt", `object|"ff\xff.txt"|9|2026-11-20T20:12:00|`},
		// These lines are in formats of "ls -l" on other systems.
		{"total 1234", "-"},
		{"total 0", "-"},
		{"", "-"},
		{"-rw-r--r-- 1 a b 5 Nov 21 23:30 tomorrow, here", `object|"tomorrow, here"|5|2025-11-21T23:30:00|`},
		{"-rw-r--r-- 1 a b 5 Nov 21 10:30 in a zone ahead", `object|"in a zone ahead"|5|2026-11-21T10:30:00|`},
		{"-rw-r--r-- 1 a b 5 Feb 29 10:30 leap", `object|"leap"|5|2024-02-29T10:30:00|`},
		{"-rw-r--r-- 1 a b 5 Feb 30 10:30 no day", `unknown|""|-1||`},
		{"-rw-r--r-- 1 user with spaces group 5 Jan  2 2020 x", `object|"x"|5|2020-01-02T00:00:00|`},
		{"-rw-r--r-- 1 user 5 Jan  2 2020 no group", `object|"no group"|5|2020-01-02T00:00:00|`},
		{"-rw-r--r-- 1 Jan 12 5 Jan  2 2020 Jan 1 2021", `object|"Jan 1 2021"|5|2020-01-02T00:00:00|`},
		{"-rw-r--r--+ 1 a b 5 2020-01-02 15:04 iso", `object|"iso"|5|2020-01-02T15:04:00|`},
		{"brw-rw---- 1 root disk 8, 0 Jan  2 2020 sda", `unknown|"sda"|-1|2020-01-02T00:00:00|`},
		{"crw-rw-rw- 1 root root 1,   3 Jan  2 2020 null", `unknown|"null"|-1|2020-01-02T00:00:00|`},
		{"prw-r--r-- 1 a b 0 Jan  2 2020 pipe", `unknown|"pipe"|-1|2020-01-02T00:00:00|`},
		{"drwxrwsr-t 2 a b 512 Jan  2 2020 sticky", `menu|"sticky"|-1|2020-01-02T00:00:00|`},
		{"lrwxrwxrwx 1 a b 5 Jan  2 2020 no target", `unknown|"no target"|-1|2020-01-02T00:00:00|`},
		{"-rw-r--r-- 1 a b 99999999999999999999 Jan 2 2020 x", `object|"x"|-1|2020-01-02T00:00:00|`},
		// These lines contain the date formats of other servers.
		{"-rw-r--r-- 1 a b 5 09-26 2000 x", `object|"x"|5|2000-09-26T00:00:00|`},
		{"-rw-r--r-- 1 a b 5 09-26 13:45 x", `object|"x"|5|2026-09-26T13:45:00|`},
		{"-rw-r--r-- 1 a b 5 1999/10/12 17:12 x", `object|"x"|5|1999-10-12T17:12:00|`},
		{"-rw-r--r-- 1 a b 5 24-04-2003 17:12 x", `object|"x"|5|2003-04-24T17:12:00|`},
		{"-rw-r--r-- 1 a b 5 29 Jul 02:27 2014 x", `object|"2014 x"|5|2026-07-29T02:27:00|`},
		{"-rw-r--r-- 1 a b 5 01 oct 2004 10:30", `object|"10:30"|5|2004-10-01T00:00:00|`},
		{"-rw-r--r-- 1 a b 5 30. Jan., 12:40 x", `object|"x"|5|2026-01-30T12:40:00|`},
		{"-rw-r--r-- 1 a b 5 Oct 08, 2002 09:47 x", `object|"x"|5|2002-10-08T09:47:00|`},
		{"-rw-r--r-- 1 a b 5 Oct 08 2002 09:47 x", `object|"09:47 x"|5|2002-10-08T00:00:00|`},
		{"-rw-r--r-- 1 0 12 12 Jan 12 2020 x", `object|"x"|12|2020-01-12T00:00:00|`},
		{"-rw-r--r-- 1 a b 5 Apr 4 24:00 x", `unknown|""|-1||`},
		{"-rw-r--r-- 1 a b 5 26. Juli, 20:10 x", `unknown|""|-1||`},
		// These lines are in NetWare's format.
		{"d [R----F--] supervisor            512       Jan 16 18:53    login", `menu|"login"|-1|2026-01-16T18:53:00|`},
		{"- [R----F--] rhesus             214059       Oct 20 15:27 cx.exe", `object|"cx.exe"|214059|2026-10-20T15:27:00|`},
		{"- [R----F--]", `unknown|""|-1||`},
		{"-rw-r--r-- 1 a b -5 Jan 2 2020 x", `unknown|""|-1||`},
		{"-rw-r--r-- 1 a b 5 Jan 2 2020", `unknown|""|-1||`},
		{"-rw-r--r-- 1 a b 5 Jan 2 2020 ", `unknown|""|-1||`},
		{"-rw-r--r-- 1 a b 5 Jan 2 2020 ../../etc/passwd", `object|"../../etc/passwd"|5|2020-01-02T00:00:00|`},
		// These lines are in the format of DOS and Windows.
		{"10-23-12  05:03PM       <DIR>          sub dir", `menu|"sub dir"|-1|2012-10-23T17:03:00|`},
		{"12-05-97  03:04AM                 1234 a file.txt", `object|"a file.txt"|1234|1997-12-05T03:04:00|`},
		{"12-05-2097  15:04                    0 empty", `object|"empty"|0|2097-12-05T15:04:00|`},
		{"12-05-2017  15:04       <JUNCTION>     link", `unknown|"link"|-1|2017-12-05T15:04:00|`},
		{"13-05-2017  15:04       <DIR>          x", `unknown|""|-1||`},
		{"2002-09-02  18:48       <DIR>          sub", `menu|"sub"|-1|2002-09-02T18:48:00|`},
		{"2002-09-02  19:06                9,730 x", `object|"x"|9730|2002-09-02T19:06:00|`},
		{"12-05-97  03:04AM 99999999999999999999 x", `object|"x"|-1|1997-12-05T03:04:00|`},
		{"12-05-97  03:04AM , x", `unknown|""|-1||`},
		// These lines are examples from the description of EPLF.
		{"+i8388621.48594,m825718503,r,s280,\tdjb.html", `object|"djb.html"|280|1996-03-01T22:15:03|`},
		{"+i8388621.50690,m824255907,/,\t514", `menu|"514"|-1|1996-02-13T23:58:27|`},
		{"+,\t x", `unknown|" x"|-1||`},
		{"+s-5,r\tx", `object|"x"|-1||`},
		// These lines are in no known format.
		{"ftpd: no such thing", `unknown|""|-1||`},
		{"-", `unknown|""|-1||`},
		{"+no tab", `unknown|""|-1||`},
	} {
		if got := show(parseLIST(c.text, now)); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestParseMLSD(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// These lines are from RFC 3659 section 7.7 and from ProFTPD.
		{"Type=file;Size=1024990;Perm=r; /tmp/cap60.pl198.tar.gz", `object|"/tmp/cap60.pl198.tar.gz"|1024990||`},
		{"Type=cdir;Perm=el;Unique=keVO1+IH4; test", "-"},
		{"Type=pdir;Perm=e;Unique=keVO1+d?3; ..", "-"},
		{"Type=dir;Modify=19981107085215;Perm=el; sub", `menu|"sub"|-1|1998-11-07T08:52:15|`},
		{"Type=OS.unix=slink:/foobar;Perm=;Unique=keVO1+4G4; foobar", `unknown|"foobar"|-1||-> /foobar`},
		{"modify=19941220123456;perm=adfrw;size=7;type=file;UNIX.mode=0644; b c.txt", `object|"b c.txt"|7|1994-12-20T12:34:56|`},
		{"type=OS.unix=symlink;size=4; link", `unknown|"link"|-1||`},
		{"type=file;perm=aw;size=7; secret", `object|"secret"|7||not permitted`},
		{"type=dir;perm=; closed", `menu|"closed"|-1||not permitted`},
		{"type=file;size=x;modify=y;  lead", `object|" lead"|-1||`},
		{" no facts", `unknown|"no facts"|-1||`},
		{"type=file; ..", "-"},
		{"type=dir; .", "-"},
		{"type=file;nospace", `unknown|""|-1||`},
		{"type=file;size=99999999999999999999; huge", `object|"huge"|-1||`},
		{"size=7;type=file;\ttab b", `object|"tab b"|7||`},
		{"type=file; \tlead", `object|"\tlead"|-1||`},
		{"type=file;\t", `unknown|""|-1||`},
		{"type=file; ", `unknown|""|-1||`},
		{"", "-"},
		{";;=;a; x", `unknown|"x"|-1||`},
		{"type=file;type=dir; twice", `menu|"twice"|-1||`},
	} {
		if got := show(parseMLSD(c.text)); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestParseNLST(t *testing.T) {
	for _, c := range []struct{ text, dir, want string }{
		{"motd", "", "motd"}, {"./motd", "", "motd"}, {"./.", "", ""}, {".", "", ""}, {"..", "", ""}, {"", "", ""},
		{"dir/b c.txt", "dir", "b c.txt"}, {"b c.txt", "dir", "b c.txt"}, {"dir/..", "dir", ""}, {"dir/", "dir", ""},
		{"/etc/motd", "/etc", "motd"}, {"/etc/motd", "/", "etc/motd"}, {"/motd", "/", "motd"}, {"/home/a/dir/x", "dir", "/home/a/dir/x"},
		{"directory", "dir", "directory"},
	} {
		e, ok := parseNLST(c.text, c.dir)
		if !ok {
			e.Title = ""
		}
		if e.Title != c.want {
			t.Errorf("%q of %q: %q, want %q", c.text, c.dir, e.Title, c.want)
		}
	}
}

// read parses a recorded listing, and returns the text of each entry.
func read(t *testing.T, name string, parse func(text string) (scheme.Item, bool)) (list []string) {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := newListing(f)
	for {
		text, err := lines.next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := parse(text); ok {
			list = append(list, fmt.Sprintf("%s %q %d", e.Kind, e.Title, e.Size))
		}
	}
}

func TestRecordedListings(t *testing.T) {
	for _, c := range []struct {
		name  string
		parse func(text string) (scheme.Item, bool)
		want  []string
	}{
		{"proftpd-mlsd-nlst.data1.bin", parseMLSD, []string{
			`object "per%2Fcent.txt" 11`, `object ".hidden" 7`, `object "café.txt" 10`, `object "ff\xff.txt" 9`, `object "-la" 5`,
			`object "n\nl.txt" 13`, `object " lead.txt" 11`, `unknown "link" -1`, `object "b c.txt" 7`, `menu "sub" -1`,
			`object "*star?.txt" 5`, `object "semi;type=a.txt" 10`, `object "caf\xe9.txt" 12`}},
		{"proftpd-mlsd-nlst.data2.bin", func(text string) (scheme.Item, bool) { return parseNLST(text, "dir") }, []string{
			`unknown "per%2Fcent.txt" -1`, `unknown "café.txt" -1`, `unknown "ff\xff.txt" -1`, `unknown "-la" -1`, `unknown "n\nl.txt" -1`,
			`unknown " lead.txt" -1`, `unknown "link" -1`, `unknown "b c.txt" -1`, `unknown "sub" -1`, `unknown "*star?.txt" -1`,
			`unknown "semi;type=a.txt" -1`, `unknown "caf\xe9.txt" -1`}},
		{"pureftpd-curl-anon-list.data1.bin", func(text string) (scheme.Item, bool) { return parseLIST(text, now) }, []string{
			`object " lead.txt" 11`, `object "*star?.txt" 5`, `object "-la" 5`, `object ".hidden" 7`, `object "b c.txt" 7`, `object "café.txt" 10`,
			`object "caf\xe9.txt" 12`, `object "ff\xff.txt" 9`, `unknown "link" -1`, `object "per%2Fcent.txt" 11`, `object "semi;type=a.txt" 10`, `menu "sub" -1`}},
	} {
		if got, want := strings.Join(read(t, c.name, c.parse), "\n"), strings.Join(c.want, "\n"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

func TestListingLines(t *testing.T) {
	long := strings.Repeat("x", maxListingLine)
	for _, c := range []struct {
		input string
		want  string
		err   error
	}{
		{"", "", io.EOF},
		{"a\r\nb\r\n", "a|b", io.EOF},
		{"a\nb\n", "a|b", io.EOF},
		{"a\r\nb\nc\r\nd", "a|b\nc|d", io.EOF},
		{"a\r\nb\nc\n", "a|b\nc\n", io.EOF},
		{"no end", "no end", io.EOF},
		{long + "\r\n", long, io.EOF},
		{"a\r\n" + long + "x\r\n", "a", scheme.ErrProtocol},
		{"a\r\n" + strings.Repeat("x\n", maxListingLine), "a", scheme.ErrProtocol},
	} {
		for _, in := range []io.Reader{strings.NewReader(c.input), iotest.OneByteReader(strings.NewReader(c.input))} {
			l := newListing(in)
			var got []string
			text, err := l.next()
			for ; err == nil; text, err = l.next() {
				got = append(got, text)
			}
			if strings.Join(got, "|") != c.want || !errors.Is(err, c.err) {
				t.Errorf("%.40q: %d lines %.40q, %v", c.input, len(got), got, err)
			}
		}
	}
}

func TestLinks(t *testing.T) {
	for _, c := range []struct {
		base, name string
		kind       scheme.ItemKind
		want       string
	}{
		{"ftp://h", "x", scheme.KindObject, "ftp://h/x"},
		{"ftp://h/", "sub", scheme.KindMenu, "ftp://h/sub/"},
		{"ftp://h#f", "x", scheme.KindUnknown, "ftp://h/x"},
		{"ftp://u:p@h:2121/a//%2Fb/", "x", scheme.KindObject, "ftp://u:p@h:2121/a//%2Fb/x"},
		{"ftp://h/a/dir;type=d", "x", scheme.KindUnknown, "ftp://h/a/dir/x"},
		{"ftp://h/;type=d", "x", scheme.KindUnknown, "ftp://h/x"},
		{"ftp://h/", "a b;c?d#e%f\xe9\x1b", scheme.KindObject, "ftp://h/a%20b%3Bc%3Fd%23e%25f%E9%1B"},
		{"ftp://h/", "/etc/motd", scheme.KindObject, "ftp://h/%2Fetc%2Fmotd"},
		{"ftp://h/", "...", scheme.KindObject, "ftp://h/..."},
		{"ftp://h/", "x;type=d", scheme.KindObject, "ftp://h/x%3Btype=d"},
		{"ftp://h/", "../x", scheme.KindObject, ""},
		{"ftp://h/", "a/../../x", scheme.KindObject, ""},
		{"ftp://h/", "a/./x", scheme.KindObject, ""},
		{"ftp://h/", `..\x`, scheme.KindObject, ""},
		{"ftp://h/", "n\nl", scheme.KindObject, ""},
		{"ftp://h/", "n\rl", scheme.KindObject, ""},
		{"ftp://h/", "n\x00l", scheme.KindObject, ""},
		{"ftp://h/", "..", scheme.KindMenu, ""},
		{"ftp://h/", "", scheme.KindUnknown, ""},
		{"ftp://h/", strings.Repeat("x", 1<<16), scheme.KindObject, ""},
	} {
		it := newLinker(mustParse(t, c.base)).item(scheme.Item{Title: c.name, Kind: c.kind}, "the line")
		if it.URL.String() != c.want || it.Kind != c.kind || it.Title != c.name && (c.name != "" || it.Title != "the line") {
			t.Errorf("%.60q in %s: %.60q %v", c.name, c.base, it.URL, it.Kind)
		}
	}
}
