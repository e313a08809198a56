package prospero

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// The links in replies of the original server must have the correct access method URLs.
func TestCapturedMethods(t *testing.T) {
	want := map[string][]string{
		"emacs-19.22.tar.gz": {"ftp://ftp.example.org/pub/gnu/emacs-19.22.tar.gz;type=i"},
		"release notes":      {"ftp://mirror.example.net/mirror/gnu/release%20notes;type=a"},
		"private report":     {"ftp://ftp.example.org/%2Fhome/staff/report.ps;type=i"},
		"Weather maps":       {"gopher://gopher.example.net:70/11/Weather/Maps"},
		"About gopher":       {"gopher://gopher.example.net:7070/0about/text%3Fx"},
		"Old catalogue":      {"WAIS"},
		"Library terminal":   {"telnet://guest@library.example.edu:23/"},
		"Mainframe":          {"tn3270://vm.example.edu/"},
		"Shared volume":      {"nfs://nfs.example.edu/export/home1/pub/docs/paper.ps"},
		"Cell file":          {"afs://example.edu/doc/file.txt"},
		"Two ways":           {"ftp://ftp.example.org/pub/a.txt;type=a", "gopher://gopher.example.net:70/0ftp%3Aftp.example.org%40/pub/a.txt"},
		"Unknown method":     {"X-CARRIER-PIGEON"},
	}
	for _, l := range parsed(t, "list-attributes/01").Links {
		methods, faults := methodsOf(l.Attributes, l.target, l.Type == typeExternal)
		var got []string
		for _, m := range methods {
			got = append(got, textOf(m))
		}
		if faults != nil || !slices.Equal(got, want[l.Name]) {
			t.Errorf("%s: %q %v, not %q", l.Name, got, faults, want[l.Name])
		}
		delete(want, l.Name)
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}

	asked := target{HostType: hostInternet, Host: "PFS.EXAMPLE.EDU", Port: 11525, NameType: nameASCII, Name: "AFTP/pub/docs/notes.txt"}
	methods, faults := methodsOf(parsed(t, "goi-file/01").Attributes, asked, false)
	if len(methods) != 3 || faults != nil || !methods[0].isContents() || methods[1].isContents() || methods[1].Name != "LOCAL" || methods[1].Port != 0 {
		t.Fatalf("%+v %v", methods, faults)
	}
	for i, want := range []string{"prospero://pfs.example.edu:11525/AFTP/pub/docs/notes.txt", "LOCAL", "ftp://pfs.example.edu/pub/docs/notes.txt;type=i"} {
		if got := textOf(methods[i]); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

// textOf returns the URL of a method, or the name of the method if there is no URL.
func textOf(m method) string {
	u, err := m.URL()
	if err != nil {
		return m.Name
	}
	return u.String()
}

// methodOf parses an access method of a link to the object /x on h.example(7).
func methodOf(t *testing.T, value string, external bool) (method, error) {
	t.Helper()
	of := target{HostType: hostInternet, Host: "h.example", Port: 7, NameType: nameASCII, Name: "/x"}
	methods, faults := methodsOf([]attribute{{Name: attrAccessMethod, Type: valueSequence, Value: appendTokens(nil, value)}}, of, external)
	if len(methods)+len(faults) != 1 {
		t.Fatalf("%s: %+v %v", value, methods, faults)
	}
	if faults != nil {
		return method{}, faults[0]
	}
	return methods[0], nil
}

func TestMethodURL(t *testing.T) {
	for value, want := range map[string]string{
		// The port in the link's host is the port of the Prospero server, so the URL must
		// not contain it.
		"AFTP '' '' '' ''":                            "ftp://h.example/x",
		"PROSPERO-CONTENTS '' '' '' ''":               "prospero://h.example:7//x",
		"PROSPERO-CONTENTS '' O.Example '' 'a;b'":     "prospero://o.example/a%3Bb",
		"PROSPERO-CONTENTS '' o.example(1525) '' a":   "prospero://o.example/a",
		"PROSPERO-CONTENTS '' o.example '' 'a\nb'":    "prospero://o.example/a%0Ab",
		"PROSPERO-CONTENTS '' o.example '' 'a\x00b'":  "",
		"PROSPERO-CONTENTS '' a/b '' a":               "",
		"AFTP '' '' '' " + strings.Repeat("x", 70000): "", // longer than the maximum length of a URL

		"AFTP INTERNET-D 10.0.0.1(2100) ASCII /x BINARY": "ftp://10.0.0.1:2100/x;type=i",
		"AFTP '' '' '' '' TEXT more":                     "ftp://h.example/x;type=a",
		"AFTP '' '' '' /pub DIRECTORY":                   "ftp://h.example/pub;type=d",
		"AFTP '' '' '' '' OTHER":                         "ftp://h.example/x",
		"AFTP '' '' '' //etc//motd BINARY":               "ftp://h.example//etc//motd;type=i",
		"AFTP '' '' '' '/a b;c?d#e%\xff' BINARY":         "ftp://h.example/a%20b%3Bc%3Fd%23e%25%FF;type=i",
		"AFTP '' '' '' '/a\r\nDELE b' BINARY":            "",
		"AFTP '' '' '' '/a\x00' BINARY":                  "",
		"AFTP X-NET '' '' '' BINARY":                     "",
		"AFTP '' a/b '' '' BINARY":                       "",
		"AFTP '' a:21 '' '' BINARY":                      "",
		"AFTP '' u@h '' '' BINARY":                       "",
		"AFTP '' '[::1]' '' '' BINARY":                   "",
		"AFTP '' 'h\n' '' '' BINARY":                     "",
		"AFTP '' 'h h' '' '' BINARY":                     "",
		"FTP '' '' '' home/x TEXT":                       "ftp://h.example/%2Fhome/x;type=a",
		"FTP '' '' '' /home/x":                           "ftp://h.example/%2Fhome/x",

		"GOPHER '' g.example(70) '' 1/a '9'":   "gopher://g.example:70/91/a",
		"GOPHER '' g.example '' '/a b' BINARY": "gopher://g.example/9/a%20b",
		"GOPHER '' g.example '' a TEXT":        "gopher://g.example/0a",
		"GOPHER '' g.example '' '7find?'":      "gopher://g.example/77find%3F",
		"GOPHER '' g.example '' 'a\tb' 0":      "",
		"GOPHER '' g.example '' 'a\r\nb' 0":    "",
		"GOPHER '' g.example '' a 11":          "",
		"GOPHER '' g.example '' a ' '":         "",

		"TELNET '' t.example '' '' 'Use the account name \"guest\" to log in'":        "telnet://guest@t.example/",
		"TELNET '' t.example(99) '' '' Use the account name \"a:b\" to log in":        "telnet://a%3Ab@t.example:99/",
		"TELNET '' t.example '' '' 'Please use the account name \"guest\" to log in'": "telnet://t.example/",
		"TELNET '' t.example '' '' 'Use the account name \"\" to log in'":             "telnet://t.example/",
		"TELNET '' t.example '' '' 'Use the account name \"a\nb\" to log in'":         "telnet://t.example/",
		"TELNET '' '' '' ''":                 "telnet://h.example/",
		"TN3270 '' t.example '' '' anything": "tn3270://t.example/",

		"NFS '' n.example '' a/b /export": "nfs://n.example/export/a/b",
		"NFS '' n.example '' a/b":         "",
		"NFS '' n.example '' a/b /":       "",
		"NFS '' n.example '' a/b '/x\ny'": "",
		"AFS '' dummy '' /cell.example/a": "afs://cell.example/a",
		"AFS '' dummy '' cell.example":    "afs://cell.example/",
		"AFS '' dummy '' '/a b/c'":        "",
		"AFS '' dummy '' /":               "",

		"LOCAL '' '' '' ''":                            "",
		"LOCAL INTERNET-D h.example ASCII /etc/passwd": "",
		"RCP '' '' '' ''":                              "",
		"WAIS '' '' '' '' ':TEXT:a'":                   "",
		"HTTP '' '' '' 'http://h.example/'":            "",
		"aftp '' '' '' ''":                             "",
	} {
		m, err := methodOf(t, value, false)
		if err != nil {
			t.Errorf("%s: %v", value, err)
			continue
		}
		u, err := m.URL()
		if want == "" {
			if !u.IsZero() || !errors.Is(err, scheme.ErrUnsupported) || !strings.Contains(err.Error(), m.Name) || strings.ContainsAny(err.Error(), "\r\n\x00") {
				t.Errorf("%s: %v %v", value, u, err)
			}
			continue
		}
		if err != nil || u.String() != want {
			t.Errorf("%s: %v %v, not %s", value, u, err, want)
		}
	}
}

func TestExternalMethods(t *testing.T) {
	for value, want := range map[string]string{
		"AFTP '' '' '' ''":                "ftp://h.example:7/x",
		"GOPHER '' '' '' ''":              "gopher://h.example:7///x",
		"GOPHER '' '' '' '' 0":            "gopher://h.example:7/0/x",
		"AFTP INTERNET-D o.example '' ''": "ftp://o.example/x",
	} {
		m, err := methodOf(t, value, true)
		if err != nil || textOf(m) != want {
			t.Errorf("%s: %s %v, not %s", value, textOf(m), err, want)
		}
	}
	empty := target{HostType: hostInternet, Host: "h.example", NameType: nameASCII}
	m, _ := methodsOf([]attribute{{Name: attrAccessMethod, Type: valueSequence, Value: []string{"GOPHER", "", "", "", ""}}}, empty, true)
	if len(m) != 1 || textOf(m[0]) != "gopher://h.example/1" {
		t.Errorf("%+v", m)
	}
}

func TestMethodFaults(t *testing.T) {
	for _, value := range []string{"", "AFTP", "AFTP '' '' ''", "AFTP '' h( '' ''", "AFTP '' h(0) '' ''", "AFTP '' h(70000) '' ''"} {
		if m, err := methodOf(t, value, false); !errors.Is(err, scheme.ErrProtocol) {
			t.Errorf("%q: %+v %v", value, m, err)
		}
	}
	// Attributes with other value types are not methods, and must not affect the other
	// methods.
	list := []attribute{
		{Name: attrAccessMethod, Type: valueLink, Link: &link{}},
		{Name: "SIZE", Type: valueSequence, Value: []string{"AFTP", "", "", "", ""}},
		{Name: "access-method", Type: valueSequence, Value: []string{"AFTP", "a", "b", "c"}},
		{Name: "access-method", Type: valueSequence, Value: []string{"AFTP", "a", "b", "c", "d", "e", "f"}},
	}
	methods, faults := methodsOf(list, target{}, false)
	if len(faults) != 1 || len(methods) != 1 || fmt.Sprint(methods[0]) != "{AFTP {a b 0 c d 0} [e f]}" {
		t.Errorf("%+v %v", methods, faults)
	}
}

func TestGatewayURLs(t *testing.T) {
	for hsoname, want := range map[string]string{
		"ARCHIE/HOST/ftp.example.org/pub/gnu":          "ftp://ftp.example.org/pub/gnu/;type=d",
		"ARCHIE/HOST/FTP.Example.ORG/pub/a b/":         "ftp://ftp.example.org/pub/a%20b/;type=d",
		"ARCHIE/HOST/ftp.example.org":                  "ftp://ftp.example.org/;type=d",
		"ARCHIE/HOST/ftp.example.org//etc":             "ftp://ftp.example.org//etc/;type=d",
		"ARCHIE/HOST/":                                 "",
		"ARCHIE/HOST":                                  "",
		"ARCHIE/HOST/a b/c":                            "",
		"ARCHIE/MATCH(20,20,20,0,s)/emacs":             "",
		"GOPHER-GW/g.example(70)/1/docs/a":             "gopher://g.example:70/1docs/a",
		"GOPHER-GW/g.example/0/0/a?b":                  "gopher://g.example/00/a%3Fb",
		"GOPHER-GW/g.example(70)/1":                    "gopher://g.example:70/1",
		"GOPHER-GW/g.example(x)/1/a":                   "",
		"GOPHER-GW/g.example(70)/12/a":                 "",
		"GOPHER-GW/g.example(70)/1/a\tb":               "",
		"WAIS-GW/w.example(210)/TEXT/db/0 20 /a;b":     "wais://w.example:210/db/TEXT/0%2020%20%2Fa%3Bb",
		"WAIS-GW/w.example/TEXT/db":                    "",
		"WAIS-GW/w.example(8210)/QUERY/db":             "wais://w.example:8210/db",
		"WAIS-GW/w.example(8210)/QUERY/d b/two+2 c?/d": "wais://w.example:8210/d%20b?two%2B2%20c%3F%2Fd",
		"WAIS-GW/w.example(8210)/QUERY/":               "",
		"WAIS-GW/w.example(8210)":                      "",
		"WAIS-GW/w.example(x)/QUERY/db":                "",
		"WAIS-GW/[::1]/QUERY/db":                       "",
		"gopher-gw/g.example(70)/1/docs":               "",
		"/GOPHER-GW/g.example(70)/1/docs":              "",
		"/pfs/info":                                    "",
		"":                                             "",
	} {
		list := gatewayURLs(hsoname)
		if want == "" && list == nil {
			continue
		}
		if len(list) != 1 || list[0].String() != want {
			t.Errorf("%q: %v, not %q", hsoname, list, want)
		}
	}
}

// checkMethod checks that the URL of a method is valid and safe.
func checkMethod(t *testing.T, m method) {
	t.Helper()
	u, err := m.URL()
	if err != nil {
		if !u.IsZero() || !errors.Is(err, scheme.ErrUnsupported) {
			t.Errorf("%+v: %v %v", m, u, err)
		}
		return
	}
	if again, err := locus.Parse(u.String()); err != nil || again != u {
		t.Errorf("%+v: %v is %v %v", m, u, again, err)
	}
	if !slices.Contains([]string{"ftp", "gopher", "telnet", "tn3270", "nfs", "afs", "prospero"}, u.Scheme()) || m.Name == "LOCAL" {
		t.Errorf("%+v: %v", m, u)
	}
	if text := u.String(); !strings.HasPrefix(text, "prospero:") && (strings.Contains(text, "%0A") || strings.Contains(text, "%0D")) {
		t.Errorf("%+v: %v ends a line", m, u)
	}
	if _, ok := u.Fragment(); ok {
		t.Errorf("%+v: %v has a fragment", m, u)
	}
	if port, ok := u.Port(); ok && (port != m.Port || u.Scheme() == "afs") {
		t.Errorf("%+v: %v has another port", m, u)
	}
}

func FuzzMethod(f *testing.F) {
	for _, c := range []string{"AFTP", "FTP", "GOPHER", "TELNET", "TN3270", "NFS", "AFS", "LOCAL", "PROSPERO-CONTENTS", "WAIS"} {
		f.Add(c, "h.example", uint16(70), "/a b;c", "TEXT")
		f.Add(c, "H", uint16(0), "a\r\nb", `Use the account name "x" to log in`)
	}
	f.Fuzz(func(t *testing.T, name, host string, port uint16, object, more string) {
		checkMethod(t, method{Name: name, target: target{HostType: hostInternet, Host: host, Port: port, NameType: nameASCII, Name: object}})
		checkMethod(t, method{Name: name, target: target{HostType: hostInternet, Host: host, Port: port, NameType: nameASCII, Name: object}, More: []string{more}})
		for _, kind := range []string{"ARCHIE/HOST/", "GOPHER-GW/", "WAIS-GW/"} {
			for _, u := range gatewayURLs(kind + host + "/" + more + "/" + object) {
				if again, err := locus.Parse(u.String()); err != nil || again != u {
					t.Errorf("%v is %v %v", u, again, err)
				}
			}
		}
	})
}
