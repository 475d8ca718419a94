import { createServer } from 'node:net';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';

/** Options of `npm run demo`. A port of 0 means any free port. */
type DemoOptions = { readonly store: string; readonly check: boolean; readonly port: number };

/** Parses the arguments of the demo. Ends the process after `--help`, or with the reason for which they are not valid. */
export function parseDemoOptions(argv: readonly string[]): DemoOptions {
  const { store, check, port } = new Command('npm run demo --')
    .description(
      'Collects and publishes the sample, serves it until you press Ctrl-C, and verifies it meanwhile.',
    )
    .option('--store <dir>', 'directory of the store', path.join('data', 'demo'))
    .option('--port <number>', 'port of the gateway (default: 8080; with --check, a free one)', parsePort)
    .option('--check', 'run the printed commands and exit', false)
    .parse(argv)
    .opts<{ readonly store: string; readonly port?: number; readonly check: boolean }>();
  return { store, check, port: port ?? (check ? 0 : 8080) };
}

/** Parses the option --port. @throws InvalidArgumentError unless it is a number from 1 to 65535 */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new InvalidArgumentError('--port needs a number from 1 to 65535.');
  return port;
}

/** Checks that nothing listens on a port of this machine. @throws Error that says which port to choose instead, or why not */
export async function assertFreePort(port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  } catch (error) {
    throw new Error(portFault(port, error), { cause: error });
  }
  await new Promise((resolve) => server.close(resolve));
}

function portFault(port: number, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const fault =
    code === 'EADDRINUSE'
      ? `Port ${port} is in use`
      : code === 'EACCES'
        ? `You may not listen on port ${port}`
        : `Port ${port} cannot be opened (${String(error)})`;
  return `${fault}. Choose another: npm run demo -- --port ${port < 65_535 && port >= 1_024 ? port + 1 : 8081}`;
}
