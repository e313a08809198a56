//go:build !linux

package faults

import (
	"errors"
	"os/exec"
	"testing"
)

// On systems other than Linux, these tests run without small disks, without process limits, and as
// the current user.

func smallDisk(t *testing.T, _ string, _ int) (grow func()) {
	t.Skip("only Linux has file systems of a given size")
	return nil
}

func limitSize(int) error            { return errors.ErrUnsupported }
func limitFiles(int) (func(), error) { return nil, errors.ErrUnsupported }
func asOrdinaryUser(*exec.Cmd)       {}
