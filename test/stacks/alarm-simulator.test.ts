import { simulateAlarm } from '../support/aws/alarm-simulator.js';
import { evaluateExpression } from '../support/aws/metric-expression.js';

const ALARM = {
  AlarmName: 'a',
  MetricName: 'm',
  Statistic: 'Sum',
  Period: 3600,
  Threshold: 0,
  ComparisonOperator: 'GreaterThanThreshold',
  EvaluationPeriods: 3,
  AlarmActions: [],
  OKActions: [],
};

/** Returns true if the last evaluation of the data points raises the alarm: X is above the threshold, 0 not, - is missing. */
function isRaised(points: string, properties: object, state: 'ALARM' | 'OK' = 'OK'): boolean {
  const before = state === 'ALARM' ? 'XXXXX' : '00000';
  const signs = Array.from(before + points);
  const m = signs.flatMap((sign, hour) =>
    sign === '-' ? [] : [{ minute: hour * 60, value: sign === 'X' ? 1 : 0 }],
  );
  const options = { minutes: signs.length * 60, placement: { isAligned: true, extraPeriods: 2 } };
  return simulateAlarm({ ...ALARM, ...properties }, { m }, options).at(-1)?.state === 'ALARM';
}

// Source: "Configuring how CloudWatch alarms treat missing data", CloudWatch User Guide.
it.each([
  ['0-X-X', { breaching: false, notBreaching: false, ignore: false }],
  ['----0', { breaching: false, notBreaching: false, ignore: false }],
  ['-----', { breaching: true, notBreaching: false, ignore: false }],
  ['0XX-X', { breaching: true, notBreaching: true, ignore: true }],
  ['--X--', { breaching: true, notBreaching: false, ignore: false }],
])('3 of 3 data points, %s', (points, expected) => {
  for (const [TreatMissingData, raised] of Object.entries(expected))
    expect([TreatMissingData, isRaised(points, { TreatMissingData })]).toEqual([TreatMissingData, raised]);
});

it('2 of 3 data points raise an alarm in any order', () => {
  const properties = { DatapointsToAlarm: 2, TreatMissingData: 'notBreaching' };
  for (const points of ['00XX0', '00X0X', '000XX']) expect(isRaised(points, properties)).toBe(true);
  for (const points of ['XX00X', '0000X', '-----']) expect(isRaised(points, properties)).toBe(false);
});

it('an ignored gap keeps the state', () => {
  const ignore = { TreatMissingData: 'ignore' };
  expect(isRaised('-----', ignore, 'ALARM')).toBe(true);
  expect(isRaised('-----', { TreatMissingData: 'notBreaching' }, 'ALARM')).toBe(false);
  expect(isRaised('----0', ignore, 'ALARM')).toBe(false);
});

it('metric math has precedence, comparisons, IF and FILL', () => {
  const values = { failed: 5, all: 400, none: undefined };
  expect(evaluateExpression('1 + 2 * 3 - 4 / 2', {})).toBe(5);
  expect(evaluateExpression('IF(all >= 100, 100 * failed / all, 0)', values)).toBe(1.25);
  expect(evaluateExpression('FILL(none, 0) + FILL(failed, 0)', values)).toBe(5);
  expect(evaluateExpression('none + failed', values)).toBeUndefined();
  expect(evaluateExpression('IF(none > 0, 1, 2)', values)).toBeUndefined();
  expect(() => evaluateExpression('MAX(failed)', values)).toThrow('unsupported function');
});
