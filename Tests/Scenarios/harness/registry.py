"""The scenarios, as the modules beside this folder declare them."""

import importlib
import inspect
import pathlib

SCENARIOS = {}


class Scenario:
    def __init__(self, function, seconds, alone):
        self.function = function
        self.name = f"{function.__module__.removeprefix('scenarios.')}.{function.__name__}"
        self.seconds = seconds
        self.alone = alone  # what measures time or CPU runs with nothing beside it
        self.defaults = {
            k: p.default for k, p in inspect.signature(function).parameters.items() if p.default is not p.empty
        }

    def figures(self, given):
        """The scenario's figures with those given as text on the command line."""
        values = dict(self.defaults)
        for key, text in given.items():
            if key not in values:
                raise SystemExit(f"{self.name} has no figure {key}")
            values[key] = type(values[key])(text)
        return values


def scenario(seconds=30, alone=False):
    def register(function):
        found = Scenario(function, seconds, alone)
        SCENARIOS[found.name] = found
        return function

    return register


def load():
    folder = pathlib.Path(__file__).parent.parent / "scenarios"
    for file in sorted(folder.glob("*.py")):
        if file.stem != "__init__":
            importlib.import_module(f"scenarios.{file.stem}")
    return SCENARIOS
