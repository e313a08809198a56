package data

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

// spell returns the text after "data:" in canonical form. In the data, spell does not escape the
// octets in the set keep. In the media type, it also escapes tspecials and "&".
func (c *content) spell(keep escape.Set) string {
	var b strings.Builder
	inType := keep.Without("&" + tspecials)
	parameters := slices.Clone(c.parameters)
	for i, p := range parameters {
		if p.Name == "charset" {
			parameters[i].Value = strings.ToLower(p.Value)
		}
	}
	slices.SortFunc(parameters, func(p, q Parameter) int { return strings.Compare(p.Name, q.Name) })
	plain := c.mediaType == plainText
	if plain && len(parameters) == 1 && parameters[0] == (Parameter{"charset", strings.ToLower(usASCII)}) {
		parameters = nil
	} else if kind, subtype, _ := strings.Cut(c.mediaType, "/"); !plain || len(parameters) == 0 {
		b.WriteString(escape.Encode(kind, inType) + "/" + escape.Encode(subtype, inType))
	}
	for _, p := range parameters {
		b.WriteString(";" + escape.Encode(p.Name, inType) + "=" + escape.Encode(quote(p.Value), inType))
	}
	code := len(base64Mark) + base64.StdEncoding.EncodedLen(len(c.octets))
	if text := escape.Encode(c.octets, keep); len(text) <= code {
		b.WriteString("," + text)
	} else {
		b.WriteString(base64Mark + "," + base64.StdEncoding.EncodeToString([]byte(c.octets)))
	}
	return b.String()
}

func canonical(u locus.URL) (locus.URL, locus.Change, error) {
	d, err := Parse(u)
	if err != nil {
		return locus.URL{}, 0, err
	}
	var c bnf.Canon
	c.Begin(u)
	text := d.content.spell(escape.Xchar())
	c.Raw(text)
	if text != u.SchemePart() {
		c.Change |= locus.FormFields
	}
	return c.End()
}
