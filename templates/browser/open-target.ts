/** Opens the closed part of the page with the target of its address, in browsers that do not do it themselves. */
export function openTarget(): void {
  const open = (): void => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const details = target?.closest('details') ?? null;
    if (details === null || details.open) return;
    details.open = true;
    target?.scrollIntoView();
  };
  addEventListener('hashchange', open);
  open();
}
