//go:build !toolglot_cgo

package wasm

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero/api"

	"github.com/toolglot/toolglot/bindings/go/internal/engine"
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
	module    api.Module
	memory    api.Memory
	functions map[string]api.Function
	stack     [16]uint64
	// scratch is where texts are put: each argument behind the one before.
	scratch, room uint32
	// out is the buffer that results are written into.
	out uint32
	// sets are the compiled sets that live here.
	sets map[*compiled]handles
	// gone is what the garbage collector found unused; it is freed with the next call.
	gone  []garbage
	dying sync.Mutex
	// broken is why the instance can no longer be used.
	broken error
	// parsers counts who lives here.
	parsers int
}

// handles are a set's dialects and tools in one instance.
type handles struct{ dialects, tools uint32 }

// garbage is a handle and the function that frees it.
type garbage struct {
	free   string
	handle uint32
}

func newInstance(ctx context.Context, module api.Module) (*instance, error) {
	in := &instance{
		module:    module,
		memory:    module.Memory(),
		functions: map[string]api.Function{},
		sets:      map[*compiled]handles{},
	}
	for name := range module.ExportedFunctionDefinitions() {
		in.functions[name] = module.ExportedFunction(name)
	}
	version, err := in.call("tg_abi_version")
	if err != nil {
		return nil, err
	}
	if version != abiVersion {
		return nil, fmt.Errorf("the module is of ABI %d, the package of %d", version, abiVersion)
	}
	out, err := in.call("tg_buffer_new")
	in.out = uint32(out)
	return in, err
}

// call calls a function; one that traps ends the instance.
func (in *instance) call(name string, arguments ...uint64) (uint64, error) {
	if in.broken != nil {
		return 0, in.broken
	}
	function := in.functions[name]
	if function == nil {
		return 0, fmt.Errorf("the module has no function %s", name)
	}
	copy(in.stack[:], arguments)
	size := max(len(arguments), 1)
	if err := function.CallWithStack(context.Background(), in.stack[:size]); err != nil {
		in.broken = &engine.Fault{Kind: engine.ErrPanicked, Why: "toolglot: " + err.Error()}
		return 0, in.broken
	}
	return in.stack[0], nil
}

// put copies texts into the module and returns a pointer and a length for each.
func (in *instance) put(texts ...[]byte) ([]uint64, error) {
	need := uint32(0)
	for _, text := range texts {
		if uint64(len(text))+uint64(need) > 1<<31 {
			return nil, &engine.Fault{Kind: engine.ErrInvalid, Why: "a text has more than 2 GiB"}
		}
		need += uint32(len(text))
	}
	if err := in.reserve(need); err != nil {
		return nil, err
	}
	words := make([]uint64, 0, 8)
	at := in.scratch
	for _, text := range texts {
		if !in.memory.Write(at, text) {
			return nil, in.die("the module's memory ends before the text")
		}
		words = append(words, uint64(at), uint64(len(text)))
		at += uint32(len(text))
	}
	return words, nil
}

// shrink is what the scratch may keep; more is given back with the next text.
const shrink = 1 << 20

func (in *instance) reserve(need uint32) error {
	if need <= in.room && (in.room <= shrink || need > shrink) {
		return nil
	}
	if in.room > 0 {
		if _, err := in.call("tg_dealloc", uint64(in.scratch), uint64(in.room)); err != nil {
			return err
		}
	}
	in.scratch, in.room = 0, 0
	room := max(need+need/2, 4096)
	at, err := in.call("tg_alloc", uint64(room))
	if err != nil {
		return err
	}
	if at == 0 {
		return &engine.Fault{Kind: engine.ErrFailed, Why: fmt.Sprintf("no memory for a text of %d bytes", need)}
	}
	in.scratch, in.room = uint32(at), room
	return nil
}

func (in *instance) die(why string) error {
	in.broken = &engine.Fault{Kind: engine.ErrPanicked, Why: why}
	return in.broken
}

// result returns a copy of what the last function wrote.
func (in *instance) result() ([]byte, error) {
	data, err := in.call("tg_buffer_data", uint64(in.out))
	if err != nil {
		return nil, err
	}
	size, err := in.call("tg_buffer_len", uint64(in.out))
	if err != nil {
		return nil, err
	}
	view, ok := in.memory.Read(uint32(data), uint32(size))
	if !ok {
		return nil, in.die("a result lies outside the module's memory")
	}
	return append([]byte(nil), view...), nil
}

// ask calls a function that returns a status and writes into the buffer.
func (in *instance) ask(name string, arguments ...uint64) ([]byte, error) {
	status, err := in.call(name, append(arguments, uint64(in.out))...)
	if err != nil {
		return nil, err
	}
	result, err := in.result()
	if err == nil && int32(status) != engine.OK {
		return nil, engine.Failure(int32(status), string(result))
	}
	return result, err
}

// make calls a function that returns a handle, and null with a reason in the buffer.
func (in *instance) make(name string, arguments ...uint64) (uint32, error) {
	handle, err := in.call(name, append(arguments, uint64(in.out))...)
	if err != nil {
		return 0, err
	}
	if uint32(handle) == 0 {
		why, err := in.result()
		if err != nil {
			return 0, err
		}
		return 0, engine.Failure(engine.Invalid, string(why))
	}
	return uint32(handle), nil
}

// free frees a handle; in an instance that is broken there is nothing left to free.
func (in *instance) free(what garbage) {
	if what.handle != 0 {
		_, _ = in.call(what.free, uint64(what.handle))
	}
}

// bury keeps garbage until the next call; the garbage collector does not wait for locks.
func (in *instance) bury(what ...garbage) {
	in.dying.Lock()
	defer in.dying.Unlock()
	in.gone = append(in.gone, what...)
}

// enter takes the lock and frees what is gone.
func (in *instance) enter() {
	in.Lock()
	in.dying.Lock()
	gone := in.gone
	in.gone = nil
	in.dying.Unlock()
	for _, what := range gone {
		if what.free == "tg_parser_free" || what.free == "tg_turn_free" {
			in.parsers--
		}
		in.free(what)
	}
}

// records appends the events of a parser's last step.
func (in *instance) records(parser uint32, records []engine.Record) ([]engine.Record, error) {
	count, err := in.call("tg_parser_event_count", uint64(parser))
	if err != nil || count == 0 {
		return records, err
	}
	at, err := in.call("tg_parser_events", uint64(parser))
	if err != nil {
		return records, err
	}
	table, ok := in.memory.Read(uint32(at), uint32(count)*recordSize)
	if !ok {
		return records, in.die("events lie outside the module's memory")
	}
	for ; len(table) >= recordSize; table = table[recordSize:] {
		record := engine.Record{
			Kind:  binary.LittleEndian.Uint32(table),
			Index: int(binary.LittleEndian.Uint32(table[4:])),
			Start: int(binary.LittleEndian.Uint64(table[8:])),
			End:   int(binary.LittleEndian.Uint64(table[16:])),
			Text:  in.text(table[recordText:]),
			Name:  in.name(table[recordName:]),
			ID:    in.text(table[recordID:]),
		}
		records = append(records, record)
	}
	return records, nil
}

func (in *instance) text(slot []byte) string {
	at, size := binary.LittleEndian.Uint32(slot), binary.LittleEndian.Uint32(slot[4:])
	if size == 0 {
		return ""
	}
	view, _ := in.memory.Read(at, size)
	return string(view)
}

// name returns a text that is mostly one of a few, without a copy of its own for those.
func (in *instance) name(slot []byte) string {
	at, size := binary.LittleEndian.Uint32(slot), binary.LittleEndian.Uint32(slot[4:])
	if size == 0 {
		return ""
	}
	view, _ := in.memory.Read(at, size)
	switch string(view) {
	case "complete":
		return "complete"
	case "repaired":
		return "repaired"
	}
	return string(view)
}
