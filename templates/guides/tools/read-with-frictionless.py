from frictionless import Package

calendars = Package("http://127.0.0.1:8080/datapackage.json")
print(calendars.get_resource("base-regime-calendar").read_rows()[-1])
