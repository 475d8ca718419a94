/** A software bill of materials in the format of CycloneDX, as far as it is checked here. */
export type Sbom = {
  readonly bomFormat: string;
  readonly components: readonly SbomComponent[];
  readonly dependencies?: readonly { readonly ref: string }[];
};

/** A package that is shipped, with its package URL, its SPDX licences and the digests of its archive. */
export type SbomComponent = {
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly SbomLicence[];
};

type SbomLicence = { readonly license?: { readonly id?: string }; readonly expression?: string };

/** SPDX ids of the licences under which a package may be shipped with the product: none asks for its source code. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Unlicense',
];

/** Returns `first` with the packages and the dependencies of `second` that it does not have. */
export function mergeSboms(first: Sbom, second: Sbom): Sbom {
  const { components, dependencies = [] } = first;
  const purls = new Set(components.map(({ purl }) => purl));
  const refs = new Set(dependencies.map(({ ref }) => ref));
  return {
    ...first,
    components: [...components, ...second.components.filter(({ purl }) => !purls.has(purl))],
    dependencies: [...dependencies, ...(second.dependencies ?? []).filter(({ ref }) => !refs.has(ref))],
  };
}

/** Returns what is wrong with a bill of materials, a line per fault; an empty list if nothing is. */
export function findSbomFaults({ bomFormat, components }: Sbom): string[] {
  if (bomFormat !== 'CycloneDX') return [`the format is ${bomFormat}, not CycloneDX`];
  if (components.length === 0) return ['it lists no packages'];
  return components.flatMap((component) => {
    const place = `${component.name} ${component.version}`;
    return [
      ...(component.purl?.startsWith('pkg:npm/') === true ? [] : [`${place} has no package URL`]),
      ...((component.hashes ?? []).some(({ alg }) => alg === 'SHA-512') ? [] : [`${place} has no SHA-512`]),
      ...findLicenceFaults(place, component.licenses ?? []),
    ];
  });
}

function findLicenceFaults(place: string, licences: readonly SbomLicence[]): string[] {
  if (licences.length === 0) return [`${place} states no licence`];
  return licences
    .map(({ license, expression }) => license?.id ?? expression ?? 'unknown')
    .filter((id) => !ALLOWED.includes(id))
    .map((id) => `${place} has the licence ${id}, which is not on the list in scripts/sbom/sbom.ts`);
}
