#!/usr/bin/env python3
"""Checks that no class or test of a Python test takes the place of an earlier one, which would never run: shadowed_tests.py ROOT."""
import ast
import pathlib
import sys


def shadowed(body):
    seen = set()
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            if node.name in seen and not node.decorator_list:
                yield node
            seen.add(node.name)
            yield from shadowed(node.body)


def main():
    faults = []
    files = sorted((pathlib.Path(sys.argv[1]) / "tests").rglob("*.py"))
    for path in files:
        for node in shadowed(ast.parse(path.read_text(encoding="utf-8")).body):
            faults.append(f"{path}:{node.lineno}: {node.name} takes the place of an earlier one")
    print("\n".join(faults) if faults else f"{len(files)} files")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
