import crd

mine = crd.calendar("base")[["date"]].tail(3)  # your rows
print(crd.regimes_on(mine, on="date", chain="base"))
