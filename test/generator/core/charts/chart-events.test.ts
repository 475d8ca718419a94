import table from '../../../../schemas/chart-events.json' with { type: 'json' };
import { eventsOf } from '../../../../generator/core/charts/chart-events.js';
import { CHAIN_IDS } from '../../../../schemas/catalog.js';
import { parseDate } from '../../../../schemas/dates.js';
import { findSchemaFaults } from '../../../../schemas/validate.js';

it('is valid, ascending, without duplicates, and has only dates that exist', () => {
  expect(findSchemaFaults('chart-events', table)).toEqual([]);
  const keys = table.events.map(({ date, words }) => `${date} ${words}`);
  expect(keys).toEqual([...new Set(keys)].sort());
  expect(table.events.filter(({ date }) => parseDate(date) === undefined)).toEqual([]);
});

it('has events of every chain, and shows those of the chains that are asked for', () => {
  for (const chain of CHAIN_IDS) expect(eventsOf([chain]).length).toBeGreaterThan(0);
  expect(eventsOf(['base']).map(({ words }) => words)).toEqual(['Opened to everyone', 'Dencun']);
  expect(eventsOf(['base', 'arbitrum']).filter(({ words }) => words === 'Dencun')).toHaveLength(1);
});

it('names the chain of an event that is not of all chains beside each other', () => {
  const words = (...chains: Parameters<typeof eventsOf>[0]): string[] =>
    eventsOf(chains).map((each) => each.words);
  expect(words('base', 'ethereum')).toContain('The Merge (Ethereum)');
  expect(words('base', 'ethereum')).toContain('Dencun');
  expect(words('ethereum', 'ethereum')).toEqual(words('ethereum'));
});
