/** Folders of `src` that only group: what stands in one counts as if it stood in `src` itself. */
const WINGS: ReadonlySet<string> = new Set(['hosts', 'monitoring', 'alerting', 'notifying', 'pages', 'access', 'operating'])

/** The parts of a path below a `src`; a wing and what stands in it are one part: `access/auth`, `routes.ts`. */
export function partsOf(path: string): string[] {
  const [first = '', second, ...deeper] = path.split('/')
  return second !== undefined && WINGS.has(first) ? [`${first}/${second}`, ...deeper] : path.split('/')
}

/** The feature of a file of the backend: its folder below `src`, or below a wing. */
export function featureOf(path: string): string | undefined {
  const below = /^backend\/src\/(.+)$/.exec(path)?.[1]
  const [feature, ...rest] = below === undefined ? [] : partsOf(below)
  return rest.length > 0 ? feature : undefined
}
