import path from 'node:path';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build, type Plugin } from 'esbuild';
import { SCHEMAS } from '../../schemas/schemas.generated.js';
import { createAjv, WRITTEN_SCHEMAS, type Reports, type SchemaName } from '../../schemas/validators.js';

const ROOT = path.join(import.meta.dirname, '../..');
const NAMESPACE = 'validator';
const NAMES = Object.keys(SCHEMAS).filter((name): name is SchemaName => name !== 'common');

/** A validator: its schema, and the faults that it reports. */
type Validator = readonly [SchemaName, Reports];

/**
 * Returns a plugin of esbuild that compiles the schemas with these names during the build, by default all. In place of
 * `schemas/validators.ts`, a bundle gets the names of files beside it, one for each validator, so that a program loads only
 * those that it uses.
 */
export function compiledValidators(names: readonly SchemaName[] = NAMES): Plugin {
  const files = new Map(listValidators(names).map((each) => [`${each.join('.')}.cjs`, each]));
  return {
    name: 'compiled-validators',
    setup(bundler) {
      bundler.onLoad({ filter: /[\\/]schemas[\\/]validators\.ts$/ }, () => ({
        contents: toModule([...files.keys()]),
      }));
      bundler.onResolve({ filter: /^validator:/ }, ({ path: id }) => ({
        path: id.slice(NAMESPACE.length + 1),
        namespace: NAMESPACE,
      }));
      bundler.onLoad({ filter: /.*/, namespace: NAMESPACE }, async ({ path: file }) => {
        const found = files.get(file);
        return found && { contents: await compileValidator(...found), loader: 'file' };
      });
    },
  };
}

function listValidators(names: readonly SchemaName[]): Validator[] {
  const written: readonly SchemaName[] = WRITTEN_SCHEMAS;
  return [
    ...names.map((name): Validator => [name, 'first']),
    ...written.filter((name) => names.includes(name)).map((name): Validator => [name, 'all']),
  ];
}

/** Returns a CommonJS module that exports the validator of a schema, with all that it calls. */
export async function compileValidator(schema: SchemaName, reports: Reports): Promise<string> {
  const ajv = compilerOf(reports);
  const validator = ajv.getSchema(`${schema}.schema.json`);
  if (validator === undefined) throw new Error(`no schema ${schema}`);
  const { outputFiles } = await build({
    stdin: { contents: standaloneCode.default(ajv, validator), resolveDir: ROOT },
    bundle: true,
    minify: true,
    write: false,
    preserveSymlinks: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
}

const compilers = new Map<Reports, Ajv2020>();

function compilerOf(reports: Reports): Ajv2020 {
  const ajv = compilers.get(reports) ?? createAjv(reports, true);
  compilers.set(reports, ajv);
  return ajv;
}

/** Returns a module with the export of `schemas/validators.ts` that programs call. */
function toModule(files: readonly string[]): string {
  return [
    "import { createRequire } from 'node:module';",
    ...files.map((file, i) => `import f${i} from '${NAMESPACE}:${file}';`),
    `const FILES = { ${files.map((file, i) => `'${file}': f${i}`).join(', ')} };`,
    'const load = createRequire(import.meta.url);',
    'export const loadValidator = (name, reports) => load(FILES[`${name}.${reports}.cjs`]);',
  ].join('\n');
}
