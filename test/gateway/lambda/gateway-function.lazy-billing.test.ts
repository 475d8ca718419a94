import { createLazyBilling } from '../../../gateway/lambda/gateway-function.js';
import type { BillingPort } from '../../../gateway/io/billing/billing-port.js';

const URL = 'https://dashboard.example.com/';
const EVENT = { body: Buffer.from('{}'), signature: undefined };
const billing = {
  createPortal: (customer: string, _returnTo: string) => Promise.resolve(`portal of ${customer}`),
  verifyEvent: () => 'an event',
} as unknown as BillingPort; // the other members are not called

describe('lazy billing', () => {
  it('is loaded once, on the first call', async () => {
    let loads = 0;
    const { port } = createLazyBilling(() => ((loads += 1), Promise.resolve(billing)));
    expect(loads).toBe(0);
    const both = await Promise.all([port.createPortal('cus_1', URL), port.createPortal('cus_2', URL)]);
    expect([both, loads]).toEqual([['portal of cus_1', 'portal of cus_2'], 1]);
  });

  it('is loaded again after a failure', async () => {
    const opened = [Promise.reject(new Error('no secret')), Promise.resolve(billing)];
    const { load } = createLazyBilling(() => opened.shift() ?? Promise.resolve(billing));
    await expect(load()).rejects.toThrow('no secret');
    expect(await load()).toBe(billing);
  });

  it('verifies events only once it is loaded', async () => {
    const { port, load } = createLazyBilling(() => Promise.resolve(billing));
    expect(() => port.verifyEvent(EVENT.body, EVENT.signature)).toThrow('call load before verifyEvent');
    await load();
    expect(port.verifyEvent(EVENT.body, EVENT.signature)).toBe('an event');
  });
});
