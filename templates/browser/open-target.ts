/** Opens the closed part of the page with the target of its address, in browsers that do not do it themselves. */
export function openTarget(): void {
  const open = (): void => {
    const target = document.getElementById(decoded(location.hash.slice(1)));
    const details = target?.closest('details') ?? null;
    if (details === null || details.open) return;
    details.open = true;
    target?.scrollIntoView();
  };
  addEventListener('hashchange', open);
  open();
}

/** Returns an id as it is written in a page. One that is not encoded correctly is returned as it is. */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
