package all_test

import (
	"regexp"
	"strings"
)

// This file is section 5 of RFC 1738, all of it and in its order, written for
// reading only: each production is a pattern with the name that it has there. It
// judges the Check of every scheme.
//
// Where the standard contradicts itself it is read as follows. otherurl is for
// the schemes that have no production of their own, else every text would be of
// it. The literal "/" of gopherurl stands there without its quotes. A fragment is
// split off before: no production has a "#". The case of ";type=" makes no
// difference, as that of any literal of RFC 822, whose conventions these are.

// ; Miscellaneous definitions
const (
	lowalpha   = `a-z`
	hialpha    = `A-Z`
	alpha      = lowalpha + hialpha
	digit      = `0-9`
	safe       = `$\-_.+`
	extra      = `!*'(),`
	reserved   = `;/?:@&=`
	hex        = `[` + digit + `A-Fa-f]`
	escaped    = `%` + hex + hex
	unreserved = alpha + digit + safe + extra
	uchar      = `(?:[` + unreserved + `]|` + escaped + `)`
	xchar      = `(?:[` + unreserved + reserved + `]|` + escaped + `)`
	digits     = `[` + digit + `]+`
)

// ; URL schemeparts for ip based protocols
const (
	alphadigit  = `[` + alpha + digit + `]`
	domainlabel = `(?:` + alphadigit + `|` + alphadigit + `[` + alpha + digit + `\-]*` + alphadigit + `)`
	toplabel    = `(?:[` + alpha + `]|[` + alpha + `][` + alpha + digit + `\-]*` + alphadigit + `)`
	hostname    = `(?:(?:` + domainlabel + `\.)*` + toplabel + `)`
	hostnumber  = `(?:` + digits + `\.` + digits + `\.` + digits + `\.` + digits + `)`
	host        = `(?:` + hostname + `|` + hostnumber + `)`
	port        = digits
	hostport    = host + `(?::` + port + `)?`
	user        = `(?:` + uchar + `|[;?&=])*`
	password    = `(?:` + uchar + `|[;?&=])*`
	login       = `(?:` + user + `(?::` + password + `)?@)?` + hostport
	urlpath     = xchar + `*`
)

// ; The generic form of a URL
const (
	ipSchemepart = `//` + login + `(?:/` + urlpath + `)?`
	schemepart   = `(?:` + xchar + `*|` + ipSchemepart + `)`
	schemeName   = `[` + lowalpha + digit + `+\-.]+`
	genericurl   = schemeName + `:` + schemepart
	otherurl     = genericurl
)

// ; The predefined schemes, without their names
const (
	// FTP
	fsegment = `(?:` + uchar + `|[?:@&=])*`
	fpath    = fsegment + `(?:/` + fsegment + `)*`
	ftptype  = `[AIDaid]`
	ftpurl   = `//` + login + `(?:/` + fpath + `(?:;(?i:type)=` + ftptype + `)?)?`

	// FILE
	fileurl = `//(?:` + host + `|localhost)?/` + fpath

	// HTTP
	hsegment = `(?:` + uchar + `|[;:@&=])*`
	hpath    = hsegment + `(?:/` + hsegment + `)*`
	search   = `(?:` + uchar + `|[;:@&=])*`
	httpurl  = `//` + hostport + `(?:/` + hpath + `(?:\?` + search + `)?)?`

	// GOPHER
	gtype      = xchar
	selector   = xchar + `*`
	gopherplus = xchar + `*`
	gopherurl  = `//` + hostport + `(?:/(?:` + gtype + `(?:` + selector + `(?:%09` + search + `(?:%09` + gopherplus + `)?)?)?)?)?`

	// MAILTO
	encoded822addr = xchar + `+`
	mailtourl      = encoded822addr

	// NEWS
	group     = `[` + alpha + `][` + alpha + digit + `\-.+_]*`
	article   = `(?:` + uchar + `|[;/?:&=])+@` + host
	grouppart = `(?:\*|` + group + `|` + article + `)`
	newsurl   = grouppart

	// NNTP
	nntpurl = `//` + hostport + `/` + group + `(?:/` + digits + `)?`

	// TELNET
	telneturl = `//` + login + `/?`

	// WAIS
	database     = uchar + `*`
	wtype        = uchar + `*`
	wpath        = uchar + `*`
	waisdatabase = `//` + hostport + `/` + database
	waisindex    = `//` + hostport + `/` + database + `\?` + search
	waisdoc      = `//` + hostport + `/` + database + `/` + wtype + `/` + wpath
	waisurl      = `(?:` + waisdatabase + `|` + waisindex + `|` + waisdoc + `)`

	// PROSPERO
	psegment    = `(?:` + uchar + `|[?:@&=])*`
	ppath       = psegment + `(?:/` + psegment + `)*`
	fieldname   = `(?:` + uchar + `|[?:@&])*`
	fieldvalue  = `(?:` + uchar + `|[?:@&])*`
	fieldspec   = `;` + fieldname + `=` + fieldvalue
	prosperourl = `//` + hostport + `/` + ppath + `(?:` + fieldspec + `)*`
)

// url has the production of each scheme that has one, and of those that a later
// text, or the URI draft, gives the same.
var url = map[string]*regexp.Regexp{
	"ftp":      production(ftpurl),
	"file":     production(fileurl),
	"http":     production(httpurl),
	"gopher":   production(gopherurl),
	"mailto":   production(mailtourl),
	"news":     production(newsurl),
	"nntp":     production(nntpurl),
	"telnet":   production(telneturl),
	"wais":     production(waisurl),
	"prospero": production(prosperourl),

	"https":   production(httpurl),
	"ftps":    production(ftpurl),
	"gophers": production(gopherurl),
	"nntps":   production(nntpurl),
	"snews":   production(newsurl),
	"rlogin":  production(telneturl),
	"tn3270":  production(telneturl),
	"mid":     production(encoded822addr),
	"cid":     production(encoded822addr),
}

var (
	other    = production(otherurl)
	fragment = production(xchar + `*`)
)

func production(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`\A(?:` + pattern + `)\z`)
}

// conforms reports whether text is a url, perhaps with "#" and xchars behind it.
func conforms(text string) bool {
	text, id, _ := strings.Cut(text, "#")
	name, part, ok := strings.Cut(text, ":")
	if !ok || !fragment.MatchString(id) {
		return false
	}
	if own := url[name]; own != nil {
		return own.MatchString(part)
	}
	// The name of a scheme is in lower case, so "FTP:" is not an otherurl either.
	return url[strings.ToLower(name)] == nil && other.MatchString(text)
}

// splitsAsInternet reports whether text has "//" after its scheme. Then section
// 3.1 says that a login follows, also where *xchar or a message-id would do.
func splitsAsInternet(text string) bool {
	_, part, _ := strings.Cut(text, ":")
	return strings.HasPrefix(part, "//")
}
