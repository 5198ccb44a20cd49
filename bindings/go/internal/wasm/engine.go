//go:build !toolglot_cgo

package wasm

import (
	"runtime"
	"sync"

	"github.com/toolglot/toolglot/bindings/go/internal/engine"
	"github.com/toolglot/toolglot/bindings/go/internal/wasm/module"
)

const abiVersion = 1

// pool is as many instances of the module as the program can use at once.
type pool struct {
	instances []*instance
	made      int
	sync.Mutex
}

var shared pool

// New returns the engine; an instance is made when it is first used.
func New() engine.Engine { return wasmEngine{} }

type wasmEngine struct{}

// take returns the instance with the least to do, locked; a new one as long as there may be more.
func (p *pool) take() (*instance, error) {
	p.Lock()
	defer p.Unlock()
	var best *instance
	kept := p.instances[:0]
	for _, in := range p.instances {
		if !in.TryLock() {
			kept = append(kept, in)
			continue
		}
		switch {
		case in.broken != nil:
			in.Unlock()
			continue
		case best == nil:
			best = in
		case in.parsers < best.parsers:
			best.Unlock()
			best = in
		default:
			in.Unlock()
		}
		kept = append(kept, in)
	}
	p.instances = kept
	most := runtime.GOMAXPROCS(0)
	if best != nil && (best.parsers == 0 || len(p.instances) >= most) {
		best.Unlock()
		best.enter()
		return best, nil
	}
	if best != nil {
		best.Unlock()
	}
	if len(p.instances) < most {
		in, err := newInstance()
		if err != nil {
			return nil, err
		}
		p.instances = append(p.instances, in)
		in.enter()
		return in, nil
	}
	p.made++
	in := p.instances[p.made%len(p.instances)]
	in.enter()
	return in, nil
}

func (wasmEngine) Mint(seed uint64, index int) (string, error) {
	in, err := shared.take()
	if err != nil {
		return "", err
	}
	defer in.Unlock()
	id, err := in.ask(func(m *module.Module) int32 { return m.Xtg_mint(int64(seed), int32(index), in.out) })
	return string(id), err
}

func (wasmEngine) Compile(set engine.Set) (engine.Compiled, error) {
	c := &compiled{set: set, homes: map[*instance]struct{}{}}
	in, err := shared.take()
	if err != nil {
		return nil, err
	}
	defer in.Unlock()
	_, err = c.in(in)
	if err != nil {
		return nil, err
	}
	// Wrong options are told here, not with the first message.
	parser, err := in.newParser(handles{}, []byte(set.Options))
	if err != nil {
		c.leave(in)
		return nil, err
	}
	in.free(garbage{free: (*module.Module).Xtg_parser_free, handle: parser})
	return c, nil
}
