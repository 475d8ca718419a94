import { comparePlaces } from '../../../infra/store/compare-places.js';

it.each([
  ['same', 'file:/data', 'file:/data'],
  ['same', 's3://bucket/a?region=eu-west-1', 's3://bucket/a/?region=us-east-1'],
  ['same', 's3://bucket?endpoint=http://a', 's3://bucket/?endpoint=http://a&path-style=true'],
  ['nested', 'file:/data', 'file:/data/copy'],
  ['nested', 's3://bucket', 's3://bucket/copy'],
  ['nested', 's3://bucket/a', 's3://bucket/a/b/c'],
  ['apart', 'file:/data', 'file:/data2'],
  ['apart', 'file:/data/a', 'file:/data/b'],
  ['apart', 's3://bucket/a', 's3://bucket/ab'],
  ['apart', 's3://bucket', 's3://bucket2'],
  ['apart', 's3://bucket?endpoint=http://a', 's3://bucket?endpoint=http://b'],
])('two stores are %s: %s and %s', (place, one, other) => {
  expect([comparePlaces(one, other), comparePlaces(other, one)]).toEqual([place, place]);
});
