import Sequencer from '@jest/test-sequencer';

/** The suites that take longest, in this order. */
const LONGEST = [
  'integration/s3/flaky',
  'integration/kills/kill',
  'integration/kills/process-race',
  'integration/kills/first-release',
  'integration/gateway/schemathesis',
  'integration/kills/interrupt',
  'integration/files/pages',
  'integration/files/examples',
  'integration/files/sync',
  'laws/publishing/publishing',
  'laws/billing/billing-race-orders',
  'integration/files/recompute',
  'integration/files/notebook',
  'laws/upkeep/operators',
  'integration/cli/repair',
];

function rankOf({ path }) {
  const rank = LONGEST.findIndex((name) => path.includes(`/test/${name}`));
  return rank < 0 ? LONGEST.length : rank;
}

/** Starts the longest suites first, so that no worker is left alone with one at the end. */
export default class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
