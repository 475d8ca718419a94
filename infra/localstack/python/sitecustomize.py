"""What LocalStack 4.12 takes for granted of Python 3.13: there threading.Lock is a class, and may be a part of a union.

Python imports this module by itself when its folder is on PYTHONPATH.
"""

import sys
import threading
import typing

if sys.version_info < (3, 13):

    class _Lock:
        """Makes locks as `threading.Lock` does, and stands for any type where annotations are read."""

        def __init__(self, make):
            self._make = make

        def __call__(self):
            return self._make()

        def __or__(self, _other):
            return typing.Any

    threading.Lock = _Lock(threading.Lock)
