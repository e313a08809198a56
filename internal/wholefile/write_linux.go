package wholefile

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

func write(dir *os.File, name string, data []byte, modTime time.Time, sync bool) (time.Time, error) {
	at := int(dir.Fd())
	fd, err := unix.Openat(at, ".", unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return time.Time{}, err
	}
	defer unix.Close(fd)
	for len(data) > 0 {
		n, err := unix.Write(fd, data)
		if err != nil && err != unix.EINTR {
			return time.Time{}, err
		}
		data = data[max(n, 0):]
	}
	if sync {
		if err := unix.Fsync(fd); err != nil {
			return time.Time{}, err
		}
	}
	path := "/proc/self/fd/" + strconv.Itoa(fd)
	if !modTime.IsZero() {
		times := []unix.Timespec{{Nsec: unix.UTIME_NOW}, unix.NsecToTimespec(modTime.UnixNano())}
		// Ignore the error, because some file systems can't store this time.
		_ = unix.UtimesNanoAt(unix.AT_FDCWD, path, times, 0)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return time.Time{}, err
	}
	return time.Unix(stat.Mtim.Unix()).UTC(), unix.Linkat(unix.AT_FDCWD, path, at, name, unix.AT_SYMLINK_FOLLOW)
}

func unnamed(folder string) (*os.File, error) {
	fd, err := unix.Open(folder, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), filepath.Join(folder, "temporary file")), nil
}
