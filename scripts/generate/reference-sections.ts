import type { Command, Option } from 'commander';
import { CHAIN_IDS, METRICS, PLANS } from '../../schemas/catalog.js';
import { createProgram as createGatewayProgram } from '../../gateway/cli.js';
import { SESSION_REFUSALS } from '../../schemas/problems.js';
import { DRIFT_CAUSES } from '../../gateway/core/billing/drift.js';
import { OUTCOMES } from '../../gateway/core/billing/grant-from-subscription.js';
import { STRIPE_EVENTS } from '../../gateway/core/billing/stripe-events.js';
import { STATUSES } from '../../gateway/core/billing/subscription.js';
import { variableRows } from '../../gateway/core/configuration/variables.js';
import { EXIT_CODES as GATEWAY_EXIT_CODES } from '../../gateway/core/exit-codes.js';
import { PROBLEMS } from '../../gateway/core/problems.js';
import { EVENT_OUTCOMES } from '../../gateway/io/billing/event-handler.js';
import { createProgram as createGeneratorProgram } from '../../generator/cli.js';
import { EXIT_CODES } from '../../generator/core/generator-error.js';
import { priceWords } from '../../schemas/words.js';
import { formatWhole, INPUT_LIMITS } from '../../generator/input/input-folder.js';

const SILENT = { print: () => undefined, warn: () => undefined };
const DOES_NOTHING = { run: () => Promise.resolve() };

/** Returns the generated sections of a README by the name that its markers use. */
export function renderReference(): ReadonlyMap<string, string> {
  const generator = leavesOf(createGeneratorProgram(DOES_NOTHING, SILENT));
  const gateway = leavesOf(createGatewayProgram(DOES_NOTHING, SILENT));
  return new Map([
    ['generator-commands', renderCommands(generator)],
    ['generator-options', renderOptions(generator)],
    ['generator-exit-codes', renderExitCodes(EXIT_CODES)],
    ['metrics', renderMetrics()],
    ['input-limits', renderInputLimits()],
    ['gateway-commands', renderCommands(gateway)],
    ['gateway-options', renderOptions(gateway)],
    ['gateway-exit-codes', renderExitCodes(GATEWAY_EXIT_CODES)],
    ['plans', renderPlans()],
    ['problems', renderProblems()],
    ['subscription-statuses', renderStatuses()],
    ['subscription-outcomes', renderOutcomes()],
    ['stripe-events', renderList(STRIPE_EVENTS, ({ meaning }) => meaning)],
    ['event-outcomes', renderList(EVENT_OUTCOMES, (meaning) => meaning)],
    ['session-refusals', renderList(SESSION_REFUSALS, ({ meaning }) => meaning)],
    ['drift-causes', renderDriftCauses()],
    ['variables', renderVariables()],
  ]);
}

type Leaf = { readonly name: string; readonly command: Command };

/** Returns the commands that run something, with their full names. */
function leavesOf(program: Command, prefix = `${program.name()} `): Leaf[] {
  return program.commands.flatMap((command) => {
    const name = `${prefix}${command.name()}`;
    return command.commands.length > 0 ? leavesOf(command, `${name} `) : [{ name, command }];
  });
}

function renderCommands(leaves: readonly Leaf[]): string {
  return leaves.map(({ name, command }) => `- ${code(name)}: ${command.description()}`).join('\n');
}

/** Lists each option once, with the commands that take it. */
function renderOptions(leaves: readonly Leaf[]): string {
  const options = new Map<string, { option: Option; takers: string[] }>();
  for (const { name, command } of leaves) {
    const shortName = name.slice(name.indexOf(' ') + 1);
    for (const option of command.options) {
      const key = `${option.flags}\n${option.description}`;
      options.set(key, { option, takers: [...(options.get(key)?.takers ?? []), shortName] });
    }
  }
  const lines = [...options.values()].map(({ option, takers }) => {
    const by = takers.length === leaves.length ? 'all commands' : takers.join(', ');
    return `- ${code(option.flags)} (${by}): ${option.description}`;
  });
  return lines.join('\n');
}

function renderExitCodes(codes: Readonly<Record<string, { code: number; meaning: string }>>): string {
  return Object.entries(codes)
    .map(([name, each]) => `- ${String(each.code)} ${code(name)}: ${each.meaning}`)
    .join('\n');
}

function renderMetrics(): string {
  return table(
    ['metric', 'unit', 'chains'],
    Object.entries(METRICS).map(([name, { unit, chains }]) => [
      code(name),
      unit,
      chains.length === CHAIN_IDS.length ? 'all' : chains.join(', '),
    ]),
  );
}

function renderInputLimits(): string {
  const rows = Object.values(INPUT_LIMITS).map(({ of, max, unit }) => [of, `${formatWhole(max)} ${unit}`]);
  return table(['limit of', 'at most'], rows);
}

function renderPlans(): string {
  const rows = Object.entries(PLANS).map(([id, plan]) => [
    code(id),
    plan.chains === 'all' ? 'all' : 'one',
    plan.windows.join(', '),
    yesNo(plan.archive),
    plan.briefs === 'all' ? 'all' : 'latest',
    `$${priceWords(plan.monthlyCents)}`,
  ]);
  return table(
    ['plan', 'chains', 'bundles', 'manifests, volumes, day files, revisions', 'briefs', 'a month'],
    rows,
  );
}

function renderProblems(): string {
  return renderList(PROBLEMS, ({ status, meaning }) => `${String(status)}. ${meaning}`);
}

function renderStatuses(): string {
  return renderList(STATUSES, ({ access, meaning }) => `access: ${access}. ${meaning}`);
}

function renderOutcomes(): string {
  return renderList(
    OUTCOMES,
    ({ grantsAccess, alerts, meaning }) =>
      `${grantsAccess ? 'access' : 'no access'}${alerts ? ', alert' : ''}. ${meaning}`,
  );
}

function renderDriftCauses(): string {
  return renderList(
    DRIFT_CAUSES,
    ({ isRepairable, meaning }) =>
      `${isRepairable ? 'repaired' : 'not repaired'} by ${code('--apply')}. ${meaning}`,
  );
}

function renderVariables(): string {
  return variableRows()
    .map(([name = '', fallback = '', meaning = '']) => {
      const value = fallback === 'required' || fallback === 'none' ? fallback : `default ${code(fallback)}`;
      return `- ${code(name)} (${value === 'none' ? 'optional' : value}): ${meaning}`;
    })
    .join('\n');
}

function renderList<V>(entries: Readonly<Record<string, V>>, describe: (value: V) => string): string {
  return Object.entries(entries)
    .map(([name, value]) => `- ${code(name)}: ${describe(value)}`)
    .join('\n');
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
