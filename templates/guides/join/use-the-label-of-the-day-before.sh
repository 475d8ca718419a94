# Prints each date with the label of the date before it.
curl -sSL --fail-with-body -o calendar.part http://127.0.0.1:8080/api/v1/analyst-kit/base/regime-calendar &&
  mv calendar.part base-calendar.csv &&
  awk -F, 'NR > 2 { print $1 "," before } { before = $3 }' base-calendar.csv | tail -n 3
