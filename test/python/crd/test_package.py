"""The names of the package."""

from __future__ import annotations

import importlib
import pkgutil

import crd


def test_no_module_hides_a_function() -> None:
    for module in pkgutil.walk_packages(crd.__path__, "crd."):
        if module.name != "crd.__main__":
            importlib.import_module(module.name)
    names = {name for name in crd.__all__ if name[0].islower()}
    assert len(names) > 10
    assert all(callable(getattr(crd, name)) and getattr(crd, name).__doc__ for name in names)
