package wais

// These are the document types that the client treats specially.
const (
	wtypeSource = "WSRC" // type of a source description
	wtypeURL    = "URL"  // type of a document whose headline contains a URL to follow
)

// mediaTypes maps WAIS document types to media types. Servers may also use other types.
var mediaTypes = map[string]string{
	"TEXT":      "text/plain",
	"HTML":      "text/html",
	wtypeSource: "application/x-wais-source",
	"GIF":       "image/gif",
	"JPEG":      "image/jpeg",
	"JFIF":      "image/jpeg",
	"TIFF":      "image/tiff",
	"PS":        "application/postscript",
}

// mediaTypeOf returns the media type of a wtype. No server specifies a charset.
func mediaTypeOf(wtype string) string {
	if t, ok := mediaTypes[wtype]; ok {
		return t
	}
	return "application/octet-stream"
}

// isNeighbor reports whether wtype is not a real type, but requests the next or previous
// document.
func isNeighbor(wtype string) bool { return wtype == "WAIS_NEXT" || wtype == "WAIS_PREV" }
