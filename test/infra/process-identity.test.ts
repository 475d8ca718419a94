import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isProvablyDead, readOwnIdentity, type ProcessIdentity } from '../../infra/store/process-identity.js';

describe('a process is provably dead', () => {
  let own: ProcessIdentity;
  beforeAll(async () => {
    own = await readOwnIdentity();
  });

  it('when this host has no process of its id', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    expect(await isProvablyDead({ ...own, pid: child.pid ?? -1 })).toBe(true);
  });

  it('when its id belongs to a process that started at another time', async () => {
    expect(await isProvablyDead({ ...own, start: '1' })).toBe(true);
  });

  it('when this host was started again since', async () => {
    expect(await isProvablyDead({ ...own, boot: 'another boot' })).toBe(true);
  });

  it('but not while it runs', async () => {
    expect(await isProvablyDead(own)).toBe(false);
  });

  it('but not on another host, whatever is known of it', async () => {
    expect(await isProvablyDead({ ...own, host: 'another-host', boot: 'another boot', start: '1' })).toBe(
      false,
    );
  });

  it.each(['start', 'boot'] as const)(
    'but not when its id is in use and its %s is unknown: to know nothing is no proof',
    async (member) => {
      expect(await isProvablyDead({ ...own, [member]: '' })).toBe(false);
    },
  );
});
