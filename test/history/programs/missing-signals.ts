/** Prints how labels of the real history change when a signal is missing: the rows of a table in the methodology. */
import { currentMethodology } from '../../../schemas/methodology.js';
import { readHistory, seriesOf } from '../history-data.js';
import { measureMissingSignal } from '../missing-signal.js';

const methodology = currentMethodology();
const history = await readHistory();
const rows = [
  ['bitcoin', 'fee_median'],
  ['bitcoin', 'active_addresses'],
  ['ethereum', 'active_addresses'],
  ['arbitrum', 'fee_median'],
] as const;
const measured = rows.map(([chain, signal]) =>
  measureMissingSignal(seriesOf(history, chain), signal, methodology),
);
process.stdout.write(JSON.stringify(measured));
