# Joins the metrics of the last seven days, their averages and their regimes, with pandas: python3 with_pandas.py [CHAIN]
# Reads GATEWAY, by default http://127.0.0.1:8080 (this machine), and API_KEY.
# Needs the packages requests and pandas. Saves the files in the current folder.
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


def read_genre(genre: str) -> pd.DataFrame:
    """Returns the metrics of a bundle by date and chain. Each column is float64, even if it has no value at all."""
    file = download(f"/api/v1/files/{genre}/{chain}/7d/latest.json", f"{chain}-{genre}-7d.json")
    days = json.loads(Path(file).read_text())["days"]
    metrics = pd.json_normalize([day["metrics"] for day in days], sep="_").astype("float64")
    dates = pd.to_datetime([day["date"] for day in days])
    return metrics.set_index(pd.MultiIndex.from_product([dates, [chain]], names=["date", "chain"]))


file = download(f"/api/v1/analyst-kit/{chain}/regime-calendar", f"{chain}-calendar.csv")
calendar = pd.read_csv(file, index_col=["date", "chain"], parse_dates=["date"])
# The index of all three is date and chain. No metric has the same name in two genres (tx_count in gold, tx_count_ma7 in
# derived), so that the columns need no suffixes.
joined = read_genre("gold").join(read_genre("derived")).join(calendar["regime"])
print(joined[["regime", "tx_count", "tx_count_ma7"]].to_csv(), end="")
