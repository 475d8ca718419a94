/** Prints the real-time and hindsight labels of every date of the real history. */
import { judgeDays } from '../../../scripts/calibration/hindsight.js';
import { currentMethodology } from '../../../schemas/methodology.js';
import { readHistory } from '../history-data.js';

const methodology = currentMethodology();
const history = await readHistory();
process.stdout.write(JSON.stringify(history.flatMap((series) => judgeDays(series, methodology))));
