import { assertBuildStatement, toBuildStatement } from '../../../scripts/provenance/build-statement.js';

const COMMIT = 'a1'.repeat(20);
const OPTIONS = {
  build: { version: '1.2.3', commit: COMMIT, lockfile_sha256: 'b2'.repeat(32) },
  awsLockSha256: 'c3'.repeat(32),
  builder: 'https://builder.example.com',
};
const OUTPUTS = new Map([['wheel.whl', 'd4'.repeat(32)]]);

it('states the outputs, the commit, the lock files and the builder in the form of SLSA provenance v1', () => {
  expect(toBuildStatement(OUTPUTS, OPTIONS)).toEqual({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'wheel.whl', digest: { sha256: 'd4'.repeat(32) } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:chain-reference-data:build:1',
        externalParameters: { commit: COMMIT },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: COMMIT } },
          { name: 'package-lock.json', digest: { sha256: 'b2'.repeat(32) } },
          { name: 'infra/aws/package-lock.json', digest: { sha256: 'c3'.repeat(32) } },
        ],
      },
      runDetails: { builder: { id: 'https://builder.example.com' } },
    },
  });
});

it.each([
  ['without a commit', null, 'There is no commit'],
  ['from changed files', `${COMMIT}-modified`, 'Files differ from the last commit'],
])('makes no statement about a build %s', (_what, commit, message) => {
  const build = { ...OPTIONS.build, commit };
  expect(() => toBuildStatement(OUTPUTS, { ...OPTIONS, build })).toThrow(message);
});

it('accepts only a statement of its own kind', () => {
  const statement = toBuildStatement(OUTPUTS, OPTIONS);
  const { predicate } = statement;
  const buildDefinition = { ...predicate.buildDefinition, buildType: 'https://example.com/other' };
  expect(assertBuildStatement(statement)).toBe(statement);
  const others = [
    [{ ...statement, _type: 'https://in-toto.io/Statement/v0.1' }, 'not an in-toto statement'],
    [{ ...statement, predicateType: 'https://slsa.dev/provenance/v0.2' }, 'not a provenance of SLSA v1'],
    [{ ...statement, predicate: { ...predicate, buildDefinition } }, 'another type of build'],
  ] as const;
  for (const [other, message] of others) expect(() => assertBuildStatement(other)).toThrow(message);
});
