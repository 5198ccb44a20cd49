//go:build !toolglot_cgo

package wasm

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"

	"github.com/toolglot/toolglot/bindings/go/internal/engine"
)

const abiVersion = 1

//go:embed toolglot.wasm
var module []byte

// Module returns the module's bytes, for tests and tools.
func Module() []byte { return module }

// pool is one compiled module and as many instances as the program can use at once.
type pool struct {
	runtime   wazero.Runtime
	compiled  wazero.CompiledModule
	instances []*instance
	most      int
	made      int
	sync.Mutex
}

var shared = sync.OnceValues(func() (*pool, error) {
	ctx := context.Background()
	config := wazero.NewRuntimeConfig().WithCoreFeatures(features)
	if cache := os.Getenv("TOOLGLOT_CACHE"); cache != "" {
		kept, err := wazero.NewCompilationCacheWithDir(filepath.Join(cache, "wazero"))
		if err != nil {
			return nil, fmt.Errorf("cannot keep the compiled module in TOOLGLOT_CACHE: %w", err)
		}
		config = config.WithCompilationCache(kept)
	}
	machine := wazero.NewRuntimeWithConfig(ctx, config)
	compiled, err := machine.CompileModule(ctx, module)
	if err != nil {
		return nil, fmt.Errorf("cannot compile the module: %w", err)
	}
	return &pool{runtime: machine, compiled: compiled, most: runtime.GOMAXPROCS(0)}, nil
})

// New returns the engine; the module is compiled when it is first used.
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
			_ = in.module.Close(context.Background())
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
	if best != nil && (best.parsers == 0 || len(p.instances) >= p.most) {
		best.Unlock()
		best.enter()
		return best, nil
	}
	if best != nil {
		best.Unlock()
	}
	if len(p.instances) < p.most {
		in, err := p.instantiate()
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

func (p *pool) instantiate() (*instance, error) {
	ctx := context.Background()
	made, err := p.runtime.InstantiateModule(ctx, p.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("cannot make an instance of the module: %w", err)
	}
	return newInstance(ctx, made)
}

func take() (*instance, error) {
	p, err := shared()
	if err != nil {
		return nil, err
	}
	return p.take()
}

func (wasmEngine) Mint(seed uint64, index int) (string, error) {
	in, err := take()
	if err != nil {
		return "", err
	}
	defer in.Unlock()
	id, err := in.ask("tg_mint", seed, uint64(index))
	return string(id), err
}

func (wasmEngine) Compile(set engine.Set) (engine.Compiled, error) {
	c := &compiled{set: set, homes: map[*instance]struct{}{}}
	in, err := take()
	if err != nil {
		return nil, err
	}
	defer in.Unlock()
	_, err = c.in(in)
	if err != nil {
		return nil, err
	}
	// Wrong options are told here, not with the first message.
	words, err := in.put([]byte(set.Options))
	if err != nil {
		return nil, err
	}
	parser, err := in.make("tg_parser_new", 0, 0, words[0], words[1])
	if err != nil {
		c.leave(in)
		return nil, err
	}
	in.free(garbage{"tg_parser_free", parser})
	return c, nil
}
