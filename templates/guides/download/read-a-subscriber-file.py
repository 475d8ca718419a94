import crd  # reads CRD_API_KEY, and sends it only to the service

week = crd.bundle("gold", "base", "7d")
week.to_csv("base-week.csv", index=False)
print(week[["date", "tx_count"]])
