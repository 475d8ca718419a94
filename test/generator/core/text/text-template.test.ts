import { compileTextTemplate } from '../../../../generator/core/text/text-template.js';

it('a text template fails when it names a missing value, and escapes nothing', () => {
  expect(() => compileTextTemplate('{{nothing}}')({})).toThrow(/nothing/);
  expect(compileTextTemplate('{{value}}')({ value: `<&">'` })).toBe(`<&">'`);
});
