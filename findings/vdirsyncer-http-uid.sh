#!/usr/bin/env bash
# vdirsyncer 0.21.0.
# A calendar at an http address is copied to a folder. vdirsyncer replaces the UID of every event by a digest of its content,
# so an event that changes, with the same UID and a higher SEQUENCE (RFC 5545, section 3.8.7.4), is deleted and another one is
# created. What a person has noted about an event in the copy is lost, and a UID says nothing about the source:
#   days 1 and 2: one event, but of another UID, and neither is the published one
# The events themselves are right on each day.
# Exits with 1 if this changes. Needs Python 3.11.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill "$server" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --only-binary :all: vdirsyncer==0.21.0
mkdir served copy
publish() { # the last day, exclusive, and the sequence
  printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:-//example//EN BEGIN:VEVENT UID:first@example.com DTSTAMP:20240101T000000Z \
    "SEQUENCE:$2" "DTSTART;VALUE=DATE:20240101" "DTEND;VALUE=DATE:$1" SUMMARY:steady END:VEVENT END:VCALENDAR > served/calendar.ics
}
publish 20240103 1
python3 -u -m http.server 0 --bind 127.0.0.1 --directory served > log 2>&1 &
server=$!
for _ in $(seq 100); do grep -q port log && break; sleep 0.1; done
port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' log)
cat > config <<CONFIG
[general]
status_path = "$folder/status"
[pair subscription]
a = "copy"
b = "source"
collections = null
[storage copy]
type = "filesystem"
path = "$folder/copy"
fileext = ".ics"
[storage source]
type = "http"
url = "http://127.0.0.1:$port/calendar.ics"
CONFIG
export HOME="$folder"
venv/bin/vdirsyncer -c config discover > /dev/null 2>&1
venv/bin/vdirsyncer -c config sync > /dev/null 2>&1
first=$(grep -h ^UID: copy/*.ics | tr -d '\r')
publish 20240104 2
venv/bin/vdirsyncer -c config sync > /dev/null 2>&1
second=$(grep -h ^UID: copy/*.ics | tr -d '\r')
echo "$first"
echo "$second"
[ "$(grep -h ^DTEND copy/*.ics | tr -d '\r')" = "DTEND;VALUE=DATE:20240104" ]
[ "$(printf '%s\n' "$first" | wc -l)" = 1 ] && [ "$(printf '%s\n' "$second" | wc -l)" = 1 ]
if [ "$first" = "$second" ] || [ "$first" = UID:first@example.com ]; then
  echo changed
  exit 1
fi
