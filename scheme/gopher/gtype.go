package gopher

import (
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

// What the types say about items: RFC 1436 section 3.8, Gopher+ section 2.9, and
// what came into use. A type that is in none of these is asked for as octets.

// isText reports whether a reply of that type is lines that end with a lone dot.
func isText(gtype byte) bool {
	switch gtype {
	case '0', '4', '6', 'M', TypeMenu, TypeSearch:
		return true
	}
	return false
}

// mediaType returns the media type that the type alone tells, or "".
func mediaType(gtype byte) string {
	switch gtype {
	case '0':
		return "text/plain"
	case TypeMenu, TypeSearch:
		return "application/gopher-menu"
	case '4':
		return "application/mac-binhex40"
	case '6':
		return "text/x-uuencode"
	case 'g':
		return "image/gif"
	case TypeHTML:
		return "text/html"
	}
	return ""
}

// itemType returns the media type that type and selector tell, or "". The end of
// the selector says nothing where the type says what the octets are: a text that is
// named like a page stays a text.
func itemType(gtype byte, selector string) string {
	switch gtype {
	case 'I', 's', 'd', ':', ';', '<', '5', '9':
		return media.ByName(selector)
	case 'M':
		if t := media.ByName(selector); t != "" {
			return t
		}
		return "message/rfc822"
	case 'P':
		if t := media.ByName(selector); t != "" {
			return t
		}
		return "application/pdf"
	}
	return mediaType(gtype)
}

// kindOf returns what an item of that type promises to be.
func kindOf(gtype byte) scheme.ItemKind {
	switch gtype {
	case TypeMenu:
		return scheme.KindMenu
	case TypePhone, TypeSearch:
		return scheme.KindSearch
	case TypeTelnet, TypeTN3270:
		return scheme.KindSession
	case TypeInfo:
		return scheme.KindInfo
	case TypeError:
		return scheme.KindError
	case '0', '4', '5', '6', '9', 'g', 'I', ':', ';', '<', TypeHTML, 's', 'd', 'P', 'M':
		return scheme.KindObject
	}
	return scheme.KindUnknown
}
