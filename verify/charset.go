package verify

import (
	"bytes"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	text "github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/octet"
)

// decodePage returns a page in UTF-8. Its charset is that of a byte order mark, of
// mediaType, of an XML declaration or of a meta element, in this order (HTML 13.2.3.2). A
// page that names none is read as UTF-8, and what is not UTF-8 in it as ISO Latin 1.
func decodePage(page []byte, mediaType string) []byte {
	e, name, certain := charset.DetermineEncoding(page, mediaType)
	if label := xmlCharset(page); !certain && label != "" {
		if declared, _ := charset.Lookup(label); declared != nil {
			e, certain = declared, true
		}
	}
	// This is the name both of a meta element and of no charset at all.
	isGuess := !certain && name == "windows-1252"
	if isGuess || e == encoding.Replacement {
		decoded, err := io.ReadAll(text.NewReader("", bytes.NewReader(page), int64(len(page))))
		if err != nil {
			return page
		}
		return decoded
	}
	decoded, err := e.NewDecoder().Bytes(page)
	if err != nil {
		return page
	}
	return decoded
}

// maxXMLDeclaration is the most bytes in which an XML declaration ends.
const maxXMLDeclaration = 1 << 10

// xmlCharset returns the charset of an XML declaration; empty: there is none.
func xmlCharset(page []byte) string {
	begin, _, ok := strings.Cut(octet.View(page[:min(len(page), maxXMLDeclaration)]), "?>")
	if !ok || !strings.HasPrefix(begin, "<?xml") {
		return ""
	}
	_, value, _ := strings.Cut(begin, "encoding")
	value = strings.TrimLeft(value, " \t\r\n=")
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return ""
	}
	label, _, _ := strings.Cut(value[1:], value[:1])
	return strings.Clone(label)
}
