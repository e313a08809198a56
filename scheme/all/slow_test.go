package all_test

import (
	"regexp"
	"strings"
)

// This file contains the complete grammar of RFC 1738 section 5 in a readable form. Each
// production is a regular expression with the name and the position that it has in the RFC. The
// tests compare the Check function of each scheme with these expressions.
//
// Where the standard contradicts itself, this file chooses an interpretation. otherurl applies
// only to schemes without their own production, because otherwise every text would match it. The
// literal "/" of gopherurl lacks its quotes. A fragment is split off first, because no production
// contains a "#". The case of ";type=" does not matter, like the case of any literal in RFC 822,
// whose conventions apply.

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

// url maps the name of each scheme to its production. It includes schemes to which a later
// standard or the URI draft gives the same production.
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

// conforms reports whether text matches the production url, optionally followed by "#" and xchars.
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

// splitsAsInternet reports whether "//" follows the scheme in text. In such a URL, section 3.1
// requires a login, even if *xchar or a message-id would match.
func splitsAsInternet(text string) bool {
	_, part, _ := strings.Cut(text, ":")
	return strings.HasPrefix(part, "//")
}
