package fleet

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/locus-url/locus/verify"
)

// visit is an entry in the request log of a host. From and To are the earliest and the latest
// time at which the request arrived, according to the kernel. They do not depend on the load of
// the machine.
type visit struct {
	Host, What, Worker string
	From, To, End      int64 // in nanoseconds, by the machine's clock
	Status             int   // 0 if the connection was reset, or the worker disconnected
	RetryAfter         int   // in seconds
}

// hostsServer serves all virtual hosts in one process, and logs their requests.
type hostsServer struct {
	mu    sync.Mutex
	log   []visit
	times map[string]int // number of requests for each URL
}

// arrival returns the earliest and the latest time at which the last bytes arrived over c,
// according to the kernel's tcp_info.
func arrival(c net.Conn) (earliest, latest int64) {
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		return time.Now().UnixNano(), time.Now().UnixNano()
	}
	best := time.Hour
	for range 5 {
		before := time.Now()
		var info [256]byte
		size := uint32(len(info))
		_ = raw.Control(func(fd uintptr) {
			_, _, _ = syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, syscall.IPPROTO_TCP, syscall.TCP_INFO,
				uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
		})
		took := time.Since(before)
		// This field is tcpi_last_data_recv, in milliseconds.
		ago := time.Duration(*(*uint32)(unsafe.Pointer(&info[52]))) * time.Millisecond
		if took < best {
			best = took
			earliest, latest = before.Add(-ago).UnixNano(), before.Add(took-ago).UnixNano()
		}
		if took < time.Millisecond {
			break
		}
	}
	return earliest, latest
}

type connKey struct{}

func (s *hostsServer) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if r.Host == "control" {
		s.mu.Lock()
		defer s.mu.Unlock()
		out := json.NewEncoder(rw)
		for i := range s.log {
			_ = out.Encode(&s.log[i])
		}
		return
	}
	v := visit{Host: r.Host, What: r.Method + " " + r.URL.Path, Worker: r.UserAgent()}
	v.From, v.To = arrival(r.Context().Value(connKey{}).(net.Conn))
	s.mu.Lock()
	s.times[r.Host+r.URL.Path]++
	a := answerOf(r.Host, r.Method, r.URL.Path, s.times[r.Host+r.URL.Path])
	s.mu.Unlock()
	v.Status, v.RetryAfter = a.status, a.retryAfter
	select {
	case <-time.After(a.delay):
	case <-r.Context().Done():
		v.Status = 0
	}
	v.End = time.Now().UnixNano()
	s.mu.Lock()
	s.log = append(s.log, v)
	s.mu.Unlock()
	if v.Status == 0 {
		if c, _, err := rw.(http.Hijacker).Hijack(); err == nil {
			_ = c.(*net.TCPConn).SetLinger(0)
			c.Close()
		}
		return
	}
	if a.location != "" {
		rw.Header().Set("Location", a.location)
	}
	if a.retryAfter > 0 {
		rw.Header().Set("Retry-After", fmt.Sprint(a.retryAfter))
	}
	rw.Header().Set("Content-Type", a.kind)
	rw.WriteHeader(a.status)
	_, _ = rw.Write([]byte(a.body))
}

// runHosts is the main function of the host process. It prints its address and exits when its input
// ends.
func runHosts() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 1
	}
	s := &hostsServer{times: map[string]int{}}
	server := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute, ConnContext: func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}}
	go func() { _ = server.Serve(l) }()
	fmt.Println(l.Addr())
	awaitEnd()
	return 0
}

// awaitEnd waits for the end of the standard input, which means the end of the test.
func awaitEnd() { _, _ = bufio.NewReader(os.Stdin).ReadByte() }

// reply is the response of a host.
type reply struct {
	status, retryAfter   int
	delay                time.Duration
	location, kind, body string
}

const (
	crawlDelay = 1 // Crawl-delay of the hosts with pages, in seconds
	sitePages  = 6
)

// answerOf returns the response of a virtual host to the n-th request for a path. The host's
// number selects its behavior.
func answerOf(host, method, path string, n int) reply {
	number := hostNumber(host)
	sum := fnv.New32a()
	sum.Write([]byte(host + path))
	a := reply{status: 200, kind: "text/plain", delay: time.Duration(sum.Sum32()%20) * time.Millisecond}
	switch {
	case strings.HasPrefix(host, "site"):
		return pageOf(host, path, a)
	case strings.HasPrefix(path, "/after"):
		return a
	}
	switch number % 10 {
	case 0:
		a.delay = time.Duration(sum.Sum32()%200) * time.Millisecond
	case 1:
		if n == 1 {
			a.status = 500
		}
	case 2:
		if n == 1 {
			a.status = 0
		}
	case 3:
		if sum.Sum32()%16 == 0 && n == 1 {
			a.status, a.retryAfter = 429, 1
		}
	case 4:
		if sum.Sum32()%4 == 0 {
			a.status, a.location = 301, fmt.Sprintf("http://h%d.example/after%s", (number*7+int(sum.Sum32()%64))%50, path[1:])
		}
	case 5:
		if method == "HEAD" && sum.Sum32()%4 == 0 {
			a.status = 405
		}
	case 6:
		a.status = 404
	}
	return a
}

func pageOf(host, path string, a reply) reply {
	a.kind = "text/html"
	var i int
	switch {
	case path == "/robots.txt":
		a.kind, a.body = "text/plain", fmt.Sprintf("User-agent: *\nCrawl-delay: %d\nDisallow: /private/\n", crawlDelay)
	case path == "/":
		for i := range sitePages {
			a.body += fmt.Sprintf("<a href=/p%d>p</a> ", i)
		}
		a.body += "<a href=/private/x>x</a>"
	default:
		if _, err := fmt.Sscanf(path, "/p%d", &i); err != nil {
			a.status = 404
		}
	}
	return a
}

func hostNumber(host string) (n int) {
	if _, err := fmt.Sscanf(host, "h%d.example", &n); err != nil {
		return -1
	}
	return n
}

// wantVerdict returns the expected verdict of a target.
func wantVerdict(host, path string) verify.Verdict {
	last := answerOf(host, "GET", path, 99)
	switch {
	case strings.HasPrefix(path, "/private/"):
		return verify.Ignored
	case last.status == 404:
		return verify.Dead
	case last.location != "":
		return verify.Moved
	}
	return verify.Alive
}

// wantRequests returns the expected number of requests for a target if no worker or server fails.
// A redirect causes one more request, to another host.
func wantRequests(host, path string) (n int) {
	for method := "HEAD"; ; {
		n++
		a := answerOf(host, method, path, n)
		switch {
		case method == "HEAD" && (a.status == 405 || a.status == 404):
			method = "GET" // some servers do not support HEAD
		case a.status == 500, a.status == 0, a.status == 429:
		default:
			return n
		}
	}
}

// outage is the period in which a worker was killed, stopped or disconnected.
type outage struct {
	worker   string
	from, to int64
}

// logJudge finds violations of the limits in the hosts' log.
type logJudge struct {
	atOnce   int
	interval time.Duration
	outages  []outage
	// stopped holds the periods in which workers were stopped. Requests that these workers had
	// begun are counted separately.
	stopped []outage
}

// lastBytes is the time within which a resumed worker may send the rest of a request that it had
// begun.
const lastBytes = time.Second

func (j *logJudge) isApart(v *visit) bool {
	return slices.ContainsFunc(j.stopped, func(o outage) bool {
		return v.Worker == o.worker && v.From <= o.to+int64(lastBytes) && (v.End == 0 || v.End >= o.from)
	})
}

// perTarget limits the requests for a target. They are HEAD, GET and a request for a redirect.
const perTarget = 3

// sentOnResume returns the requests that a stopped worker sent immediately after it resumed. A
// correct worker only finishes its current targets, with permits from the workers that now hold
// the hosts.
func (j *logJudge) sentOnResume(log []visit) (list []string) {
	for i := range log {
		v := &log[i]
		for _, o := range j.stopped {
			if v.Worker == o.worker && v.From > o.to && v.From <= o.to+int64(lastBytes) {
				list = append(list, fmt.Sprintf("%v: %s %s", time.Duration(v.From-o.to), v.Host, v.What))
			}
		}
	}
	return list
}

// jiffies is the maximum error of the difference between two kernel times.
const jiffies = 10 * time.Millisecond

// findViolations returns the violations of the limits. The result apart is the number of requests
// from stopped workers.
func (j *logJudge) findViolations(log []visit) (violations []string, apart int) {
	byHost := map[string][]visit{}
	for _, v := range log {
		if j.isApart(&v) {
			apart++
			continue
		}
		byHost[v.Host] = append(byHost[v.Host], v)
	}
	for host, list := range byHost {
		slices.SortFunc(list, func(a, b visit) int { return int(a.From - b.From) })
		for i := range list {
			v := &list[i]
			interval := j.interval
			if strings.HasPrefix(host, "site") && i > 1 {
				interval = crawlDelay * time.Second // the worker knows the delay after robots.txt and the first page
			}
			if i > 0 {
				before := &list[i-1]
				if d := time.Duration(v.To - before.From); d < interval-jiffies {
					violations = append(violations, fmt.Sprintf("%s: %s by %s %v after %s by %s", host, v.What, v.Worker, d, before.What, before.Worker))
				}
			}
			atOnce := 1
			for k := range i {
				if list[k].End > v.To+int64(jiffies) {
					atOnce++
				}
			}
			if atOnce > j.atOnce {
				violations = append(violations, fmt.Sprintf("%s: %d at once with %s by %s", host, atOnce, v.What, v.Worker))
			}
			if v.RetryAfter > 0 {
				violations = append(violations, j.sentInPause(list, i)...)
			}
		}
	}
	return violations, apart
}

// sentInPause returns the requests during a pause that a host requested, if there are too many.
// Other slots may have begun requests before the worker read the response, so the limit on
// concurrent requests is also the permitted number.
func (j *logJudge) sentInPause(list []visit, i int) (violations []string) {
	v := &list[i]
	var inside []string
	for k := range list {
		if d := time.Duration(list[k].To - v.End); d > 0 && d < time.Duration(v.RetryAfter)*time.Second-jiffies {
			inside = append(inside, fmt.Sprintf("%s by %s after %v", list[k].What, list[k].Worker, d))
		}
	}
	if len(inside) > j.atOnce {
		return []string{fmt.Sprintf("%s: %d in the pause after %s: %q", v.Host, len(inside), v.What, inside)}
	}
	return nil
}

// repeated counts the repeated requests that the behavior of the hosts does not explain. The
// result unexplained lists those that no outage explains either.
func (j *logJudge) repeated(log []visit) (inFlight int, unexplained []string) {
	byTarget := map[string][]visit{}
	for _, v := range log {
		_, path, _ := strings.Cut(v.What, " ")
		byTarget[v.Host+path] = append(byTarget[v.Host+path], v)
	}
	for target, list := range byTarget {
		host, path := list[0].Host, target[len(list[0].Host):]
		want := 1
		if hostNumber(host) >= 0 && !strings.HasPrefix(path, "/after") {
			want = wantRequests(host, path)
		}
		if len(list) <= want {
			continue
		}
		slices.SortFunc(list, func(a, b visit) int { return int(a.From - b.From) })
		// An outage must be between the first and the last request. An interrupted request may
		// have begun up to leaseTime after the outage. The host of a redirect target may belong
		// to any worker. If the worker gets no turn at this host, it repeats the whole check.
		first, last := list[0], list[len(list)-1]
		leads := slices.ContainsFunc(list, func(v visit) bool { return v.Status/100 == 3 })
		explained := slices.ContainsFunc(j.outages, func(o outage) bool {
			return (o.worker == "" || leads || slices.ContainsFunc(list, func(v visit) bool { return v.Worker == o.worker })) &&
				o.to+int64(leaseTime) >= first.From && o.from <= last.To
		})
		if explained {
			inFlight += len(list) - want
			continue
		}
		var texts []string
		for _, v := range list {
			texts = append(texts, fmt.Sprintf("%s by %s at %s: %d", v.What, v.Worker, time.Unix(0, v.From).Format("05.000"), v.Status))
		}
		unexplained = append(unexplained, fmt.Sprintf("%s: %d requests, want %d: %q", target, len(list), want, texts))
	}
	return inFlight, unexplained
}

// TestLogJudge checks that the log judge detects violations.
func TestLogJudge(t *testing.T) {
	at := func(ms int) int64 { return int64(ms) * int64(time.Millisecond) }
	visitAt := func(host, path, worker string, from, end int) visit {
		return visit{Host: host, What: "HEAD " + path, Worker: worker, From: at(from), To: at(from), End: at(end), Status: 200}
	}
	j := &logJudge{atOnce: 2, interval: 100 * time.Millisecond}
	good := []visit{
		visitAt("h0.example", "/1", "a", 0, 250), visitAt("h0.example", "/2", "b", 100, 150), visitAt("h0.example", "/3", "a", 200, 300),
		visitAt("h7.example", "/1", "a", 0, 1),
	}
	if breaches, _ := j.findViolations(good); len(breaches) > 0 {
		t.Errorf("%q", breaches)
	}
	for _, bad := range []visit{visitAt("h0.example", "/4", "c", 280, 300), visitAt("h0.example", "/4", "c", 20, 400), visitAt("h7.example", "/2", "c", 50, 60)} {
		if breaches, _ := j.findViolations(append(slices.Clone(good), bad)); len(breaches) == 0 {
			t.Errorf("%+v is not seen", bad)
		}
	}
	j.stopped = []outage{{"c", at(0), at(1000)}}
	if breaches, apart := j.findViolations(append(slices.Clone(good), visitAt("h7.example", "/2", "c", 50, 60))); len(breaches) > 0 || apart != 1 {
		t.Errorf("%q, %d apart", breaches, apart)
	}
	if n := j.sentOnResume(append(slices.Clone(good), visitAt("h7.example", "/2", "c", 1000, 1010), visitAt("h7.example", "/3", "c", 1500, 1510), visitAt("h7.example", "/4", "a", 1600, 1610))); len(n) != 1 {
		t.Errorf("%q after the stop, want 1", n)
	}
	busy := visitAt("h7.example", "/5", "a", 1000, 1010)
	busy.Status, busy.RetryAfter = 429, 1
	early := []visit{busy, visitAt("h7.example", "/6", "a", 1200, 1201), visitAt("h7.example", "/7", "a", 1400, 1401), visitAt("h7.example", "/8", "b", 1600, 1601)}
	if breaches, _ := j.findViolations(early); len(breaches) != 1 {
		t.Errorf("%q", breaches)
	}
	twice := append(slices.Clone(good), visitAt("h0.example", "/1", "b", 50000, 50001))
	if _, unexplained := j.repeated(twice); len(unexplained) != 1 {
		t.Errorf("%q", unexplained)
	}
	j.outages = []outage{{"a", at(200), at(300)}}
	if inFlight, unexplained := j.repeated(twice); len(unexplained) > 0 || inFlight != 1 {
		t.Errorf("%d, %q", inFlight, unexplained)
	}
	j.outages = []outage{{"other", at(200), at(300)}}
	if _, unexplained := j.repeated(twice); len(unexplained) != 1 {
		t.Errorf("%q", unexplained)
	}
	for i := range twice {
		twice[i].Status = 301
	}
	if inFlight, unexplained := j.repeated(twice); len(unexplained) > 0 || inFlight != 1 {
		t.Errorf("%d, %q", inFlight, unexplained)
	}
}
