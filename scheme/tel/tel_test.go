package tel_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/schemetest"
	"github.com/locus-url/locus/scheme/tel"
)

func TestScheme(t *testing.T) {
	schemetest.Run(t, tel.Scheme(), schemetest.Config{
		Good: []string{"tel:+1-201-555-0123", "tel:7042;phone-context=example.com", "tel:911", "tel:+1;a;b=c"},
	})
}

func TestFields(t *testing.T) {
	for text, want := range map[string]string{
		"tel:+1-201-555-0123":                   `number="+1-201-555-0123" phoneContext=<nil> extension=<nil> isdnSubaddress=<nil> parameters=<nil>`,
		"tel:863-1234;phone-context=+1-914-555": `number="863-1234" phoneContext="+1-914-555" extension=<nil> isdnSubaddress=<nil> parameters=<nil>`,
		"tel:+1;EXT=5;isub=%20;a;b=%3b": `number="+1" phoneContext=<nil> extension="5" isdnSubaddress=" " parameters=[][]scheme.Field{` +
			`[]scheme.Field{scheme.Field{Name:"name", Value:"a"}, scheme.Field{Name:"value", Value:interface {}(nil)}}, ` +
			`[]scheme.Field{scheme.Field{Name:"name", Value:"b"}, scheme.Field{Name:"value", Value:";"}}}`,
		"tel:":                    `number="" phoneContext=<nil> extension=<nil> isdnSubaddress=<nil> parameters=<nil>`,
		"tel://user:secret@h;a=b": `number="" phoneContext=<nil> extension=<nil> isdnSubaddress=<nil> parameters=<nil>`,
	} {
		fields, err := tel.Scheme().Syntax.Fields(locus.MustParse(text))
		if got := bnftest.Fields(fields); got != want || err != nil {
			t.Errorf("%q: %v\n got %s\nwant %s", text, err, got, want)
		}
	}
}

func TestSpans(t *testing.T) {
	r, err := scheme.NewRegistry(tel.Scheme())
	if err != nil {
		t.Fatal(err)
	}
	u := locus.MustParse("tel:+1-2%30;a=b;c")
	got := ""
	for _, span := range r.Spans(u) {
		got += span.Name + "=" + span.Text + " "
	}
	if want := "scheme=tel =: telephone-subscriber=+1-2%30 =; par=a=b;c "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if title := r.Title(u); title != "+1-20" {
		t.Errorf("title %q", title)
	}
}
