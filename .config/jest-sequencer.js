import Sequencer from '@jest/test-sequencer';

/** The suites that take longest, in this order. */
const LONGEST = [
  'integration/flaky/flaky',
  'integration/kills/kill',
  'integration/clients/examples',
  'integration/kills/process-race',
  'integration/kills/interrupt',
  'integration/gateway/schemathesis',
  'integration/kills/first-release',
  'history/evidence',
  'golden/golden',
  'history/python-methodology',
  'integration/cli/same-refusal',
  'integration/clients/notebook',
  'integration/s3/copy',
  'integration/browser/pages',
  'integration/clients/recompute',
  'aws/synth',
  'integration/clients/sync',
  'integration/cli/repair',
  'laws/billing/billing-race-orders',
  'laws/publishing/publishing',
  'laws/gateway/openapi',
  'laws/upkeep/copy-protocol',
  'laws/collection/month',
  'laws/upkeep/repair-protocol',
  'laws/publishing/site',
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
