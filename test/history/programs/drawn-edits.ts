/** Edits published history at random places, and prints the resulting plans. */
import { observeEdit } from '../observe-change.js';
import { drawnEdits, PLANNED_EDITS, readEditedHistory } from '../late-edit-input.js';
import { createPublished } from '../published-series.js';

const inputs = await readEditedHistory();
const edits = drawnEdits(inputs).slice(0, PLANNED_EDITS);
const published = await createPublished(inputs);
process.stdout.write(JSON.stringify(edits.map((edit) => observeEdit(published, edit))));
