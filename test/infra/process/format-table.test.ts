import { formatTable } from '../../../infra/process/format-table.js';

it('formatTable aligns text to the left and numbers to the right, and pads by display width', () => {
  const rows = [
    ['bitcoin', 5, 'first'],
    ['日本', 120, ''],
  ];
  expect(formatTable(['chain', 'days', 'note'], rows)).toBe(
    ['chain    days  note', 'bitcoin     5  first', '日本      120'].join('\n'),
  );
});
