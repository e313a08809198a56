package wais

// Types of documents that mean more than what their octets are.
const (
	wtypeSource = "WSRC" // a source description
	wtypeURL    = "URL"  // the headline is the URL to follow
)

// mediaTypes are those of the types that servers have. Anybody may invent others.
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

// MediaType returns the media type of a document of that wtype, without
// parameters: nothing says which characters a text is in. What is not known is
// "application/octet-stream".
func MediaType(wtype string) string {
	if t, ok := mediaTypes[wtype]; ok {
		return t
	}
	return "application/octet-stream"
}

// isNeighbour reports whether a server takes wtype not for a type, but for a
// question: which document stands before or behind this one.
func isNeighbour(wtype string) bool { return wtype == "WAIS_NEXT" || wtype == "WAIS_PREV" }
