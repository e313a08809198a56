package gopher

import (
	"cmp"

	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

type typeInfo struct {
	kind      scheme.ItemKind // kind of the menu item
	mediaType string          // media type; empty if unknown
	byName    bool            // the file extension in the selector determines the media type; mediaType is the default
	isText    bool            // a plain reply consists of lines and ends with a lone dot
}

// types contains the types of RFC 1436 section 3.8 and Gopher+ section 2.9, and types in
// common use. The client fetches an item of any other type as a binary file.
var types = [256]typeInfo{
	'0':        {kind: scheme.KindObject, mediaType: "text/plain", isText: true},
	TypeMenu:   {kind: scheme.KindMenu, mediaType: "application/gopher-menu", isText: true},
	TypePhone:  {kind: scheme.KindSearch},
	errorType:  {kind: scheme.KindError},
	'4':        {kind: scheme.KindObject, mediaType: "application/mac-binhex40", isText: true},
	'5':        {kind: scheme.KindObject, byName: true},
	'6':        {kind: scheme.KindObject, mediaType: "text/x-uuencode", isText: true},
	TypeSearch: {kind: scheme.KindSearch, mediaType: "application/gopher-menu", isText: true},
	TypeTelnet: {kind: scheme.KindSession},
	'9':        {kind: scheme.KindObject, byName: true},
	TypeTN3270: {kind: scheme.KindSession},
	'g':        {kind: scheme.KindObject, mediaType: "image/gif"},
	'I':        {kind: scheme.KindObject, byName: true},
	':':        {kind: scheme.KindObject, byName: true},
	';':        {kind: scheme.KindObject, byName: true},
	'<':        {kind: scheme.KindObject, byName: true},
	's':        {kind: scheme.KindObject, byName: true},
	'd':        {kind: scheme.KindObject, byName: true},
	'M':        {kind: scheme.KindObject, mediaType: "message/rfc822", byName: true, isText: true},
	'P':        {kind: scheme.KindObject, mediaType: "application/pdf", byName: true},
	TypeHTML:   {kind: scheme.KindObject, mediaType: "text/html"},
	infoType:   {kind: scheme.KindInfo},
}

// itemType returns the media type of an item, or "" if it is unknown. The selector matters
// only for types that have no fixed media type. An item of a text type is a text even if the
// selector ends in ".html".
func itemType(gtype byte, selector string) string {
	t := types[gtype]
	if t.byName {
		return cmp.Or(media.ByName(selector), t.mediaType)
	}
	return t.mediaType
}

func kindOf(gtype byte) scheme.ItemKind { return cmp.Or(types[gtype].kind, scheme.KindUnknown) }
