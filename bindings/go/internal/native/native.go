//go:build toolglot_cgo

package native

/*
#cgo pkg-config: toolglot
#include <stdlib.h>
#include <toolglot.h>

// What a step of a parser returns, so that a piece of text crosses into C only once.
typedef struct {
    tg_status status;
    size_t count;
    const tg_event *events;
    const uint8_t *stops;
} step;

static step made(tg_parser *parser, tg_status status) {
    return (step){status, tg_parser_event_count(parser), tg_parser_events(parser), tg_parser_stop_bytes(parser)};
}

static step push(tg_parser *parser, const uint8_t *data, size_t len) {
    return made(parser, tg_parser_push(parser, data, len));
}

static step push_special(tg_parser *parser, const uint8_t *data, size_t len) {
    return made(parser, tg_parser_push_special(parser, data, len));
}

static step finish(tg_parser *parser) { return made(parser, tg_parser_finish(parser)); }
*/
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/toolglot/toolglot/bindings/go/internal/engine"
)

// New returns the engine.
func New() engine.Engine { return library{} }

type library struct{}

// abi is checked once, before anything else.
var abi = sync.OnceValue(func() error {
	if found := uint32(C.tg_abi_version()); found != C.TG_ABI_VERSION {
		return fmt.Errorf("the C library is of ABI %d, its header of %d", found, C.TG_ABI_VERSION)
	}
	return nil
})

// chars returns a text as C takes it; it lies in Go's memory, which stays where it is during the call.
func chars(text string) (*C.uint8_t, C.size_t) {
	return (*C.uint8_t)(unsafe.Pointer(unsafe.StringData(text))), C.size_t(len(text))
}

func raw(text []byte) (*C.uint8_t, C.size_t) {
	return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(text))), C.size_t(len(text))
}

// asked calls a function that writes into a buffer.
func asked(call func(*C.tg_buffer) C.tg_status) ([]byte, error) {
	out := C.tg_buffer_new()
	defer C.tg_buffer_free(out)
	status := call(out)
	written := C.GoBytes(unsafe.Pointer(C.tg_buffer_data(out)), C.int(C.tg_buffer_len(out)))
	if status != C.TG_STATUS_OK {
		return nil, engine.Failure(int32(status), string(written))
	}
	return written, nil
}

// made calls a function that returns a handle, and null with a reason in the buffer.
func made[H comparable](call func(*C.tg_buffer) H) (H, error) {
	var null H
	out := C.tg_buffer_new()
	defer C.tg_buffer_free(out)
	handle := call(out)
	if handle == null {
		why := C.GoStringN((*C.char)(unsafe.Pointer(C.tg_buffer_data(out))), C.int(C.tg_buffer_len(out)))
		return null, engine.Failure(engine.Invalid, why)
	}
	return handle, nil
}

func (library) Mint(seed uint64, index int) (string, error) {
	id, err := asked(func(out *C.tg_buffer) C.tg_status { return C.tg_mint(C.uint64_t(seed), C.uint32_t(index), out) })
	return string(id), err
}

// compiled is a set with its handles; functions that use them hold the lock for reading.
type compiled struct {
	sync.RWMutex
	dialects *C.tg_dialects
	tools    *C.tg_tools
	declared string
	options  string
	closed   bool
}

func (library) Compile(set engine.Set) (engine.Compiled, error) {
	if err := abi(); err != nil {
		return nil, err
	}
	c := &compiled{declared: set.Tools, options: set.Options}
	var err error
	if set.Dialects != "" {
		data, size := chars(set.Dialects)
		c.dialects, err = made(func(out *C.tg_buffer) *C.tg_dialects { return C.tg_dialects_new(data, size, out) })
	}
	if err == nil && set.Tools != "" {
		data, size := chars(set.Tools)
		c.tools, err = made(func(out *C.tg_buffer) *C.tg_tools { return C.tg_tools_new(data, size, out) })
	}
	if err == nil {
		// Wrong options are told here, not with the first message.
		var parser *C.tg_parser
		if parser, err = c.parser(); err == nil {
			C.tg_parser_free(parser)
		}
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *compiled) parser() (*C.tg_parser, error) {
	options, length := chars(c.options)
	return made(func(out *C.tg_buffer) *C.tg_parser { return C.tg_parser_new(c.dialects, c.tools, options, length, out) })
}

func (c *compiled) Close() {
	c.Lock()
	defer c.Unlock()
	if !c.closed {
		C.tg_dialects_free(c.dialects)
		C.tg_tools_free(c.tools)
	}
	c.closed = true
}

// enter takes the lock for reading; whoever gets no error gives it back.
func (c *compiled) enter() error {
	c.RLock()
	if c.closed {
		c.RUnlock()
		return &engine.Fault{Kind: engine.ErrClosed, Why: "the reader is closed"}
	}
	return nil
}

func (c *compiled) ask(call func(*C.tg_buffer) C.tg_status) ([]byte, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.RUnlock()
	return asked(call)
}

func (c *compiled) Parse(input []byte) ([]byte, error) {
	options, length := chars(c.options)
	data, size := raw(input)
	return c.ask(func(out *C.tg_buffer) C.tg_status {
		return C.tg_parse(c.dialects, c.tools, options, length, data, size, out)
	})
}

func (c *compiled) Explain(input []byte) ([]byte, error) {
	options, length := chars(c.options)
	data, size := raw(input)
	return c.ask(func(out *C.tg_buffer) C.tg_status {
		return C.tg_explain(c.dialects, c.tools, options, length, data, size, out)
	})
}

func (c *compiled) NearMiss(input []byte) ([]byte, error) {
	options, length := chars(c.options)
	data, size := raw(input)
	return c.ask(func(out *C.tg_buffer) C.tg_status {
		return C.tg_near_miss(c.dialects, c.tools, options, length, data, size, out)
	})
}

func (c *compiled) Repair(tool, arguments string) ([]byte, error) {
	options, length := chars(c.options)
	name, named := chars(tool)
	data, size := chars(arguments)
	return c.ask(func(out *C.tg_buffer) C.tg_status {
		return C.tg_repair(c.dialects, c.tools, name, named, options, length, data, size, out)
	})
}

func (c *compiled) Detect(source uint32, subject string) ([]byte, error) {
	data, size := chars(subject)
	return c.ask(func(out *C.tg_buffer) C.tg_status {
		return C.tg_detect(c.dialects, c.tools, C.uint32_t(source), data, size, out)
	})
}

func (c *compiled) Dialects() ([]byte, error) {
	return c.ask(func(out *C.tg_buffer) C.tg_status { return C.tg_dialects_list(c.dialects, out) })
}

func (c *compiled) Render(dialect string, message []byte) (string, error) {
	if err := c.enter(); err != nil {
		return "", err
	}
	defer c.RUnlock()
	name, length := chars(dialect)
	renderer, err := made(func(out *C.tg_buffer) *C.tg_renderer {
		return C.tg_renderer_new(c.dialects, c.tools, name, length, out)
	})
	if err != nil {
		return "", err
	}
	defer C.tg_renderer_free(renderer)
	data, size := raw(message)
	text, err := asked(func(out *C.tg_buffer) C.tg_status { return C.tg_renderer_render(renderer, data, size, out) })
	return string(text), err
}

func (c *compiled) Grammar(dialect string, options []byte) ([]byte, error) {
	name, named := chars(dialect)
	tools, length := chars(c.declared)
	asked, size := raw(options)
	return c.ask(func(out *C.tg_buffer) C.tg_status {
		return C.tg_grammar(c.dialects, name, named, tools, length, asked, size, out)
	})
}

func (c *compiled) NewParser(collect bool) (engine.Parser, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.RUnlock()
	handle, err := c.parser()
	if err != nil {
		return nil, err
	}
	if collect {
		C.tg_parser_collect(handle)
	}
	p := &parser{handle: handle}
	p.cleanup = runtime.AddCleanup(p, func(handle *C.tg_parser) { C.tg_parser_free(handle) }, handle)
	return p, nil
}

func (c *compiled) NewTurn(settings string, request []byte) (engine.Turn, []byte, error) {
	if err := c.enter(); err != nil {
		return nil, nil, err
	}
	defer c.RUnlock()
	words, length := chars(settings)
	data, size := raw(request)
	exchange, err := made(func(out *C.tg_buffer) *C.tg_exchange {
		return C.tg_exchange_new(c.dialects, words, length, data, size, out)
	})
	if err != nil {
		return nil, nil, err
	}
	defer C.tg_exchange_free(exchange)
	body, err := asked(func(out *C.tg_buffer) C.tg_status { return C.tg_exchange_body(exchange, out) })
	if err != nil {
		return nil, nil, err
	}
	handle, err := made(func(out *C.tg_buffer) *C.tg_turn { return C.tg_turn_new(exchange, out) })
	if err != nil {
		return nil, nil, err
	}
	t := &turn{handle: handle}
	t.cleanup = runtime.AddCleanup(t, func(handle *C.tg_turn) { C.tg_turn_free(handle) }, handle)
	return t, body, nil
}

type parser struct {
	handle  *C.tg_parser
	stops   *[256]byte
	cleanup runtime.Cleanup
}

var errClosed = &engine.Fault{Kind: engine.ErrClosed, Why: "the parser is closed"}

func (p *parser) Close() {
	if p.handle != nil {
		p.cleanup.Stop()
		C.tg_parser_free(p.handle)
		p.handle = nil
	}
}

// events appends the events of a step.
func (p *parser) events(step C.step, records []engine.Record) ([]engine.Record, error) {
	defer runtime.KeepAlive(p)
	p.stops = (*[256]byte)(unsafe.Pointer(step.stops))
	if err := engine.Failure(int32(step.status), ""); err != nil {
		return records, err
	}
	for _, event := range unsafe.Slice(step.events, int(step.count)) {
		records = append(records, engine.Record{
			Kind:  uint32(event.kind),
			Index: int(event.index),
			Start: int(event.start),
			End:   int(event.end),
			Text:  text(event.text),
			Name:  text(event.name),
			ID:    text(event.id),
		})
	}
	return records, nil
}

func text(text C.tg_text) string {
	return C.GoStringN((*C.char)(unsafe.Pointer(text.data)), C.int(text.len))
}

func (p *parser) Push(piece []byte, records []engine.Record) ([]engine.Record, error) {
	if p.handle == nil {
		return records, errClosed
	}
	data, size := raw(piece)
	return p.events(C.push(p.handle, data, size), records)
}

func (p *parser) PushSpecial(token string, records []engine.Record) ([]engine.Record, error) {
	if p.handle == nil {
		return records, errClosed
	}
	data, size := chars(token)
	return p.events(C.push_special(p.handle, data, size), records)
}

func (p *parser) Finish(records []engine.Record) ([]engine.Record, error) {
	if p.handle == nil {
		return records, errClosed
	}
	return p.events(C.finish(p.handle), records)
}

func (p *parser) StopBytes() *[256]byte { return p.stops }

func (p *parser) SetFinishReason(reason string) error {
	if p.handle == nil {
		return errClosed
	}
	defer runtime.KeepAlive(p)
	data, size := chars(reason)
	status := C.tg_parser_set_finish_reason(p.handle, data, size)
	return engine.Failure(int32(status), "unknown finish reason `"+reason+"`")
}

func (p *parser) Message() ([]byte, error) {
	if p.handle == nil {
		return nil, errClosed
	}
	defer runtime.KeepAlive(p)
	return asked(func(out *C.tg_buffer) C.tg_status { return C.tg_parser_message(p.handle, out) })
}

func (p *parser) Dialect() (string, error) {
	if p.handle == nil {
		return "", errClosed
	}
	defer runtime.KeepAlive(p)
	name, err := asked(func(out *C.tg_buffer) C.tg_status { return C.tg_parser_dialect(p.handle, out) })
	return string(name), err
}

type turn struct {
	handle  *C.tg_turn
	cleanup runtime.Cleanup
}

func (t *turn) Close() {
	if t.handle != nil {
		t.cleanup.Stop()
		C.tg_turn_free(t.handle)
		t.handle = nil
	}
}

func (t *turn) ask(call func(*C.tg_buffer) C.tg_status) ([]byte, error) {
	if t.handle == nil {
		return nil, errClosed
	}
	defer runtime.KeepAlive(t)
	return asked(call)
}

func (t *turn) Push(piece []byte) ([]byte, error) {
	data, size := raw(piece)
	return t.ask(func(out *C.tg_buffer) C.tg_status { return C.tg_turn_push(t.handle, data, size, out) })
}

func (t *turn) Finish(why string) ([]byte, error) {
	data, size := chars(why)
	return t.ask(func(out *C.tg_buffer) C.tg_status { return C.tg_turn_finish(t.handle, data, size, out) })
}

func (t *turn) Whole(answer []byte) ([]byte, error) {
	data, size := raw(answer)
	return t.ask(func(out *C.tg_buffer) C.tg_status { return C.tg_turn_whole(t.handle, data, size, out) })
}
