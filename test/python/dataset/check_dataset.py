"""
Reads what describes the calendars with the libraries of each format: check_dataset.py ADDRESS [PAGE...]. ADDRESS is
that of the site, or the folder of a copy. PAGE is a file with the data block of a page. Prints what each library says
as JSON.
"""

import io
import json
import logging
import sys
from pathlib import Path

import mlcroissant
from frictionless import Package, validate
from rdflib import RDF, Dataset, Namespace

SCHEMA = Namespace("https://schema.org/")


def read_package(address: str) -> dict[str, object]:
    report = validate(f"{address}/datapackage.json")
    package = Package(f"{address}/datapackage.json")
    return {
        "valid": report.valid,
        "errors": [list(error) for error in report.flatten(["type", "note"])],
        "rows": {each.name: len(each.read_rows()) for each in package.resources if report.valid},
    }


def read_croissant(address: str) -> dict[str, object]:
    log = io.StringIO()
    logging.getLogger("absl").addHandler(logging.StreamHandler(log))
    dataset = mlcroissant.Dataset(f"{address}/croissant.json")
    warnings = [line.strip() for line in log.getvalue().splitlines() if line.strip().startswith("-")]
    try:
        rows = {each.uuid: len(list(dataset.records(each.uuid))) for each in dataset.metadata.record_sets}
    except Exception as error:
        return {"refused": str(error.__cause__ or error)}
    return {"warnings": warnings, "rows": rows}


def read_page(file: str) -> list[str]:
    """Reads a data block, with the vocabulary of schema.org in place of its context, which is on the Internet."""
    block = json.loads(Path(file).read_text())
    assert block["@context"] == "https://schema.org/"
    graph = Dataset()
    graph.parse(data=json.dumps({**block, "@context": {"@vocab": SCHEMA}}), format="json-ld")
    (dataset,) = graph.subjects(RDF.type, SCHEMA.Dataset)
    downloads = [
        str(address)
        for each in graph.objects(dataset, SCHEMA.distribution)
        for address in graph.objects(each, SCHEMA.contentUrl)
    ]
    return sorted(downloads)


address, *pages = sys.argv[1:]
print(
    json.dumps(
        {
            "package": read_package(address),
            "croissant": read_croissant(address),
            "pages": [read_page(each) for each in pages],
        }
    )
)
