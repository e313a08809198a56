package httpwire

import (
	"net/http"
	"slices"
	"strings"

	"github.com/locus-url/locus"
)

// public are the fields of a request whose values are shown. The value of any other is
// hidden, because a person may have added it for a login.
var public = []string{
	"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Cache-Control", "Connection", "Content-Length", "Content-Type", "Date", "Dnt",
	"Expect", "Host", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Keep-Alive", "Max-Forwards",
	"Origin", "Pragma", "Priority", "Proxy-Connection", "Range", "Referer", "Save-Data", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "Sec-Fetch-User",
	"Sec-Gpc", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Upgrade-Insecure-Requests", "User-Agent", "Via",
}

// secret are the fields of a response whose values are hidden.
var secret = []string{"Set-Cookie", "Set-Cookie2", "Cookie", "Authorization", "Proxy-Authorization", "Authentication-Info", "Proxy-Authentication-Info"}

// located are fields whose values are URLs, perhaps with a password.
var located = []string{"Location", "Content-Location", "Refresh", "Link", "Referer", "Origin"}

func isSecretRequest(name string) bool  { return !slices.Contains(public, name) }
func isSecretResponse(name string) bool { return slices.Contains(secret, name) }

// hidden stands for a secret.
const hidden = "***"

// mask returns a header with hidden in place of secrets, and the names of the fields that
// it changed. Lines that are folded belong to the field before.
func mask(header []byte, isSecret func(name string) bool) (masked []byte, fields []string) {
	name, first := "", true
	for line := range strings.Lines(string(header)) {
		text := strings.TrimRight(line, "\r\n")
		end := line[len(text):]
		switch {
		case first || text == "":
			first = false
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

// maskValue hides a value, but not the authentication scheme of a login.
func maskValue(name, value string) string {
	value = strings.TrimSpace(value)
	if method, _, ok := strings.Cut(value, " "); ok && (name == "Authorization" || name == "Proxy-Authorization") {
		return " " + method + " " + hidden
	}
	return " " + hidden
}

// maskURLs hides the passwords of the URLs in a value.
func maskURLs(name, value string) string {
	if !slices.Contains(located, name) || !strings.Contains(value, "@") && !strings.Contains(value, "%") {
		return value
	}
	trimmed := strings.TrimSpace(value)
	if u, err := locus.Parse(trimmed); err == nil {
		if _, ok := u.Password(); !ok {
			return value // what else looks like a password is a part of the URL
		}
	}
	return strings.Replace(value, trimmed, locus.MaskText(trimmed), 1)
}
