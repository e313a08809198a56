package wais

// Types of documents that the client treats specially.
const (
	wtypeSource = "WSRC" // a source description
	wtypeURL    = "URL"  // the headline is the URL to follow
)

// mediaTypes holds the types that servers use; there may be others.
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

// isNeighbour reports whether wtype is not a type, but requests the next or previous
// document.
func isNeighbour(wtype string) bool { return wtype == "WAIS_NEXT" || wtype == "WAIS_PREV" }
