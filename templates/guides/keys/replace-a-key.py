import os
import urllib.request

request = urllib.request.Request("http://127.0.0.1:8080/api/v1/keys", method="DELETE")
request.add_header("Authorization", f"Bearer {os.environ['OLD_KEY']}")
with urllib.request.urlopen(request) as answer:
    print(answer.read().decode())
