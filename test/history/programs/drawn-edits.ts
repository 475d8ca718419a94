/** Edits published history at random places, and prints the resulting plans. */
import pMap from 'p-map';
import { observeEdit } from '../observe-change.js';
import { drawnEdits, PLANNED_EDITS, readEditedHistory } from '../late-edit-input.js';
import { createPublished } from '../published-series.js';

const inputs = await readEditedHistory();
const edits = drawnEdits(inputs).slice(0, PLANNED_EDITS);
const published = await createPublished(inputs);
const observed = await pMap(edits, (edit) => observeEdit(published, edit), { concurrency: 1 });
process.stdout.write(JSON.stringify(observed));
