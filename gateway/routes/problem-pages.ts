import type { Router } from 'express';
import { problemPath, PROBLEMS, type ProblemCode } from '../core/problems.js';
import { contextOf } from '../http/request-context.js';
import { beginRoute, createRouter } from '../http/route.js';

/** Returns routes for the problem pages that a release lacks: the `type` of a problem is never a 404. */
export function createProblemPagesRouter(): Router {
  const begin = beginRoute({ template: problemPath('{code}'), methods: ['GET'], origins: '*' });
  const router = createRouter();
  for (const code of Object.keys(PROBLEMS) as ProblemCode[]) /* Object.keys loses the key type */ {
    const page = Buffer.from(toPage(code));
    router
      .route(problemPath(code))
      .all(...begin)
      .get((_req, res) => {
        contextOf(res).decision = 'sent';
        res.writeHead(200, {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Length': page.length,
          'Cache-Control': 'public, max-age=300',
        });
        res.end(page);
      });
  }
  return router;
}

function toPage(code: ProblemCode): string {
  const { status, title, meaning } = PROBLEMS[code];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${status} ${code}: ${title}</title>
<h1>${title}</h1>
<p>Problem <code>${code}</code>, HTTP status ${status}.</p>
<p>${meaning}</p>
</html>
`;
}
