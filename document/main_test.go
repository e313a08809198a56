package document_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Nothing that unpacks is left behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
