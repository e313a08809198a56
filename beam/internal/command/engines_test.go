package command_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// engineTimeout is the maximum time that a test waits for an engine to start or to end a job.
const engineTimeout = 5 * time.Minute

// engines holds the programs of Flink and Spark. Each engine has a directory of JAR files.
type engines struct{ jars string }

// TestEngines compares every pipeline with the command for one machine, on Flink and on Spark.
// `.ci/engines` downloads both and runs this test.
func TestEngines(t *testing.T) {
	e := engines{os.Getenv("LOCUS_ENGINES")}
	if e.jars == "" {
		t.Skip("needs Flink and Spark: run .ci/engines")
	}
	c := &comparison{locus: newSingle(t), folder: t.TempDir(), want: map[string]map[string]int{}}
	a, b := lists(t, c.folder, "a", 1), lists(t, c.folder, "b", 11)
	write(t, c.folder, "pairs.tsv", pairs(a, b))
	c.writeDocuments(t)
	t.Run("embedded Flink", func(t *testing.T) {
		c.flags = append(e.flink(t), loopback...)
		c.compare(t)
	})
	t.Run("Spark", func(t *testing.T) {
		c.flags = append(e.spark(t), loopback...)
		c.compare(t)
	})
	t.Run("two task managers", func(t *testing.T) {
		c.flags = e.cluster(t).flags
		c.compare(t)
	})
	t.Run("killed task manager", e.killed)
}

// loopback lists the flags that make the functions of a pipeline run in the program that submits
// the job.
var loopback = []string{"--environment_type", "LOOPBACK"}

// jobServer starts a Beam job server and returns the flags that select this server.
func (e engines) jobServer(t *testing.T, runner, driver string, args ...string) (flags []string) {
	t.Helper()
	args = append([]string{driver, "--job-host", "127.0.0.1", "--job-port", "0", "--artifact-port", "0", "--expansion-port", "0", "--artifacts-dir", t.TempDir()}, args...)
	_, found := e.java(t, runner, "", regexp.MustCompile(`JobService started on (\S+)`), args...)
	return []string{"--runner", runner, "--endpoint", found}
}

func (e engines) flink(t *testing.T, args ...string) (flags []string) {
	t.Helper()
	args = append(args, "--flink-conf-dir", flinkConf(t, nil))
	return append(e.jobServer(t, "flink", "org.apache.beam.runners.flink.FlinkJobServerDriver", args...), "--parallelism", "2")
}

func (e engines) spark(t *testing.T) (flags []string) {
	t.Helper()
	return e.jobServer(t, "spark", "org.apache.beam.runners.spark.SparkJobServerDriver", "--spark-master-url", "local[2]")
}

// flinkConf writes a Flink configuration and returns its directory.
func flinkConf(t *testing.T, more map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	settings := map[string]string{
		// The Flink scripts compute these values, but the Java classes do not.
		"taskmanager.cpu.cores":                      "1",
		"taskmanager.memory.framework.heap.size":     "64m",
		"taskmanager.memory.framework.off-heap.size": "64m",
		"taskmanager.memory.task.heap.size":          "256m",
		"taskmanager.memory.task.off-heap.size":      "0",
		"taskmanager.memory.managed.size":            "128m",
		"taskmanager.memory.network.min":             "64m",
		"taskmanager.memory.network.max":             "64m",
		"taskmanager.memory.jvm-metaspace.size":      "256m",
		"taskmanager.memory.jvm-overhead.min":        "64m",
		"taskmanager.memory.jvm-overhead.max":        "64m",
		"jobmanager.memory.heap.size":                "384m",
		"classloader.resolve-order":                  "parent-first", // every process loads the JAR files of Beam
		"heartbeat.interval":                         "1000",
		"heartbeat.timeout":                          "10000",
		"io.tmp.dirs":                                t.TempDir(),
		"blob.storage.directory":                     t.TempDir(),
		"rest.address":                               "127.0.0.1",
		"rest.bind-address":                          "127.0.0.1",
		"jobmanager.rpc.address":                     "127.0.0.1",
		"jobmanager.bind-host":                       "127.0.0.1",
		"taskmanager.host":                           "127.0.0.1",
		"taskmanager.bind-host":                      "127.0.0.1",
	}
	var b strings.Builder
	for _, set := range []map[string]string{settings, more} {
		for key, value := range set {
			fmt.Fprintf(&b, "%s: %s\n", key, value)
		}
	}
	write(t, folder, "flink-conf.yaml", []byte(b.String()))
	return folder
}

// cluster is a Flink cluster with two task managers. Each task manager has its own network
// namespace and worker pool, as on a separate machine. Two task managers can't share a pool,
// because both number their workers from 1.
type cluster struct {
	flags        []string
	taskManagers []*exec.Cmd
	pools        []*exec.Cmd
}

func (e engines) cluster(t *testing.T) (c cluster) {
	t.Helper()
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0); err != nil {
		t.Fatal(err)
	}
	rest, rpc, pool := freePort(t), freePort(t), freePort(t)
	var hosts []string
	for i := range 2 {
		hosts = append(hosts, namespace(t, i))
	}
	conf := func(host string) string {
		return flinkConf(t, map[string]string{
			"rest.port": rest, "rest.bind-port": rest, "rest.address": "10.213.0.1", "rest.bind-address": "0.0.0.0",
			"jobmanager.rpc.port": rpc, "jobmanager.rpc.address": "10.213.0.1", "jobmanager.bind-host": "0.0.0.0",
			"taskmanager.host": host, "taskmanager.bind-host": "0.0.0.0",
		})
	}
	e.java(t, "flink", "", regexp.MustCompile(`Rest endpoint (listening)`), "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint", "--configDir", conf(""))
	for i, name := range hosts {
		worker, _ := startIn(t, name, "worker", "--port", pool)
		manager, _ := e.java(t, "flink", name, regexp.MustCompile(`(Successful registration) at resource manager`), "org.apache.flink.runtime.taskexecutor.TaskManagerRunner", "--configDir", conf(hostAddress(i)))
		c.pools, c.taskManagers = append(c.pools, worker), append(c.taskManagers, manager)
	}
	c.flags = append(e.flink(t, "--flink-master", "10.213.0.1:"+rest), "--environment_type", "EXTERNAL", "--environment_config", "localhost:"+pool)
	return c
}

// namespace creates a network namespace that is connected to the namespace of the test. It returns
// the name of the new namespace.
func namespace(t *testing.T, i int) (name string) {
	t.Helper()
	name = fmt.Sprintf("locus-%d-%d", os.Getpid(), i)
	link := fmt.Sprintf("veth%d", i)
	ip(t, "netns", "add", name)
	t.Cleanup(func() { ip(t, "netns", "del", name) })
	ip(t, "link", "add", link, "type", "veth", "peer", "name", "veth", "netns", name)
	ip(t, "addr", "add", fmt.Sprintf("10.213.%d.1/24", i), "dev", link)
	ip(t, "link", "set", link, "up")
	ip(t, "-n", name, "addr", "add", hostAddress(i)+"/24", "dev", "veth")
	ip(t, "-n", name, "link", "set", "veth", "up")
	ip(t, "-n", name, "link", "set", "lo", "up")
	ip(t, "-n", name, "route", "add", "default", "via", fmt.Sprintf("10.213.%d.1", i))
	return name
}

// hostAddress returns the IP address of a namespace.
func hostAddress(i int) string { return fmt.Sprintf("10.213.%d.2", i) }

func ip(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		t.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// java starts a Java class with the JAR files of an engine. If a network namespace is named, the
// process runs in it. The function returns the text that the first group of the expression ready
// matches in the log. The process is stopped at the end of the test.
func (e engines) java(t *testing.T, engine, namespace string, ready *regexp.Regexp, args ...string) (cmd *exec.Cmd, found string) {
	t.Helper()
	list := []string{"-Xmx512m", "-cp", filepath.Join(e.jars, engine, "*")}
	// Open these packages, which both engines access by reflection and Java 17 closes by
	// default.
	for _, name := range []string{"lang", "lang.invoke", "io", "net", "nio", "util", "util.concurrent"} {
		list = append(list, "--add-opens=java.base/java."+name+"=ALL-UNNAMED")
	}
	for _, name := range []string{"nio.ch", "util.calendar", "security.action"} {
		list = append(list, "--add-opens=java.base/sun."+name+"=ALL-UNNAMED")
	}
	cmd = exec.Command("java", append(list, args...)...)
	enter(cmd, namespace)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "SPARK_LOCAL_IP=127.0.0.1", "SPARK_LOCAL_DIRS="+t.TempDir())
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	var log bytes.Buffer
	lines, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		s := bufio.NewScanner(io.TeeReader(in, &log))
		s.Buffer(nil, 1<<22)
		for s.Scan() {
			if m := ready.FindStringSubmatch(s.Text()); m != nil {
				select {
				case lines <- m[1]:
				default:
				}
			}
		}
	}()
	t.Cleanup(func() {
		memory, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		if m := regexp.MustCompile(`VmHWM:\s*(.*)`).FindSubmatch(memory); m != nil {
			t.Logf("%s: peak memory %s", args[0], m[1])
		}
		cmd.Process.Kill()
		cmd.Wait()
		<-ended
		if t.Failed() {
			text := log.String()
			t.Logf("the log of %s:\n%s", args[0], text[max(0, len(text)-20_000):])
		}
	})
	select {
	case found = <-lines:
		return cmd, found
	case <-ended:
		t.Fatalf("%s ended", args[0])
	case <-time.After(engineTimeout):
		t.Fatalf("%s does not start", args[0])
	}
	return nil, ""
}

// killed kills a task manager while the job reads. The job must recover, or fail with a message
// and leave no output.
func (e engines) killed(t *testing.T) {
	folder := t.TempDir()
	manyLists(t, folder)
	c := e.cluster(t)
	job := locusBeam(t, folder, append([]string{"unique", filepath.Join(folder, "list-*"), "--output", filepath.Join(folder, "out/unique")}, c.flags...)...)
	var stderr bytes.Buffer
	job.Stderr = &stderr
	if err := job.Start(); err != nil {
		t.Fatal(err)
	}
	waitForRead(t, c.pools[1].Process.Pid, listsSize/4)
	c.taskManagers[1].Process.Kill()
	done := make(chan error, 1)
	go func() { done <- job.Wait() }()
	select {
	case <-done:
	case <-time.After(engineTimeout):
		job.Process.Kill()
		t.Fatalf("the job does not end\n%s", &stderr)
	}
	switch status := job.ProcessState.ExitCode(); status {
	case 0:
		t.Log("the job recovered")
		mustRun(t, folder, filepath.Join(folder, "list-*"), "--output", filepath.Join(folder, "near/unique"))
		same(t, tabbed(t, output(t, filepath.Join(folder, "out"), "unique")), tabbed(t, output(t, filepath.Join(folder, "near"), "unique")))
	case 3:
		t.Logf("the job failed: %s", &stderr)
		if entries, _ := os.ReadDir(filepath.Join(folder, "out")); len(entries) > 0 {
			t.Errorf("it leaves %v", entries)
		}
		if message := stderr.String(); strings.Count(message, "\n") != 1 || !strings.HasPrefix(message, "locus-beam: ") {
			t.Errorf("standard error %q", message)
		}
	default:
		t.Errorf("status %d\n%s", status, &stderr)
	}
}
