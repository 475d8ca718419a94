import crd

calendar = crd.calendar("base")
calendar.to_csv("base-calendar.csv", index=False)
print(calendar.iloc[-1][["date", "regime", "confidence"]])
