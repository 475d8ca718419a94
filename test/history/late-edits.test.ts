import { CHAIN_IDS, GENRES, WINDOWS } from '../../schemas/catalog.js';
import type { EditObservation, LateEditObservations } from './late-edit-observations.js';
import { runProgram } from './plain-node.js';

const SLOW_MS = 300_000;
/** A date depends on the input of this many dates, its own included. */
const DEPENDENCY_DAYS = 385;
/** Per chain, more than there are public files that name the latest date. */
const MOST_PUBLIC_FILES = 10;

let observed: LateEditObservations;
let drawn: readonly EditObservation[];
let edits: readonly EditObservation[];

beforeAll(async () => {
  const [chosen, printed] = await Promise.all([runProgram('late-edits'), runProgram('drawn-edits')]);
  observed = chosen as LateEditObservations; // the program prints them
  drawn = printed as EditObservation[]; // the program prints them
  edits = [...observed.far, ...drawn];
}, SLOW_MS);

describe('one more date of the real history', () => {
  it('leaves every listed date of every manifest as it was', () => {
    expect(observed.append.changedEntries).toEqual([]);
    expect(observed.append.addedDates).toEqual(['2023-12-31']);
  });

  it('only adds objects, as many as there are files of one date and files that name the latest one', () => {
    expect(observed.append.changedKeys).toEqual([]);
    const perChain = GENRES.length * (1 + Object.keys(WINDOWS).length + 1);
    expect(observed.append.newKeys).toBeGreaterThanOrEqual(CHAIN_IDS.length * perChain);
    expect(observed.append.newKeys).toBeLessThan(CHAIN_IDS.length * (perChain + MOST_PUBLIC_FILES));
  });
});

describe('a hundred late edits of real values', () => {
  it('flip labels, ten of them about a year after the edit', () => {
    expect(edits).toHaveLength(100);
    expect(observed.far.map(({ flipLags }) => Math.max(...flipLags) > 300)).toEqual(
      observed.far.map(() => true),
    );
    expect(drawn.filter(({ flipLags }) => flipLags.length > 0).length).toBeGreaterThan(0);
  });

  it('are refused without acceptance, with exactly what they would restate', () => {
    const refused = edits.map(({ edit, refused: found }) => ({ edit, ...found }));
    expect(refused).toEqual(edits.map(({ edit, expected }) => ({ edit, ...expected })));
  });

  it('restate, once accepted, exactly the dates that the naive implementation computes anew', () => {
    expect(edits.filter(({ faults }) => faults.length > 0)).toEqual([]);
  });

  it('reach the dates that depend on them, and later ones only where the carried state differs', () => {
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
  it('touch nothing when refused, publish when accepted, and are then unchanged', () => {
    expect(observed.applied).toHaveLength(5);
    for (const { edit, outcomes, touchedByRefusal } of observed.applied) {
      expect({ edit, outcomes, touchedByRefusal }).toEqual({
        edit,
        outcomes: ['refused', 'published', 'unchanged'],
        touchedByRefusal: [],
      });
    }
  });

  it('restate exactly the dates that the naive implementation computes anew, each time', () => {
    expect(observed.applied.flatMap(({ faults }) => faults)).toEqual([]);
  });

  it('leave every superseded record readable, with what it said', () => {
    for (const { edit, readable, restatedRecords } of observed.applied) {
      expect({ edit, readable }).toEqual({ edit, readable: restatedRecords });
      expect(restatedRecords).toBeGreaterThan(0);
    }
  });

  it('leave a store that verify --deep finds sound', () => {
    expect(observed.verifyFaults).toEqual([]);
  });
});

describe('published history that the input has lost', () => {
  it.each([
    ['a later start', 'laterStart', { kind: 'later-start', published: '2022-10-01', input: '2022-10-02' }],
    ['an earlier end', 'earlierEnd', { kind: 'earlier-end', published: '2023-12-31', input: '2023-12-30' }],
    ['a gone column', 'goneColumn', { kind: 'gone-column', metric: 'fees_total' }],
    ['a column without values', 'emptyColumn', { kind: 'gone-column', metric: 'fees_total' }],
  ])('is refused as a drop, even when restatements are accepted: %s', (_what, name, drop) => {
    expect(observed.drops[name]).toEqual({ outcome: 'refused', drops: [drop], publishes: false });
  });
});

describe('a row inside published history', () => {
  it('that has gone is a restatement to missing, which needs acceptance', () => {
    const { refused, expected, faults, status } = observed.rowGone;
    expect(refused).toEqual(expected);
    expect(faults).toEqual([]);
    expect(status).toBe('missing');
  });

  it('that fills a hole is a restatement from missing, which needs acceptance', () => {
    const { refused, expected, faults, status } = observed.rowFilled;
    expect(refused).toEqual(expected);
    expect(faults).toEqual([]);
    expect(status).toBe('available');
  });
});

describe('a row before published history', () => {
  it('is a new date that restates the dates which depend on it, and needs acceptance', () => {
    const { refused, expected, faults } = observed.earlierStart;
    expect(refused).toEqual(expected);
    expect(faults).toEqual([]);
    expect(refused).toMatchObject({ new: 1, restated: DEPENDENCY_DAYS - 1 });
  });
});
