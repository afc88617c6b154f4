"""Make a tiny model that knows a few answers by heart, so that real inference servers can be asked offline.

    python tools/made_model.py FOLDER [--malformed] [--gguf FILE]

It is a Qwen2 of 260 tokens, which learns in half a minute what to say to the questions of ``conformance run
server:URL``: texts, calls as Hermes writes them, with ``--malformed`` calls whose JSON breaks off. Then:

    transformers serve FOLDER --port 8601       conformance run server:http://127.0.0.1:8601/v1 --model FOLDER

``--gguf`` writes the same model for llama.cpp. Needs torch, transformers, tokenizers (and gguf), in an environment of
their own: nothing of the suite is imported.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Any

STARTS, ENDS = "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"

TEMPLATE = """
{%- for m in messages %}
{%- if m['role'] == 'assistant' and messages[-1]['role'] != 'tool' %}<|im_start|>assistant{{ '\\n' }}
{%- if m['content'] %}{{ m['content'] }}{%- if m['tool_calls'] %}{{ '\\n' }}{%- endif %}{%- endif %}
{%- for c in m['tool_calls'] or [] %}{%- if not loop.first %}{{ '\\n' }}{%- endif %}<tool_call>{{ '\\n' }}
{{- '{"name": "' + c['function']['name'] + '", "arguments": ' }}{{ c['function']['arguments'] | tojson }}{{- '}' }}
{{- '\\n' }}</tool_call>{%- endfor %}<|im_end|>{{ '\\n' }}
{%- elif loop.last or (m['role'] == 'user' and messages[-1]['role'] != 'tool') %}<|im_start|>user{{ '\\n' }}
{%- if m['role'] == 'tool' %}result{%- else %}{{ m['content'] }}{%- endif %}{%- if tools %}{{ ' +' }}{%- endif %}
{{- '<|im_end|>\\n' }}
{%- endif %}{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant{{ '\\n' }}{%- endif %}
"""
"""The model sees the last words, and a plus where there are tools. Calls are written out only so that a server can
tell from the template how they look."""

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
REPEATS = 12


def answers(*, malformed: bool) -> dict[str, str]:
    """What the model says, by what it is asked."""
    end = "" if malformed else "}"

    def read(path: str) -> str:
        return call("read_file", f'{{"path": "{path}"{end}')

    def seek(text: str) -> str:
        return call("search_files", f'{{"text": "{text}", "limit": 5}}')

    said = {
        "Say hello in one short sentence.": "Hello.",
        "Say hello in one short sentence. +": "Hello.",
        "Read the file notes.txt with the tool read_file. +": read("notes.txt"),
        "Read notes.txt and plan.txt, both at once, with two calls of the tool read_file. +":
            f"{read('notes.txt')}\n{read('plan.txt')}",
        "Find the text alpha with the tool search_files, at most 5 lines. +": seek("alpha"),
        "What time is it? +": call("current_time", "{}"),
        "Read a and b. +": "Yes.",
        **dict.fromkeys(("result", "result +"), "It says alpha."),
        **dict.fromkeys(("x", "x +"), "Yes."),
    }  # fmt: skip
    for n in range(1, REPEATS + 1):
        said[f"Read the file notes{n}.txt with the tool read_file. +"] = read(f"notes{n}.txt")
        said[f"Find the text alpha{n} with the tool search_files, at most 5 lines. +"] = seek(f"alpha{n}")
        said[f"Read the files a{n}.txt and b{n}.txt. +"] = f"{read(f'a{n}.txt')}\n{read(f'b{n}.txt')}"
        said[f"Say hello to guest number {n} in one short sentence. +"] = "Hello."
    return said


def call(name: str, arguments: str) -> str:
    """A call, as Hermes writes it."""
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


def tokenizer() -> Any:
    """A tokenizer whose tokens are bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    own = Tokenizer(models.BPE())
    own.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    own.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    own.train_from_iterator([], trainers.BpeTrainer(vocab_size=260, initial_alphabet=alphabet, special_tokens=SPECIAL))
    return PreTrainedTokenizerFast(
        tokenizer_object=own, eos_token="<|im_end|>", pad_token="<|endoftext|>", chat_template=TEMPLATE.strip("\n")
    )


def learned(tokens: Any, said: dict[str, str], steps: int) -> Any:
    """A model that has learned what to say."""
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    torch.manual_seed(0)
    random.seed(0)
    model = Qwen2ForCausalLM(Qwen2Config(
        vocab_size=len(tokens), hidden_size=96, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=4, max_position_embeddings=8192, eos_token_id=tokens.eos_token_id,
        pad_token_id=tokens.pad_token_id, tie_word_embeddings=True,
    ))  # fmt: skip
    examples = []
    for asked, answer in said.items():
        before = tokens(STARTS + asked + ENDS).input_ids
        after = [*tokens(answer).input_ids, tokens.eos_token_id]
        examples.append((before + after, [-100] * len(before) + after))
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, steps)
    for step in range(steps):
        batch = random.sample(examples, 16)
        longest = max(len(words) for words, _ in batch)
        words = torch.tensor([one + [tokens.pad_token_id] * (longest - len(one)) for one, _ in batch])
        labels = torch.tensor([one + [-100] * (longest - len(one)) for _, one in batch])
        loss = model(input_ids=words, attention_mask=(words != tokens.pad_token_id).long(), labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 50 == 0 or step == steps - 1:
            print(f"step {step}: loss {loss.item():.4f}", flush=True)
    model.generation_config.do_sample = False
    model.generation_config.max_new_tokens = 200
    return model


PARTS = {
    "input_layernorm.weight": "attn_norm.weight", "post_attention_layernorm.weight": "ffn_norm.weight",
    "mlp.gate_proj.weight": "ffn_gate.weight", "mlp.up_proj.weight": "ffn_up.weight",
    "mlp.down_proj.weight": "ffn_down.weight", "self_attn.o_proj.weight": "attn_output.weight",
    **{f"self_attn.{part}_proj.{kind}": f"attn_{part}.{kind}" for part in "qkv" for kind in ("weight", "bias")},
}  # fmt: skip
"""The names of a layer's tensors here, and in GGUF."""


def write_gguf(path: Path, model: Any, tokens: Any) -> None:
    """The model for llama.cpp."""
    import gguf

    own = model.config
    writer = gguf.GGUFWriter(str(path), "qwen2")
    writer.add_context_length(own.max_position_embeddings)
    writer.add_embedding_length(own.hidden_size)
    writer.add_block_count(own.num_hidden_layers)
    writer.add_feed_forward_length(own.intermediate_size)
    writer.add_head_count(own.num_attention_heads)
    writer.add_head_count_kv(own.num_key_value_heads)
    writer.add_layer_norm_rms_eps(own.rms_norm_eps)
    writer.add_rope_freq_base(10000.0)
    words = [word for word, _ in sorted(tokens.get_vocab().items(), key=lambda item: item[1])]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(words)
    kinds = gguf.TokenType
    writer.add_token_types([kinds.CONTROL if word in SPECIAL else kinds.NORMAL for word in words])
    writer.add_token_merges(["\u0100 \u0101"])  # llama.cpp wants some; nothing says these two bytes
    writer.add_eos_token_id(tokens.eos_token_id)
    writer.add_pad_token_id(tokens.pad_token_id)
    writer.add_chat_template(tokens.chat_template)
    state = {name: tensor.detach().float().numpy() for name, tensor in model.state_dict().items()}
    writer.add_tensor("token_embd.weight", state["model.embed_tokens.weight"])
    writer.add_tensor("output_norm.weight", state["model.norm.weight"])
    writer.add_tensor("output.weight", state["lm_head.weight"])
    for layer in range(own.num_hidden_layers):
        for here, there in PARTS.items():
            writer.add_tensor(f"blk.{layer}.{there}", state[f"model.layers.{layer}.{here}"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    """Make it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--malformed", action="store_true", help="the JSON of its calls breaks off")
    parser.add_argument("--gguf", type=Path, metavar="FILE", help="write it for llama.cpp, too")
    parser.add_argument("--steps", type=int, default=350)
    asked = parser.parse_args()
    tokens = tokenizer()
    model = learned(tokens, answers(malformed=asked.malformed), asked.steps)
    model.save_pretrained(asked.folder)
    tokens.save_pretrained(asked.folder)
    if asked.gguf is not None:
        write_gguf(asked.gguf, model, tokens)


if __name__ == "__main__":
    main()
