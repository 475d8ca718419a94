import { type Command, Option } from 'commander';
import { formatTable } from '../../infra/process/format-table.js';
import type { Paint } from '../../infra/process/paint.js';
import { checkStore, type StoreReport } from '../../infra/store/check-store.js';
import type { CheckedRow } from '../../infra/store/object-store.js';
import { addGeneratorCommand, type CommandHost, type CommonOptions } from './common/options.js';

/** Adds `store`: what concerns the place of a store, whatever it contains. */
export function addStore(program: Command, host: CommandHost): void {
  const store = program.command('store').description('Check the place of a store before using it.');
  addGeneratorCommand(store, {
    name: 'check',
    description:
      'Check whether a server or a folder keeps what a store needs: conditional writes alone and in races, ETags, lists, links. It writes and deletes small objects below check/.',
    options: [
      new Option(
        '--store <address>',
        'address to check: file:PATH or s3://bucket/prefix; it may contain a store',
      ).makeOptionMandatory(),
    ],
    example: 'generator store check --store s3://bucket/prefix',
  }).action((options: CommonOptions & { readonly store: string }) =>
    host.run('store check', options, async (context) => {
      const store = await context.openStore(options.store);
      const report = await checkStore(store, context);
      context.show({ address: store.address, ...report }, formatReport(report, context.paint));
      return report.verdict === 'safe' ? 'done' : 'usage';
    }),
  );
}

const VERDICTS: { readonly [verdict in StoreReport['verdict']]: string } = {
  safe: 'safe: any number of processes may write.',
  'one-writer':
    'safe with one writer only: processes that write at once lose writes without an error. Use another server, or publish with --single-writer and never run two commands at once. For accounts, use another server.',
  unusable: 'not usable: even one process cannot publish. Use another server.',
};

/** The word for a row of a check. */
const WORDS: { readonly [result in CheckedRow['result']]: string } = {
  holds: 'fine',
  note: 'note',
  public: 'NO',
  'one-writer': 'NO',
  unusable: 'NO',
};

function formatReport({ verdict, server, requests, rows }: StoreReport, paint: Paint): string {
  const table = formatTable(
    ['check', '', 'seen'],
    rows.map(({ what, result, saw }) => [what, paint(WORDS[result]), saw]),
  );
  const strangers = rows.some(({ result }) => result === 'public')
    ? ['', 'Strangers can read objects without a valid link. Close the bucket before you sell what is in it.']
    : [];
  const name = server === null ? '' : `server: ${server}; `;
  return [table, '', `${name}${requests} requests`, VERDICTS[verdict], ...strangers].join('\n');
}
