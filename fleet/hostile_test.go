package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/verify"
)

// TestGarbage checks that garbage in a stream or bucket does not stop a worker, and that
// unreadable messages become dead letters.
func TestGarbage(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(string, string) (int, string) { return 200, "" })
	f := openTestFrontier(t)
	publish := func(subject, text string) {
		t.Helper()
		if _, err := f.js.Publish(t.Context(), subject, []byte(text)); err != nil {
			t.Fatal(subject, err)
		}
	}
	s, err := NewSubmitter(w.worker(f, w.options()))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	// The verdict of one target is garbage before a worker reads the target.
	source := document("a", "http://h.example/damaged http://h.example/fine http://other.example/")
	links, _ := s.slot.checker.Read(t.Context(), source)
	publish(f.subject(verdictStream, f.addressOf(s.slot.checker, &links[0]).words()...), `{"v":"no such verdict"`)
	if err := s.Submit(t.Context(), slices.Values([]verify.Source{source})); err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"", "\x00\xff", "{}", `{"l":{}}`, `{"l":{"url":"http://u:secret@h.example/"}}`, `{"l":{"url":"file:///etc/passwd"}}`, `{"l":"` + strings.Repeat("[", 10_000), `{"l":{"url":"http://other.example/"}}`} {
		publish(f.subject(targetStream, f.hostAddressOf("h.example").words(key{byte(i), 1})...), text)
		publish(f.subject(targetStream, "0", fmt.Sprint("x", i)), text)
		publish(f.subject(changeStream, fmt.Sprint(i)), text)
		publish(f.subject(deadStream, fmt.Sprint(i)), text)
		for bucket, name := range map[string]string{"leases": fmt.Sprint("p-", i), "hosts": fmt.Sprint("m-", i), workerBucket: fmt.Sprint("w-", i), settingsKey: "mode"} {
			publish("$KV."+f.stream(bucket)+"."+name, text)
		}
		publish("$KV."+f.stream("hosts")+".h-"+f.hostAddressOf("h.example").host, text)
	}
	worker := w.worker(f, w.options())
	end := w.startWorker(worker)
	defer end()
	// Messages about permits are garbage, too.
	for _, text := range []string{"", "{", `{"host":"x"}`, `{"host":"0123456789abcdef","atOnce":-1}`, `{"id":"none","begun":true}`, strings.Repeat("x", maxPermit+1)} {
		if err := f.nc.PublishRequest(f.permitSubject(1), f.nc.NewInbox(), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for r := range s.Run(t.Context(), slices.Values([]verify.Source{})) {
		got = append(got, r.Link()+" "+r.Verdict.String())
	}
	want := []string{"http://h.example/damaged unknown", "http://h.example/fine alive", "http://other.example/ alive"}
	if err := s.Err(); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q %v", got, err)
	}
	status, err := f.Status(t.Context())
	if err != nil || status.Dead < 16 {
		t.Errorf("%+v %v", status, err)
	}
	if err := f.Changes(t.Context(), false, func(Change) bool { return true }); err != nil {
		t.Error(err)
	}
	if asked := w.requests(); len(asked) != 2 {
		t.Errorf("asked: %q", asked)
	}
}

// TestDamagedLinks checks that damaged messages with links yield results with an error, and that
// intact messages are still read.
func TestDamagedLinks(t *testing.T) {
	w := newFixture(t, func(string, string) (int, string) { return 200, "" })
	f := openTestFrontier(t)
	s, err := NewSubmitter(w.worker(f, w.options()))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	submit := func(name string) {
		t.Helper()
		if err := s.Submit(t.Context(), slices.Values([]verify.Source{document(name, "http://h.example/"+name)})); err != nil {
			t.Fatal(err)
		}
	}
	submit("first")
	damaged := []string{"", "\xff", "null", `{"l":` + strings.Repeat("[", 100_000), `{"l":{"url":"http://u:secret@h.example/"}}`, strings.Repeat("x", maxMessage-1000), `{"e":"\u001b[31mred"}`}
	for i, text := range damaged {
		if _, err := f.js.Publish(t.Context(), f.subject(linkStream, fmt.Sprintf("%032x", i), "0"), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	submit("last")
	var got []string
	bad := 0
	for r := range s.Results(t.Context()) {
		if r.Err != nil {
			bad++
			if strings.Contains(r.Err.Error(), "secret") {
				t.Error(r.Err)
			}
			continue
		}
		got = append(got, r.Link())
	}
	if err := s.Err(); err != nil || !slices.Equal(got, []string{"http://h.example/first", "http://h.example/last"}) || bad != 6 {
		t.Errorf("%q, %d damaged, %v", got, bad, err)
	}
}

// TestPage checks that the page escapes the reports of workers and limits their size.
func TestPage(t *testing.T) {
	f := openTestFrontier(t)
	script := "<script>alert(1)</script>"
	for i := range 30 {
		p := Counts{Verdicts: map[string]int{script: 2}, Held: 3, Busiest: []HostCount{{Name: script + strings.Repeat("h", i), Waiting: i, More: true}}}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		for key, text := range map[string][]byte{workerKey(fmt.Sprint(i)): []byte("{}"), reportPrefix + fmt.Sprint(i): text} {
			if _, err := f.workers.Put(t.Context(), key, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	get := func(path string) (int, string) {
		rec := httptest.NewRecorder()
		f.Page().ServeHTTP(rec, httptest.NewRequest("GET", path, nil))
		text, _ := io.ReadAll(rec.Body)
		return rec.Code, string(text)
	}
	code, text := get("/")
	if code != 200 || strings.Contains(text, "<script") || strings.Count(text, "&lt;script&gt;") != 1+maxPageHosts || !strings.Contains(text, "90 of 64") || !strings.Contains(text, "<td>60") {
		t.Errorf("%d\n%s", code, text)
	}
	if code, text := get("/style.css"); code != 200 || !strings.Contains(text, "body {") {
		t.Error(code, text)
	}
	if code, _ := get("/other"); code != 404 {
		t.Error(code)
	}
	f.nc.Close()
	if code, _ := get("/"); code != 502 {
		t.Error(code)
	}
}

// TestPageRate checks that the page computes the throughput over several seconds.
func TestPageRate(t *testing.T) {
	c := newFakeClock()
	p := &page{clock: c, frontier: &Frontier{settings: Settings{Partitions: 8}}}
	if d := p.data(&Status{Targets: 100, Verdicts: 0}); d.Rate != 0 || d.Left != 0 || d.Waiting != 100 {
		t.Errorf("%+v", d)
	}
	c.advance(5 * time.Second)
	if d := p.data(&Status{Targets: 100, Verdicts: 50}); d.Rate != 10 || d.Left != 5*time.Second {
		t.Errorf("%+v", d)
	}
	c.advance(time.Second)
	if d := p.data(&Status{Targets: 100, Verdicts: 51}); d.Rate != 10 {
		t.Errorf("%+v", d)
	}
}

func TestMetrics(t *testing.T) {
	f := openTestFrontier(t)
	hosts := newFixture(t, redirecting)
	w := hosts.worker(f, hosts.options())
	w.updateCounts(func(c *Counts) { c.Verdicts["alive"], c.Verdicts["dead"], c.Requests = 3, 1, 5 })
	var b strings.Builder
	if err := w.WriteMetrics(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"# TYPE locus_fleet_verdicts_total counter\n", `locus_fleet_verdicts_total{verdict="alive"} 3` + "\n", "locus_fleet_requests_total 5\n", "# TYPE locus_fleet_waiting gauge\n", "locus_fleet_unacknowledged 0\n"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("no %q in\n%s", line, b.String())
		}
	}
}

func FuzzVerdict(f *testing.F) {
	for _, text := range []string{`{"v":"alive"}`, `{"v":1,"t":5}`, `{`, `{"to":"http://u:secret@h/"}`} {
		f.Add([]byte(text))
	}
	text, err := json.Marshal(&verify.Response{Outcome: verify.Outcome{Verdict: verify.Moved, To: locus.MustParse("http://h.example/x"), Detail: "d"}, When: time.Unix(5, 0), Fragments: map[string]bool{"a": true}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		v := readVerdict(7, text)
		if v.sequence != 7 || v.decodeErr != nil && v.response.Outcome.Verdict != verify.Unknown || v.response.Outcome.Verdict.String() == "" {
			t.Errorf("%q: %+v", text, v)
		}
		if _, err := json.Marshal(&v.response); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}

func FuzzSubject(f *testing.F) {
	fr := testFrontier()
	f.Add("locus.default.verdicts.3.0123456789abcdef.0123456789abcdef0123456789abcdef")
	f.Add("locus.default.verdicts.64.0123456789abcdef.0123456789abcdef0123456789abcdef")
	f.Add("locus..verdicts.3")
	f.Fuzz(func(t *testing.T, subject string) {
		at, err := fr.parseSubject(verdictStream, subject)
		if err != nil {
			if !errors.Is(err, errSubject) {
				t.Error(err)
			}
			return
		}
		if at.partition < 0 || at.partition >= 64 || len(at.host) != 16 || !strings.EqualFold(fr.subject(verdictStream, at.words()...), subject) {
			t.Errorf("%s: %+v", subject, at)
		}
	})
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"partitions":64,"replicas":3,"every":1000}`))
	f.Add([]byte(`{"partitions":-1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var s Settings
		if json.Unmarshal(text, &s) != nil || s.check() != nil {
			return
		}
		if s.Partitions < 1 || s.Partitions > maxPartitions || s.Replicas < 1 || s.Replicas > maxReplicas || s.Every < 0 || s.EveryBad < 0 || s.PerHost < 0 {
			t.Errorf("%s: %+v", text, s)
		}
	})
}
