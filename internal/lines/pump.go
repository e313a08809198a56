package lines

import (
	"context"
	"io"
)

// pump reads a source in a separate goroutine, because reading and opening a pipe can't be
// cancelled.
type pump struct {
	ctx    context.Context
	chunks <-chan chunk
	spent  chan<- []byte // memory of used chunks, for new chunks
	chunk  chunk
	rest   []byte       // unread bytes in chunk
	wait   func() error // called before a read that may wait
}

type chunk struct {
	octets []byte
	err    error
}

const (
	// chunkSize is the capacity of a Linux pipe.
	chunkSize = 64 << 10
	// chunksAhead is the number of chunks to read ahead.
	chunksAhead = 4
)

// startPump starts a goroutine that calls openSource and reads the returned source. When the
// context has ended, the goroutine ends after the current read.
func (r *reader) startPump(openSource func() (io.ReadCloser, error)) *pump {
	r.piped = true
	chunks, spent := make(chan chunk, chunksAhead), make(chan []byte, chunksAhead+1)
	p := &pump{ctx: r.ctx, chunks: chunks, spent: spent, wait: r.deliverBeforeWait}
	go func() {
		in, err := openSource()
		if err != nil {
			chunks <- chunk{err: err}
			return
		}
		defer in.Close()
		for err == nil {
			var memory []byte
			select {
			case memory = <-spent:
			default:
				memory = make([]byte, chunkSize)
			}
			var n int
			n, err = in.Read(memory)
			select {
			case chunks <- chunk{memory[:n], err}:
			case <-p.ctx.Done():
				return
			}
		}
	}()
	return p
}

func (p *pump) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.chunk.err != nil {
			return 0, p.chunk.err
		}
		if err := p.nextChunk(); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// nextChunk receives the next chunk.
func (p *pump) nextChunk() error {
	if p.chunk.octets != nil {
		p.spent <- p.chunk.octets[:chunkSize]
		p.chunk.octets = nil
	}
	select {
	case p.chunk = <-p.chunks:
	default:
		if err := p.wait(); err != nil {
			return err
		}
		select {
		case p.chunk = <-p.chunks:
		case <-p.ctx.Done():
			return p.ctx.Err()
		}
	}
	p.rest = p.chunk.octets
	return nil
}

// Close returns nil. Close does not wait for the goroutine, which ends by itself.
func (p *pump) Close() error { return nil }
