package pipeline

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

const (
	// maxPage is the maximum size of a page in a Parquet file, in bytes, before and after
	// decompression.
	maxPage = 256 << 20
	// maxPageValues limits the number of values in a page, including nulls. The Parquet
	// library allocates up to 10 bytes for each value before it reads the first value.
	maxPageValues = 16 << 20
	// maxPageHeader is the maximum size of a page header, in bytes.
	maxPageHeader = 1 << 20
)

// pageChecker checks the pages of a column chunk before the Parquet library reads them. The
// library allocates as much memory as a page header claims. If decompressed gzip, Brotli or LZ4
// data is larger, the library allocates more memory.
type pageChecker struct {
	in    *bufio.Reader
	codec format.CompressionCodec
	// stream decodes a page. It is nil for codecs without a streaming decoder.
	stream decoder
}

// decoder is a streaming decoder, which Reset prepares for another stream.
type decoder interface {
	io.Reader
	Reset(io.Reader) error
}

// checkPages checks the pages of the column in a row group. It returns an error if a page exceeds
// a limit, or is larger after decompression than its header claims.
func (c parquetColumn) checkPages(ctx context.Context, group int) error {
	chunk := &c.file.Metadata().RowGroups[group].Columns[c.index].MetaData
	start := chunk.DataPageOffset
	if chunk.DictionaryPageOffset != 0 {
		start = chunk.DictionaryPageOffset
	}
	// The library reads all row groups with the codec of the first row group.
	node := c.file.RowGroups()[group].ColumnChunks()[c.index].(*parquet.FileColumnChunk).Node()
	section := io.NewSectionReader(c.file, start, chunk.TotalCompressedSize)
	p := &pageChecker{in: bufio.NewReaderSize(section, maxPageHeader), codec: node.Compression().CompressionCodec()}
	if err := p.open(); err != nil {
		return err
	}
	for n := 1; ctx.Err() == nil; n++ {
		switch err := p.page(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("page %d of row group %d: %w", n, group+1, err)
		}
	}
	return ctx.Err()
}

// open creates the decoder for the codec of the column.
func (p *pageChecker) open() (err error) {
	switch p.codec {
	case format.Gzip:
		p.stream = new(gzip.Reader)
	case format.Brotli:
		p.stream = new(brotli.Reader)
	case format.Zstd:
		p.stream, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxPage))
	}
	return err
}

// page checks the next page. After the last page, it returns io.EOF.
func (p *pageChecker) page() error {
	h, err := p.header()
	if err != nil {
		return err
	}
	if err := checkHeader(h); err != nil {
		return err
	}
	body := &io.LimitedReader{R: p.in, N: int64(h.CompressedPageSize)}
	if err := p.body(h, body); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return err
	}
	if body.N > 0 {
		return fmt.Errorf("the page is truncated: %w", io.ErrUnexpectedEOF)
	}
	return nil
}

// header reads a page header. It decodes the header from a buffer, so that a wrong length in the
// header cannot make it allocate memory.
func (p *pageChecker) header() (*format.PageHeader, error) {
	for size := maxPageHeader >> 8; ; size <<= 4 {
		head, err := p.in.Peek(size)
		if err != nil && (err != io.EOF || len(head) == 0) {
			return nil, err
		}
		h := new(format.PageHeader)
		in := new(thrift.CompactProtocol).NewReaderFromBytes(head)
		err = thrift.NewDecoder(in).Decode(h)
		switch {
		case err == nil:
			_, err = p.in.Discard(in.BytesRead())
			return h, err
		case len(head) < size || size == maxPageHeader:
			return nil, fmt.Errorf("the page header is damaged or longer than %d bytes: %v", maxPageHeader, err)
		}
	}
}

// checkHeader returns an error if a number in the header is negative or exceeds a limit.
func checkHeader(h *format.PageHeader) error {
	v2 := &h.DataPageHeaderV2.V
	for _, size := range []int32{h.CompressedPageSize, h.UncompressedPageSize, v2.RepetitionLevelsByteLength, v2.DefinitionLevelsByteLength} {
		if size < 0 || size > maxPage {
			return fmt.Errorf("the page header claims %d bytes: the limit is %d", size, maxPage)
		}
	}
	for _, n := range []int32{h.DataPageHeader.V.NumValues, v2.NumValues, h.DictionaryPageHeader.V.NumValues} {
		if n < 0 || n > maxPageValues {
			return fmt.Errorf("the page header claims %d values: the limit is %d", n, maxPageValues)
		}
	}
	return nil
}

// body checks the compressed data of a page.
func (p *pageChecker) body(h *format.PageHeader, body *io.LimitedReader) error {
	if h.Type == format.DataPageV2 {
		v2 := &h.DataPageHeaderV2.V
		if v2.IsCompressed.Valid && !v2.IsCompressed.V {
			return nil
		}
		levels := int64(v2.RepetitionLevelsByteLength) + int64(v2.DefinitionLevelsByteLength)
		if _, err := io.CopyN(io.Discard, body, levels); err != nil {
			return fmt.Errorf("the levels of the page are truncated: %w", err)
		}
	}
	limit := int64(h.UncompressedPageSize)
	n, err := p.decodedSize(body, limit)
	switch {
	case err != nil:
		return fmt.Errorf("the page is damaged, or has more than the %d bytes that its header claims: %w", limit, err)
	case n > limit:
		return fmt.Errorf("the page has more than the %d bytes that its header claims", limit)
	}
	return nil
}

// decodedSize returns the size of the page body after decompression. It stops when the size
// exceeds the limit.
func (p *pageChecker) decodedSize(body *io.LimitedReader, limit int64) (int64, error) {
	switch {
	case p.stream != nil:
		if err := p.stream.Reset(body); err != nil {
			return 0, err
		}
		return io.Copy(io.Discard, io.LimitReader(p.stream, limit+1))
	case p.codec == format.Snappy:
		head, err := io.ReadAll(io.LimitReader(body, 5)) // the length is a 32-bit varint
		if err != nil {
			return 0, err
		}
		n, err := snappy.DecodedLen(head)
		return int64(n), err
	case p.codec == format.Lz4Raw:
		packed, err := io.ReadAll(body)
		if err != nil {
			return 0, err
		}
		n, err := lz4.UncompressBlock(packed, make([]byte, limit+1))
		return int64(n), err
	}
	return 0, nil
}
