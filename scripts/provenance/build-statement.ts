import type { GeneratorBuild } from '../../schemas/types.generated.js';

const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const PREDICATE_TYPE = 'https://slsa.dev/provenance/v1';
/** How the outputs are built from the source. CONTRIBUTING.md describes it. */
const BUILD_TYPE = 'urn:chain-reference-data:build:1';
/** Name of the lock file of the packages that bundle the gateway. */
export const AWS_LOCK = 'infra/aws/package-lock.json';

/** An output: a file below the folder of the provenance, with its SHA-256. */
export type Subject = { readonly name: string; readonly digest: { readonly sha256: string } };

/** What something was built from. */
type Material = { readonly name: string; readonly digest: Readonly<Record<string, string>> };

/** An in-toto Statement v1 with the predicate of SLSA provenance v1. The same commit gives the same statement. */
export type BuildStatement = {
  readonly _type: typeof STATEMENT_TYPE;
  readonly subject: readonly Subject[];
  readonly predicateType: typeof PREDICATE_TYPE;
  readonly predicate: {
    readonly buildDefinition: {
      readonly buildType: typeof BUILD_TYPE;
      readonly externalParameters: { readonly commit: string };
      readonly resolvedDependencies: readonly Material[];
    };
    readonly runDetails: { readonly builder: { readonly id: string } };
  };
};

/** Options of `toBuildStatement`. */
type StatementOptions = {
  readonly build: GeneratorBuild;
  /** SHA-256 of the other lock file. */
  readonly awsLockSha256: string;
  /** URI of who built. */
  readonly builder: string;
};

/** Returns the statement about outputs, given as SHA-256 by name. @throws Error if they are not of one commit */
export function toBuildStatement(
  outputs: ReadonlyMap<string, string>,
  { build: { commit, lockfile_sha256: lock }, awsLockSha256, builder }: StatementOptions,
): BuildStatement {
  if (commit === null || lock === null)
    throw new Error('There is no commit. Run this in a clone of the repository.');
  if (commit.endsWith('-modified'))
    throw new Error('Files differ from the last commit. Commit or undo the changes, then run this again.');
  return {
    _type: STATEMENT_TYPE,
    subject: [...outputs].map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: PREDICATE_TYPE,
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: { commit },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: lock } },
          { name: AWS_LOCK, digest: { sha256: awsLockSha256 } },
        ],
      },
      runDetails: { builder: { id: builder } },
    },
  };
}

/** A statement of any kind of build: its types are not known before they are compared. */
type AnyStatement = {
  readonly _type: string;
  readonly predicateType: string;
  readonly predicate: { readonly buildDefinition: { readonly buildType: string } };
};

/** Checks that a signed value is a statement of this kind. @throws Error for any other */
export function assertBuildStatement(value: unknown): BuildStatement {
  const { _type, predicateType, predicate } = value as AnyStatement; // a trusted key has signed it
  if (_type !== STATEMENT_TYPE) throw new Error(`not an in-toto statement, but ${_type}`);
  if (predicateType !== PREDICATE_TYPE) throw new Error(`not a provenance of SLSA v1, but ${predicateType}`);
  const { buildType } = predicate.buildDefinition;
  if (buildType !== BUILD_TYPE) throw new Error(`another type of build: ${buildType}`);
  return value as BuildStatement; // its types were compared
}
