import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  isProvablyDead,
  readOwnIdentity,
  type ProcessIdentity,
} from '../../../../infra/store/directory/process-identity.js';

describe('a process is provably dead', () => {
  let own: ProcessIdentity;
  beforeAll(async () => {
    own = await readOwnIdentity();
  });

  it('if this host has no process with its pid', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    expect(await isProvablyDead({ ...own, pid: child.pid ?? -1 })).toBe(true);
  });

  it('if a process that started at another time has its pid', async () => {
    expect(await isProvablyDead({ ...own, start: '1' })).toBe(true);
  });

  it('if this host has rebooted since', async () => {
    expect(await isProvablyDead({ ...own, boot: 'another boot' })).toBe(true);
  });

  it('but not while it runs', async () => {
    expect(await isProvablyDead(own)).toBe(false);
  });

  it('but not if it is on another host', async () => {
    expect(await isProvablyDead({ ...own, host: 'another-host', boot: 'another boot', start: '1' })).toBe(
      false,
    );
  });

  it.each(['start', 'boot'] as const)(
    'but not if its pid is in use and its %s is unknown',
    async (member) => {
      expect(await isProvablyDead({ ...own, [member]: '' })).toBe(false);
    },
  );
});
