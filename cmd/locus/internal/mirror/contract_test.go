package mirror

import (
	"reflect"
	"testing"

	"github.com/locus-url/locus/internal/command/clitest"
)

func TestContract(t *testing.T) {
	clitest.CheckContract(t, "../../../../docs/contract.md", "locus mirror --json", reflect.TypeFor[eventLine](), reflect.TypeFor[summaryLine]())
}
