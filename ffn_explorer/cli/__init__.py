"""The command line: one file per subcommand, each with `add(subparsers)` and `main(args) -> int`."""

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand: its name, its module below `ffn_explorer.cli`, and the catalogue key of its help."""

    name: str
    module: str
    help: str

    def load(self) -> ModuleType:
        """Its module; importing it starts neither torch nor Qt."""
        return import_module(f"{__name__}.{self.module}")


COMMANDS = (
    Command("run", "run", "cli.command.run"),
    Command("render", "render", "cli.command.render"),
    Command("lecture", "lecture", "cli.command.lecture"),
    Command("inspect", "inspect", "cli.command.inspect"),
    Command("cost", "cost", "cli.command.cost"),
    Command("doctor", "doctor", "cli.command.doctor"),
    Command("bench", "bench", "cli.command.bench"),
)
