import { compileClaimTemplate } from '../../../generator/core/text/claim-template.js';

it('puts values where they are named', () => {
  const claim = compileClaimTemplate('{{subject}} was {{value}}, and {{value}} again.');
  expect(claim({ subject: 'It', value: '7 <&"' })).toBe('It was 7 <&", and 7 <&" again.');
});

it.each([
  '{{#each days}}x{{/each}}',
  '{{#if a}}x{{/if}}',
  '{{> part}}',
  '{{a.b}}',
  '{{{a}}}{{#a}}{{/a}}',
  '{{! a comment }}x',
])('takes no sentence that does more: %s', (source) => {
  expect(() => compileClaimTemplate(source)).toThrow('not a plain sentence');
});

it('does not say what it lacks', () => {
  expect(() => compileClaimTemplate('{{a}}')({})).toThrow('"a" is not among the values');
});
