import { findSbomFaults, mergeSboms, type SbomComponent } from '../../../scripts/sbom/sbom.js';

const PACKAGE: SbomComponent = {
  name: 'left',
  version: '1.0.0',
  purl: 'pkg:npm/left@1.0.0',
  hashes: [{ alg: 'SHA-512', content: 'ab' }],
  licenses: [{ license: { id: 'MIT' } }],
};
const { licenses: _licences, ...WITHOUT_LICENCE } = PACKAGE;
const faultsOf = (component: SbomComponent): string[] =>
  findSbomFaults({ bomFormat: 'CycloneDX', components: [component] });

it('accepts packages with a digest and an allowed licence', () => {
  expect(faultsOf(PACKAGE)).toEqual([]);
});

it.each([
  ['without a licence', WITHOUT_LICENCE, /states no licence/],
  [
    'whose licence asks for source code',
    { ...PACKAGE, licenses: [{ license: { id: 'GPL-3.0-only' } }] },
    /GPL-3/,
  ],
  [
    'with a choice that nobody has made',
    { ...PACKAGE, licenses: [{ expression: 'MIT OR GPL-3.0-only' }] },
    /OR/,
  ],
  ['without a digest', { ...PACKAGE, hashes: [] }, /no SHA-512/],
  ['without a package URL', { ...PACKAGE, purl: 'left' }, /no package URL/],
])('refuses a package %s', (_name, component, fault) => {
  expect(faultsOf(component)).toEqual([expect.stringMatching(fault)]);
});

it('refuses an empty list and another format', () => {
  expect(findSbomFaults({ bomFormat: 'CycloneDX', components: [] })).toEqual(['it lists no packages']);
  expect(findSbomFaults({ bomFormat: 'SPDX', components: [PACKAGE] })).toHaveLength(1);
});

it('joins two bills without repeating a package', () => {
  const other = { ...PACKAGE, name: 'other', purl: 'pkg:npm/other@1.0.0' };
  const first = { bomFormat: 'CycloneDX', components: [PACKAGE], dependencies: [{ ref: 'a' }] };
  const second = {
    bomFormat: 'CycloneDX',
    components: [PACKAGE, other],
    dependencies: [{ ref: 'a' }, { ref: 'b' }],
  };
  expect(mergeSboms(first, second)).toEqual({
    bomFormat: 'CycloneDX',
    components: [PACKAGE, other],
    dependencies: [{ ref: 'a' }, { ref: 'b' }],
  });
});
