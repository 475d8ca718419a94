import os

import pandas as pd
import requests

SERVICE = "http://127.0.0.1:8080"
KEY = {"Authorization": f"Bearer {os.environ['CRD_API_KEY']}"}


def link(path):
    answer = requests.get(f"{SERVICE}{path}?redirect=false", headers=KEY, timeout=60)
    answer.raise_for_status()
    return answer.json()["url"]


manifest = requests.get(link("/api/v1/files/gold/base/manifest.json"), timeout=60).json()
volumes = [pd.read_parquet(link(each["parquet"]["path"])) for each in manifest["volumes"]]
days = pd.concat(volumes)
print(days[days["in_force_until"].isna()][["date", "tx_count"]])
