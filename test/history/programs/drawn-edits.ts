/** Edits published history at ninety random places, and prints the resulting plans. */
import { observeEdit } from '../observe-change.js';
import { drawnEdits, readEditedHistory } from '../late-edit-input.js';
import { createPublished } from '../published-series.js';

const inputs = await readEditedHistory();
const published = await createPublished(inputs);
process.stdout.write(JSON.stringify(drawnEdits(inputs).map((edit) => observeEdit(published, edit))));
