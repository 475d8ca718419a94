import io
import os

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import requests

SERVICE = "http://127.0.0.1:8080"
KEY = {"Authorization": f"Bearer {os.environ['CRD_API_KEY']}"}


def download(path):
    answer = requests.get(SERVICE + path, headers=KEY, timeout=60)
    answer.raise_for_status()
    return answer


volumes = download("/api/v1/files/gold/base/manifest.json").json()["volumes"]
files = [io.BytesIO(download(each["parquet"]["path"]).content) for each in volumes]
days = pa.concat_tables(map(pq.read_table, files)).filter(pc.field("in_force_until").is_null())
print(days.select(["date", "tx_count"]).to_pandas())
