import crd  # waits and tries again, up to five times

print(crd.latest("gold", "base")["date"])
