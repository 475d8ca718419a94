"""Two features of newer Pythons that LocalStack 4.12 expects: unions of types with threading.Lock, and uuid5 of bytes.

Python imports this module automatically if its folder is on PYTHONPATH.
"""

import sys
import threading
import typing
import uuid

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

if sys.version_info < (3, 12):
    _uuid5 = uuid.uuid5
    # KMS gives each symmetric key an id from its bytes. The id only has to be another for other bytes.
    uuid.uuid5 = lambda space, name: _uuid5(space, name.hex() if isinstance(name, bytes) else name)
