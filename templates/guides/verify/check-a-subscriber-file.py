import crd

week = crd.bundle("gold", "base", "7d")  # checked
print(week.attrs["digest"])
