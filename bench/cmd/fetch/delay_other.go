//go:build !linux

package main

import (
	"errors"
	"time"

	"github.com/locus-url/locus/bench"
)

const near, far = "", ""

func slowNetwork(time.Duration) (end func()) {
	bench.Check(errors.New("-delay needs Linux"))
	return nil
}
