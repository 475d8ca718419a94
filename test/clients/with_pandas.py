"""Each of the last seven days with its regime and its transactions, by pandas.

GATEWAY=https://… API_KEY=crd_… python with_pandas.py base
"""

import io
import os
import sys

import pandas as pd
from download import download

chain = sys.argv[1]
# The calendar is public: no key.
calendar = pd.read_csv(f"{os.environ['GATEWAY']}/api/v1/analyst-kit/{chain}/regime-calendar")
bundle = pd.read_json(io.BytesIO(download(f"/api/v1/files/gold/{chain}/7d/latest.json")))
days = pd.json_normalize(bundle["days"]).rename(columns={"metrics.tx_count": "tx_count"})

joined = days[["date", "chain", "tx_count"]].merge(calendar, on=["date", "chain"])
print(joined[["date", "regime", "tx_count"]].to_json(orient="records"))
