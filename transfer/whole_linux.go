package transfer

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// writeWhole writes a new file of dir. It is on the disk before it has a name, so no part
// is left if the process is killed. The error may be that the file system has no unnamed
// files, or that the name exists: then nothing has changed.
func writeWhole(dir *os.File, name string, data []byte, modTime time.Time) error {
	at := int(dir.Fd())
	fd, err := unix.Openat(at, ".", unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for len(data) > 0 {
		n, err := unix.Write(fd, data)
		if err != nil && err != unix.EINTR {
			return err
		}
		data = data[max(n, 0):]
	}
	if err := unix.Fsync(fd); err != nil {
		return err
	}
	path := "/proc/self/fd/" + strconv.Itoa(fd)
	if !modTime.IsZero() {
		times := []unix.Timespec{{Nsec: unix.UTIME_NOW}, unix.NsecToTimespec(modTime.UnixNano())}
		// Not every file system has times, or this one.
		_ = unix.UtimesNanoAt(unix.AT_FDCWD, path, times, 0)
	}
	return unix.Linkat(unix.AT_FDCWD, path, at, name, unix.AT_SYMLINK_FOLLOW)
}
