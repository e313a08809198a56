package lines

import (
	"context"
	"io"
)

// pump reads a source in a goroutine of its own, because neither a read nor the opening
// of a pipe can be cancelled.
type pump struct {
	ctx    context.Context
	chunks <-chan chunk
	spent  chan<- []byte // memory for other chunks
	now    chunk
	rest   []byte       // of now
	wait   func() error // is called before a read that has to wait
}

type chunk struct {
	octets []byte
	err    error
}

const (
	// chunkSize is what a pipe of Linux holds.
	chunkSize = 64 << 10
	// chunksAhead is the number of chunks that are read before they are asked for.
	chunksAhead = 4
)

// pump reads what open opens. After ctx ends, the goroutine ends with the read that is
// under way.
func (r *reader) pump(open func() (io.ReadCloser, error)) *pump {
	r.piped = true
	chunks, spent := make(chan chunk, chunksAhead), make(chan []byte, chunksAhead+1)
	p := &pump{ctx: r.ctx, chunks: chunks, spent: spent, wait: r.wait}
	go func() {
		in, err := open()
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
		if p.now.err != nil {
			return 0, p.now.err
		}
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// next takes the next chunk.
func (p *pump) next() error {
	if p.now.octets != nil {
		p.spent <- p.now.octets[:chunkSize]
		p.now.octets = nil
	}
	select {
	case p.now = <-p.chunks:
	default:
		if err := p.wait(); err != nil {
			return err
		}
		select {
		case p.now = <-p.chunks:
		case <-p.ctx.Done():
			return p.ctx.Err()
		}
	}
	p.rest = p.now.octets
	return nil
}

// Close lets the goroutine end by itself.
func (p *pump) Close() error { return nil }
