"""OpenAI's client in front of the local model of `akgen serve --model`."""
import openai
from common import URL, raises, same

client = openai.OpenAI(base_url=URL + "/v1", api_key="none", max_retries=0, timeout=240)
model = client.models.list().data[0].id
prompt = [{"role": "user", "content": "x0: f32|f16 [A, B]\nv0 = x0 * 1.702\nv1 = sigmoid(v0)\nv2 = x0 * v1\nreturn v2: f32|f16 [A, B]\n"}]
whole = client.chat.completions.create(model=model, messages=prompt, max_tokens=400, temperature=0, seed=1)
text = whole.choices[0].message.content
same(("@kernel" in text, whole.choices[0].finish_reason), (True, "stop"), "chat")
same(whole.usage.total_tokens, whole.usage.prompt_tokens + whole.usage.completion_tokens, "usage")
parts = list(client.chat.completions.create(model=model, messages=prompt, max_tokens=400, temperature=0, seed=1, stream=True))
same("".join(p.choices[0].delta.content or "" for p in parts if p.choices), text, "streamed")
cut = client.chat.completions.create(model=model, messages=prompt, max_tokens=8, temperature=0)
same(cut.choices[0].finish_reason, "length", "max_tokens")
same(len(client.chat.completions.create(model=model, messages=prompt, max_tokens=8, n=3, temperature=1).choices), 3, "n")
raises(openai.BadRequestError, lambda: client.chat.completions.create(model=model, messages=prompt, temperature=-1), "a temperature below zero")
raises(openai.NotFoundError, lambda: client.chat.completions.create(model="no such model", messages=prompt), "another model")
