"""Writes a model that llama-server loads in a moment: random weights, and a vocabulary cut out of the texts it has to write.

What such a model says means nothing; a grammar makes it write the text that is wanted. What is real is everything else: the
tokenizer, in which one text has many tokenisations that sampling picks from, the chunks that follow from them, HTTP, SSE, the
chat template.
"""
import re

import gguf
import numpy

WIDTH, LAYERS, HEADS, CONTEXT = 64, 1, 4, 8192
CONTROL = ["<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>"]
# A template that knows no tools: the server returns what the model writes as text, as it does for most models.
PLAIN = """{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content if message.content is string else '' }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
# One that shows tools and calls: the server makes a parser of its own from it, and expects what the template writes.
TOOLS = """{% if tools %}<|im_start|>system
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}To call a tool, write <tool_call>
{"name": NAME, "arguments": OBJECT}
</tool_call>.<|im_end|>
{% endif %}{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content if message.content is string else '' }}{% if message.tool_calls %}{% for call in message.tool_calls %}
<tool_call>
{"name": {{ call.function.name | tojson }}, "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}{% endif %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def pieces(texts):
    """Markers, words, halves of words and single characters of the texts; a blank is written as its tokenizer wants it."""
    found = {}
    for text in texts:
        for word in re.findall(r"<[^<>\s]{1,40}>|\[/?[A-Z_]+\]|[A-Za-z_]+|\s+|[^\sA-Za-z_]+", text):
            middle = len(word) // 2
            for piece in (word, word[:middle], word[middle:], *word):
                found[piece.replace(" ", "\u2581")] = None
    return [piece for piece in found if piece and piece not in CONTROL]


def write(path, template, texts):
    ordinary = list(dict.fromkeys(pieces(texts) + [chr(code) for code in range(33, 127)]))
    tokens = CONTROL + [f"<0x{byte:02X}>" for byte in range(256)] + ordinary
    kinds = gguf.TokenType
    types = [kinds.UNKNOWN] + [kinds.CONTROL] * 4 + [kinds.BYTE] * 256 + [kinds.NORMAL] * len(ordinary)

    out = gguf.GGUFWriter(str(path), "llama")
    out.add_name("random")
    out.add_context_length(CONTEXT)
    out.add_embedding_length(WIDTH)
    out.add_block_count(LAYERS)
    out.add_feed_forward_length(2 * WIDTH)
    out.add_head_count(HEADS)
    out.add_head_count_kv(HEADS)
    out.add_rope_dimension_count(WIDTH // HEADS)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_file_type(gguf.LlamaFileType.ALL_F32)
    out.add_vocab_size(len(tokens))
    out.add_tokenizer_model("llama")
    out.add_token_list(tokens)
    out.add_token_types(types)
    out.add_token_scores([-float(len(tokens) if kind == kinds.BYTE else at) for at, kind in enumerate(types)])
    out.add_unk_token_id(0)
    out.add_bos_token_id(1)
    out.add_eos_token_id(4)
    out.add_add_bos_token(True)
    out.add_add_space_prefix(False)
    out.add_chat_template(template)
    for name, shape in _tensors(len(tokens)):
        out.add_tensor(name, _values(name, shape))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


def _tensors(tokens):
    yield "token_embd.weight", (tokens, WIDTH)
    yield "output_norm.weight", (WIDTH,)
    yield "output.weight", (tokens, WIDTH)
    for layer in range(LAYERS):
        for norm in ("attn_norm", "ffn_norm"):
            yield f"blk.{layer}.{norm}.weight", (WIDTH,)
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            yield f"blk.{layer}.{part}.weight", (WIDTH, WIDTH)
        for part in ("ffn_gate", "ffn_up"):
            yield f"blk.{layer}.{part}.weight", (2 * WIDTH, WIDTH)
        yield f"blk.{layer}.ffn_down.weight", (WIDTH, 2 * WIDTH)


_RANDOM = numpy.random.default_rng(7)


def _values(name, shape):
    if "norm" in name:
        return numpy.ones(shape, numpy.float32)
    return (_RANDOM.standard_normal(shape) / 20).astype(numpy.float32)
