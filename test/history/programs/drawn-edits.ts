/** Edits published history late at ninety places that chance decides, and prints what the planner makes of each. */
import { observeEdit } from '../observe-change.js';
import { drawnEdits, readEditedHistory } from '../late-edit-input.js';
import { createPublished } from '../published-series.js';

const inputs = await readEditedHistory();
const published = await createPublished(inputs);
process.stdout.write(JSON.stringify(drawnEdits(inputs).map((edit) => observeEdit(published, edit))));
