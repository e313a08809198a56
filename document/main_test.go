package document_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Unpacking must not leave any goroutine running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
