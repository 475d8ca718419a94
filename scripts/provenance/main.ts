/**
 * Writes what is built from the last commit, with a signed provenance, or verifies such a folder:
 *
 *   CRD_SIGNING_KEY_FILE=release.pem npm run provenance -- --out DIR
 *   npm run provenance -- --verify DIR/provenance.dsse.json --trust SITE#THUMBPRINT --keys keys.jws
 *
 * Exits with 1 if it fails.
 */
import { openSigner } from '../../generator/signing/open-signer.js';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command, Option } from 'commander';
import { sha256Hex } from '../../schemas/digest.js';
import { parseTrustAnchor } from '../../schemas/trust/trust-anchor.js';
import { describeBuild } from '../build/describe-build.js';
import { digestFiles } from '../build/digest-files.js';
import { BUNDLE, writeOutputs } from '../build/write-outputs.js';
import { AWS_LOCK, toBuildStatement } from './build-statement.js';
import { sealStatement } from './dsse.js';
import { verifyProvenance } from './verify-provenance.js';

const ROOT = path.join(import.meta.dirname, '../..');
const DOCUMENT = 'provenance.dsse.json';
/** A machine of the maintainers, who hold the key. A hosted builder has a URI of its own. */
const BUILDER = 'urn:chain-reference-data:builder:maintainers';

type Options = {
  readonly out?: string;
  readonly builder: string;
  readonly verify?: string;
  readonly trust?: string;
  readonly keys?: string;
};

async function makeProvenance(folder: string, builder: string): Promise<void> {
  const signer = await openSigner(process.env);
  if (signer === undefined)
    throw new Error(
      'No key to sign with. Set CRD_SIGNING_KEY_FILE to a file, or CRD_SIGNING_KEY to kms:KEY-ID.',
    );
  const build = await describeBuild(ROOT);
  const options = { build, awsLockSha256: sha256Hex(await readFile(path.join(ROOT, AWS_LOCK))), builder };
  toBuildStatement(new Map(), options); // fails before anything is written
  const wheel = await writeOutputs(folder);
  const outputs = [...(await digestFiles(folder))].filter(
    ([name]) => name === wheel || name.startsWith(`${BUNDLE}/`),
  );
  const text = await sealStatement(toBuildStatement(new Map(outputs), options), signer);
  await writeFile(path.join(folder, DOCUMENT), text);
  process.stdout.write(`${outputs.length} files of ${build.commit ?? ''}, signed by key ${signer.kid}\n`);
}

async function verify(file: string, { trust, keys }: Options): Promise<void> {
  const anchor = parseTrustAnchor(trust ?? '');
  if (anchor === undefined || keys === undefined)
    throw new Error('To verify, give --trust SITE#THUMBPRINT and --keys FILE.');
  const { statement, kid } = await verifyProvenance(file, { anchor, keys, nowMs: Date.now() });
  const { buildDefinition, runDetails } = statement.predicate;
  process.stdout.write(
    `${statement.subject.length} files are what ${runDetails.builder.id} built from commit ` +
      `${buildDefinition.externalParameters.commit}, signed by key ${kid}\n`,
  );
}

const command = new Command('provenance')
  .description('Write the outputs of the last commit with a signed provenance, or verify them.')
  .option('--out <dir>', 'folder for the outputs and the provenance')
  .option('--builder <uri>', 'URI of who builds', BUILDER)
  .addOption(new Option('--verify <file>', 'provenance beside its outputs').conflicts('out'))
  .option('--trust <anchor>', 'with --verify: SITE#THUMBPRINT of the root key')
  .option('--keys <file>', 'with --verify: key set of the site (keys.jws)')
  .parse();
const options = command.opts<Options>();
try {
  if (options.verify !== undefined) await verify(options.verify, options);
  else if (options.out !== undefined) await makeProvenance(options.out, options.builder);
  else command.error('error: give --out DIR or --verify FILE');
} catch (error) {
  process.stderr.write(`provenance: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
