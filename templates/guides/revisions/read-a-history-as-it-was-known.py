import crd

now = crd.history("gold", "base", provenance=True)
first = now["published_revision"].min()  # or an instant, or a date
then = crd.history("gold", "base", as_of=first)
both = now.merge(then, on="date", suffixes=("", "_then"))
corrected = both[both["tx_count"] != both["tx_count_then"]]
print(corrected[["date", "tx_count_then", "tx_count"]])
