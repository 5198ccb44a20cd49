//go:build !toolglot_cgo

package wasm

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/toolglot/toolglot/bindings/go/internal/engine"
	"github.com/toolglot/toolglot/bindings/go/internal/wasm/module"
)

// The layout of a record in the module's memory.
const (
	recordSize = 48
	recordText = 24
	recordName = 32
	recordID   = 40
)

// instance is one copy of the module with a memory of its own; whoever calls it holds the lock.
type instance struct {
	sync.Mutex
	module *module.Module
	// scratch is where texts are put: each argument behind the one before.
	scratch, room int32
	// out is the buffer that results are written into.
	out int32
	// sets are the compiled sets that live here.
	sets map[*compiled]handles
	// gone is what the garbage collector found unused; it is freed with the next call.
	gone  []garbage
	dying sync.Mutex
	// isLittered says that there is any, which is cheaper to ask than to lock.
	isLittered atomic.Bool
	// broken is why the instance can no longer be used.
	broken error
	// parsers counts who lives here.
	parsers int
	// stops is the module, if it can tell which bytes end plain text.
	stops stopper
}

// handles are a set's dialects and tools in one instance.
type handles struct{ dialects, tools int32 }

// garbage is a handle and the function that frees it.
type garbage struct {
	free   func(*module.Module, int32)
	handle int32
	// guest says that it is a parser or a turn.
	guest bool
}

// text is one that lies in the module's memory.
type text struct{ at, size int32 }

func newInstance() (*instance, error) {
	in := &instance{module: module.New(), sets: map[*compiled]handles{}}
	version, err := in.call((*module.Module).Xtg_abi_version)
	if err != nil {
		return nil, err
	}
	if version != abiVersion {
		return nil, fmt.Errorf("the module is of ABI %d, the package of %d", version, abiVersion)
	}
	in.stops, _ = any(in.module).(stopper)
	in.out, err = in.call((*module.Module).Xtg_buffer_new)
	return in, err
}

// call calls into the module; what traps there ends the instance.
func (in *instance) call(do func(*module.Module) int32) (result int32, err error) {
	if in.broken != nil {
		return 0, in.broken
	}
	defer func() {
		if trap := recover(); trap != nil {
			err = in.trapped(trap)
		}
	}()
	return do(in.module), nil
}

func (in *instance) trapped(trap any) error { return in.die(fmt.Sprintf("toolglot: %v", trap)) }

func (in *instance) memory() []byte { return *in.module.Xmemory().Slice() }

// view returns a part of the memory, good until the next call.
func (in *instance) view(at, size int32) ([]byte, bool) {
	memory := in.memory()
	from, to := uint64(uint32(at)), uint64(uint32(at))+uint64(uint32(size))
	if to > uint64(len(memory)) {
		return nil, false
	}
	return memory[from:to:to], true
}

// put copies texts into the module, up to three.
func (in *instance) put(texts ...[]byte) (put [3]text, err error) {
	need := 0
	for _, text := range texts {
		need += len(text)
	}
	if need > 1<<30 {
		return put, &engine.Fault{Kind: engine.ErrInvalid, Why: "a text has more than 1 GiB"}
	}
	if err := in.reserve(int32(need)); err != nil {
		return put, err
	}
	at := in.scratch
	for number, bytes := range texts {
		size := int32(len(bytes))
		view, ok := in.view(at, size)
		if !ok {
			return put, in.die("the module's memory ends before the text")
		}
		copy(view, bytes)
		put[number] = text{at, size}
		at += size
	}
	return put, nil
}

// shrink is what the scratch may keep; more is given back with the next text.
const shrink = 1 << 20

func (in *instance) reserve(need int32) error {
	if need <= in.room && (in.room <= shrink || need > shrink) {
		return nil
	}
	if in.room > 0 {
		old, room := in.scratch, in.room
		if _, err := in.call(func(m *module.Module) int32 { m.Xtg_dealloc(old, room); return 0 }); err != nil {
			return err
		}
	}
	in.scratch, in.room = 0, 0
	room := max(need+need/2, 4096)
	at, err := in.call(func(m *module.Module) int32 { return m.Xtg_alloc(room) })
	if err != nil {
		return err
	}
	if at == 0 {
		return &engine.Fault{Kind: engine.ErrFailed, Why: fmt.Sprintf("no memory for a text of %d bytes", need)}
	}
	in.scratch, in.room = at, room
	return nil
}

func (in *instance) die(why string) error {
	in.broken = &engine.Fault{Kind: engine.ErrPanicked, Why: why}
	return in.broken
}

// result returns a copy of what the last function wrote.
func (in *instance) result() ([]byte, error) {
	data, err := in.call(func(m *module.Module) int32 { return m.Xtg_buffer_data(in.out) })
	if err != nil {
		return nil, err
	}
	size, err := in.call(func(m *module.Module) int32 { return m.Xtg_buffer_len(in.out) })
	if err != nil {
		return nil, err
	}
	view, ok := in.view(data, size)
	if !ok {
		return nil, in.die("a result lies outside the module's memory")
	}
	return append([]byte(nil), view...), nil
}

// ask calls a function that returns a status and writes into the buffer.
func (in *instance) ask(do func(*module.Module) int32) ([]byte, error) {
	status, err := in.call(do)
	if err != nil {
		return nil, err
	}
	result, err := in.result()
	if err == nil && status != engine.OK {
		return nil, engine.Failure(status, string(result))
	}
	return result, err
}

// make calls a function that returns a handle, and null with a reason in the buffer.
func (in *instance) make(do func(*module.Module) int32) (int32, error) {
	handle, err := in.call(do)
	if err != nil || handle != 0 {
		return handle, err
	}
	why, err := in.result()
	if err != nil {
		return 0, err
	}
	return 0, engine.Failure(engine.Invalid, string(why))
}

// free frees a handle; in an instance that is broken there is nothing left to free.
func (in *instance) free(what garbage) {
	if what.handle != 0 {
		_, _ = in.call(func(m *module.Module) int32 { what.free(m, what.handle); return 0 })
	}
}

// bury keeps garbage until the next call; the garbage collector does not wait for locks.
func (in *instance) bury(what garbage) {
	in.dying.Lock()
	defer in.dying.Unlock()
	in.gone = append(in.gone, what)
	in.isLittered.Store(true)
}

// enter takes the lock and frees what is gone.
func (in *instance) enter() {
	in.Lock()
	if !in.isLittered.Load() {
		return
	}
	in.dying.Lock()
	gone := in.gone
	in.gone = nil
	in.isLittered.Store(false)
	in.dying.Unlock()
	for _, what := range gone {
		if what.guest {
			in.parsers--
		}
		in.free(what)
	}
}

// step is a function of the module that takes a step of a parser with a text and returns a status.
type step func(m *module.Module, parser, text, size int32) int32

// step takes a step of a parser and appends its events. It happens for every token, so all of it is one call.
func (in *instance) step(do step, parser int32, input []byte, stops *stopBytes, records []engine.Record) (made []engine.Record, err error) {
	stops.now = nil
	put, err := in.put(input)
	if err != nil {
		return records, err
	}
	if in.broken != nil {
		return records, in.broken
	}
	defer func() {
		if trap := recover(); trap != nil {
			made, err = records, in.trapped(trap)
		}
	}()
	if status := do(in.module, parser, put[0].at, put[0].size); status != engine.OK {
		return records, engine.Failure(status, "")
	}
	count := in.module.Xtg_parser_event_count(parser)
	if count == 0 {
		return records, nil
	}
	if in.stops != nil {
		stops.set(in, in.stops.Xtg_parser_stop_bytes(parser))
	}
	return in.records(in.module.Xtg_parser_events(parser), count, records)
}

// records appends events that lie in the module's memory.
func (in *instance) records(at, count int32, records []engine.Record) ([]engine.Record, error) {
	table, ok := in.view(at, count*recordSize)
	if !ok {
		return records, in.die("events lie outside the module's memory")
	}
	for ; len(table) >= recordSize; table = table[recordSize:] {
		record := engine.Record{
			Kind:  binary.LittleEndian.Uint32(table),
			Index: int(binary.LittleEndian.Uint32(table[4:])),
			Start: int(binary.LittleEndian.Uint64(table[8:])),
			End:   int(binary.LittleEndian.Uint64(table[16:])),
			Text:  string(in.slot(table[recordText:])),
			Name:  name(in.slot(table[recordName:])),
			ID:    string(in.slot(table[recordID:])),
		}
		records = append(records, record)
	}
	return records, nil
}

// slot returns the text that a record names.
func (in *instance) slot(slot []byte) []byte {
	at, size := binary.LittleEndian.Uint32(slot), binary.LittleEndian.Uint32(slot[4:])
	if size == 0 {
		return nil
	}
	view, _ := in.view(int32(at), int32(size))
	return view
}

// name copies a text that is mostly one of a few, without a copy of its own for those.
func name(view []byte) string {
	switch string(view) {
	case "complete":
		return "complete"
	case "repaired":
		return "repaired"
	}
	return string(view)
}
