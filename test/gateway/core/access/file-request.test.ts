import fc from 'fast-check';
import { CHAIN_IDS, GENRES, WINDOWS } from '../../../../schemas/catalog.js';
import { bundlePath, dayPath, manifestPath } from '../../../../schemas/paths.js';
import type { Window } from '../../../../schemas/types.generated.js';
import { parseFileRequest, pathOf } from '../../../../gateway/core/access/file-request.js';
import type { GatewayError } from '../../../../gateway/core/problems.js';

const WINDOW_IDS = Object.keys(WINDOWS) as Window[]; // keys of a closed literal
const DAY = '/api/v1/files/gold/base/2026-08-20.json';

function codeOf(path: string, query = ''): string {
  try {
    parseFileRequest(path, query);
  } catch (error) {
    return (error as GatewayError).code;
  }
  return 'found';
}

describe('the path of a file', () => {
  it.each(GENRES.flatMap((genre) => CHAIN_IDS.map((chain) => [genre, chain] as const)))(
    'is parsed for %s and %s',
    (genre, chain) => {
      for (const window of WINDOW_IDS) {
        const path = bundlePath(genre, chain, window);
        expect(parseFileRequest(path, '')).toEqual({ file: { kind: 'bundle', genre, chain, window } });
      }
      expect(parseFileRequest(manifestPath(genre, chain), '')).toEqual({
        file: { kind: 'manifest', genre, chain },
      });
      const day = { kind: 'day', genre, chain, date: '2024-02-29', revision: null };
      expect(parseFileRequest(dayPath(genre, chain, '2024-02-29'), '')).toEqual({ file: day });
    },
  );

  it.each([
    '/api/v1/files/briefs/chains/base/latest.json',
    '/api/v1/files/briefs/chains/base/manifest.json',
    '/api/v1/files/briefs/chains/base/2026-08-20.json',
    '/api/v1/files/briefs/base/365d/latest.json',
  ])('is %s, as in the contract', (path) => {
    expect(pathOf(parseFileRequest(path, '').file)).toBe(path);
  });

  it.each([
    '/api/v1/files/briefs/base/latest.json',
    '/api/v1/files/briefs/chains/base/7d/latest.json',
    '/api/v1/files/gold/chains/base/latest.json',
    '/api/v1/files/gold/base/14d/latest.json',
    '/api/v1/files/gold/base/latest/latest.json',
    '/api/v1/files/gold/base/latest.JSON',
    '/api/v1/files/gold/Base/latest.json',
    '/api/v1/files/gold/solana/latest.json',
    '/api/v1/files/price/base/latest.json',
    '/api/v1/files/gold/base/latest.json/',
    '/api/v1/files/gold/base//latest.json',
    '/api/v1/files//gold/base/latest.json',
    '/api/v1/files/gold/../meta/base/latest.json',
    '/api/v1/files/gold/base/2025-02-30.json',
    '/api/v1/files/gold/base/2025-2-3.json',
    '/api/v1/files/gold/base/0000-00-00.json',
    '/api/v1/files/gold/base/2025-01-01.json.json',
    '/api/v1/files/gold/base/2025-01-01.csv',
    '/api/v1/files/gold/base/constructor',
    '/api/v1/files/__proto__',
    '/api/v1/files/',
    '',
  ])('is not found: %s', (path) => expect(codeOf(path)).toBe('not-found'));

  it('equals the requested path whenever a file is found', () => {
    const piece = fc.constantFrom(
      'gold',
      'meta',
      'briefs',
      'chains',
      'base',
      '7d',
      'latest.json',
      '2025-01-01.json',
      '..',
      '',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const path = `/api/v1/files/${pieces.join('/')}`;
        if (codeOf(path) === 'found') expect(pathOf(parseFileRequest(path, '').file)).toBe(path);
      }),
    );
  });
});

describe('the query of a file', () => {
  it('selects the form of the response', () => {
    expect(parseFileRequest(DAY, 'redirect=false').form).toBe('document');
    expect(parseFileRequest(DAY, 'redirect=true').form).toBe('redirect');
    expect(parseFileRequest(DAY, '').form).toBeUndefined();
  });

  it('selects the revision of a day file', () => {
    const { file } = parseFileRequest(DAY, 'revision=2026-08-21.000002&redirect=false');
    expect(file).toMatchObject({ kind: 'day', revision: '2026-08-21.000002' });
  });

  it('asks for links to the volumes of a manifest, which a redirect cannot have', () => {
    const manifest = '/api/v1/files/gold/base/manifest.json';
    const request = { file: { kind: 'manifest', genre: 'gold', chain: 'base' }, form: 'document' };
    expect(parseFileRequest(manifest, 'volumes=parquet')).toEqual({ ...request, volumes: 'parquet' });
    expect(parseFileRequest(manifest, 'volumes=csv&redirect=false')).toEqual({ ...request, volumes: 'csv' });
    for (const query of ['volumes=csv&redirect=true', 'volumes=zip', 'volumes=', 'volumes=csv&volumes=csv'])
      expect(codeOf(manifest, query)).toBe('request-malformed');
    for (const path of [DAY, '/api/v1/files/briefs/chains/base/manifest.json'])
      expect(() => parseFileRequest(path, 'volumes=csv')).toThrow(
        /^Only the manifests of meta, gold and derived accept/,
      );
  });

  it.each([
    'revision=2026-08-21',
    'revision=2026-02-30.000001',
    'revision=2026-08-21.000000',
    'revision=2026-08-21.1',
    'revision=',
    'revision=2026-08-21.000001&revision=2026-08-21.000001',
    'redirect=no',
    'redirect=false&redirect=false',
    'window=7d',
    'REDIRECT=false',
    '=',
    '__proto__=1',
  ])('is rejected when a parameter is unknown, malformed or repeated: %s', (query) => {
    expect(codeOf(DAY, query)).toBe('request-malformed');
  });

  it('is rejected when it asks for a revision of a bundle or manifest', () => {
    expect(codeOf('/api/v1/files/gold/base/manifest.json', 'revision=2026-08-21.000001')).toBe(
      'request-malformed',
    );
    expect(codeOf('/api/v1/files/gold/base/7d/latest.json', 'revision=2026-08-21.000001')).toBe(
      'request-malformed',
    );
  });

  it.each(['api_key=crd_live_x', 'X-API-Key=crd_live_x', 'access_token=crd_live_x'])(
    'is rejected with a hint about API keys when it contains one: %s',
    (query) => {
      expect(() => parseFileRequest(DAY, query)).toThrow(/header Authorization, not in the URL/);
      expect(() => parseFileRequest(DAY, query)).not.toThrow(/crd_live_x/);
    },
  );
});
