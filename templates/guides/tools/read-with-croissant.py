import mlcroissant

calendars = mlcroissant.Dataset("http://127.0.0.1:8080/croissant.json")
print(list(calendars.records("base"))[-1])
