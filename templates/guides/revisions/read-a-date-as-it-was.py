import crd

last = crd.history("gold", "base", provenance=True).iloc[-1]
record = crd.day("gold", "base", last["date"], revision=last["published_revision"])
print(record["date"], record["metrics"]["tx_count"])
