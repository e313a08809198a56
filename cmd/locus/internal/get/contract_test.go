package get

import (
	"reflect"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/internal/shape"
)

// menuJSON describes the JSON object that [shape.MenuWriter] writes for a menu.
type menuJSON struct {
	shape.MenuHead
	Items []shape.Item `json:"items"`
}

func TestContract(t *testing.T) {
	// element returns the type of a field, without a pointer or list.
	element := func(typ reflect.Type, field string) reflect.Type {
		f, ok := typ.FieldByName(field)
		if !ok {
			t.Fatalf("%v has no field %s", typ, field)
		}
		return f.Type.Elem()
	}
	object := reflect.TypeFor[show.ObjectJSON]()
	message := element(object, "Message")
	for section, types := range map[string][]reflect.Type{
		"locus get --json":   {object, reflect.TypeFor[menuJSON](), reflect.TypeFor[shape.Redirect](), reflect.TypeFor[shape.Failed]()},
		"Items of a menu":    {reflect.TypeFor[shape.Item]()},
		"Messages and forms": {message, element(message, "Parts"), reflect.TypeFor[shape.Form](), reflect.TypeFor[shape.FormField]()},
		"Sessions":           {reflect.TypeFor[sessionEvent](), reflect.TypeFor[sessionJSON](), reflect.TypeFor[screenJSON](), reflect.TypeFor[positionJSON](), reflect.TypeFor[screenField]()},
	} {
		clitest.CheckContract(t, "../../../../docs/contract.md", section, types...)
	}
}
