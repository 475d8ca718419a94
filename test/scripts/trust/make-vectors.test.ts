import { differences, makeVectors, readVectors } from '../../../scripts/trust/make-vectors.js';

const isEs256 = (name: string): boolean => /es256/.test(name);

describe('the vectors of signed releases', () => {
  it('are committed as the script makes them', async () => {
    const committed = await readVectors();
    expect(committed.size).toBeGreaterThan(180);
    expect(differences(await makeVectors(committed), committed)).toEqual([]);
  });

  it('are the same when they are made from nothing, except for signatures by P-256', async () => {
    const changed = differences(await makeVectors(new Map()), await readVectors());
    expect(changed.filter((name) => !isEs256(name) && name !== 'attacks.json')).toEqual([]); // it names a byte of one
    expect(changed.filter(isEs256)).toContain('states/es256/api/v1/timestamp.jws');
  });

  it('differ if a file is altered, added or missing', async () => {
    const committed = await readVectors();
    const altered = new Map(committed).set('vectors.json', Buffer.from('{}')).set('other', Buffer.of());
    altered.delete('attacks.json');
    expect(differences(committed, altered)).toEqual(['attacks.json', 'other', 'vectors.json']);
  });

  it('replace a signature by P-256 that is not valid', async () => {
    const file = 'states/es256/api/v1/timestamp.jws';
    const committed = await readVectors();
    const text = Buffer.from(committed.get(file) ?? []).toString();
    const forged = `${text.slice(0, text.lastIndexOf('.'))}.${'A'.repeat(86)}`;
    const made = await makeVectors(new Map(committed).set(file, Buffer.from(forged)));
    expect(Buffer.from(made.get(file) ?? []).toString()).not.toBe(forged);
  });
});
