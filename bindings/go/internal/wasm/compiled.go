//go:build !toolglot_cgo

package wasm

import (
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/toolglot/toolglot/bindings/go/internal/engine"
	"github.com/toolglot/toolglot/bindings/go/internal/wasm/module"
)

// compiled is a set with its handles in the instances where it was used.
type compiled struct {
	set    engine.Set
	mutex  sync.Mutex
	homes  map[*instance]struct{}
	closed bool
}

// in returns the set's handles in an instance, which is locked.
func (c *compiled) in(in *instance) (handles, error) {
	if found, ok := in.sets[c]; ok {
		return found, nil
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.closed {
		return handles{}, &engine.Fault{Kind: engine.ErrClosed, Why: "the reader is closed"}
	}
	made, err := in.handles(c.set)
	if err != nil {
		return handles{}, err
	}
	in.sets[c] = made
	c.homes[in] = struct{}{}
	return made, nil
}

// handles makes a set's handles.
func (in *instance) handles(set engine.Set) (made handles, err error) {
	for _, part := range []struct {
		json   string
		of     func(*module.Module, int32, int32, int32) int32
		handle *int32
	}{
		{set.Dialects, (*module.Module).Xtg_dialects_new, &made.dialects},
		{set.Tools, (*module.Module).Xtg_tools_new, &made.tools},
	} {
		if part.json == "" {
			continue
		}
		put, err := in.put([]byte(part.json))
		if err == nil {
			*part.handle, err = in.make(func(m *module.Module) int32 { return part.of(m, put[0].at, put[0].size, in.out) })
		}
		if err != nil {
			in.freeSet(made)
			return handles{}, err
		}
	}
	return made, nil
}

func (in *instance) freeSet(h handles) {
	in.free(garbage{free: (*module.Module).Xtg_dialects_free, handle: h.dialects})
	in.free(garbage{free: (*module.Module).Xtg_tools_free, handle: h.tools})
}

// leave frees the set's handles in an instance, which is locked.
func (c *compiled) leave(in *instance) {
	in.freeSet(in.sets[c])
	delete(in.sets, c)
}

func (c *compiled) Close() {
	c.mutex.Lock()
	c.closed = true
	homes := c.homes
	c.homes = map[*instance]struct{}{}
	c.mutex.Unlock()
	for in := range homes {
		in.enter()
		c.leave(in)
		in.Unlock()
	}
}

// with does something in an instance where the set is ready.
func with[T any](c *compiled, do func(*instance, handles) (T, error)) (T, error) {
	var none T
	in, err := shared.take()
	if err != nil {
		return none, err
	}
	defer in.Unlock()
	made, err := c.in(in)
	if err != nil {
		return none, err
	}
	return do(in, made)
}

// reader is a function of the module that reads a whole text.
type reader func(m *module.Module, dialects, tools, options, optionsSize, text, textSize, out int32) int32

func (c *compiled) read(function reader, input []byte) ([]byte, error) {
	return with(c, func(in *instance, h handles) ([]byte, error) {
		put, err := in.put([]byte(c.set.Options), input)
		if err != nil {
			return nil, err
		}
		options, text := put[0], put[1]
		return in.ask(func(m *module.Module) int32 {
			return function(m, h.dialects, h.tools, options.at, options.size, text.at, text.size, in.out)
		})
	})
}

func (c *compiled) Parse(input []byte) ([]byte, error) {
	return c.read((*module.Module).Xtg_parse, input)
}

func (c *compiled) Explain(input []byte) ([]byte, error) {
	return c.read((*module.Module).Xtg_explain, input)
}

func (c *compiled) NearMiss(input []byte) ([]byte, error) {
	return c.read((*module.Module).Xtg_near_miss, input)
}

func (c *compiled) Repair(tool, arguments string) ([]byte, error) {
	return with(c, func(in *instance, h handles) ([]byte, error) {
		put, err := in.put([]byte(tool), []byte(c.set.Options), []byte(arguments))
		if err != nil {
			return nil, err
		}
		name, options, text := put[0], put[1], put[2]
		return in.ask(func(m *module.Module) int32 {
			return m.Xtg_repair(h.dialects, h.tools, name.at, name.size, options.at, options.size, text.at, text.size, in.out)
		})
	})
}

func (c *compiled) Detect(source uint32, subject string) ([]byte, error) {
	return with(c, func(in *instance, h handles) ([]byte, error) {
		put, err := in.put([]byte(subject))
		if err != nil {
			return nil, err
		}
		return in.ask(func(m *module.Module) int32 {
			return m.Xtg_detect(h.dialects, h.tools, int32(source), put[0].at, put[0].size, in.out)
		})
	})
}

func (c *compiled) Dialects() ([]byte, error) {
	return with(c, func(in *instance, h handles) ([]byte, error) {
		return in.ask(func(m *module.Module) int32 { return m.Xtg_dialects_list(h.dialects, in.out) })
	})
}

func (c *compiled) Render(dialect string, message []byte) (string, error) {
	return with(c, func(in *instance, h handles) (string, error) {
		put, err := in.put([]byte(dialect), message)
		if err != nil {
			return "", err
		}
		of, said := put[0], put[1]
		renderer, err := in.make(func(m *module.Module) int32 {
			return m.Xtg_renderer_new(h.dialects, h.tools, of.at, of.size, in.out)
		})
		if err != nil {
			return "", err
		}
		defer in.free(garbage{free: (*module.Module).Xtg_renderer_free, handle: renderer})
		text, err := in.ask(func(m *module.Module) int32 { return m.Xtg_renderer_render(renderer, said.at, said.size, in.out) })
		return string(text), err
	})
}

// grammars is what a module can do that is made from these sources. The one that is checked in is made at a release.
type grammars interface {
	Xtg_grammar(dialects, name, nameSize, tools, toolsSize, options, optionsSize, out int32) int32
}

func (c *compiled) Grammar(dialect string, options []byte) ([]byte, error) {
	return with(c, func(in *instance, h handles) ([]byte, error) {
		put, err := in.put([]byte(dialect), []byte(c.set.Tools), options)
		if err != nil {
			return nil, err
		}
		name, tools, asked := put[0], put[1], put[2]
		made, ok := any(in.module).(grammars)
		if !ok {
			return nil, &engine.Fault{Kind: engine.ErrFailed, Why: "this module makes no grammars; renew it with bindings/renew"}
		}
		return in.ask(func(*module.Module) int32 {
			return made.Xtg_grammar(h.dialects, name.at, name.size, tools.at, tools.size, asked.at, asked.size, in.out)
		})
	})
}

func (in *instance) newParser(h handles, options []byte) (int32, error) {
	put, err := in.put(options)
	if err != nil {
		return 0, err
	}
	return in.make(func(m *module.Module) int32 {
		return m.Xtg_parser_new(h.dialects, h.tools, put[0].at, put[0].size, in.out)
	})
}

func (c *compiled) NewParser(collect bool) (engine.Parser, error) {
	return with(c, func(in *instance, h handles) (engine.Parser, error) {
		handle, err := in.newParser(h, seeded(c.set.Options))
		if err != nil {
			return nil, err
		}
		if collect {
			if _, err := in.call(func(m *module.Module) int32 { return m.Xtg_parser_collect(handle) }); err != nil {
				return nil, err
			}
		}
		return &parser{guest: newGuest(in, (*module.Module).Xtg_parser_free, handle)}, nil
	})
}

func (c *compiled) NewTurn(settings string, request []byte) (engine.Turn, []byte, error) {
	var body []byte
	made, err := with(c, func(in *instance, h handles) (engine.Turn, error) {
		put, err := in.put([]byte(settings), request)
		if err != nil {
			return nil, err
		}
		known, asked := put[0], put[1]
		exchange, err := in.make(func(m *module.Module) int32 {
			return m.Xtg_exchange_new(h.dialects, known.at, known.size, asked.at, asked.size, in.out)
		})
		if err != nil {
			return nil, err
		}
		defer in.free(garbage{free: (*module.Module).Xtg_exchange_free, handle: exchange})
		if body, err = in.ask(func(m *module.Module) int32 { return m.Xtg_exchange_body(exchange, in.out) }); err != nil {
			return nil, err
		}
		handle, err := in.make(func(m *module.Module) int32 { return m.Xtg_turn_new(exchange, in.out) })
		if err != nil {
			return nil, err
		}
		return &turn{newGuest(in, (*module.Module).Xtg_turn_free, handle)}, nil
	})
	return made, body, err
}

// guest is a parser or a turn that lives in an instance until it is closed, or nobody has it any more.
type guest struct {
	in      *instance
	what    garbage
	cleanup runtime.Cleanup
	closed  bool
}

// newGuest returns a guest of an instance, which is locked.
func newGuest(in *instance, free func(*module.Module, int32), handle int32) *guest {
	in.parsers++
	g := &guest{in: in, what: garbage{free, handle, true}}
	g.cleanup = runtime.AddCleanup(g, func(what garbage) { in.bury(what) }, g.what)
	return g
}

func (g *guest) Close() {
	if g.closed {
		return
	}
	g.closed = true
	g.cleanup.Stop()
	g.in.bury(g.what)
}

// enter takes the lock; whoever gets no error gives it back.
func (g *guest) enter() error {
	if g.closed {
		return &engine.Fault{Kind: engine.ErrClosed, Why: "the parser is closed"}
	}
	g.in.enter()
	return nil
}

type parser struct {
	*guest
	stops stopBytes
}

func (p *parser) step(do step, input []byte, records []engine.Record) ([]engine.Record, error) {
	if err := p.enter(); err != nil {
		return records, err
	}
	defer p.in.Unlock()
	return p.in.step(do, p.what.handle, input, &p.stops, records)
}

func (p *parser) StopBytes() *[256]byte { return p.stops.now }

func (p *parser) Push(piece []byte, records []engine.Record) ([]engine.Record, error) {
	return p.step((*module.Module).Xtg_parser_push, piece, records)
}

func (p *parser) PushSpecial(token string, records []engine.Record) ([]engine.Record, error) {
	return p.step((*module.Module).Xtg_parser_push_special, []byte(token), records)
}

func (p *parser) Finish(records []engine.Record) ([]engine.Record, error) {
	return p.step(finish, nil, records)
}

func finish(m *module.Module, parser, _, _ int32) int32 { return m.Xtg_parser_finish(parser) }

func (p *parser) SetFinishReason(reason string) error {
	if err := p.enter(); err != nil {
		return err
	}
	defer p.in.Unlock()
	put, err := p.in.put([]byte(reason))
	if err != nil {
		return err
	}
	status, err := p.in.call(func(m *module.Module) int32 {
		return m.Xtg_parser_set_finish_reason(p.what.handle, put[0].at, put[0].size)
	})
	if err != nil {
		return err
	}
	return engine.Failure(status, "unknown finish reason `"+reason+"`")
}

func (p *parser) Message() ([]byte, error) {
	return p.ask(func(m *module.Module, out int32) int32 { return m.Xtg_parser_message(p.what.handle, out) })
}

func (p *parser) Dialect() (string, error) {
	name, err := p.ask(func(m *module.Module, out int32) int32 { return m.Xtg_parser_dialect(p.what.handle, out) })
	return string(name), err
}

// ask calls a function of the guest that writes into the buffer.
func (g *guest) ask(do func(m *module.Module, out int32) int32) ([]byte, error) {
	if err := g.enter(); err != nil {
		return nil, err
	}
	defer g.in.Unlock()
	return g.in.ask(func(m *module.Module) int32 { return do(m, g.in.out) })
}

type turn struct{ *guest }

// give calls a function of the turn with a text.
func (t *turn) give(function func(m *module.Module, turn, text, size, out int32) int32, input []byte) ([]byte, error) {
	if err := t.enter(); err != nil {
		return nil, err
	}
	defer t.in.Unlock()
	put, err := t.in.put(input)
	if err != nil {
		return nil, err
	}
	return t.in.ask(func(m *module.Module) int32 {
		return function(m, t.what.handle, put[0].at, put[0].size, t.in.out)
	})
}

func (t *turn) Push(piece []byte) ([]byte, error) {
	return t.give((*module.Module).Xtg_turn_push, piece)
}

func (t *turn) Finish(why string) ([]byte, error) {
	return t.give((*module.Module).Xtg_turn_finish, []byte(why))
}

func (t *turn) Whole(answer []byte) ([]byte, error) {
	return t.give((*module.Module).Xtg_turn_whole, answer)
}

// seeded adds a seed for call ids to options that have none: the module has no randomness of its own.
func seeded(options string) []byte {
	if strings.Contains(options, `"id_seed"`) {
		return []byte(options)
	}
	seed := strconv.AppendUint([]byte(`{"id_seed":`), rand.Uint64(), 10)
	rest := strings.TrimPrefix(strings.TrimSpace(options), "{")
	if strings.HasPrefix(strings.TrimSpace(rest), "}") || rest == "" {
		return append(seed, '}')
	}
	return append(append(seed, ','), rest...)
}
