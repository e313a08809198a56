package schemes

import (
	"reflect"
	"testing"

	"github.com/locus-url/locus/internal/command/clitest"
)

func TestContract(t *testing.T) {
	clitest.CheckContract(t, "../../../../docs/contract.md", "locus schemes --json", reflect.TypeFor[schemeJSON]())
}
