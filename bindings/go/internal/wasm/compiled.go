//go:build !toolglot_cgo

package wasm

import (
	"encoding/json"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"

	"github.com/tetratelabs/wazero/api"

	"github.com/toolglot/toolglot/bindings/go/internal/engine"
)

const features = api.CoreFeaturesV2

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
	var made handles
	for _, part := range []struct {
		function, json string
		handle         *uint32
	}{{"tg_dialects_new", c.set.Dialects, &made.dialects}, {"tg_tools_new", c.set.Tools, &made.tools}} {
		if part.json == "" {
			continue
		}
		words, err := in.put([]byte(part.json))
		if err == nil {
			*part.handle, err = in.make(part.function, words...)
		}
		if err != nil {
			in.free(garbage{"tg_dialects_free", made.dialects})
			return handles{}, err
		}
	}
	in.sets[c] = made
	c.homes[in] = struct{}{}
	return made, nil
}

// leave frees the set's handles in an instance, which is locked.
func (c *compiled) leave(in *instance) {
	made := in.sets[c]
	delete(in.sets, c)
	in.free(garbage{"tg_dialects_free", made.dialects})
	in.free(garbage{"tg_tools_free", made.tools})
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
	in, err := take()
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

func (c *compiled) read(function string, input []byte) ([]byte, error) {
	return with(c, func(in *instance, h handles) ([]byte, error) {
		words, err := in.put([]byte(c.set.Options), input)
		if err != nil {
			return nil, err
		}
		return in.ask(function, uint64(h.dialects), uint64(h.tools), words[0], words[1], words[2], words[3])
	})
}

func (c *compiled) Parse(input []byte) ([]byte, error) { return c.read("tg_parse", input) }

func (c *compiled) Explain(input []byte) ([]byte, error) { return c.read("tg_explain", input) }

func (c *compiled) NearMiss(input []byte) ([]byte, error) { return c.read("tg_near_miss", input) }

func (c *compiled) Repair(tool, arguments string) ([]byte, error) {
	return with(c, func(in *instance, h handles) ([]byte, error) {
		words, err := in.put([]byte(tool), []byte(c.set.Options), []byte(arguments))
		if err != nil {
			return nil, err
		}
		return in.ask("tg_repair", append([]uint64{uint64(h.dialects), uint64(h.tools)}, words...)...)
	})
}

func (c *compiled) Detect(source uint32, subject string) ([]byte, error) {
	return with(c, func(in *instance, h handles) ([]byte, error) {
		words, err := in.put([]byte(subject))
		if err != nil {
			return nil, err
		}
		return in.ask("tg_detect", uint64(h.dialects), uint64(h.tools), uint64(source), words[0], words[1])
	})
}

func (c *compiled) Dialects() ([]byte, error) {
	return with(c, func(in *instance, h handles) ([]byte, error) {
		return in.ask("tg_dialects_list", uint64(h.dialects))
	})
}

func (c *compiled) Render(dialect string, message []byte) (string, error) {
	return with(c, func(in *instance, h handles) (string, error) {
		words, err := in.put([]byte(dialect), message)
		if err != nil {
			return "", err
		}
		renderer, err := in.make("tg_renderer_new", uint64(h.dialects), uint64(h.tools), words[0], words[1])
		if err != nil {
			return "", err
		}
		defer in.free(garbage{"tg_renderer_free", renderer})
		text, err := in.ask("tg_renderer_render", uint64(renderer), words[2], words[3])
		return string(text), err
	})
}

func (c *compiled) NewParser(collect bool) (engine.Parser, error) {
	return with(c, func(in *instance, h handles) (engine.Parser, error) {
		words, err := in.put(seeded(c.set.Options))
		if err != nil {
			return nil, err
		}
		handle, err := in.make("tg_parser_new", uint64(h.dialects), uint64(h.tools), words[0], words[1])
		if err != nil {
			return nil, err
		}
		if collect {
			if _, err := in.call("tg_parser_collect", uint64(handle)); err != nil {
				return nil, err
			}
		}
		return &parser{newGuest(in, "tg_parser_free", handle)}, nil
	})
}

func (c *compiled) NewTurn(settings string, request []byte) (engine.Turn, []byte, error) {
	var body []byte
	made, err := with(c, func(in *instance, h handles) (engine.Turn, error) {
		words, err := in.put([]byte(settings), request)
		if err != nil {
			return nil, err
		}
		exchange, err := in.make("tg_exchange_new", append([]uint64{uint64(h.dialects)}, words...)...)
		if err != nil {
			return nil, err
		}
		defer in.free(garbage{"tg_exchange_free", exchange})
		if body, err = in.ask("tg_exchange_body", uint64(exchange)); err != nil {
			return nil, err
		}
		handle, err := in.make("tg_turn_new", uint64(exchange))
		if err != nil {
			return nil, err
		}
		return &turn{newGuest(in, "tg_turn_free", handle)}, nil
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
func newGuest(in *instance, free string, handle uint32) *guest {
	in.parsers++
	g := &guest{in: in, what: garbage{free, handle}}
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

type parser struct{ *guest }

// step calls a function of the parser that returns a status and makes events.
func (p *parser) step(function string, records []engine.Record, texts ...[]byte) ([]engine.Record, error) {
	if err := p.enter(); err != nil {
		return records, err
	}
	defer p.in.Unlock()
	arguments := []uint64{uint64(p.what.handle)}
	if len(texts) > 0 {
		words, err := p.in.put(texts...)
		if err != nil {
			return records, err
		}
		arguments = append(arguments, words...)
	}
	status, err := p.in.call(function, arguments...)
	if err != nil {
		return records, err
	}
	if err := engine.Failure(int32(status), ""); err != nil {
		return records, err
	}
	return p.in.records(p.what.handle, records)
}

func (p *parser) Push(piece []byte, records []engine.Record) ([]engine.Record, error) {
	return p.step("tg_parser_push", records, piece)
}

func (p *parser) PushSpecial(token string, records []engine.Record) ([]engine.Record, error) {
	return p.step("tg_parser_push_special", records, []byte(token))
}

func (p *parser) Finish(records []engine.Record) ([]engine.Record, error) {
	return p.step("tg_parser_finish", records)
}

func (p *parser) SetFinishReason(reason string) error {
	if err := p.enter(); err != nil {
		return err
	}
	defer p.in.Unlock()
	words, err := p.in.put([]byte(reason))
	if err != nil {
		return err
	}
	status, err := p.in.call("tg_parser_set_finish_reason", uint64(p.what.handle), words[0], words[1])
	if err != nil {
		return err
	}
	return engine.Failure(int32(status), "unknown finish reason `"+reason+"`")
}

func (p *parser) Message() ([]byte, error) { return p.ask("tg_parser_message") }

func (p *parser) Dialect() (string, error) {
	name, err := p.ask("tg_parser_dialect")
	return string(name), err
}

// ask calls a function of the guest that writes into the buffer.
func (g *guest) ask(function string, texts ...[]byte) ([]byte, error) {
	if err := g.enter(); err != nil {
		return nil, err
	}
	defer g.in.Unlock()
	arguments := []uint64{uint64(g.what.handle)}
	if len(texts) > 0 {
		words, err := g.in.put(texts...)
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, words...)
	}
	return g.in.ask(function, arguments...)
}

type turn struct{ *guest }

func (t *turn) Push(piece []byte) ([]byte, error) { return t.ask("tg_turn_push", piece) }

func (t *turn) Finish(why string) ([]byte, error) { return t.ask("tg_turn_finish", []byte(why)) }

func (t *turn) Whole(answer []byte) ([]byte, error) { return t.ask("tg_turn_whole", answer) }

// seeded adds a seed for call ids to options that have none: the module has no randomness of its own.
func seeded(options string) []byte {
	var named map[string]json.RawMessage
	if json.Unmarshal([]byte(options), &named) != nil || named["id_seed"] != nil {
		return []byte(options)
	}
	if named == nil {
		named = map[string]json.RawMessage{}
	}
	named["id_seed"] = json.RawMessage(strconv.FormatUint(rand.Uint64(), 10))
	with, err := json.Marshal(named)
	if err != nil {
		return []byte(options)
	}
	return with
}
