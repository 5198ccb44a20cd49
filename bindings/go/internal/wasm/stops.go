//go:build !toolglot_cgo

package wasm

// stopper is what a module can do that is made from these sources. The one that is checked in is made at a release.
type stopper interface {
	Xtg_parser_stop_bytes(parser int32) int32
}

// stopBytes are the bytes that end plain text for a parser.
type stopBytes struct {
	now *[256]byte
	// known are the tables that the parser has returned, by their place in the memory: one for text, one for reasoning.
	known map[int32]*[256]byte
}

// set copies the table at a place in the memory: the memory moves as it grows.
func (s *stopBytes) set(in *instance, at int32) {
	if at == 0 {
		return
	}
	table := s.known[at]
	if view, ok := in.view(at, 256); ok && table == nil {
		table = (*[256]byte)(append([]byte(nil), view...))
		if s.known == nil {
			s.known = map[int32]*[256]byte{}
		}
		s.known[at] = table
	}
	s.now = table
}
