package document_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/document"
)

// The end of a cell must end a URL. Quoted cells may contain separators and line breaks.
func TestTables(t *testing.T) {
	testRows(t, linksAs(t, "a.csv"), nil, []row{
		{"a,http://h/x,b\nhttp://h/1,http://h/2", wantLines("bare http://h/x", "bare http://h/1", "bare http://h/2")},
		{"a;b\nhttp://h/x;http://h/y,z", wantLines("bare http://h/x", "bare http://h/y,z")},
		{"a\tb\nhttp://h/x\thttp://h/y;z", wantLines("bare http://h/x", "bare http://h/y;z")},
		{"\"http://h/x,y\",\"say \"\"http://h/z\"\", or\nhttp://h/w\",5\" http://h/v,http://h/u", wantLines("bare http://h/x,y", "bare http://h/z", "bare http://h/w", "bare http://h/v", "bare http://h/u")},
		{"\"open http://h/x,\nhttp://h/y", wantLines("bare http://h/x", "bare http://h/y")},
		{"http://h/x\r\nhttp://h/y\r\n", wantLines("bare http://h/x", "bare http://h/y")},
	})
	testRows(t, linksAs(t, "a.TSV"), nil, []row{{"http://h/x,y\thttp://h/z;w\n", wantLines("bare http://h/x,y", "bare http://h/z;w")}})
}

// A long table must be read in parts that do not split a cell.
func TestLongTable(t *testing.T) {
	const n = 60_000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,http://host.example/%d,\"http://host.example/q,%d\nx\"\n", i, i, i)
	}
	text := b.String()
	for _, r := range []*pieces{{text, 1000}, {text, len(text)}} {
		i := 0
		for l, err := range document.Links(r, "a.csv", nil) {
			want, line := fmt.Sprintf("http://host.example/%d", i/2), int64(i/2*2+1)
			if i%2 == 1 {
				want = fmt.Sprintf("http://host.example/q,%d", i/2)
			}
			if err != nil || l.URL.String() != want || l.Line != line || text[l.Start:l.End] != want {
				t.Fatalf("%d: %q at line %d, want %q at line %d: %v", i, l.URL, l.Line, want, line, err)
			}
			i++
		}
		if i != 2*n {
			t.Errorf("%d of %d", i, 2*n)
		}
	}
}

// The name of a namespace, a schema or a relationship in XML is not a link.
func TestXML(t *testing.T) {
	rows := []row{
		{`<?xml version="1.0"?><a xmlns="http://n/a" xmlns:x='http://n/b' href="http://h/a?b&amp;c">http://h/d&amp;e</a>`,
			wantLines(`bare http://h/a?b&c as "http://h/a?b&amp;c"`, `bare http://h/d&e as "http://h/d&amp;e"`)},
		{`<urlset xmlns:xsi="http://n/x" xsi:schemaLocation="http://n/s http://n/s.xsd"><loc>http://h/a</loc><x:noNamespaceSchemaLocation>http://h/b</x:noNamespaceSchemaLocation></urlset>`,
			wantLines("bare http://h/a", "bare http://h/b")},
		{`<!DOCTYPE plist PUBLIC "-//A//B" "http://n/c.dtd"><plist><!-- http://h/a --><![CDATA[http://h/b]]><?x http://h/c?></plist>`, wantLines("bare http://h/a", "bare http://h/b", "bare http://h/c")},
		{`<Relationship Id="1" Type="http://n/hyperlink" Target="http://h/a"/><other Type="http://h/b"/>`, wantLines("bare http://h/a", "bare http://h/b")},
		{`<rss><link>http://h/a</link><title>http://h/b</title><style>http://h/c</style></rss>`, wantLines("bare http://h/a", "bare http://h/b", "bare http://h/c")},
	}
	for _, name := range []string{"a.xml", "a.atom", "sitemap.XML", "a.rss"} {
		testRows(t, linksAs(t, name), nil, rows)
	}
	testRows(t, linksAs(t, "a.svg"), nil, []row{{`<?xml version="1.0"?><svg xmlns="http://n/a"><a xlink:href="http://h/b"/></svg>`, wantLines("a xlink:href http://h/b")}})
}

// The name of a part in an office document may not determine the type.
func TestXMLInArchive(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"word/document.xml", "word/_rels/document.xml.rels"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, `<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="http://n/r"><Relationship Type="http://n/t" Target="http://h/a"/></Relationships>`)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for l, err := range document.Links(&b, "a.docx", nil) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, l.Member+" "+l.URL.String())
	}
	if want := []string{"word/document.xml http://h/a", "word/_rels/document.xml.rels http://h/a"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// R and Quarto documents are Markdown with code chunks.
func TestChunks(t *testing.T) {
	for _, name := range []string{"a.qmd", "a.Rmd", "a.rmd", "a.QMD"} {
		testRows(t, linksAs(t, name), &document.Options{NoCode: true}, []row{{"[a](b.qmd)\n\n```{r}\n#| label: x\ny <- \"http://h/c\"\n```\n", wantLines("link b.qmd")}})
	}
}

func FuzzTable(f *testing.F) {
	f.Add("a,http://h/x,\"http://h/y,z\"\n\"http://h/w\nq\";\t", false)
	f.Add("\"\"\"http://h/\"\"\",\n\"", true)
	f.Add("<?xml version='1.0'?><a xmlns='http://n/' b='http://h/&amp;'>http://h/</a><!-- http://h/ -->", false)
	f.Fuzz(func(t *testing.T, s string, tabs bool) {
		name := "a.csv"
		if tabs {
			name = "a.tsv"
		}
		var whole, pieced []string
		for l, err := range document.Links(strings.NewReader(s), name, nil) {
			whole = append(whole, format(l, err))
		}
		for l, err := range document.Links(&pieces{s, 1 + len(s)%7}, name, nil) {
			pieced = append(pieced, format(l, err))
		}
		if !slices.Equal(whole, pieced) {
			t.Errorf("%q in pieces: %q; whole: %q", s, pieced, whole)
		}
		checkMarked(t, s, "a.xml", &document.Options{})
	})
}
