import crd

calendar = crd.calendar("base")
print(calendar[["date", "regime"]].tail(3))
