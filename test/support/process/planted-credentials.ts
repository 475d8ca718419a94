/** Puts AWS credentials into the environment. Returns a function that restores it. */
export function plantCredentials(): () => void {
  const planted = { AWS_ACCESS_KEY_ID: 'AKIAPLANTED', AWS_SECRET_ACCESS_KEY: 'planted' };
  const before = { ...process.env };
  Object.assign(process.env, planted);
  return () => {
    for (const name of Object.keys(planted)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, before);
  };
}
