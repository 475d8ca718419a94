import { compileClaimTemplate } from '../../../../generator/core/text/text-template.js';

describe('compileClaimTemplate', () => {
  it('inserts values by name', () => {
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
  ])('throws for a template with anything but values: %s', (source) => {
    expect(() => compileClaimTemplate(source)).toThrow('a claim may only contain text');
  });

  it('throws when a value is missing', () => {
    expect(() => compileClaimTemplate('{{a}}')({})).toThrow('the claim needs a value for "a"');
  });
});
