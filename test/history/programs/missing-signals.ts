/** Prints how labels of the real history change when one or two signals are missing: the rows of a table in the methodology. */
import { measureMissingSignals } from '../../../scripts/calibration/missing-signals.js';
import { currentMethodology } from '../../../schemas/methodology.js';
import { readHistory } from '../history-data.js';

const methodology = currentMethodology();
const history = await readHistory();
process.stdout.write(JSON.stringify(history.flatMap((series) => measureMissingSignals(series, methodology))));
