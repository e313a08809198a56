package bulk

import (
	"bufio"
	"os"
	"path"
	"strconv"
	"strings"
)

func machineMemory() int64 {
	n := int64(0)
	if kib, ok := readField("/proc/meminfo", "MemTotal:"); ok {
		n = kib << 10
	}
	for _, limit := range groupLimits("/proc/self/cgroup", "/sys/fs/cgroup") {
		if n <= 0 || limit < n {
			n = limit
		}
	}
	return n
}

// readField returns the number after name in the line of the file that begins with name.
func readField(file, name string) (n int64, ok bool) {
	f, err := os.Open(file)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if words := strings.Fields(s.Text()); len(words) > 1 && words[0] == name {
			n, err = strconv.ParseInt(words[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// groupLimits returns the memory limits for the control groups in file and for their parents.
// A line of the file is "0::/path" in version 2 and "N:memory:/path" in version 1.
func groupLimits(file, root string) (limits []int64) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		folder, name := root, "memory.max"
		switch parts[1] {
		case "":
		case "memory":
			folder, name = root+"/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			// The file of a group without a limit contains "max".
			if text, err := os.ReadFile(path.Join(folder, group, name)); err == nil {
				if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
					limits = append(limits, n)
				}
			}
			if group == "/" {
				break
			}
		}
	}
	return limits
}
