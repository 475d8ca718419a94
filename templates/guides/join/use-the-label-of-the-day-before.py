import crd
import pandas as pd

calendar = crd.calendar("base")[["date", "regime"]]
mine = calendar[["date"]].tail(3)  # your rows
known = calendar.assign(date=calendar["date"] + pd.Timedelta(days=1))
print(mine.merge(known, on="date", how="left"))
