curl -sSL --fail-with-body -o calendar.part http://127.0.0.1:8080/api/v1/analyst-kit/base/regime-calendar &&
  mv calendar.part base-calendar.csv &&
  tail -n 1 base-calendar.csv
