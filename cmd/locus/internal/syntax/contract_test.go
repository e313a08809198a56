package syntax

import (
	"reflect"
	"testing"

	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/internal/shape"
)

func TestContract(t *testing.T) {
	for section, types := range map[string][]reflect.Type{
		"locus parse --json":     {reflect.TypeFor[shape.Parse](), reflect.TypeFor[shape.Failure]()},
		"locus check --json":     {reflect.TypeFor[shape.Check](), reflect.TypeFor[shape.Verdict]()},
		"Findings":               {reflect.TypeFor[shape.Violation]()},
		"locus canonical --json": {reflect.TypeFor[shape.Canonical](), reflect.TypeFor[shape.CanonicalForm](), reflect.TypeFor[invalidInput]()},
		"locus compare --json":   {reflect.TypeFor[shape.Compare](), reflect.TypeFor[shape.Comparison]()},
		"locus resolve --json":   {reflect.TypeFor[shape.Resolve]()},
	} {
		clitest.CheckContract(t, "../../../../docs/contract.md", section, types...)
	}
}
