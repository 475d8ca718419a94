// The house rules that a machine can hold: directions between layers, purity of core, documented exports, size.
import importX from 'eslint-plugin-import-x';
import jsdoc from 'eslint-plugin-jsdoc';
import tseslint from 'typescript-eslint';

const TS = ['gateway', 'generator', 'schemas', 'infra', 'scripts', 'templates'].map(
  (each) => `${each}/**/*.ts`,
);

/** What each place must not import, with the reason. Arrows go main -> cli -> commands -> io -> core -> schemas. */
const ZONES = [
  {
    target: 'schemas',
    from: ['gateway', 'generator', 'infra', 'scripts', 'test'],
    message: 'schemas is the contract: it imports nothing of ours.',
  },
  {
    target: 'infra/store',
    from: ['gateway', 'generator', 'scripts', 'test'],
    message: 'a store knows the contract only.',
  },
  {
    target: 'generator/core',
    from: [
      'generator/io',
      'generator/commands',
      'generator/cli.ts',
      'generator/main.ts',
      'infra',
      'scripts',
      'test',
    ],
    message: 'core is pure: io calls it, never the reverse.',
  },
  {
    target: 'generator/io',
    from: ['generator/commands', 'generator/cli.ts', 'generator/main.ts', 'scripts', 'test'],
    message: 'io is called by commands, never the reverse.',
  },
  {
    target: 'generator/commands',
    from: ['generator/cli.ts', 'generator/main.ts', 'scripts', 'test'],
    message: 'commands are called by the cli, never the reverse.',
  },
  {
    target: 'generator',
    from: ['gateway', 'test'],
    message: 'generator and gateway share only schemas and infra/store.',
  },
  {
    target: 'gateway',
    from: ['generator', 'scripts', 'test'],
    message: 'gateway and generator share only schemas and infra/store.',
  },
  {
    target: 'gateway/core',
    from: [
      'gateway/io',
      'gateway/routes',
      'gateway/commands',
      'gateway/app.ts',
      'gateway/cli.ts',
      'gateway/main.ts',
      'infra',
    ],
    message: 'core is pure: io calls it, never the reverse.',
  },
  {
    target: 'gateway/io',
    from: ['gateway/routes', 'gateway/commands', 'gateway/app.ts', 'gateway/cli.ts', 'gateway/main.ts'],
    message: 'io is called by routes and commands, never the reverse.',
  },
  {
    target: 'gateway/routes',
    from: ['gateway/commands', 'gateway/app.ts', 'gateway/cli.ts', 'gateway/main.ts'],
    message: 'routes are called by the app, never the reverse.',
  },
  {
    target: 'infra/aws',
    from: ['scripts', 'test'],
    message: 'the stacks know the gateway, for they run it, and the contract.',
  },
  {
    target: 'infra/aws',
    from: ['generator'],
    except: ['./core/generator-error.ts'],
    message: 'the stacks know how a run of the generator ends, and nothing else of it.',
  },
  {
    target: 'generator/core/methodology',
    from: [
      'generator/core/records',
      'generator/core/artifacts',
      'generator/core/release',
      'generator/core/verification',
    ],
    message: 'the methodology knows nothing of what is made of it.',
  },
  {
    target: 'generator/core/records',
    from: ['generator/core/artifacts', 'generator/core/release', 'generator/core/verification'],
    message: 'records know nothing of artifacts and releases.',
  },
  {
    target: 'generator/core/artifacts',
    from: ['generator/core/release', 'generator/core/verification'],
    message: 'artifacts know nothing of releases.',
  },
]
  .map(({ target, from, ...rest }) =>
    from.map((each) => ({ target: `./${target}`, from: `./${each}`, ...rest })),
  )
  .flat();

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
      '.notebook/**',
      'test/fixtures/**/*.mjs',
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
      'import-x/no-cycle': 'error',
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
      eqeqeq: 'error',
    },
  },
  {
    files: TS,
    rules: {
      'jsdoc/require-jsdoc': [
        'error',
        {
          publicOnly: true,
          require: { FunctionDeclaration: true, ClassDeclaration: true, ArrowFunctionExpression: true },
          contexts: [
            'ExportNamedDeclaration > TSTypeAliasDeclaration',
            'ExportNamedDeclaration > VariableDeclaration',
          ],
        },
      ],
      'jsdoc/require-description': 'error',
      'jsdoc/no-types': 'error',
      'max-lines': ['error', { max: 250 }],
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
    files: ['templates/examples/*.ts'],
    rules: { 'max-lines': ['error', { max: 400 }] }, // one file, for a reader fetches it by itself
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
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off', // parsed JSON is looked into as it is
      '@typescript-eslint/no-unsafe-member-access': 'off', // the same
      '@typescript-eslint/no-unsafe-argument': 'off', // the same
      'import-x/no-default-export': 'off',
    },
  },
);
