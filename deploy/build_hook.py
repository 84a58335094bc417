"""Hatchling's hook that writes the version into what is built, as scorekeeper/VERSION; the checkout stays as it is."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class VersionHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # reads the checkout itself
            return
        package = Path(self.root) / "scorekeeper"
        spec = spec_from_file_location("version", package / "site" / "version.py")
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        self._folder = TemporaryDirectory()
        file = Path(self._folder.name) / "VERSION"
        file.write_text(f"{module.find_version(package) or self.metadata.version}\n", encoding="utf-8")
        build_data["force_include"][str(file)] = "scorekeeper/VERSION"
