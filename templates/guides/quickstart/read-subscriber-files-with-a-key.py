import crd

week = crd.bundle("gold", "base", "7d")
print(week[["date", "tx_count"]])
