/** Returns a plain page of a service that belongs only to the demo and tests. `body` is HTML. */
export function toPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Chain reference data (demo)</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif; }
body { max-width: 32rem; margin: 3rem auto; padding: 0 1rem; }
button, input { font: inherit; padding: 0.5rem 1rem; }
form { display: inline-block; margin: 0 0.5rem 0.5rem 0; }
</style>
</head>
<body>
<p>Chain reference data (demo)</p>
<h1>${title}</h1>
${body}
</body>
</html>
`;
}
