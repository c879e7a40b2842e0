"""Holds a JSON value against a JSON Schema: the keywords that docs/schema uses, and no other (an unknown one is an error)."""
import re

SILENT = {"$schema", "$id", "$defs", "title", "description", "contentEncoding", "then", "else"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name in ("integer", "number"):
        return isinstance(value, int if name == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


class Schema:
    def __init__(self, root):
        self.root = root

    def errors(self, value):
        """What is wrong, a text each; empty if the value fits."""
        return list(self._errors(self.root, value, ""))

    def _fits(self, schema, value):
        return next(self._errors(schema, value, ""), None) is None

    def _errors(self, schema, value, at):
        if isinstance(schema, bool):
            if not schema:
                yield f"{at}: nothing may stand here"
            return
        for keyword, rule in schema.items():
            inside = self._inside(schema, keyword, rule, value, at)
            if inside is not None:
                yield from inside
            elif keyword not in SILENT and not self._holds(keyword, rule, value):
                yield f"{at}: {keyword} {str(rule)[:80]} but {str(value)[:80]}"

    def _inside(self, schema, keyword, rule, value, at):
        """The errors of rules that look into the value; nothing for other rules."""
        if keyword == "$ref":
            target = self.root
            for step in rule.removeprefix("#/").split("/"):
                target = target[step]
            return self._errors(target, value, at)
        if keyword == "if":
            branch = schema.get("then" if self._fits(rule, value) else "else", True)
            return self._errors(branch, value, at)
        if keyword == "items":
            elements = value if isinstance(value, list) else []
            return (e for i, element in enumerate(elements) for e in self._errors(rule, element, f"{at}/{i}"))
        members = value if isinstance(value, dict) else {}
        if keyword == "properties":
            return (e for name in rule if name in members for e in self._errors(rule[name], members[name], f"{at}/{name}"))
        if keyword == "additionalProperties":
            others = [name for name in members if name not in schema.get("properties", {})]
            return (e for name in others for e in self._errors(rule, members[name], f"{at}/{name}"))
        if keyword == "allOf":
            return (e for part in rule for e in self._errors(part, value, at))
        return None

    def _holds(self, keyword, rule, value):
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        checks = {
            "type": lambda: any(is_type(value, name) for name in ([rule] if isinstance(rule, str) else rule)),
            "const": lambda: value == rule and isinstance(value, bool) == isinstance(rule, bool),
            "enum": lambda: value in rule,
            "minimum": lambda: not number or value >= rule,
            "maximum": lambda: not number or value <= rule,
            "pattern": lambda: not isinstance(value, str) or re.search(rule, value) is not None,
            "minItems": lambda: not isinstance(value, list) or len(value) >= rule,
            "maxItems": lambda: not isinstance(value, list) or len(value) <= rule,
            "required": lambda: not isinstance(value, dict) or all(name in value for name in rule),
            "anyOf": lambda: any(self._fits(part, value) for part in rule),
            "oneOf": lambda: sum(self._fits(part, value) for part in rule) == 1,
            "not": lambda: not self._fits(rule, value),
        }
        if keyword not in checks:
            raise KeyError(f"keyword {keyword} is not understood")
        return checks[keyword]()
