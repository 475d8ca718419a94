/** Programs of one language or package manager that read Parquet files with other libraries than ours. */
export type Kit = {
  /** Folder of the program in `programs`. */
  readonly name: string;
  /** The readers and their versions, as the package manager names them. */
  readonly readers: Readonly<Record<string, string>>;
  /** Returns the commands that install the readers into a copy of the folder of the program. */
  readonly install: (pins: readonly (readonly [reader: string, version: string])[]) => readonly Command[];
  /** Command that prints the cells, in that copy. The reader and the files follow. */
  readonly read: Command;
};

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

const PYTHON: Kit = {
  name: 'python',
  readers: {
    pyarrow: '25.0.1',
    pandas: '3.1.1',
    fastparquet: '2026.9.0',
    polars: '2.1.0',
    duckdb: '2.0.1',
    datafusion: '55.0.0',
    chdb: '4.4.0',
    daft: '0.7.26',
    'arro3-io': '0.9.1',
    pyspark: '4.1.4',
  },
  install: (pins) => [
    ['python3', '-m', 'venv', 'venv'],
    ['venv/bin/pip', 'install', '--quiet', '--prefer-binary', ...pins.map((pin) => pin.join('=='))],
  ],
  read: ['venv/bin/python', 'read.py'],
};

/** What parquet-wasm reads is a stream of Arrow. */
const APACHE_ARROW = 'apache-arrow@21.2.0';

const NPM: Kit = {
  name: 'npm',
  readers: { hyparquet: '1.33.0', '@dsnp/parquetjs': '1.8.9', 'parquet-wasm': '0.8.0' },
  install: (pins) => [
    [
      'npm',
      'install',
      '--silent',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--prefix',
      '.',
      APACHE_ARROW,
      ...pins.map((pin) => pin.join('@')),
    ],
  ],
  read: ['node', 'read.mjs'],
};

const GO: Kit = {
  name: 'go',
  readers: { 'github.com/apache/arrow-go/v18': 'v18.8.0', 'github.com/parquet-go/parquet-go': 'v0.32.0' },
  install: (pins) => [
    ['go', 'mod', 'init', 'read'],
    ['go', 'mod', 'edit', ...pins.map((pin) => `-require=${pin.join('@')}`)],
    ['go', 'build', '-mod=mod', '-o', 'read', '.'],
  ],
  read: ['./read'],
};

const RUST: Kit = {
  name: 'rust',
  readers: { parquet: '60.1.0' },
  install: (pins) => [
    ['cargo', 'init', '--quiet', '--name', 'read'],
    ...pins.map(([crate, version]): Command => [
      'cargo',
      'add',
      '--quiet',
      '--no-default-features',
      '--features',
      'snap',
      `${crate}@=${version}`,
    ]),
    ['cargo', 'build', '--quiet', '--release'],
  ],
  read: ['target/release/read'],
};

const JAVA: Kit = {
  name: 'java',
  readers: { carpet: '0.5.0' },
  install: (pins) => [
    [
      'mvn',
      '--quiet',
      ...pins.map(([reader, version]) => `-D${reader}=${version}`),
      'compile',
      'dependency:copy-dependencies',
    ],
  ],
  read: ['java', '-cp', 'target/classes:target/dependency/*', 'Read'],
};

/** The readers that `npm run test:readers` compares. */
export const KITS: readonly Kit[] = [PYTHON, NPM, GO, RUST, JAVA];
