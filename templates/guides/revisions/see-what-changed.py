import json
import urllib.request

with urllib.request.urlopen("http://127.0.0.1:8080/api/v1/changes") as answer:
    changes = json.load(answer)
for release in changes["releases"]:
    print(release["revision"], release["published_at"], *release["chains"])
