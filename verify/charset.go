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

// decodePage converts a page to UTF-8. The charset comes from a byte order mark, mediaType, an XML
// declaration or a meta element, in this order (HTML 13.2.3.2). If no charset is declared,
// decodePage reads the page as UTF-8. Invalid UTF-8 is read as ISO Latin 1.
func decodePage(page []byte, mediaType string) []byte {
	e, name, certain := charset.DetermineEncoding(page, mediaType)
	if label := xmlCharset(page); !certain && label != "" {
		if declared, _ := charset.Lookup(label); declared != nil {
			e, certain = declared, true
		}
	}
	// DetermineEncoding returns "windows-1252" also for a page without any charset declaration.
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

// maxXMLDeclaration is the maximum size of an XML declaration.
const maxXMLDeclaration = 1 << 10

// xmlCharset returns the charset in an XML declaration, or "" if there is none.
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
