//go:build !linux

package wholefile

import (
	"errors"
	"os"
	"time"
)

func write(*os.File, string, []byte, time.Time, bool) (time.Time, error) {
	return time.Time{}, errors.ErrUnsupported
}

func unnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }
