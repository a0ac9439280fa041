"""The part of Mustache that Sift's templates use: values, sections, partials and inheritance."""

import html
import re

TAG = re.compile(r"\{\{\s*([#^/$<>]?)\s*([^}]*?)\s*\}\}")


class Templates:
    def __init__(self, texts, asset):
        self.trees = {}
        for name, text in texts.items():
            text = re.sub(r"\{\{asset ([^}]+)\}\}", lambda match: asset(match.group(1)), text)
            tokens = []
            at = 0
            for match in TAG.finditer(text):
                tokens += [("text", text[at : match.start()]), (match.group(1), match.group(2))]
                at = match.end()
            tokens.append(("text", text[at:]))
            self.trees[name] = self.parse(iter(tokens), None)

    def parse(self, tokens, closing):
        nodes = []
        for kind, value in tokens:
            if kind == "/":
                assert value == closing, f"{value} closes {closing}"
                return nodes
            nodes.append((kind, value, self.parse(tokens, value) if kind and kind in "#^$<" else None))
        assert closing is None, f"{closing} is open"
        return nodes

    def render(self, name, *stack):
        return self.nodes(self.trees[name], list(stack), {})

    def nodes(self, nodes, stack, blocks):
        return "".join(self.node(node, stack, blocks) for node in nodes)

    def node(self, node, stack, blocks):
        kind, name, inner = node
        if kind == "text":
            return name
        if kind == ">":
            return self.nodes(self.trees[name], stack, blocks)
        if kind == "<":
            own = {value: content for child, value, content in inner if child == "$"}
            return self.nodes(self.trees[name], stack, own | blocks)
        if kind == "$":
            return self.nodes(blocks.get(name, inner), stack, blocks)
        value = self.value(name, stack)
        if kind == "^":
            return "" if value else self.nodes(inner, stack, blocks)
        if kind == "#":
            items = value if isinstance(value, list) else [value] if value else []
            return "".join(self.nodes(inner, stack + [item], blocks) for item in items)
        return "" if value is None else html.escape("true" if value is True else "false" if value is False else str(value))

    @staticmethod
    def value(name, stack):
        if name == ".":
            return stack[-1]
        first, *rest = name.split(".")
        value = next((each[first] for each in reversed(stack) if isinstance(each, dict) and first in each), None)
        for part in rest:
            value = value.get(part) if isinstance(value, dict) else None
        return value
