package pipeline

import "github.com/apache/beam/sdks/v2/go/pkg/beam"

// Counts are what a job counted. A runner that tries a part again may count it twice.
type Counts struct {
	Records  int64 // lines, or the links of documents
	Read     int64 // octets of the input, as it is stored
	Keys     int64 // that were sent to be summed
	Shuffled int64 // octets of those
	Dead     int64 // dead letters
}

// CountsOf returns what the job of result counted; zero if the runner does not tell.
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
