import crd  # waits and tries again, up to six times

print(crd.latest("gold", "base")["date"])
