import crd

history = crd.history("gold", "base")
print(len(history), "days to", history["date"].max().date())
