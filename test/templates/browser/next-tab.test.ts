import { nextTab } from '../../../templates/browser/next-tab.js';

it.each([
  ['ArrowRight', 0, 1],
  ['ArrowRight', 2, 0],
  ['ArrowLeft', 1, 0],
  ['ArrowLeft', 0, 2],
  ['Home', 2, 0],
  ['End', 0, 2],
  ['Tab', 0, undefined],
  ['a', 1, undefined],
] as const)('%s on tab %i of three leads to %s', (key, index, expected) => {
  expect(nextTab(key, index, 3)).toBe(expected);
});
