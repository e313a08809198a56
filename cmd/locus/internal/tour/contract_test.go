package tour

import (
	"reflect"
	"testing"

	"github.com/locus-url/locus/internal/command/clitest"
)

func TestContract(t *testing.T) {
	clitest.CheckContract(t, "../../../../docs/contract.md", "locus tour --json", reflect.TypeFor[storyJSON](), reflect.TypeFor[lineJSON](), reflect.TypeFor[foundJSON]())
}
