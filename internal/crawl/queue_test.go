package crawl

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// takeJobs takes n jobs from the queue, and fails if the queue is closed earlier.
func takeJobs(t *testing.T, q *Queue[string], n int) (jobs []string, hosts []*Host[string]) {
	t.Helper()
	for range n {
		job, h, ok := q.Take()
		if !ok {
			t.Fatalf("after %q: closed", jobs)
		}
		jobs, hosts = append(jobs, job), append(hosts, h)
	}
	return jobs, hosts
}

// The queue alternates between hosts, preserves the order of the jobs of a host, and ends after
// End.
func TestTurns(t *testing.T) {
	q := New[string]()
	for i := range 3 {
		for _, host := range []string{"a", "b"} {
			q.Add(fmt.Sprint(host, i), host, Limits{AtOnce: 3})
		}
	}
	q.End()
	jobs, _ := takeJobs(t, q, 6)
	if want := []string{"a0", "b0", "a1", "b1", "a2", "b2"}; !slices.Equal(jobs, want) {
		t.Errorf("%q, want %q", jobs, want)
	}
	if _, _, ok := q.Take(); ok {
		t.Error("something is left")
	}
}

func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New[string]()
		for i := range 6 {
			q.Add(fmt.Sprint("a", i), "a", Limits{AtOnce: 2, Interval: time.Second})
			q.Add(fmt.Sprint("file", i), "", Limits{})
		}
		begin := time.Now()
		jobs, hosts := takeJobs(t, q, 7)
		if time.Since(begin) != 0 || len(jobs) != 7 {
			t.Errorf("%q after %v", jobs, time.Since(begin))
		}
		a := hosts[0]
		if jobs, _ := takeJobs(t, q, 1); jobs[0] != "a1" || time.Since(begin) != time.Second {
			t.Errorf("%q after %v", jobs, time.Since(begin))
		}
		time.AfterFunc(3*time.Second, func() { q.Done(a, 4*time.Second) })
		if jobs, _ := takeJobs(t, q, 1); jobs[0] != "a2" || time.Since(begin) != 4*time.Second {
			t.Errorf("%q after %v", jobs, time.Since(begin))
		}
		q.Skip(a)
		q.Pause(a, time.Now().Add(10*time.Second))
		if jobs, _ := takeJobs(t, q, 1); jobs[0] != "a3" || time.Since(begin) != 14*time.Second {
			t.Errorf("%q after %v", jobs, time.Since(begin))
		}
		q.Skip(a)
		q.Slow(a, time.Minute)
		takeJobs(t, q, 1)
		q.Skip(a)
		time.AfterFunc(time.Second, func() { q.Shut(a, "it asked for peace") })
		if jobs, _ := takeJobs(t, q, 1); jobs[0] != "a5" || time.Since(begin) != 75*time.Second || q.IsShut(a) == "" {
			t.Errorf("%q after %v", jobs, time.Since(begin))
		}
		q.AddAt("again", a, time.Now().Add(time.Hour))
		q.Skip(a)
		if jobs, _ := takeJobs(t, q, 1); jobs[0] != "again" || time.Since(begin) != time.Hour+75*time.Second {
			t.Errorf("%q after %v", jobs, time.Since(begin))
		}
		waiting, requests, stats := q.Stats()
		if want := (Stats{"a", 1, 4 * time.Second, 4 * time.Second}); waiting != 0 || requests != 1 || len(stats) != 1 || stats[0] != want {
			t.Errorf("%d, %d, %+v", waiting, requests, stats)
		}
	})
}

// Pause and Shut apply to a server without limits, but not to a host without a name.
func TestNoLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New[string]()
		begin := time.Now()
		for _, host := range []string{"a", ""} {
			for range 5 {
				q.Add(host, host, Limits{})
			}
			_, hosts := takeJobs(t, q, 1)
			h := hosts[0]
			q.Pause(h, time.Now().Add(time.Minute))
			takeJobs(t, q, 1)
			q.Slow(h, time.Second)
			takeJobs(t, q, 1)
			q.Shut(h, "full")
			q.Slow(h, time.Hour) // as after a request that was in flight
			takeJobs(t, q, 2)
			if shut := q.IsShut(h); (shut == "full") != (host == "a") {
				t.Errorf("%q: %q", host, shut)
			}
			if took := time.Since(begin); took != time.Minute+time.Second {
				t.Errorf("%q: after %v", host, took)
			}
		}
	})
}

// Close makes all waiting calls of Take return.
func TestClose(t *testing.T) {
	q := New[int]()
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if _, _, ok := q.Take(); ok {
				t.Error("there is nothing to take")
			}
		})
	}
	q.Close()
	all.Wait()
}
