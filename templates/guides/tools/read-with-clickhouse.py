import os

import chdb
import requests

SERVICE = "http://127.0.0.1:8080"
KEY = {"Authorization": f"Bearer {os.environ['CRD_API_KEY']}"}


def link(path):
    answer = requests.get(f"{SERVICE}{path}?redirect=false", headers=KEY, timeout=60)
    answer.raise_for_status()
    return answer.json()["url"]


manifest = requests.get(link("/api/v1/files/gold/base/manifest.json"), timeout=60).json()
rest = "WHERE in_force_until IS NULL SETTINGS http_make_head_request = 0"
for volume in manifest["volumes"]:
    file = link(volume["parquet"]["path"])
    print(chdb.query(f"SELECT max(date), avg(tx_count) FROM url('{file}', Parquet) {rest}"))
