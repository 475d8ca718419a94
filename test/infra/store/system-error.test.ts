import { toStoreError } from '../../../infra/store/system-error.js';

const errorOf = (code: string, syscall: string): Error =>
  Object.assign(new Error('failed'), { code, syscall, path: '/data/x' });

describe('the error of a directory store', () => {
  it.each([
    ['ENOSPC', 'write', 'write /data/x: ENOSPC: the disk is full. Free some space and run again.'],
    ['EPERM', 'open', 'open /data/x: EPERM: operation not permitted. Grant this user read and write access.'],
    ['ELOOP', 'open', 'open /data/x: ELOOP: the store cannot be used. Fix the cause and run again.'],
  ])('has a remedy for %s of %s', (code, syscall, message) => {
    expect(toStoreError(errorOf(code, syscall), '/data')).toMatchObject({ code: 'unavailable', message });
  });

  it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])(
    'says that hard links are needed when link() fails with %s',
    (code) => {
      expect(toStoreError(errorOf(code, 'link'), '/data')).toMatchObject({
        message: `link /data/x: ${code}: the file system has no hard links, which a store needs. Use one that has.`,
      });
    },
  );

  it('is unchanged if it is not a system error', () => {
    const error = new Error('a bug');
    expect(toStoreError(error, '/data')).toBe(error);
  });
});
