import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runProgram, type ProgramRun } from '../process/run-program.js';

/** The parts of a CloudFormation template that tests read. */
export type Template = {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
};

export type Resource = {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
};

/** The templates of a deployment. */
export type Templates = { readonly [stack in 'Store' | 'Service' | 'Delivery']: Template } & {
  /** Absent without a backup. */
  readonly Backup?: Template;
  /** Absent without a user pool. */
  readonly Identity?: Template;
  /** Absent without a backfill. */
  readonly Backfill?: Template;
};

/** A deployment to synthesize: its file of parameters, and the folder for the output. */
export type Deployment = { readonly parameters: string; readonly folder: string };

const FOLDER = path.join(import.meta.dirname, '../../../infra/aws');
export const EXAMPLE_PARAMETERS = path.join(FOLDER, 'parameters.example.json');

/** Returns the output of the example deployment, which Jest's global setup synthesizes once for all suites. */
export function exampleFolder(): string {
  const folder = process.env['CRD_TEST_CDK_OUT'];
  if (folder === undefined)
    throw new Error('CRD_TEST_CDK_OUT is not set. Run the test with --selectProjects aws.');
  return path.resolve(folder);
}

/** Synthesizes a deployment like the CDK's command line. */
export async function synthesize({ parameters, folder }: Deployment): Promise<ProgramRun> {
  const { context } = JSON.parse(await readFile(path.join(FOLDER, 'cdk.json'), 'utf8')) as {
    context: object;
  };
  return runTypeScript(path.join(FOLDER, 'app.ts'), [], {
    CDK_OUTDIR: folder,
    CDK_CONTEXT_JSON: JSON.stringify({ ...context, parameters }),
  });
}

/** Synthesizes several deployments in one process. */
export function synthesizeAll(deployments: readonly Deployment[]): Promise<ProgramRun> {
  return runTypeScript(path.join(import.meta.dirname, 'synthesize-all.mjs'), [JSON.stringify(deployments)]);
}

function runTypeScript(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ProgramRun> {
  const { PATH = '' } = process.env;
  // Without the user's home, no AWS configuration of this machine is read.
  return runProgram(process.execPath, ['--import', 'tsx', file, ...args], { PATH, HOME: tmpdir(), ...env });
}

/** Reads the templates of a synthesized deployment, by default the example. */
export async function readTemplates(folder: string = exampleFolder()): Promise<Templates> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.template.json'));
  const templates = await Promise.all(
    files.map(async (file) => [
      path.basename(file, '.template.json'),
      JSON.parse(await readFile(path.join(folder, file), 'utf8')) as Template,
    ]),
  );
  return Object.fromEntries(templates) as Templates; // the app always has the stacks that the type requires
}

/** Returns the file with the handler of the gateway's function. */
export async function findBundle(folder: string = exampleFolder()): Promise<string> {
  const { Service } = await readTemplates(folder);
  const { Code } = propertiesOf(Service, 'AWS::Lambda::Function', { FunctionName: 'crd-gateway' });
  const { S3Key } = Code as { S3Key: string }; // the name of a staged folder, with .zip
  return path.join(folder, `asset.${path.basename(S3Key, '.zip')}`, 'handler.mjs');
}

/** Returns the resources of a type, by their logical ids. */
export function resourcesOf(template: Template, type: string): Readonly<Record<string, Resource>> {
  return Object.fromEntries(Object.entries(template.Resources).filter(([, { Type }]) => Type === type));
}

/** Returns the properties of the only resource of a type whose properties include `having`. @throws Error if there is not exactly one. */
export function propertiesOf(
  template: Template,
  type: string,
  having: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const found = Object.values(resourcesOf(template, type))
    .map(({ Properties = {} }) => Properties)
    .filter((each) => Object.entries(having).every(([name, value]) => each[name] === value));
  const [first] = found;
  if (first === undefined || found.length > 1) {
    throw new Error(`${found.length} resources of ${type} have ${JSON.stringify(having)}`);
  }
  return first;
}
