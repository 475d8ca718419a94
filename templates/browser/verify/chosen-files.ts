import { PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { Manifest, PublicRelease, ReleaseStatement } from '../../../schemas/types.generated.js';

/** What the publisher signed: the statement, and the list of public files whose digest it has. */
export type Signed = {
  readonly statement: Pick<ReleaseStatement, 'manifests' | 'release_sha256' | 'revision'>;
  readonly release: Pick<PublicRelease, 'files'>;
};

/** A file of the reader. Only manifests need their bytes: the others may be large. */
export type ChosenFile = { readonly name: string; readonly sha256: string; readonly bytes?: Uint8Array };

/** The result for a file, with what it is or why it was not found. */
export type FileResult = {
  readonly name: string;
  readonly state: 'proven' | 'unproven';
  readonly words: string;
};

/** Looks up the digests of files in what was signed, and in those of the files that are signed manifests. */
export function proveFiles(files: readonly ChosenFile[], signed: Signed): FileResult[] {
  const { manifests, byDigest } = digestsOf(files, signed);
  return files.map(({ name, sha256 }) => {
    const found = byDigest.get(sha256);
    return found === undefined
      ? { name, state: 'unproven', words: absentWords(manifests) }
      : { name, state: 'proven', words: found };
  });
}

function absentWords(manifests: number): string {
  return manifests === 0
    ? 'Its digest is in none of the signed lists. If it is a day file or a volume, choose its manifest too.'
    : 'Its digest is neither in the signed lists nor in the manifests that you chose. It is of another release, or was altered: download it and its manifest again. Bundles (latest.json) are in no list.';
}

/** Returns what each signed digest is of, and the number of signed manifests among the files. */
function digestsOf(
  files: readonly ChosenFile[],
  { statement, release }: Signed,
): { readonly manifests: number; readonly byDigest: ReadonlyMap<string, string> } {
  const ofRelease = `of release ${statement.revision}`;
  const paths = new Map(Object.entries(statement.manifests).map(([path, sha256]) => [sha256, path]));
  const chosen = files.flatMap(({ sha256, bytes }): [string, string][] => {
    const path = paths.get(sha256);
    return path === undefined || bytes === undefined ? [] : listedIn(path, bytes);
  });
  const byDigest = new Map([
    ...chosen,
    [statement.release_sha256, `This is ${PUBLIC_PATHS.release} ${ofRelease}.`],
    ...release.files.map(({ path, sha256 }): [string, string] => [sha256, `This is ${path} ${ofRelease}.`]),
    ...[...paths].map(([sha256, path]): [string, string] => [sha256, `This is ${path} ${ofRelease}.`]),
  ]);
  return { manifests: files.filter(({ sha256 }) => paths.has(sha256)).length, byDigest };
}

/** Returns the digests that a signed manifest lists, with what each is of. The newest version of a date wins. */
function listedIn(path: string, bytes: Uint8Array): [string, string][] {
  const { dates, volumes = [] } = JSON.parse(new TextDecoder().decode(bytes)) as Manifest; // its digest is signed
  const earlier = dates.flatMap((day) =>
    day.superseded.map(({ sha256, revision }): [string, string] => [
      sha256,
      `This is an earlier version of ${day.path}, of revision ${revision}. ${path} lists it.`,
    ]),
  );
  const current = [...dates, ...volumes.flatMap(({ parquet, csv }) => [parquet, csv])];
  return [
    ...earlier,
    ...current.map((file): [string, string] => [file.sha256, `This is ${file.path}. ${path} lists it.`]),
  ];
}
