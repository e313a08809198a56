//go:build !linux

package faults

import (
	"errors"
	"os/exec"
	"testing"
)

// On other systems, these tests have no small disks and no limits, and run all processes as the
// current user.

func smallDisk(t *testing.T, _ string, _ int) (grow func()) {
	t.Skip("only Linux has file systems of a given size")
	return nil
}

func limitSize(int) error            { return errors.ErrUnsupported }
func limitFiles(int) (func(), error) { return nil, errors.ErrUnsupported }
func asOrdinaryUser(*exec.Cmd)       {}
