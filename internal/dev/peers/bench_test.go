package peers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkThousandFiles fetches 1,000 small files of one directory from vsftpd, and compares
// locus with curl and lftp. It fetches two files at the same time, which is the default, and
// single files. If TMPDIR is on a file system in memory, it measures the protocol exchanges.
// Otherwise, it measures the disk, because locus writes each file to the disk before it continues.
func BenchmarkThousandFiles(b *testing.B) {
	p := vsftpd(b)
	var urls, gets, config strings.Builder
	fmt.Fprintf(&gets, "set ftp:ssl-allow no; set xfer:clobber on; open -u %s,%s %s; cd many;", user, password, "ftp://"+p.addr())
	for i := range 1000 {
		name := fmt.Sprintf("file%04d.txt", i)
		write(b, filepath.Join(p.home, "many", name), name+"\n", 0o644)
		u := p.login() + "/many/" + name
		fmt.Fprintln(&urls, u)
		fmt.Fprintf(&gets, "get %s;", name)
		fmt.Fprintf(&config, "url = %q\nremote-name\n", u)
	}
	run := func(b *testing.B, input string, name string, args ...string) {
		for b.Loop() {
			cmd := exec.Command(name, args...)
			cmd.Dir = b.TempDir()
			cmd.Env = []string{"HOME=" + cmd.Dir, "PATH=" + os.Getenv("PATH")}
			cmd.Stdin = strings.NewReader(input)
			before := strings.Count(p.log(), "OK LOGIN")
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			names, err := os.ReadDir(cmd.Dir)
			if err != nil || len(names) < 1000 {
				b.Fatalf("%d files, %v", len(names), err)
			}
			b.ReportMetric(float64(strings.Count(p.log(), "OK LOGIN")-before), "logins")
		}
	}
	b.Run("two/locus", func(b *testing.B) { run(b, urls.String(), program, "get", "-O", "-") })
	b.Run("one/locus", func(b *testing.B) { run(b, urls.String(), program, "get", "-O", "--per-host", "1", "-") })
	b.Run("one/curl", func(b *testing.B) { run(b, config.String(), need(b, "curl"), "-sS", "-K", "-") })
	b.Run("two/curl", func(b *testing.B) {
		run(b, config.String(), need(b, "curl"), "-sS", "-Z", "--parallel-max", "2", "-K", "-")
	})
	b.Run("one/lftp", func(b *testing.B) { run(b, "", need(b, "lftp"), "-c", gets.String()) })
}
