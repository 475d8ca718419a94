import crd

mine = crd.calendar("base")[["date"]]  # your rows
joined = crd.regimes_on(mine, on="date", chain="base")
known = joined[~joined["regime_backfilled"]]
print(len(known), "of", len(joined), "rows")
