"""Runs a notebook from top to bottom in a kernel of its own, in which every warning is an error.

python run_notebook.py starter-notebook.ipynb executed.ipynb

Writes what came of it also when a cell fails; then that cell's error is on stderr, and the exit code is 1.
"""

import sys

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from traitlets.config import Config

CELL_SECONDS = 60
# The kernel itself warns at its end.
WARNINGS_ARE_ERRORS = """
import warnings

warnings.simplefilter("error")
warnings.filterwarnings("ignore", module="ipykernel")
del warnings
"""

_, source, result = sys.argv
notebook = nbformat.read(source, as_version=nbformat.NO_CONVERT)
nbformat.validate(notebook)

# Through sockets beside the result: of two runs at once, neither takes the other's ports.
sockets = Config(AsyncKernelManager={"transport": "ipc", "ip": f"{result}-kernel"})
client = NotebookClient(notebook, config=sockets, kernel_name="python3", timeout=CELL_SECONDS)
try:
    with client.setup_kernel():
        client.kc.execute(WARNINGS_ARE_ERRORS, store_history=False)
        for index, cell in enumerate(notebook.cells):
            client.execute_cell(cell, index)
except CellExecutionError as error:
    sys.exit(f"{error.ename}: {error.evalue}")
finally:
    nbformat.validate(notebook)
    nbformat.write(notebook, result)
