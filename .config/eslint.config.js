// The house rules that a machine can hold: directions between layers, purity of core, documented exports, size.
// test/docs/import-circles.test.ts holds that no import leads back.
import importX from 'eslint-plugin-import-x';
import jsdoc from 'eslint-plugin-jsdoc';
import tseslint from 'typescript-eslint';

const TS = ['gateway', 'generator', 'schemas', 'infra', 'scripts', 'templates'].map(
  (each) => `${each}/**/*.ts`,
);

/**
 * The rooms of each program, from the ground up: a room imports only from the rooms before it.
 * CONTRIBUTING.md says what happens in each.
 */
const ROOMS = {
  generator: [
    'core/store-fault.ts',
    'core/generator-error.ts',
    'core/steps.ts',
    'core/input',
    'core/statistics',
    'core/methodology',
    'core/text',
    'core/brief',
    'core/records',
    'core/artifacts',
    'core/volumes',
    'core/charts',
    'core/feeds',
    'core/pages',
    'core/draft',
    'core/release',
    'core/verification',
    'core/trust',
    'core/collection',
    'run',
    'terminal',
    'input',
    'engines',
    'sources',
    'texts',
    'state',
    'signing',
    'collect',
    'publish',
    'verify',
    'upkeep',
    'commands',
    'cli.ts',
    'main.ts',
  ],
  gateway: [
    'core/problems.ts',
    'core/exit-codes.ts',
    'core/scrub.ts',
    'core/access',
    'core/billing',
    'core/accounts',
    'core/configuration',
    'core/http',
    'core/releases',
    'core/signing',
    'io/configuration',
    'io/timing',
    'io/accounts',
    'io/releases',
    'io/signing',
    'io/identity',
    'io/billing',
    'io/account-page',
    'io/doctor',
    'io/operation',
    'http',
    'routes',
    'delivery.ts',
    'app.ts',
    'service.ts',
    'commands',
    'cli.ts',
    'main.ts',
    'lambda',
  ],
  'infra/aws': ['settings', 'permissions', 'runs', 'parts', 'watch', 'delivery', 'preflight', 'app.ts'],
};

const roomZones = Object.entries(ROOMS).flatMap(([program, rooms]) =>
  rooms.slice(0, -1).map((room, level) => ({
    target: `./${program}/${room}`,
    from: rooms.slice(level + 1).map((above) => `./${program}/${above}`),
    message: `${program}/${room} must not import from a room above it.`,
  })),
);

/** Folders that a folder must not import from. */
const programZones = [
  [
    'schemas',
    ['gateway', 'generator', 'infra', 'scripts', 'templates', 'test'],
    'schemas is the contract and stands alone.',
  ],
  [
    'infra/store',
    ['gateway', 'generator', 'infra/process', 'infra/aws', 'infra/localstack', 'scripts', 'test'],
    'infra/store depends only on schemas.',
  ],
  [
    'infra/process',
    ['gateway', 'generator', 'infra/store', 'infra/aws', 'infra/localstack', 'scripts', 'test'],
    'infra/process depends only on schemas.',
  ],
  ['generator', ['templates'], 'the generator reads templates as files.'],
  ['generator/core', ['infra', 'scripts', 'test'], 'core is pure.'],
  ['gateway/core', ['infra', 'scripts', 'test'], 'core is pure.'],
  [
    'generator',
    ['gateway', 'infra/aws', 'infra/localstack', 'scripts', 'test'],
    'the programs share only schemas, infra/store and infra/process.',
  ],
  [
    'gateway',
    ['generator', 'infra/aws', 'infra/localstack', 'scripts', 'test'],
    'the programs share only schemas, infra/store and infra/process.',
  ],
  ['infra/aws', ['scripts', 'test'], 'the stacks import only what they deploy.'],
].map(([target, from, message]) => ({
  target: `./${target}`,
  from: from.map((each) => `./${each}`),
  message,
}));

/** What the scripts of the pages share with the programs: paths, the palette, the formatters, the drawing of charts and verification. */
const BROWSER_ZONES = [
  { from: './generator', except: ['./core/text', './core/charts'] },
  {
    from: './schemas',
    except: ['palette', 'dates', 'catalog', 'freshness', 'paths', 'words', 'types.generated']
      .map((name) => `./${name}.ts`)
      .concat('./trust'),
  },
  ...['gateway', 'infra', 'scripts', 'test'].map((folder) => ({ from: `./${folder}` })),
].map((zone) => ({
  ...zone,
  target: './templates/browser',
  message:
    'the scripts of the pages import only paths, the palette, the formatters, the drawing of charts and verification.',
}));

const ZONES = [
  ...roomZones,
  ...BROWSER_ZONES,
  ...programZones,
  {
    target: './infra/aws',
    from: './generator',
    except: ['./core/generator-error.ts'],
    message: 'of the generator, the stacks import only its exit codes.',
  },
  {
    target: './infra/aws',
    from: './gateway',
    except: [
      './core/exit-codes.ts',
      './core/configuration/variables.ts',
      './core/http/content-policy.ts',
      './io/account-page/read-account-files.ts',
      './core/http/origin-header.ts',
      './lambda/variables.ts',
    ],
    message:
      'of the gateway, the stacks import only its exit codes, variables, content policy and file names.',
  },
];

const PURE_GLOBALS = [
  'console',
  'process',
  'performance',
  'fetch',
  'crypto',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'Intl',
].map((name) => ({
  name,
  message: 'core is pure and synchronous: no clock, console, process, network, randomness or locale.',
}));

const PURE_SYNTAX = [
  {
    selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    message: 'core has no randomness.',
  },
  {
    selector: "MemberExpression[object.name='Date'][property.name='now']",
    message: 'core has no clock: time comes in as an argument.',
  },
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'core has no clock: time comes in as an argument.',
  },
  {
    selector: 'CallExpression[callee.property.name=/^(toLocale|localeCompare)/]',
    message: 'core knows no locale.',
  },
  { selector: 'AwaitExpression', message: 'core is synchronous.' },
  {
    selector:
      'FunctionExpression[async=true], FunctionDeclaration[async=true], ArrowFunctionExpression[async=true]',
    message: 'core is synchronous.',
  },
];

export default tseslint.config(
  {
    ignores: [
      '../dist/**',
      '../node_modules/**',
      '../**/*.generated.ts',
      '../data/**',
      'dist/**',
      'node_modules/**',
      '**/*.generated.ts',
      'data/**',
      '.ci/**',
      '.anvil/**',
      '.debian/**',
      '.duckdb/**',
      '.localstack/**',
      '.python/**',
      'test/support/**/*.mjs',
      'infra/aws/{cdk.out,dist,node_modules}/**',
      'infra/aws/edge/**', // for a runtime of its own
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { project: './.config/tsconfig.test.json', tsconfigRootDir: process.cwd() },
    },
    plugins: { 'import-x': importX, jsdoc },
    settings: {
      'import-x/resolver-next': [
        importX.createNodeResolver({
          extensions: ['.ts', '.js', '.json'],
          extensionAlias: { '.js': ['.ts', '.js'] },
        }),
      ],
      'import-x/extensions': ['.ts', '.js'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
    },
    rules: {
      'import-x/no-default-export': 'error',
      'import-x/no-restricted-paths': ['error', { basePath: process.cwd(), zones: ZONES }],
      'no-restricted-syntax': ['error', { selector: 'TSEnumDeclaration', message: 'use a union.' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-definitions': ['error', 'type'],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { ignoreRestSiblings: true, varsIgnorePattern: '^_', argsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      eqeqeq: 'error',
    },
  },
  {
    files: TS,
    rules: {
      'jsdoc/require-description': 'error',
      'jsdoc/no-types': 'error',
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 60, skipComments: true, skipBlankLines: true }],
      'max-params': ['error', 5],
      complexity: ['error', 14],
    },
  },
  {
    files: ['infra/aws/**/*.ts'],
    languageOptions: { parserOptions: { project: './infra/aws/tsconfig.json' } },
  },
  {
    files: ['templates/browser/**/*.ts'],
    languageOptions: { parserOptions: { project: './templates/browser/tsconfig.json' } },
  },
  {
    files: ['generator/core/**/*.ts', 'gateway/core/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['node:*', 'fs', 'path', 'os', 'crypto'],
              message: 'core touches no file, network or process; digests come from schemas/digest.',
            },
          ],
        },
      ],
      'no-restricted-globals': ['error', ...PURE_GLOBALS],
      'no-restricted-syntax': ['error', ...PURE_SYNTAX],
    },
  },
  {
    files: ['generator/**/*.ts', 'scripts/demo/**/*.ts', 'gateway/core/http/day-page.ts'],
    ignores: [
      'generator/core/statistics/rounding.ts', // rounds what is published
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['toFixed', 'toPrecision', 'toExponential', 'toLocaleString'].map((property) => ({
          property,
          message: 'use the form of this kind of number in schemas/words.ts.',
        })),
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off', // parsed JSON is looked into as it is
      '@typescript-eslint/no-unsafe-member-access': 'off', // the same
      '@typescript-eslint/no-unsafe-argument': 'off', // the same
      'import-x/no-default-export': 'off',
    },
  },
  {
    files: ['test/**/*.ts'],
    ignores: ['test/{aws,stacks,deployed,support/aws}/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['**/infra/aws/**'],
              message: 'npm test runs after npm ci alone, and infra/aws has packages of its own.',
            },
          ],
        },
      ],
    },
  },
);
