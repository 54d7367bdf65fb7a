"""Improves a prompt with a small language model: llama.py PROMPT TARGET KIND SEED. PROMPT and TARGET are files."""

import pathlib
import sys

from cyllama import LLM, GenerationConfig

source, target, kind, seed = sys.argv[1:]
model = next(pathlib.Path(__file__).parent.glob("weights/*/*.gguf"))
# A model of this size follows examples better than instructions.
EXAMPLES = {
    "a cat": "A ginger cat on a window sill, soft morning light from the left, 50 mm lens, shallow depth of field, calm mood.",
    "city street": "A city street after rain at night, neon signs reflected in puddles, wide angle, low camera, cinematic contrast.",
}
messages = [{"role": "system", "content": f"You rewrite short prompts for a model that makes {kind}s. Reply with one prompt."}]
for short, long in EXAMPLES.items():
    messages += [{"role": "user", "content": short}, {"role": "assistant", "content": long}]
prompt = pathlib.Path(source).read_text().strip() or "a lake"
messages.append({"role": "user", "content": prompt})
settings = GenerationConfig(max_tokens=120, temperature=0.7, repeat_penalty=1.2, seed=int(seed), n_ctx=4096)
reply = str(LLM(str(model), config=settings).chat(messages)).strip()
# A reply that the limit of tokens has cut ends with its last sentence.
if reply and reply[-1] not in ".!?" and "." in reply:
    reply = reply[: reply.rindex(".") + 1]
pathlib.Path(target).write_text(reply or prompt)
