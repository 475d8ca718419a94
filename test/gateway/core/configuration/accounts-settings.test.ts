import { parseAccountsSettings } from '../../../../gateway/core/configuration/accounts-settings.js';
import { VARIABLE_NAMES, variableOf } from '../../../../gateway/core/configuration/variables.js';

const ADDRESS = 'file:/data/accounts';

describe('the settings of the commands that work on accounts', () => {
  it('accept an environment in which each secret is in a file, as the gateway does', () => {
    const secrets = VARIABLE_NAMES.filter((name) => variableOf(name).isSecret);
    const env = Object.fromEntries(secrets.map((name) => [`${name}_FILE`, `/run/secrets/${name}`]));
    expect(secrets.length).toBeGreaterThan(0);
    expect(
      parseAccountsSettings({ ...env, CRD_ACCOUNTS_STORE: ADDRESS, CRD_KEY_MODE: 'test' }, undefined),
    ).toEqual({ address: ADDRESS, mode: 'test', s3: { pathStyle: false } });
  });

  it.each(['CRD_STORE_FILE', 'CRD_TYPO', 'CRD_TYPO_FILE'])('refuse the unknown variable %s', (name) => {
    expect(() => parseAccountsSettings({ [name]: 'x', CRD_KEY_MODE: 'test' }, ADDRESS)).toThrow(
      `${name}: unknown variable. Correct its name or unset it.`,
    );
  });
});
