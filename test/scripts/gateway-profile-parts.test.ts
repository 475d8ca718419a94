import { groupProfile, type CpuProfile } from '../../scripts/bench/gateway-profile-parts.js';

const node = (id: number, functionName: string, url: string, ...children: number[]) => ({
  id,
  callFrame: { functionName, url },
  children,
});

/** A request that is answered, logged and signed, and a while of rest. */
const PROFILE: CpuProfile = {
  nodes: [
    node(1, '(root)', '', 2, 6, 7, 8),
    node(2, 'onRequest', 'node:_http_server', 3, 9),
    node(3, 'answer', 'file:///work/dist/gateway/routes/files.js', 4),
    node(4, 'presign', 'file:///work/dist/gateway/core/sigv4.js', 5),
    node(5, 'digest', ''),
    node(6, '(idle)', ''),
    node(7, '(garbage collector)', ''),
    node(8, 'write', 'node:fs'),
    node(9, 'writev', ''),
  ],
  samples: [2, 3, 4, 5, 6, 7, 8, 9],
  timeDeltas: [1, 2, 4, 8, 16, 32, 64, 128],
};

describe('the parts of a profile', () => {
  const times = Object.fromEntries(groupProfile(PROFILE).map(({ name, selfUs }) => [name, selfUs]));

  it('go by the file of a function, and what has no file counts to its caller', () => {
    expect(times).toEqual({
      'http of Node': 1 + 128,
      log: 64,
      'garbage collector': 32,
      sign: 4 + 8,
      routes: 2,
    });
  });

  it('come with the slowest first, and so do their functions', () => {
    const parts = groupProfile(PROFILE);
    expect(parts.map(({ name }) => name)[0]).toBe('http of Node');
    expect(parts[0]?.functions.map(({ selfUs }) => selfUs)).toEqual([128, 1]);
  });

  it('leave out the time in which nothing was done', () => {
    expect(Object.values(times).reduce((sum, each) => sum + each, 0)).toBe(255 - 16);
  });
});
