"""llama.cpp's own sampler, without a model that runs: which tokens a grammar lets through, by the functions of its library.

  GBNF goes in as `toolglot grammar` writes it; a walk is a random text that the sampler allows to its end.
"""
import ctypes
import math
import random
import re

import xllamacpp

# The structs of the interface are passed by value; only the callee knows how long they are, so there is room for more.
ROOM = 1024


class Room(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * ROOM)]


class TokenData(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int32), ("logit", ctypes.c_float), ("p", ctypes.c_float)]


class TokenArray(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(TokenData)), ("size", ctypes.c_size_t), ("selected", ctypes.c_int64), ("sorted", ctypes.c_bool)]


LOG = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)


def library():
    lib = ctypes.CDLL(xllamacpp.__path__[0] + "/xllamacpp.abi3.so")
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32
    for name, result, arguments in [
        ("model_default_params", Room, []),
        ("model_load_from_file", pointer, [text, Room]),
        ("model_get_vocab", pointer, [pointer]),
        ("vocab_n_tokens", number, [pointer]),
        ("vocab_is_eog", ctypes.c_bool, [pointer, number]),
        ("token_to_piece", number, [pointer, number, ctypes.c_char_p, number, number, ctypes.c_bool]),
        ("sampler_init_grammar", pointer, [pointer, text, text]),
        ("sampler_init_grammar_lazy_patterns", pointer,
         [pointer, text, text, ctypes.POINTER(text), ctypes.c_size_t, ctypes.POINTER(number), ctypes.c_size_t]),
        ("sampler_apply", None, [pointer, ctypes.POINTER(TokenArray)]),
        ("sampler_accept", None, [pointer, number]),
        ("sampler_free", None, [pointer]),
        ("log_set", None, [LOG, pointer]),
    ]:
        function = getattr(lib, f"llama_{name}")
        function.restype, function.argtypes = result, arguments
    return lib


class Vocabulary:
    """The tokens of a real model, of which nothing else is used."""

    def __init__(self, path):
        self.lib = library()
        self.said = []
        self.log = LOG(lambda level, text, data: self.said.append(text.decode(errors="replace")))
        self.lib.llama_log_set(self.log, None)
        model = self.lib.llama_model_load_from_file(str(path).encode(), self.lib.llama_model_default_params())
        self.vocab = self.lib.llama_model_get_vocab(model)
        count = self.lib.llama_vocab_n_tokens(self.vocab)
        self.pieces = [self._piece(token) for token in range(count)]
        self.ends = [token for token in range(count) if self.lib.llama_vocab_is_eog(self.vocab, token)]
        # Bytes of characters that go on are left out: a random one rarely makes a character.
        self.plain = [token for token, piece in enumerate(self.pieces) if piece and token not in self.ends and _is_text(piece)]
        self.by_piece = {piece: token for token, piece in enumerate(self.pieces) if piece and token not in self.ends}

    def _piece(self, token):
        room = ctypes.create_string_buffer(256)
        length = self.lib.llama_token_to_piece(self.vocab, token, room, len(room), 0, True)
        return room.raw[:max(length, 0)]

    def tokens(self, text):
        """A text as tokens, each as long as can be."""
        while text:
            size = next(size for size in range(len(text), 0, -1) if text[:size] in self.by_piece)
            yield self.by_piece[text[:size]]
            text = text[size:]


def _is_text(piece):
    try:
        return bool(piece.decode())
    except UnicodeDecodeError:
        return False


class Walk:
    """One text under a grammar; ``trigger`` makes it lazy."""

    # So many random tokens are offered at each step, and so many steps pass until a text is led to its end.
    OFFERED, FREE, MOST = 400, 40, 1500

    def __init__(self, vocabulary, gbnf, seed, trigger=None):
        self.all, self.lib, self.random = vocabulary, vocabulary.lib, random.Random(seed)
        self.literals = literals(gbnf)
        self.text, self.steps, self.ended, self.trigger = b"", 0, False, trigger
        vocabulary.said.clear()
        if trigger is None:
            self.sampler = self.lib.llama_sampler_init_grammar(vocabulary.vocab, gbnf.encode(), b"root")
        else:
            # As llama-server does with a word.
            escaped = re.sub(r"([.^$|()*+?\[\]{}\\])", r"\\\1", trigger)
            pattern = (ctypes.c_char_p * 1)(f"^[\\s\\S]*?({escaped})[\\s\\S]*".encode())
            self.sampler = self.lib.llama_sampler_init_grammar_lazy_patterns(
                vocabulary.vocab, gbnf.encode(), b"root", pattern, 1, None, 0)
        if not self.sampler:
            raise ValueError("llama.cpp refuses the grammar: " + "".join(vocabulary.said)[-300:])

    def allowed(self, tokens):
        """Those of the tokens that may come next."""
        data = (TokenData * len(tokens))(*[TokenData(token, 0.0, 0.0) for token in tokens])
        array = TokenArray(data, len(tokens), -1, False)
        self.lib.llama_sampler_apply(self.sampler, ctypes.byref(array))
        return [entry.id for entry in data if not math.isinf(entry.logit)]

    def accept(self, token):
        self.lib.llama_sampler_accept(self.sampler, token)
        self.text += self.all.pieces[token]

    def leading(self):
        """Tokens that go on with a literal of the grammar, the one that is furthest along first."""
        found = []
        for literal in self.random.sample(self.literals, len(self.literals)):
            kept = next((size for size in range(min(len(literal) - 1, len(self.text)), -1, -1)
                         if self.text.endswith(literal[:size])), 0)
            rest = literal[kept:]
            fitting = (self.all.by_piece.get(rest[:size]) for size in range(len(rest), 0, -1))
            token = next((token for token in fitting if token is not None), None)
            if token is not None:
                found.append((kept, token))
        return [token for _, token in sorted(found, key=lambda pair: -pair[0])]

    def step(self):
        """Takes one token; says whether there is one more."""
        self.steps += 1
        led = self.leading()
        allowed = set(self.allowed(self.all.ends + led + self.random.sample(self.all.plain, self.OFFERED)))
        late, may_end = self.steps > self.FREE, bool(allowed & set(self.all.ends))
        ways = [token for token in led if token in allowed]
        others = [token for token in allowed if token not in self.all.ends]
        if not others and not may_end:
            others = self.allowed(list(self.all.by_piece.values()))
        self.ended = may_end and (late or not others or self.random.random() < 0.5)
        if self.ended or not others:
            return False
        if ways and (late or self.random.random() < 0.4):
            # A closer of many tokens is only reached by one who does not turn aside.
            steady = self.random.random() < (0.8 if self.steps < 4 * self.FREE else 0.98)
            self.accept(ways[0] if steady else self.random.choice(ways))
        else:
            self.accept(self.random.choice(others))
        return self.steps < self.MOST

    def run(self, before=b""):
        """Walks to the end; text before the trigger of a lazy grammar is free."""
        for token in self.all.tokens(before + (self.trigger or "").encode()):
            self.accept(token)
        while self.step():
            pass
        self.lib.llama_sampler_free(self.sampler)
        return self.text.decode(errors="replace")


def literals(gbnf):
    """The literals of a grammar, as bytes: what leads a text to its end."""
    found = set()
    for literal, _ in re.findall(r'"((?:[^"\\]|\\.)*)"|(\[(?:[^\]\\]|\\.)*\])', gbnf):
        text = re.sub(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\(.)", _unescaped, literal)
        found.add(text.encode())
    return sorted(found - {b""})


def _unescaped(match):
    code = next((code for code in match.groups()[:3] if code), None)
    return chr(int(code, 16)) if code else {"n": "\n", "r": "\r", "t": "\t"}.get(match[4], match[4])
