package command_test

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// bucket is a bucket in memory. It implements the parts of the Amazon S3 and Google Cloud
// Storage protocols that the SDK uses.
type bucket struct {
	t       *testing.T
	mu      sync.Mutex
	objects map[string][]byte
}

func newBucket(t *testing.T, objects map[string][]byte) (b *bucket, address string) {
	b = &bucket{t: t, objects: objects}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	return b, server.URL
}

// names returns the names of the objects that begin with prefix.
func (b *bucket) names(prefix string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(b.objects)) {
		if strings.HasPrefix(name, prefix) {
			list = append(list, name)
		}
	}
	return list
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, rest, ok := strings.Cut(r.URL.EscapedPath(), "/storage/v1/b/bucket/o"); ok {
		b.google(w, r, strings.Split(strings.TrimPrefix(rest, "/"), "/"))
		return
	}
	b.plain(w, r, strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/bucket"), "/"))
}

// plain serves S3 requests, and requests for objects in both protocols.
func (b *bucket) plain(w http.ResponseWriter, r *http.Request, name string) {
	content, found := b.objects[name]
	switch {
	case name == "":
		type object struct{ Key string }
		list := struct {
			XMLName  xml.Name `xml:"ListBucketResult"`
			Contents []object
		}{}
		for _, name := range b.names(r.FormValue("prefix")) {
			list.Contents = append(list.Contents, object{name})
		}
		xml.NewEncoder(w).Encode(list)
	case r.Method == http.MethodPut && r.Header.Get("X-Amz-Copy-Source") != "":
		source, _ := url.PathUnescape(r.Header.Get("X-Amz-Copy-Source"))
		b.objects[name] = b.objects[strings.TrimPrefix(source, "bucket/")]
		io.WriteString(w, "<CopyObjectResult/>")
	case r.Method == http.MethodPut:
		b.objects[name], _ = io.ReadAll(r.Body)
	case r.Method == http.MethodDelete:
		delete(b.objects, name)
		w.WriteHeader(http.StatusNoContent)
	case !found:
		http.Error(w, "<Error><Code>NoSuchKey</Code></Error>", http.StatusNotFound)
	default:
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		w.Write(content)
	}
}

// google serves the Google Cloud Storage JSON API. The parameter parts contains the rest of the
// path.
func (b *bucket) google(w http.ResponseWriter, r *http.Request, parts []string) {
	name, _ := url.PathUnescape(parts[0])
	type object struct {
		Name string `json:"name"`
		Size string `json:"size"`
	}
	describe := func(name string) object { return object{name, strconv.Itoa(len(b.objects[name]))} }
	var answer any
	switch {
	case strings.HasPrefix(r.URL.Path, "/upload/"):
		name = b.upload(r)
		answer = describe(name)
	case r.Method == http.MethodPost: // rewriteTo/b/bucket/o/NAME
		to, _ := url.PathUnescape(parts[len(parts)-1])
		b.objects[to] = b.objects[name]
		answer = map[string]any{"done": true, "resource": describe(to)}
	case r.Method == http.MethodDelete:
		delete(b.objects, name)
		w.WriteHeader(http.StatusNoContent)
		return
	case name == "":
		var items []object
		for _, name := range b.names(r.FormValue("prefix")) {
			items = append(items, describe(name))
		}
		answer = map[string]any{"items": items}
	case b.objects[name] == nil:
		http.Error(w, `{"error":{"code":404}}`, http.StatusNotFound)
		return
	default:
		answer = describe(name)
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(answer)
}

// upload stores an object that arrives in two parts: the metadata and the content.
func (b *bucket) upload(r *http.Request) (name string) {
	_, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	parts := multipart.NewReader(r.Body, params["boundary"])
	var object struct{ Name string }
	for i := range 2 {
		part, err := parts.NextPart()
		if err != nil {
			b.t.Errorf("%s %s: %v", r.Method, r.URL, err)
			return ""
		}
		content, _ := io.ReadAll(part)
		if i == 0 {
			json.Unmarshal(content, &object)
		} else {
			b.objects[object.Name] = content
		}
	}
	return object.Name
}

// TestBuckets reads and writes s3:// and gs://.
func TestBuckets(t *testing.T) {
	folder := t.TempDir()
	for _, test := range []struct{ scheme, variable string }{{"s3://", "AWS_ENDPOINT_URL"}, {"gs://", "STORAGE_EMULATOR_HOST"}} {
		t.Run(test.scheme, func(t *testing.T) {
			b, address := newBucket(t, map[string][]byte{
				"table":        parquetOf(t, "HTTP://P/"),
				"in/list-1.gz": gzipped(t, []byte("HTTP://H/\nbad\n")),
				"in/list-2":    []byte("http://h/\n"),
				"in/list-3":    []byte("http://no/\n"),
				"in/other":     []byte("http://no/\n"),
			})
			t.Setenv(test.variable, address)
			for name, value := range map[string]string{"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_REQUEST_CHECKSUM_CALCULATION": "when_required"} {
				t.Setenv(name, value)
			}
			root := test.scheme + "bucket/"
			for _, args := range [][]string{nil, {"--overwrite"}} {
				mustRun(t, folder, append(args, root+"in/lis?-[12]*", "--output", root+"out/u", "--num_shards", "2")...)
			}
			mustRun(t, folder, root+"table", "--key", "url", "--output", "local-"+test.scheme[:2])
			if got := output(t, folder, "local-"+test.scheme[:2]); !slices.Equal(got, []string{"http://p/\t1"}) {
				t.Errorf("of Parquet %q", got)
			}
			want := []string{"in/list-1.gz", "in/list-2", "in/list-3", "in/other", "out/u-00000-of-00002.txt", "out/u-00001-of-00002.txt", "out/u-dead-00000-of-00001.ndjson", "table"}
			b.mu.Lock()
			if got := b.names(""); !slices.Equal(got, want) {
				t.Errorf("objects %q, want %q", got, want)
			}
			if got := string(b.objects["out/u-00000-of-00002.txt"]) + string(b.objects["out/u-00001-of-00002.txt"]); got != "http://h/\t2\n" {
				t.Errorf("output %q", got)
			}
			b.mu.Unlock()
			if status, stderr := run(t, folder, root+"in/list-*", "--output", root+"out/u"); status != 2 {
				t.Errorf("an output that is there: status %d, %s", status, stderr)
			}
			if status, stderr := run(t, folder, root+"none*"); status != 3 || !strings.Contains(stderr, "no file matches") {
				t.Errorf("no file: status %d, %s", status, stderr)
			}
		})
	}
}

// TestNoCredentials checks that the message names the credentials that s3:// needs.
func TestNoCredentials(t *testing.T) {
	for name, value := range map[string]string{"AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true", "HOME": t.TempDir()} {
		t.Setenv(name, value)
	}
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_ENDPOINT_URL"} {
		t.Setenv(name, "")
	}
	if status, stderr := run(t, t.TempDir(), "s3://bucket/x"); status != 3 || !strings.Contains(stderr, "set AWS_REGION") {
		t.Errorf("status %d, %s", status, stderr)
	}
	t.Setenv("AWS_PROFILE", "nonsense")
	if status, stderr := run(t, t.TempDir(), "s3://bucket/x"); status != 3 || !strings.Contains(stderr, "nonsense") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("status %d, %s", status, stderr)
	}
}
