"""Runs notebooks from top to bottom, in kernels in which every warning is an error.

  python run_notebooks.py FOLDER

Reads a request from each line of standard input and answers it with a line on standard output:

  {"source": "starter-notebook.ipynb", "result": "executed.ipynb", "settings": {"CHAIN": "base"}, "fresh": true}
  {"error": null}

`settings` are environment variables of the kernel. A fresh run starts a new kernel. The other runs share one kernel, whose
names and variables are reset before each run. The result is also written if a cell fails; `error` is then the error of
that cell. The folder is for the sockets of the kernels.
"""

import json
import os
import sys

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from traitlets.config import Config

CELL_SECONDS = 60
SETTINGS = ["CRD_BASE_URL", "CRD_API_KEY", "CHAIN"]
# The kernel itself warns when it ends.
PREPARE = """
get_ipython().reset()
import os
import warnings

for name in {names}:
    os.environ.pop(name, None)
os.environ.update({settings})
warnings.simplefilter("error")
warnings.filterwarnings("ignore", module="ipykernel")
del name, os, warnings
"""


def run(kernel, source, result, settings):
    notebook = nbformat.read(source, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    client = NotebookClient(notebook, km=kernel, timeout=CELL_SECONDS)
    prepare = PREPARE.format(names=SETTINGS, settings=settings)
    try:
        with client.setup_kernel():
            reply = client.kc.execute(prepare, store_history=False, reply=True)
            if reply["content"]["status"] != "ok":
                raise RuntimeError(reply["content"])
            for index, cell in enumerate(notebook.cells):
                client.execute_cell(cell, index)
        return None
    except CellExecutionError as error:
        return f"{error.ename}: {error.evalue}"
    finally:
        client.kc.stop_channels()
        nbformat.validate(notebook)
        nbformat.write(notebook, result)


def create_kernel(name):
    # Sockets are files, because concurrent kernels could choose the same ports.
    sockets = os.path.join(sys.argv[1], name)
    config = Config(KernelManager={"transport": "ipc", "ip": sockets})
    return KernelManager(config=config, kernel_name="python3")


shared = create_kernel("shared")
for number, line in enumerate(sys.stdin):
    request = json.loads(line)
    is_fresh = request.pop("fresh")
    kernel = create_kernel(f"fresh-{number}") if is_fresh else shared
    error = run(kernel, **request)
    if is_fresh:
        kernel.shutdown_kernel(now=True)
    print(json.dumps({"error": error}), flush=True)
if shared.has_kernel:
    shared.shutdown_kernel(now=True)
