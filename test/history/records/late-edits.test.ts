import { CHAIN_IDS, GENRES, WINDOWS } from '../../../schemas/catalog.js';
import { PLANNED_EDITS } from '../late-edit-input.js';
import type { EditObservation, LateEditObservations } from '../late-edit-observations.js';
import { runProgram } from '../plain-node.js';

const SLOW_MS = 900_000;
/** Number of dates whose input a date depends on, including its own. */
const DEPENDENCY_DAYS = 385;
/** Upper bound for the public files of a chain that name the latest date. */
const MOST_PUBLIC_FILES = 11;
/** Number of edits that change a label a year later. */
const FAR_EDITS = 5;

let observed: LateEditObservations;
let drawn: readonly EditObservation[];
let edits: readonly EditObservation[];

beforeAll(async () => {
  const [chosen, printed] = await Promise.all([runProgram('late-edits'), runProgram('drawn-edits')]);
  observed = chosen as LateEditObservations; // output of the program
  drawn = printed as EditObservation[]; // output of the program
  edits = [...observed.far, ...drawn];
}, SLOW_MS);

describe('one more date of the real history', () => {
  it('keeps every entry of every manifest', () => {
    expect(observed.append.changedEntries).toEqual([]);
    expect(observed.append.addedDates).toEqual(['2023-12-31']);
  });

  it('only adds objects: the files of one date, and the files that name the latest date', () => {
    expect(observed.append.changedKeys).toEqual([]);
    const perChain = GENRES.length * (1 + Object.keys(WINDOWS).length + 1);
    expect(observed.append.newKeys).toBeGreaterThanOrEqual(CHAIN_IDS.length * perChain);
    expect(observed.append.newKeys).toBeLessThan(CHAIN_IDS.length * (perChain + MOST_PUBLIC_FILES));
  });
});

describe(`${FAR_EDITS + PLANNED_EDITS} late edits of real values`, () => {
  it('change labels, some of them about a year after the edit', () => {
    expect(edits).toHaveLength(FAR_EDITS + PLANNED_EDITS);
    expect(observed.far.map(({ flipLags }) => Math.max(...flipLags) > 300)).toEqual(
      observed.far.map(() => true),
    );
    expect(drawn.filter(({ flipLags }) => flipLags.length > 0).length).toBeGreaterThan(0);
  });

  it('are refused without acceptance, with exactly the dates that they would restate', () => {
    const refused = edits.map(({ edit, refused: found }) => ({ edit, ...found }));
    expect(refused).toEqual(edits.map(({ edit, expected }) => ({ edit, ...expected })));
  });

  it('restate with acceptance exactly the dates that a full computation changes', () => {
    expect(edits.filter(({ faults }) => faults.length > 0)).toEqual([]);
  });

  it('affect the meta records of dependent dates, and later ones only if the carried state differs', () => {
    const reach = edits.map(({ lastLag }) => lastLag);
    expect(reach.filter((lag) => lag === DEPENDENCY_DAYS - 1).length).toBeGreaterThan(0);
    const beyond = edits.filter(({ lastLag }) => lastLag >= DEPENDENCY_DAYS);
    expect(beyond.length).toBeGreaterThan(0);
    expect(beyond.filter(({ flipLags }) => flipLags.length === 0)).toEqual([]);
  });

  it('are not accepted by the plan digest of another edit', () => {
    expect(observed.mismatch).toEqual({ kind: 'plan-mismatch', publishes: false });
  });
});

describe('five late edits that are published one after the other', () => {
  it('change nothing when refused, are published when accepted, and are unchanged afterwards', () => {
    expect(observed.applied).toHaveLength(5);
    for (const { edit, outcomes, touchedByRefusal } of observed.applied) {
      expect({ edit, outcomes, touchedByRefusal }).toEqual({
        edit,
        outcomes: ['refused', 'published', 'unchanged'],
        touchedByRefusal: [],
      });
    }
  });

  it('restate exactly the dates that a full computation changes, each time', () => {
    expect(observed.applied.flatMap(({ faults }) => faults)).toEqual([]);
  });

  it('keep every superseded record readable and unchanged', () => {
    for (const { edit, readable, restatedRecords } of observed.applied) {
      expect({ edit, readable }).toEqual({ edit, readable: restatedRecords });
      expect(restatedRecords).toBeGreaterThan(0);
    }
  });

  it('leave a store that passes verify --deep', () => {
    expect(observed.verifyFaults).toEqual([]);
  });
});

describe('an input that lacks published history', () => {
  it.each([
    ['a later start', 'laterStart', { kind: 'later-start', published: '2022-10-01', input: '2022-10-02' }],
    ['an earlier end', 'earlierEnd', { kind: 'earlier-end', published: '2023-12-31', input: '2023-12-30' }],
    ['a missing column', 'goneColumn', { kind: 'gone-column', metric: 'fees_total' }],
    ['a column without values', 'emptyColumn', { kind: 'gone-column', metric: 'fees_total' }],
  ])('is refused as a drop, even with accepted restatements: %s', (_what, name, drop) => {
    expect(observed.drops[name]).toEqual({ outcome: 'refused', drops: [drop], publishes: false });
  });
});

describe('a row inside published history', () => {
  it('that is removed is a restatement to missing, which needs acceptance', () => {
    const { refused, expected, faults, status } = observed.rowGone;
    expect(refused).toEqual(expected);
    expect(faults).toEqual([]);
    expect(status).toBe('missing');
  });

  it('that fills a gap is a restatement from missing, which needs acceptance', () => {
    const { refused, expected, faults, status } = observed.rowFilled;
    expect(refused).toEqual(expected);
    expect(faults).toEqual([]);
    expect(status).toBe('available');
  });
});

describe('a row before published history', () => {
  it('is a new date that restates its dependent dates and later records of extremes, which needs acceptance', () => {
    const { refused, expected, faults } = observed.earlierStart;
    expect(refused).toEqual(expected);
    expect(faults).toEqual([]);
    expect(refused.new).toBe(1);
    expect(refused.restated).toBeGreaterThanOrEqual(DEPENDENCY_DAYS - 1);
  });
});
