package httpwire

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/locus-url/locus"
)

// publicFields lists the request header fields whose values may be recorded. Other fields may
// contain a login that the user added, so their values are hidden.
var publicFields = []string{
	"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Cache-Control", "Connection", "Content-Length", "Content-Type", "Date", "Dnt",
	"Expect", "Host", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Keep-Alive", "Max-Forwards",
	"Origin", "Pragma", "Priority", "Proxy-Connection", "Range", "Referer", "Save-Data", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "Sec-Fetch-User",
	"Sec-Gpc", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Upgrade-Insecure-Requests", "User-Agent", "Via",
}

// secretFields lists the response header fields whose values are hidden.
var secretFields = []string{"Set-Cookie", "Set-Cookie2", "Cookie", "Authorization", "Proxy-Authorization", "Authentication-Info", "Proxy-Authentication-Info"}

// urlFields lists header fields that contain URLs, possibly with a password.
var urlFields = []string{"Location", "Content-Location", "Refresh", "Link", "Referer", "Origin"}

func isSecretRequest(name string) bool  { return !slices.Contains(publicFields, name) }
func isSecretResponse(name string) bool { return slices.Contains(secretFields, name) }

// hidden is the text that replaces secrets.
const hidden = "***"

// mask replaces the secrets in a header by "***". It returns the masked header and the names
// of the changed fields, and calls the function report with each secret. A folded line belongs
// to the previous field.
func mask(header []byte, isSecret func(name string) bool, report func(secret string)) (masked []byte, fields []string) {
	name := ""
	line, rest, _ := bytes.Cut(header, []byte("\n"))
	masked = append([]byte(maskTarget(string(line))), '\n')
	for line := range strings.Lines(string(rest)) {
		text := strings.TrimRight(line, "\r\n")
		end := line[len(text):]
		switch {
		case text == "":
		case text[0] == ' ' || text[0] == '\t':
			if isSecret(name) {
				text = " "
			} else {
				text = maskURLs(name, text)
			}
		default:
			before, value, _ := strings.Cut(text, ":")
			name = http.CanonicalHeaderKey(strings.TrimSpace(before))
			shown := maskURLs(name, value)
			if isSecret(name) {
				shown = maskValue(name, value)
				for _, text := range secretsIn(name, value) {
					report(text)
				}
			}
			if shown != value {
				text = before + ":" + shown
				if !slices.Contains(fields, name) {
					fields = append(fields, name)
				}
			}
		}
		masked = append(append(masked, text...), end...)
	}
	return masked, fields
}

// maskTarget removes the password from the URL in the request line of a proxy request.
func maskTarget(line string) string {
	method, rest, _ := strings.Cut(line, " ")
	target, version, ok := strings.Cut(rest, " ")
	u, err := locus.Parse(target)
	if !ok || err != nil {
		return line
	}
	if _, has := u.Password(); !has {
		return line
	}
	return method + " " + locus.MaskText(target) + " " + version
}

// minToken is the minimum length of a secret in a cookie, or in a field that the user added. A
// shorter value is usually a word, such as a language.
const minToken = 8

// secretsIn returns the secrets in the value of a hidden field, as a server may repeat them. They
// are cookie values, encoded credentials, and the password of a login.
func secretsIn(name, value string) []string {
	value = strings.TrimSpace(value)
	switch name {
	case "Cookie", "Set-Cookie":
		var list []string
		for pair := range strings.SplitSeq(value, ";") {
			_, text, _ := strings.Cut(pair, "=")
			if text = strings.Trim(text, ` "`); len(text) >= minToken {
				list = append(list, text)
			}
			if name == "Set-Cookie" {
				break // the other pairs are attributes, which are not secret
			}
		}
		return list
	case "Authorization", "Proxy-Authorization":
		_, credentials, _ := strings.Cut(value, " ")
		list := []string{credentials}
		if login, err := base64.StdEncoding.DecodeString(credentials); err == nil {
			_, password, _ := strings.Cut(string(login), ":")
			list = append(list, password)
		}
		return list
	}
	if len(value) < minToken {
		return nil
	}
	return []string{value}
}

// maskValue hides a value, but preserves the authentication scheme of a login.
func maskValue(name, value string) string {
	value = strings.TrimSpace(value)
	if method, _, ok := strings.Cut(value, " "); ok && (name == "Authorization" || name == "Proxy-Authorization") {
		return " " + method + " " + hidden
	}
	return " " + hidden
}

// maskURLs hides passwords in URLs within a value.
func maskURLs(name, value string) string {
	if !slices.Contains(urlFields, name) || !strings.Contains(value, "@") && !strings.Contains(value, "%") {
		return value
	}
	trimmed := strings.TrimSpace(value)
	if u, err := locus.Parse(trimmed); err == nil {
		if _, ok := u.Password(); !ok {
			return value // other text that looks like a password is a part of the URL
		}
	}
	return strings.Replace(value, trimmed, locus.MaskText(trimmed), 1)
}
