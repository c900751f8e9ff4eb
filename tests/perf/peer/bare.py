"""A bare loop as anyone would write it: knows neither tool, runs in either tool's environment.

  python bare.py '{"config": {...}, "tokens": 128, "new": 0, "cache": "dynamic", "mask": true, "seconds": 6}'

``new`` 0 times the forward pass over ``tokens`` tokens, with an attention mask of ones if ``mask`` is set.
Otherwise it times ``new`` greedy steps behind ``tokens`` tokens of context, the prompt itself outside the
timed part. ``cache`` is ``dynamic`` (what ``generate()`` uses) or ``static`` (allocated once). Three calls
come first and are thrown away. Prints the seconds of each call as JSON.
"""

import inspect
import json
import sys
import time

import torch
import transformers


def main(config, tokens, new, cache, mask, seconds):
    torch.manual_seed(0)
    config = dict(config)
    architecture = getattr(transformers, config.pop("architectures")[0])
    config = transformers.AutoConfig.for_model(**config)
    model = architecture(config).eval()
    ids = torch.randint(100, config.vocab_size, (1, tokens))
    call = decoded(model, ids, new, cache) if new else encoded(model, ids, mask)
    for _ in range(3):
        call()
    found = []
    while len(found) < 3 or sum(found) < seconds:
        found.append(call())
    json.dump(found, sys.stdout)


def encoded(model, ids, mask):
    inputs = {"input_ids": ids} | ({"attention_mask": torch.ones_like(ids)} if mask else {})

    def call():
        with torch.inference_mode():
            begin = time.perf_counter()
            model(**inputs)
            return time.perf_counter() - begin

    return call


def decoded(model, ids, new, kind):
    name = "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"
    tokens = ids.shape[1]

    def fresh():
        if kind == "static":
            return transformers.StaticCache(config=model.config, max_cache_len=tokens + new)
        return transformers.DynamicCache()

    def call():
        cache = fresh()
        with torch.inference_mode():
            logits = model(input_ids=ids, use_cache=True, logits_to_keep=1, **{name: cache}).logits
            token = logits[:, -1].argmax(-1, keepdim=True)
            begin = time.perf_counter()
            for _ in range(new):
                logits = model(input_ids=token, use_cache=True, logits_to_keep=1, **{name: cache}).logits
                token = logits[:, -1].argmax(-1, keepdim=True)
            return time.perf_counter() - begin

    return call


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
