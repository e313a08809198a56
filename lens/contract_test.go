package lens

import (
	"reflect"
	"testing"

	"github.com/locus-url/locus/internal/command/clitest"
)

func TestContract(t *testing.T) {
	const contract = "../docs/contract.md"
	clitest.CheckContract(t, contract, "locus lens --json", reflect.TypeFor[reportJSON](), reflect.TypeFor[resultJSON](), reflect.TypeFor[Advisory]())
	clitest.CheckContract(t, contract, "locus lens --corpus --json", reflect.TypeFor[Matrix](), reflect.TypeFor[MatrixParser](), reflect.TypeFor[Pair]())
}
