import { withMinusSigns } from '../../schemas/words.js';

it.each([
  ['-0.72', '−0.72'],
  ['low at -1, normal within ±0.5', 'low at −1, normal within ±0.5'],
  ['(-3.2 %)', '(−3.2 %)'],
])('%s is written %s', (text, shown) => expect(withMinusSigns(text)).toBe(shown));

it.each(['2023-05-20', '2023-05-20.000001', 'v-1', 'x.-1', 'a - 1', '72-column'])('%s stays', (text) => {
  expect(withMinusSigns(text)).toBe(text);
});
