"""Makes threading.Lock usable in type unions on Python before 3.13, as LocalStack 4.12 expects.

Python imports this module automatically if its folder is on PYTHONPATH.
"""

import sys
import threading
import typing

if sys.version_info < (3, 13):

    class _Lock:
        """Creates locks like `threading.Lock`. `Lock | None`, and any other union that begins with it, becomes `typing.Any`."""

        def __init__(self, make):
            self._make = make

        def __call__(self):
            return self._make()

        def __or__(self, _other):
            return typing.Any

    threading.Lock = _Lock(threading.Lock)
