import { problemPath, PROBLEMS, type ProblemCode } from '../core/problems.js';
import type { Endpoint } from './endpoint.js';
import { exchangeOf } from './exchange.js';
import { reply } from './reply.js';

/** The pages by their paths, made from the table of problems. */
const PAGES: ReadonlyMap<string, Buffer> = new Map(
  (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => [problemPath(code), Buffer.from(toPage(code))]), // keys of a closed literal
);

/** The pages about the problems, in case that no release has them: what a problem names is never absent. */
export function problemPagesEndpoint(): Endpoint {
  return {
    template: '/problems/{code}',
    has: (path) => PAGES.has(path),
    crossOrigin: { origins: '*', headers: [] },
    answers: {
      GET(_req, res) {
        const exchange = exchangeOf(res);
        const page = PAGES.get(exchange.path) ?? Buffer.alloc(0);
        exchange.decision = 'sent';
        const headers = {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Length': page.length,
          'Cache-Control': 'public, max-age=300',
        };
        reply(res, 200, headers, page);
      },
    },
  };
}

function toPage(code: ProblemCode): string {
  const { status, title, meaning } = PROBLEMS[code];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${status} ${code}: ${title}</title>
<h1>${title}</h1>
<p>Problem <code>${code}</code>, HTTP status ${status}.</p>
<p>${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.</p>
</html>
`;
}
