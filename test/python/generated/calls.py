"""Calls a gateway with the client that openapi-python-client generated, and prints what the documents say."""

import importlib
import pkgutil
import sys

import chain_reference_data_client as package
from chain_reference_data_client import AuthenticatedClient, Client
from chain_reference_data_client.api.account import get_entitlements
from chain_reference_data_client.api.public_files import get_feature_schema, get_status
from chain_reference_data_client.api.subscriber_files import get_latest
from chain_reference_data_client.models import Entitlements, FeatureSchema, FileLink, Status
from chain_reference_data_client.models.get_latest_chain import GetLatestChain
from chain_reference_data_client.models.get_latest_genre import GetLatestGenre

url, key = sys.argv[1:]
for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
    importlib.import_module(module.name)

anyone = Client(base_url=url)
subscriber = AuthenticatedClient(base_url=url, token=key, prefix="", auth_header_name="X-API-Key")
status = get_status.sync(client=anyone)
assert isinstance(status, Status)
print("status", status.published_revision)
columns = get_feature_schema.sync(client=anyone)
assert isinstance(columns, FeatureSchema)
print("columns", columns.schema, columns.to_dict()["$schema"])
entitlements = get_entitlements.sync(client=subscriber)
assert isinstance(entitlements, Entitlements)
print("plan", entitlements.plan)
link = get_latest.sync(GetLatestGenre.GOLD, GetLatestChain.BASE, client=subscriber, redirect=False)
assert isinstance(link, FileLink)
print("latest", link.sha256)
