import { pino } from 'pino';
import { createSessionVerifier } from '../../../../gateway/io/identity/session-verifier.js';
import { startIdentityProvider } from '../../../support/gateway/identity-provider.js';

it('logs why a token was refused, each reason at most once a minute', async () => {
  let nowMs = 1_800_000_000_000;
  const provider = await startIdentityProvider(() => nowMs);
  const lines: { readonly msg: string; readonly code?: string; readonly reason?: string }[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const { issuer, jwksUrl, audience } = provider;
  const settings = { jwks: { kind: 'url', url: jwksUrl }, issuer, audience } as const;
  const sessions = createSessionVerifier(settings, { fetch, now: () => nowMs, logger });
  const refuse = async (claims: object): Promise<void> => {
    const token = await provider.sign({ claims });
    await expect(sessions?.authenticate(`Bearer ${token}`)).rejects.toMatchObject({
      code: 'session-invalid',
    });
  };
  await refuse({ aud: 'other' });
  await refuse({ aud: 'other' });
  await refuse({ iss: 'https://other.example' });
  const reasons = ['unexpected "aud" claim value', 'unexpected "iss" claim value'];
  expect(lines.map(({ reason }) => reason)).toEqual(reasons);
  expect(lines.map(({ code }) => code)).toEqual(['audience', 'issuer']);
  expect(lines[0]?.msg).toContain('refused a session token');
  nowMs += 60_000;
  await refuse({ aud: 'other' });
  expect(lines).toHaveLength(3);
  await provider.dispose();
});
