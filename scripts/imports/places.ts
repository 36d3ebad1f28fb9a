/** Folders of `src` that only group: what stands in one counts as if it stood in `src` itself. */
const WINGS: ReadonlySet<string> = new Set([
  'hosts',
  'monitoring',
  'alerting',
  'notifying',
  'pages',
  'access',
  'operating',
  'querying',
])

/** What stands in a `src` itself: entry points, and folders other than wings. */
const PLACES: Readonly<Record<string, { files: readonly string[]; folders: readonly string[] }>> = {
  // The program made of its features. No folder: its index would load all of them, and most commands need few.
  backend: {
    files: [
      'main.ts',
      'start.ts',
      'features.ts',
      'app.ts',
      'app-context.ts',
      'jobs.ts',
      'job-context.ts',
      'start-jobs.ts',
      'partitions.ts',
    ],
    folders: ['platform'],
  },
  shared: { files: ['index.ts', 'tables.ts', 'secret-fields.ts'], folders: ['wire', 'test'] },
  agent: {
    files: ['main.ts', 'agent.ts', 'loop.ts', 'version.ts', 'contract.test.ts', 'loop.test.ts'],
    folders: [
      'certificates',
      'commands',
      'config',
      'entities',
      'exporter',
      'facts',
      'process',
      'push',
      'samplers',
      'spool',
      'update',
    ],
  },
}

/** The parts of a path below a `src`; a wing and what stands in it are one part: `access/auth`, `routes.ts`. */
export function partsOf(path: string): string[] {
  const [first = '', second, ...deeper] = path.split('/')
  return second !== undefined && WINGS.has(first) ? [`${first}/${second}`, ...deeper] : path.split('/')
}

/** The feature of a file of the backend: its wing and folder, or its folder below `src`. */
export function featureOf(path: string): string | undefined {
  const below = /^backend\/src\/(.+)$/.exec(path)?.[1]
  const [feature, ...rest] = below === undefined ? [] : partsOf(below)
  return rest.length > 0 ? feature : undefined
}

/** Why no file may stand here; undefined: it may. */
export function placeFault(path: string): string | undefined {
  const [, pkg = '', below = ''] = /^(\w+)\/src\/(.+)$/.exec(path) ?? []
  const place = PLACES[pkg]
  if (!place) return undefined
  const [first = '', ...deeper] = below.split('/')
  if (deeper.length === 0)
    return place.files.includes(first)
      ? undefined
      : `only ${place.files.join(', ')} stand in ${pkg}/src: move it to the folder of its noun, or list it in places.ts`
  if (place.folders.includes(first)) return undefined
  if (pkg === 'agent' || !WINGS.has(first))
    return `${first} is no folder of ${pkg}/src: move it into a wing, or list it in places.ts`
  if (pkg === 'backend' && deeper.length === 1)
    return 'a wing of the backend has features and no files of its own: move it into a feature'
  return undefined
}
