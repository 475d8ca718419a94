curl -sSL --fail-with-body -o base-calendar.csv http://127.0.0.1:8080/api/v1/analyst-kit/base/regime-calendar &&
  tail -n 1 base-calendar.csv
