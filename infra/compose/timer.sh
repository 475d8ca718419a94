#!/bin/sh
# "timer.sh JOB" runs a job once. "timer.sh JOB EVERY AT" runs it now, and then every EVERY seconds: AT seconds after each
# multiple of EVERY since 1970 (UTC).
# After a job without a failure it requests HEARTBEAT_URL, and touches /run/timer/done, which the health check reads.
# After a failure it tries again within an hour.
set -u

# Runs a program, and passes on the signal that ends this script.
child=
trap 'trap - TERM INT; kill -TERM "$child" 2>/dev/null; wait "$child"; exit 143' TERM INT
run() {
  "$@" &
  child=$!
  wait "$child"
}

collect() {
  run generator collect --policy /config/sources.policy.json --into "$COLLECTED" --cache /cache
}

# Creates the store with its first release.
first() {
  collect
  run generator publish --accept-collected --input "${COLLECTED#file:}" --store "$CRD_STORE"
}

# What was collected is published, also if the collection of another chain failed.
publish() {
  failed=0
  collect || failed=$?
  run generator publish --existing --require-all --accept-collected --input "${COLLECTED#file:}" --store "$CRD_STORE" || failed=$?
  run generator status --max-lag-days 2 --collected "$COLLECTED" --store "$CRD_STORE" || failed=$?
  return "$failed"
}

upkeep() {
  run generator gc --apply --store "$COLLECTED"
  code=$?
  # 6: the collection has just changed. Tomorrow is early enough.
  [ "$code" -eq 0 ] || [ "$code" -eq 6 ] || return "$code"
  run generator gc --apply --store "$CRD_STORE" || return
  run generator verify --store "$CRD_STORE" ${CRD_SIGNING_TRUST:+--trust "$CRD_SIGNING_TRUST"} || return
  [ -z "${BACKUP_STORE:-}" ] || run generator copy --from "$CRD_STORE" --to "$BACKUP_STORE"
}

accounts() {
  [ -z "${CRD_STRIPE_SECRET_KEY_FILE:-}" ] || run gateway reconcile --apply
}

beat() {
  [ -z "${HEARTBEAT_URL:-}" ] || run node -e '
    fetch(process.env.HEARTBEAT_URL, { signal: AbortSignal.timeout(30_000) }).then(
      ({ ok, status }) => ok || console.error(`timer: the heartbeat was answered with ${status}`),
      () => console.error("timer: the heartbeat was not answered"),
    )'
  touch /run/timer/done
}

job=$1
[ $# -eq 3 ] || {
  "$job"
  exit
}
every=$2 at=$3
while :; do
  ended=0
  "$job" || ended=$?
  now=$(date +%s)
  pause=$((every - (now - at) % every))
  if [ "$ended" -eq 0 ]; then
    beat
  else
    echo "timer: $job failed with $ended" >&2
    [ "$pause" -le 3600 ] || pause=3600
  fi
  run sleep "$pause"
done
