import { addDays } from '../../../schemas/dates.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { Source } from '../../../generator/sources/source.js';
import { describeSource, type SourceUnderTest } from '../../contract/source.js';
import { startAwsScene, type AwsScene, type WrittenDay } from '../../support/sources/aws-scene.js';
import { wholeDay } from '../../support/sources/whole-days.js';

const FIRST = '2026-03-18';
const DAYS = 4;
const LAST = addDays(FIRST, DAYS - 1);
const CHAINS: readonly Chain[] = ['bitcoin', 'ethereum', 'arbitrum', 'base'];

let scene: AwsScene;
let other: Map<Chain, WrittenDay>;
beforeAll(async () => {
  scene = await startAwsScene();
  other = new Map();
  for (const chain of CHAINS) {
    for (let i = 0; i < DAYS; i += 1) {
      const date = addDays(FIRST, i);
      await scene.upload(chain, date, await scene.write(chain, date, wholeDay(chain, 100 + i)));
    }
    other.set(chain, await scene.write(chain, FIRST, wholeDay(chain, 200)));
  }
}, 300_000);
afterAll(() => scene.dispose());

describeSource('aws', () => Promise.resolve(sourceOf(['bitcoin', 'ethereum'], () => scene.createAws())));
describeSource('sonarx', () => Promise.resolve(sourceOf(['arbitrum', 'base'], () => scene.createSonarx())));

function sourceOf(chains: readonly Chain[], create: () => Source): SourceUnderTest {
  let revised: Promise<void> = Promise.resolve();
  return {
    create: () => afterwards(create(), () => revised),
    chains,
    span: { first: FIRST, last: LAST },
    revise(chain, date) {
      const files = other.get(chain);
      if (files === undefined) throw new Error(`no files of ${chain}`);
      revised = revised.then(() => scene.upload(chain, date, files));
    },
    expectServed(evidence) {
      if (evidence.kind !== 'objects') throw new Error(`expected objects, got ${evidence.kind}`);
      expect(evidence.objects).not.toEqual([]);
      for (const { uri, etag, bytes, last_modified: modified } of evidence.objects) {
        expect({ etag, bytes }).toEqual(scene.served(uri));
        expect(modified).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      }
    },
    dispose: () => Promise.resolve(),
  };
}

/** Returns a source that waits for the uploads before it reads. */
function afterwards(source: Source, uploaded: () => Promise<void>): Source {
  return {
    facts: source.facts,
    days: async (chain, span, signal) => {
      await uploaded();
      return source.days(chain, span, signal);
    },
    day: async (chain, date, signal) => {
      await uploaded();
      return source.day(chain, date, signal);
    },
    probe: async (chain, signal) => {
      await uploaded();
      return source.probe(chain, signal);
    },
  };
}
