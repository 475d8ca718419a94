import Sequencer from '@jest/test-sequencer';

/**
 * The suites that take longest, in this order. Those that keep the S3 server busy alternate with others: it answers one
 * request at a time, and some suites measure how soon a program reacts.
 */
const LONGEST = [
  'integration/s3/flaky',
  'integration/kills/kill',
  'history/evidence',
  'integration/kills/process-race',
  'history/late-edits',
  'integration/kills/interrupt.',
  'integration/files/examples',
  'integration/kills/interrupt-hanging',
  'integration/gateway/schemathesis',
  'integration/kills/first-release',
  'deployed/scheduled-runs',
  'integration/files/python-client',
  'integration/files/notebook',
  'deployed/s3/copy',
  'integration/files/pages',
  'integration/files/recompute',
  'integration/compose',
  'aws/image',
  'aws/synth',
  'integration/files/sync',
  'integration/cli/repair',
  'laws/billing/billing-race-orders',
  'laws/publishing/publishing',
  'golden/golden',
  'integration/s3/damage',
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
