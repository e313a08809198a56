package pipeline

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

var codecs = []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd, &parquet.Lz4Raw}

// onePage returns a Parquet file with one column that consists of one page.
func onePage(t testing.TB, codec compress.Codec, header format.PageHeader, body []byte) []byte {
	t.Helper()
	compact := new(thrift.CompactProtocol)
	page, err := thrift.Marshal(compact, header)
	if err != nil {
		t.Fatal(err)
	}
	size := int64(len(page) + len(body))
	chunk := format.ColumnMetaData{
		Type: format.ByteArray, Encoding: []format.Encoding{format.Plain}, PathInSchema: []string{"url"},
		Codec: codec.CompressionCodec(), NumValues: 1, TotalUncompressedSize: size, TotalCompressedSize: size, DataPageOffset: 4,
	}
	footer, err := thrift.Marshal(compact, format.FileMetaData{
		Version: 1,
		NumRows: 1,
		Schema: []format.SchemaElement{
			{Name: "root", NumChildren: thrift.New(int32(1))},
			{Name: "url", Type: thrift.New(format.ByteArray), RepetitionType: thrift.New(format.Required)},
		},
		RowGroups: []format.RowGroup{{NumRows: 1, TotalByteSize: size, Columns: []format.ColumnChunk{{MetaData: chunk}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	end := binary.LittleEndian.AppendUint32(nil, uint32(len(footer)))
	return bytes.Join([][]byte{[]byte("PAR1"), page, body, footer, end, []byte("PAR1")}, nil)
}

// dataPage returns the header of a page with one value.
func dataPage(unpacked, packed int) format.PageHeader {
	return format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: int32(unpacked), CompressedPageSize: int32(packed),
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: 1, Encoding: format.Plain, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE}),
	}
}

// encoded returns the content, compressed with a codec.
func encoded(t testing.TB, codec compress.Codec, content []byte) []byte {
	t.Helper()
	packed, err := codec.Encode(nil, content)
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

// refused checks that reading a damaged file returns the wanted error and uses little memory.
func refused(t *testing.T, name string, content []byte, want string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := readParquet(t, content, Options{Key: "url"})
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "file\": ") {
		t.Errorf("%s: %v, want %s", name, err, want)
	}
	// The Brotli and Zstandard decoders allocate some windows of 8 MiB.
	if took := after.TotalAlloc - before.TotalAlloc; took > 60<<20 {
		t.Errorf("%s: reading took %d MiB", name, took>>20)
	}
}

// TestParquetCodecs reads whole files with each codec and both versions of pages.
func TestParquetCodecs(t *testing.T) {
	rows, _ := pages(1000)
	for _, codec := range codecs {
		for version := 1; version <= 2; version++ {
			var b bytes.Buffer
			w := parquet.NewGenericWriter[page](&b, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(1000), parquet.MaxRowsPerRowGroup(300))
			if _, err := w.Write(rows); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"links", "from.host"} {
				got, _, err := readParquet(t, b.Bytes(), Options{Key: key})
				want, _, _ := readParquet(t, parquetOf(t, rows), Options{Key: key})
				if err != nil || len(got) == 0 || !maps.Equal(got, want) {
					t.Errorf("%v, version %d, column %s: %v, %d keys, want %d", codec, version, key, err, len(got), len(want))
				}
			}
		}
	}
	value := []byte("\x09\x00\x00\x00http://h/")
	for _, codec := range codecs {
		packed := encoded(t, codec, value)
		got, _, err := readParquet(t, onePage(t, codec, dataPage(len(value), len(packed)), packed), Options{Key: "url"})
		if err != nil || got["http://h/"] != 1 {
			t.Errorf("%v: a page of one value: %v, %v", codec, err, got)
		}
	}
}

// TestParquetBombs reads pages that are larger after decompression than their headers claim.
func TestParquetBombs(t *testing.T) {
	zeros := make([]byte, 64<<20)
	for _, codec := range codecs[1:] {
		packed := encoded(t, codec, zeros)
		h := dataPage(1000, len(packed))
		refused(t, codec.String(), onePage(t, codec, h, packed), "more than the 1000 bytes that its header claims")
		h.DataPageHeader, h.Type = thrift.Null[format.DataPageHeader]{}, format.DataPageV2
		h.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{NumValues: 1, NumRows: 1, Encoding: format.Plain})
		refused(t, codec.String()+", version 2", onePage(t, codec, h, packed), "more than the 1000 bytes")
		h.DataPageHeaderV2, h.Type = thrift.Null[format.DataPageHeaderV2]{}, format.DictionaryPage
		h.DictionaryPageHeader = thrift.New(format.DictionaryPageHeader{NumValues: 1, Encoding: format.Plain})
		refused(t, codec.String()+", a dictionary", onePage(t, codec, h, packed), "more than the 1000 bytes")
	}
}

// TestParquetClaims reads page headers that claim large sizes.
func TestParquetClaims(t *testing.T) {
	for _, codec := range codecs {
		packed := encoded(t, codec, []byte("\x01\x00\x00\x00x"))
		claim := fmt.Sprintf("the page header claims %d bytes: the limit is %d", 1<<30, maxPage)
		refused(t, codec.String()+", decoded", onePage(t, codec, dataPage(1<<30, len(packed)), packed), claim)
		refused(t, codec.String()+", stored", onePage(t, codec, dataPage(5, 1<<30), packed), claim)
		refused(t, codec.String()+", cut", onePage(t, codec, dataPage(5, 100+len(packed)), packed), "page 1 of row group 1: ")
		h := dataPage(5, len(packed))
		h.DataPageHeader.V.NumValues = 1 << 30
		refused(t, codec.String()+", values", onePage(t, codec, h, packed), "values: the limit is")
	}
	refused(t, "a snappy length", onePage(t, &parquet.Snappy, dataPage(5, 6), []byte("\x80\x80\x80\x80\x04x")), "more than the 5 bytes")
	refused(t, "damaged LZ4", onePage(t, &parquet.Lz4Raw, dataPage(5, 5), []byte("\xff\xff\xff\xff\xff")), "the page is damaged")
}

// TestParquetCopy copies files whose size changed after the pipeline read it.
func TestParquetCopy(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for size, want := range map[int64]bool{5: true, 4: false, 0: false} {
		r := &reading{in: io.NopCloser(io.LimitReader(strings.NewReader("12345"), 5))}
		_, done, err := r.file(size)
		if (err == nil) != want || r.read.Load() > size+1 {
			t.Errorf("%d bytes: %v after %d bytes", size, err, r.read.Load())
		}
		if err == nil {
			done()
		}
	}
}
