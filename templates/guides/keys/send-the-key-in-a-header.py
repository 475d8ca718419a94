import json
import os
import urllib.request

request = urllib.request.Request("http://127.0.0.1:8080/api/v1/entitlements")
request.add_header("Authorization", f"Bearer {os.environ['CRD_API_KEY']}")
with urllib.request.urlopen(request) as answer:
    print(json.load(answer))
