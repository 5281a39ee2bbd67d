// tokenizer_config.json, so that other programs render conversations as RenderChat does.
#pragma once
#include "lm/tokenizer/tokenizer.h"

namespace akgen::lm {

inline base::Json TokenizerConfig(const Tokenizer& t) {
  base::Json c = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                  {"clean_up_tokenization_spaces", false},
                  {"chat_template",
                   "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + "
                   "'<|im_end|>' + '\n' }}{% endfor %}"
                   "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"}};
  if (t.Find("<|im_end|>") >= 0) c["eos_token"] = "<|im_end|>";
  if (t.Find("<|endoftext|>") >= 0) c["pad_token"] = "<|endoftext|>";
  return c;
}

}  // namespace akgen::lm
