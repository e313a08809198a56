// Package secrettest provides valid and mistyped URLs that contain a password. Tests use these
// URLs to check that output never shows a password.
package secrettest

import "strings"

// Password is a password that no other text contains.
const Password = "Xq7Zw9Vk"

// Half is a part of Password. Output must not contain even this part.
const Half = "Zw9"

// forms lists texts in which PW represents a password, and HOST represents a host with an optional
// port.
var forms = []string{
	// Valid URLs.
	"ftp://u:PW@HOST/", "ftp://:PW@HOST/x", "http://u:PW@HOST/x?y#z", "telnet://u:PW@HOST/",
	// URLs with wrong or missing slashes.
	"ftp:/u:PW@HOST", "ftp:u:PW@HOST", "ftp:///u:PW@HOST/", "ftp:////u:PW@HOST/", `http:\\u:PW@HOST/`, `ftp:\u:PW@HOST/`, "ftp//u:PW@HOST/",
	"//u:PW@HOST/", "ftp;//u:PW@HOST/", "ftp ://u:PW@HOST/",
	// Incomplete URLs, and URLs without a scheme.
	"ftp://u:PW", "ftp://u:PW/", "//u:PW", "u:PW@HOST", "u:PW@HOST/x",
	// URLs with escaped delimiters, and with delimiters of other scripts.
	"http://u:PW%40HOST/", "http://u%3APW@HOST/", "http://u%3aPW%40HOST/", "http://u%253APW%2540HOST/",
	"http://u\uff1aPW@HOST/", "http://u:PW\uff20HOST/", "ftp\uff1a//u\uff1aPW\uff20HOST/", "http://u%EF%BC%9APW%EF%BC%A0HOST/",
	"ftp://u%3aPW@HOST/", "FTP://U%3APW@HOST/", "ftp://u%253aPW@HOST/", "ftp://u%25253APW@HOST/", "ftp://u%ef%bc%9aPW@HOST/", "ftp://u\ufe55PW\ufe6bHOST/",
	"ftp:///u%3APW@HOST/", "ftp:////u%3aPW%40HOST/x", "//u%3aPW@HOST/", "ftp%3A//u:PW@HOST/", "ftp%3A%2F%2Fu%3APW%40HOST%2F", "http://%75:PW@HOST/",
	"http://u%3A%50PW@HOST/", "ftp://u%3Ax:PW@HOST/", "ftp://u;x%3APW@HOST/", "telnet://u%3APW@HOST/", "prospero://u%3APW@HOST/x", "wais://u%3APW@HOST/db", "nntp://u%3APW@HOST/g/1",
	// URLs with several "@".
	"ftp://a@u:PW@HOST/", "ftp://a@u%3APW@HOST/", "ftp://u:PW@@HOST/", "ftp://u:a@b:PW@HOST/", "http://HOST:80@u:PW@h/", "ftp://u%40x:PW@HOST/", "ftp://u%3APW%40x@HOST/",
	// URLs with bytes that are invalid in a URL.
	"ftp://u:x\tPW@HOST/", "ft\tp://u:PW@HOST/", "ftp:/\t/u:PW@HOST/", "ftp://u\t:PW\t@HOST/", `ftp:\\u%3APW@HOST\x`, `ftp:/\u:PW@HOST/`, " ftp://u:PW@HOST/ ", `"ftp://u:PW@HOST/"`,
	"ftp://u:PW x@HOST/", "ftp://u:PW#x@HOST/", "ftp://u:PW/x@HOST/", "ftp://u:PW@x@HOST/", "ftp://u:PW%x@HOST/", "ftp://u:PW@HO ST/", "ftp://u:PW@HOST/%",
	"ftp://u:PW@HOST:x/", "ftp://u:PW@[::/",
	// URLs in a wrapper.
	"<URL:ftp://u:PW@HOST/>", "URL:ftp://u:PW@HOST/", "url:ftp:/u:PW@HOST", "<URL:ftp://u:PW>", "url:PW@HOST",
	// URLs within another URL.
	"http://HOST/?v=ftp://u:PW@h/", "http://HOST/?v=ftp%3A%2F%2Fu%3APW%40h%2F", "http://HOST/?v=u:PW@h", "http://HOST/ftp://u:PW@h/", "http://HOST/ftp:/u:PW@h/",
	"http://HOST/#ftp://u:PW@h/", "gopher://HOST/hURL:ftp://u:PW@h/", "wais://HOST/d?ftp://u:PW@h/", "mailto:a@b?body=ftp://u:PW@h/", "view-source:ftp://u:PW@HOST/",
	"http://HOST/?v=http%3A%2F%2Fh%2F%3Fw%3Dftp%253A%252F%252Fu%253APW%2540h%252F", "http://HOST/?v=http://h/?w=ftp://u:PW@h/", "http://HOST/?v=ftp://u%3APW@h/", "http://HOST/ftp://u%3APW@h/",
	"http://HOST/#//u%3APW@h/", "http://HOST/;v=ftp://u%253APW@h/", "wais://HOST/d?ftp:u:PW@h", "gopher://HOST/hURL:ftp://u:PW",
	// Relative references.
	"?v=ftp://u:PW@h/", "#ftp://u%3APW@h/", "/ftp://u:PW@h/", "../ftp:/u:PW@h/", "x?u:PW@h", `\\u:PW@HOST\x`,
	// URLs with schemes that are not registered.
	"sip:u:PW@HOST", "ssh://u:PW@HOST/", "x-foo:u:PW@HOST", "htp://u:PW@HOST/",
}

// URLs returns texts that contain the given password. Texts with a host use the given host.
func URLs(password, host string) []string {
	list := make([]string, len(forms))
	r := strings.NewReplacer("PW", password, "HOST", host)
	for i, form := range forms {
		list[i] = r.Replace(form)
	}
	return list
}
