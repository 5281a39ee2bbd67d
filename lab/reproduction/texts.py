"""What a base model reads: records of training as plain text, the operations and then the program."""
import json

TEMPLATE = "{}\n{}"


def base_texts(sources, target):
    """Writes {"text"} lines out of files of {"messages"} lines (akgen corpus export --answers operations). A source is a
    (file, copies) pair. Whole or not at all."""
    draft = target.with_name(target.name + ".part")
    draft.parent.mkdir(parents=True, exist_ok=True)
    with draft.open("w") as out:
        for source, copies in sources:
            for line in source.read_text().splitlines():
                said = {m["role"]: m["content"] for m in json.loads(line)["messages"]}
                row = json.dumps({"text": TEMPLATE.format(said["user"], said["assistant"])}) + "\n"
                out.write(row * copies)
    draft.rename(target)
