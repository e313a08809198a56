package pipeline

import "github.com/apache/beam/sdks/v2/go/pkg/beam"

// Counts holds the counters of a job. If a runner retries a part of the job, it may count the part
// twice.
type Counts struct {
	Records  int64 // lines, or links of documents
	Read     int64 // bytes read from the stored input files
	Keys     int64 // keys sent to the workers that sum them
	Shuffled int64 // total size of these keys and their tallies, in bytes
	Dead     int64 // dead letters
}

// CountsOf returns the counters of a job. If the runner does not report the counters, they are
// zero.
func CountsOf(result beam.PipelineResult) (c Counts) {
	if result == nil {
		return c
	}
	fields := map[string]*int64{
		counterLines: &c.Records, counterRead: &c.Read, counterTallies: &c.Keys, counterShuffled: &c.Shuffled, counterDead: &c.Dead,
	}
	for _, counter := range result.Metrics().AllMetrics().Counters() {
		if field := fields[counter.Name()]; field != nil && counter.Namespace() == namespace {
			*field += counter.Result()
		}
	}
	return c
}
