# Joins the metrics of the last seven days with their regimes, with pandas: python3 with_pandas.py [CHAIN]
# Reads GATEWAY, by default http://127.0.0.1:8080 (this machine), and API_KEY.
# Needs the packages requests and pandas. Saves both files in the current folder.
import hashlib
import json
import os
import sys
from pathlib import Path

import pandas as pd
import requests

GATEWAY = os.environ.get("GATEWAY", "http://127.0.0.1:8080").rstrip("/")
chain = sys.argv[1] if len(sys.argv) > 1 else "ethereum"


def get(url: str, **options: object) -> requests.Response:
    answer = requests.get(url, timeout=60, **options)
    if answer.status_code != 200:
        raise SystemExit(f"{answer.status_code}: {answer.text}")
    return answer


def download(path: str, file: str) -> str:
    """Saves a file once its digest is verified. The key is sent only to the gateway, never to the link it returns."""
    if path.startswith("/api/v1/files/"):
        key = {"X-API-Key": os.environ.get("API_KEY", "")}
        link = get(GATEWAY + path, params={"redirect": "false"}, headers=key, allow_redirects=False).json()
    else:  # public: the release lists its digest
        listed = {each["path"]: each for each in get(GATEWAY + "/api/v1/release").json()["files"]}
        link = {"url": GATEWAY + path, "sha256": listed[path]["sha256"]}
    part = Path(file + ".part")
    part.write_bytes(get(link["url"]).content)
    if hashlib.sha256(part.read_bytes()).hexdigest() != link["sha256"]:
        raise SystemExit(f"{path} was damaged in transit: download it again")
    part.replace(file)
    return file


calendar = pd.read_csv(download(f"/api/v1/analyst-kit/{chain}/regime-calendar", f"{chain}-calendar.csv"))
bundle = json.loads(Path(download(f"/api/v1/files/gold/{chain}/7d/latest.json", f"{chain}-gold-7d.json")).read_text())
days = pd.json_normalize(bundle["days"]).rename(columns={"metrics.tx_count": "tx_count"})

joined = days.merge(calendar, on=["date", "chain"])
print(joined[["date", "regime", "tx_count"]].to_csv(index=False), end="")
