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

// visit is a line in a host's log: a request, by the machine's clock. The request arrived
// between From and To, according to the kernel, whatever the load of the machine.
type visit struct {
	Host, What, Worker string
	From, To, End      int64 // nanoseconds
	Status             int   // 0 if the connection was reset, or the worker disconnected
	RetryAfter         int   // seconds
}

// hostsServer serves all virtual hosts in one process and holds their log.
type hostsServer struct {
	mu    sync.Mutex
	log   []visit
	times map[string]int // number of requests for each URL
}

// arrival returns when the last bytes arrived over c, according to tcp_info.
func arrival(c net.Conn) (from, to int64) {
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
		// tcpi_last_data_recv, in milliseconds.
		ago := time.Duration(*(*uint32)(unsafe.Pointer(&info[52]))) * time.Millisecond
		if took < best {
			best = took
			from, to = before.Add(-ago).UnixNano(), before.Add(took-ago).UnixNano()
		}
		if took < time.Millisecond {
			break
		}
	}
	return from, to
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

// awaitEnd waits for the end of the input, which is the end of the test.
func awaitEnd() { _, _ = bufio.NewReader(os.Stdin).ReadByte() }

// reply is the response of a host.
type reply struct {
	status, retryAfter   int
	delay                time.Duration
	location, kind, body string
}

const (
	crawlDelay = 1 // seconds, of the hosts with pages
	sitePages  = 6
)

// answerOf returns the response of a virtual host to the n-th request for a path. Hosts of a class
// behave alike.
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

// wantRequests returns the number of requests for a target if only the host fails. A redirect adds
// one request to the other host.
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

// outage is when a worker was killed, stopped or cut off, and until when.
type outage struct {
	worker   string
	from, to int64
}

// logJudge finds violations of the limits in the hosts' log.
type logJudge struct {
	atOnce   int
	interval time.Duration
	outages  []outage
	// stopped are the times of workers that were stopped: what these had begun is counted
	// apart.
	stopped []outage
}

// lastBytes is how much later a resumed worker may send the rest of a request that it had
// begun.
const lastBytes = time.Second

func (j *logJudge) isApart(v *visit) bool {
	return slices.ContainsFunc(j.stopped, func(o outage) bool {
		return v.Worker == o.worker && v.From <= o.to+int64(lastBytes) && (v.End == 0 || v.End >= o.from)
	})
}

// perTarget limits the requests for a target: HEAD, GET and one for a redirect.
const perTarget = 3

// goneOn returns the requests that a stopped worker sent as soon as it resumed. A worker that
// checks its leases only finishes its current targets, with permits from the workers that hold
// the hosts now.
func (j *logJudge) goneOn(log []visit) (list []string) {
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

// jiffies is the error of the difference of two kernel times.
const jiffies = 10 * time.Millisecond

// judge returns the breaches of the limits, and the number of requests of stopped workers.
func (j *logJudge) judge(log []visit) (breaches []string, apart int) {
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
				interval = crawlDelay * time.Second // known since its robots.txt and first page
			}
			if i > 0 {
				before := &list[i-1]
				if d := time.Duration(v.To - before.From); d < interval-jiffies {
					breaches = append(breaches, fmt.Sprintf("%s: %s by %s %v after %s by %s", host, v.What, v.Worker, d, before.What, before.Worker))
				}
			}
			atOnce := 1
			for k := range i {
				if list[k].End > v.To+int64(jiffies) {
					atOnce++
				}
			}
			if atOnce > j.atOnce {
				breaches = append(breaches, fmt.Sprintf("%s: %d at once with %s by %s", host, atOnce, v.What, v.Worker))
			}
			if v.RetryAfter > 0 {
				breaches = append(breaches, j.inPause(list, i)...)
			}
		}
	}
	return breaches, apart
}

// inPause returns the requests during a pause that a host requested, except the requests that
// other slots may have begun before the response was read: as many as the limit on concurrent
// requests.
func (j *logJudge) inPause(list []visit, i int) (breaches []string) {
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

// repeated returns the number of repeated requests that the hosts' behavior does not explain,
// and the requests that no outage explains either.
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
		// have begun up to one lease time after the outage. A redirect target's host may belong
		// to any worker: without a turn there, the whole check is repeated.
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

// The judge detects the violations that it must detect.
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
	if breaches, _ := j.judge(good); len(breaches) > 0 {
		t.Errorf("%q", breaches)
	}
	for _, bad := range []visit{visitAt("h0.example", "/4", "c", 280, 300), visitAt("h0.example", "/4", "c", 20, 400), visitAt("h7.example", "/2", "c", 50, 60)} {
		if breaches, _ := j.judge(append(slices.Clone(good), bad)); len(breaches) == 0 {
			t.Errorf("%+v is not seen", bad)
		}
	}
	j.stopped = []outage{{"c", at(0), at(1000)}}
	if breaches, apart := j.judge(append(slices.Clone(good), visitAt("h7.example", "/2", "c", 50, 60))); len(breaches) > 0 || apart != 1 {
		t.Errorf("%q, %d apart", breaches, apart)
	}
	if n := j.goneOn(append(slices.Clone(good), visitAt("h7.example", "/2", "c", 1000, 1010), visitAt("h7.example", "/3", "c", 1500, 1510), visitAt("h7.example", "/4", "a", 1600, 1610))); len(n) != 1 {
		t.Errorf("%q after the stop, want 1", n)
	}
	busy := visitAt("h7.example", "/5", "a", 1000, 1010)
	busy.Status, busy.RetryAfter = 429, 1
	early := []visit{busy, visitAt("h7.example", "/6", "a", 1200, 1201), visitAt("h7.example", "/7", "a", 1400, 1401), visitAt("h7.example", "/8", "b", 1600, 1601)}
	if breaches, _ := j.judge(early); len(breaches) != 1 {
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
