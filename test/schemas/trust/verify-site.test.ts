import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { calendarPath, PUBLIC_PATHS, TRUST_PATHS } from '../../../schemas/paths.js';
import { TrustError } from '../../../schemas/trust/trust-error.js';
import {
  verifySite,
  type ReadFile,
  type SiteProof,
  type VerifySiteOptions,
} from '../../../schemas/trust/verify-site.js';
import type { PublicRelease } from '../../../schemas/types.generated.js';
import {
  ATTACKS,
  loadAttack,
  loadState,
  readerOf,
  readerOptions,
  VECTORS,
  type VectorSite,
} from '../../support/trust/vector-site.js';

const STATES = Object.entries(VECTORS.states);
/** The rows that `verifySite` can detect: it has no memory, and reads only public files. */
const FOR_ALL = ATTACKS.filter(({ seen, reader }) => seen === null && reader === 'public');

const codeOf = (error: unknown): unknown => (error instanceof TrustError ? error.code : error);

async function verdictOf(options: VerifySiteOptions): Promise<unknown> {
  return verifySite(options).then(() => null, codeOf);
}

/** Returns the options of a reader of release 3 who meets other files or answers on the way. */
function atRelease3(read: ReadFile): VerifySiteOptions {
  const { anchor = '', now = '' } = VECTORS.states['release-3'] ?? {};
  return { ...readerOptions(new Map(), { anchor, now }), read };
}

/** Returns a reader who gets the first site from a cache, and the second one past it. */
function throughCache(cached: VectorSite, site: VectorSite, { says }: { says: boolean }): ReadFile {
  return async (path, options) => {
    const file = await readerOf(options.fresh ? site : cached)(path, options);
    return file && { ...file, isCached: says && !options.fresh };
  };
}

describe('a signed site', () => {
  const clocks = STATES.flatMap(([name, state]) =>
    [state.now, ...state.also_now].map((now) => ({ name, state, now })),
  );

  it.each(clocks)('is proven: $name at $now', async ({ name, state, now }) => {
    const proof = await verifySite(readerOptions(loadState(name), { ...state, now }));
    expect(proof).toMatchObject({
      keySet: { version: state.key_set_version, site: VECTORS.site },
      timestamp: { sequence: state.sequence, sha256: state.sha256 },
      statement: { sequence: state.sequence, sha256: state.sha256 },
      releases: state.releases,
      files: state.public_files,
      verified: state.public_files,
    });
  });

  it('is proven step by step', async () => {
    const steps: Partial<SiteProof>[] = [];
    const read = readerOf(loadState('release-3'));
    await verifySite({ ...atRelease3(read), onProven: (proof) => steps.push(proof) });
    expect(steps.map((step) => Object.keys(step).length).slice(0, 4)).toEqual([1, 2, 3, 6]);
    expect(steps.flatMap(({ verified }) => verified ?? [])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });
});

describe('an attack', () => {
  it.each(FOR_ALL)('$name: $fault', async (attack) => {
    expect(await verdictOf(readerOptions(loadAttack(attack), attack))).toBe(attack.fault);
  });

  it('that only a reader with a memory or an API key detects is not seen here', () => {
    const others = ATTACKS.filter((attack) => !FOR_ALL.includes(attack));
    const known = others.filter(({ seen }) => seen !== null).map(({ fault }) => fault ?? 'accepted');
    const subscribed = others.filter(({ reader }) => reader === 'subscriber').map(({ fault }) => fault);
    expect(known.sort()).toEqual([
      ...Array<string>(4).fill('accepted'),
      'keys-old',
      ...Array<string>(2).fill('release-forked'),
      ...Array<string>(2).fill('release-old'),
    ]);
    expect(subscribed.sort()).toEqual([
      ...Array<string>(5).fill('file-altered'),
      ...Array<string>(2).fill('file-missing'),
      'mixed',
    ]);
    expect(others).toHaveLength(known.length + subscribed.length);
    expect(FOR_ALL).toHaveLength(206);
  });

  it.each(ATTACKS.filter((attack) => !FOR_ALL.includes(attack)))(
    'is accepted by a reader who cannot detect it: $name',
    async (attack) => {
      expect(await verdictOf(readerOptions(loadAttack(attack), attack))).toBeNull();
    },
  );
});

describe('a cache', () => {
  const site = loadState('release-3');
  const old = loadState('release-2');

  it.each([TRUST_PATHS.timestamp, TRUST_PATHS.statement, PUBLIC_PATHS.release, calendarPath('bitcoin')])(
    'with an old %s is passed in a second try',
    async (path) => {
      const cached = new Map([...site, [path, old.get(path) ?? Buffer.of()]]);
      expect(await verdictOf(atRelease3(throughCache(cached, site, { says: false })))).toBeNull();
    },
  );

  it('cannot hide what is wrong behind it', async () => {
    const path = calendarPath('bitcoin');
    const cached = new Map([...site, [path, old.get(path) ?? Buffer.of()]]);
    const altered = new Map([...site, [path, Buffer.from('altered')]]);
    expect(await verdictOf(atRelease3(throughCache(cached, altered, { says: true })))).toBe('file-altered');
  });

  it.each([calendarPath('bitcoin'), TRUST_PATHS.releases])(
    'that answers with an old %s again and says so leaves it unproven',
    async (path) => {
      const mixed = readerOf(new Map([...site, [path, old.get(path) ?? Buffer.of()]]));
      const read: ReadFile = async (each, options) => {
        const file = await mixed(each, options);
        return file && { ...file, isCached: each === path };
      };
      expect(await verdictOf(atRelease3(read))).toBe('mixed');
    },
  );
});

describe('a release that is published meanwhile', () => {
  const [before, after] = [loadState('release-2'), loadState('release-3')];
  const { anchor = '', now: late = '' } = VECTORS.states['release-3'] ?? {};
  const reader = (now: string): VerifySiteOptions => readerOptions(new Map(), { anchor, now });
  const path = calendarPath('bitcoin');

  it('is verified by the time at which it is read', async () => {
    let site = before;
    let now = VECTORS.states['release-2']?.now ?? '';
    const read: ReadFile = async (each, options) => {
      if (each !== path || site === after) return readerOf(site)(each, options);
      [site, now] = [after, late];
      return { bytes: Buffer.from('half'), isCached: false };
    };
    const proof = await verifySite({ ...reader(now), now: () => reader(now).now(), read });
    expect(proof.statement.sequence).toBe(3);
  });

  it('makes a file that does not match the one before prove nothing', async () => {
    const { now = '' } = VECTORS.states['release-2'] ?? {};
    let isPublished = false;
    const read: ReadFile = async (each, options) => {
      isPublished ||= each === path && options.fresh;
      if (each === path) return { bytes: Buffer.from('neither'), isCached: false };
      return readerOf(isPublished && each.endsWith('.jws') ? after : before)(each, options);
    };
    const options = { ...reader(now), now: () => reader(isPublished ? late : now).now(), read };
    const fault = await verifySite(options).catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: 'mixed', subject: path });
    expect(String(fault)).toContain('a release was published meanwhile');
  });
});

describe('a list that differs', () => {
  it.each([PUBLIC_PATHS.release, TRUST_PATHS.releases])(
    'because a release is published meanwhile proves nothing: %s',
    async (altered) => {
      const before = new Map([...loadState('release-2'), [altered, Buffer.from('{}')]]);
      let asked = 0;
      const read: ReadFile = (each, options) => {
        if (each === TRUST_PATHS.timestamp) asked += 1;
        const isLater = each === TRUST_PATHS.timestamp && asked > 2;
        return readerOf(isLater ? loadState('release-3') : before)(each, options);
      };
      const { anchor = '' } = VECTORS.states['release-2'] ?? {};
      const options = readerOptions(before, { anchor, now: '2026-03-04T05:59:00Z' });
      expect(await verifySite({ ...options, read }).catch((error: unknown) => error)).toMatchObject({
        code: 'mixed',
        subject: altered,
      });
    },
  );
});

describe('a site that does not answer', () => {
  const site = loadState('release-3');
  const failing = (path: string, { always }: { always: boolean }): ReadFile => {
    const read = readerOf(site);
    return (each, options) =>
      each === path && (always || !options.fresh)
        ? Promise.reject(new Error('connection reset'))
        : read(each, options);
  };

  it.each([TRUST_PATHS.keys, TRUST_PATHS.releases, PUBLIC_PATHS.status])(
    'for %s proves nothing',
    async (path) => {
      const fault = await verifySite(atRelease3(failing(path, { always: true }))).catch(
        (error: unknown) => error,
      );
      expect(fault).toMatchObject({ code: 'unreachable', subject: path });
      expect(String(fault)).toContain('connection reset');
    },
  );

  it('for one file does not hide that another one was altered', async () => {
    const altered = new Map([...site, [calendarPath('bitcoin'), Buffer.from('altered')]]);
    const read: ReadFile = (path, options) =>
      path === PUBLIC_PATHS.status
        ? Promise.reject(new Error('status 500'))
        : readerOf(altered)(path, options);
    expect(await verdictOf(atRelease3(read))).toBe('file-altered');
  });

  it('at once for the first of two files that differ is refused because of the first', async () => {
    const path = calendarPath('bitcoin');
    const altered = readerOf(new Map([...site, [path, Buffer.from('altered')]]));
    const read: ReadFile = async (each, options) => {
      if (each === PUBLIC_PATHS.status) return undefined; // before the answer for the other one
      if (each === path) await new Promise((resolve) => setTimeout(resolve, 20));
      return altered(each, options);
    };
    const fault = await verifySite(atRelease3(read)).catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: 'file-altered', subject: path });
  });

  it('once is asked again', async () => {
    expect(await verdictOf(atRelease3(failing(PUBLIC_PATHS.status, { always: false })))).toBeNull();
  });
});

describe('a host that answers with more than it may', () => {
  const site = loadState('release-3');
  const limits = new Map<string, number>();
  const noting: ReadFile = (path, options) => {
    limits.set(path, options.maxBytes);
    return readerOf(site)(path, options);
  };

  it('is read up to 256 KiB of signed documents, 16 MiB of lists, and the listed size of files', async () => {
    await verifySite(atRelease3(noting));
    const size = site.get(PUBLIC_PATHS.status)?.length;
    const { keys, timestamp, statement, releases } = TRUST_PATHS;
    expect([keys, timestamp, statement].map((path) => limits.get(path))).toEqual([262_144, 262_144, 262_144]);
    expect([releases, PUBLIC_PATHS.release].map((path) => limits.get(path))).toEqual([2 ** 24, 2 ** 24]);
    expect(limits.get(PUBLIC_PATHS.status)).toBe(size);
  });

  it.each([
    [TRUST_PATHS.keys, 'jws-malformed'],
    [TRUST_PATHS.timestamp, 'jws-malformed'],
    [TRUST_PATHS.statement, 'jws-malformed'],
    [TRUST_PATHS.releases, 'file-altered'],
    [PUBLIC_PATHS.release, 'file-altered'],
    [PUBLIC_PATHS.status, 'file-altered'],
  ])('for %s is refused: %s', async (path, fault) => {
    const longer = Buffer.concat([site.get(path) ?? Buffer.of(), Buffer.alloc(2 ** 24, ' ')]);
    expect(await verdictOf(atRelease3(readerOf(new Map([...site, [path, longer]]))))).toBe(fault);
  });

  it('is refused if a list is a byte longer than 16 MiB, and its digest is signed', async () => {
    const path = PUBLIC_PATHS.release;
    const list = site.get(path) ?? Buffer.of();
    const longer = Buffer.concat([list, Buffer.alloc(2 ** 24 + 1 - list.length, ' ')]);
    const digest = sha256Hex(list);
    const sha256 = (bytes: Uint8Array): string => (bytes.length > 2 ** 24 ? digest : sha256Hex(bytes)); // as if it were signed
    const options = atRelease3(readerOf(new Map([...site, [path, longer]])));
    expect(await verdictOf({ ...options, sha256 })).toBe('file-altered');
  });

  it('is not asked for the rest after 20 files that differ', async () => {
    const { files } = JSON.parse(
      Buffer.from(site.get(PUBLIC_PATHS.release) ?? []).toString(),
    ) as PublicRelease;
    const listed = Array.from({ length: 200 }, (_, i) => ({ ...files[0], path: `/file-${i}` }));
    const list = Buffer.from(canonicalJson({ files: listed, published_revision: '2026-03-04.000001' }));
    const statement = sha256Hex(site.get(PUBLIC_PATHS.release) ?? '');
    const asked = new Set<string>();
    const read: ReadFile = (path, options) => {
      asked.add(path);
      if (path.startsWith('/file-')) return Promise.resolve({ bytes: Buffer.from('{}'), isCached: false });
      return readerOf(new Map([...site, [PUBLIC_PATHS.release, list]]))(path, options);
    };
    const sha256 = (bytes: Uint8Array): string =>
      Buffer.compare(bytes, list) === 0 ? statement : sha256Hex(bytes); // as if the list were signed
    expect(await verdictOf({ ...atRelease3(read), sha256 })).toBe('file-altered');
    expect([...asked].filter((path) => path.startsWith('/file-')).length).toBeLessThan(20 + 4);
  });
});
