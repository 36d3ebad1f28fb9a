import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

export const DIST = join(import.meta.dirname, '../../dist')

const PAGE = 'index.html'

interface Part {
  file: string
  imports?: string[]
  dynamicImports?: string[]
}

/** The files that the browser loads before it runs these entries, each one once, after those that are `loaded`. */
export function filesOf(
  names: readonly string[],
  follows: (dynamicImport: string) => boolean = () => false,
  loaded: ReadonlySet<string> = new Set(),
): Set<string> {
  const parts = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Part>
  const files = new Set(loaded)
  const add = (name: string) => {
    const part = parts[name]
    if (!part || files.has(part.file)) return
    files.add(part.file)
    for (const other of part.imports ?? []) add(other)
    for (const other of part.dynamicImports ?? []) if (follows(other)) add(other)
  }
  for (const name of names) if (name !== PAGE) add(name)
  // The build puts what the first page imports into the page itself.
  if (names.includes(PAGE))
    for (const [, file = ''] of readFileSync(join(DIST, PAGE), 'utf8').matchAll(/<script type="module"[^>]* src="\/([^"]+)"/g))
      for (const [name, part] of Object.entries(parts)) if (part.file === file) add(name)
  return files
}

export const kilobytes = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length, 0) / 1_000

const ROUTER = join(import.meta.dirname, '../../src/app/router.tsx')

/** The entries of the pages that the table of routes loads, each one once, as the manifest names them. */
export const pagesOfRoutes = (): string[] => [
  ...new Set(
    [...readFileSync(ROUTER, 'utf8').matchAll(/import\('(\.[^']+)'\)/g)].map(([, path = '']) =>
      path.startsWith('../') ? path.replace('../', 'src/') : path.replace('./', 'src/app/'),
    ),
  ),
]

const FIRST = ['index.html', 'src/messages/en.ts', 'src/app/signed-in.tsx'] as const

/** Gzipped script beyond that of the first page, kB. */
export const furtherKilobytes = (...names: string[]): number => beyondFirst(filesOf(names))

const beyondFirst = (files: ReadonlySet<string>): number => {
  const first = filesOf(FIRST)
  return rounded(kilobytes([...files].filter((file) => !first.has(file))))
}

/** What pages load after they have opened, and when. */
export const LATER: Readonly<Record<string, string>> = {
  'src/components/managed-note.tsx': 'the resource is managed',
  'src/components/overwrite-question.tsx': 'something that is managed is saved',
  'src/components/undo-last.ts': 'a change is undone by its toast',
  'src/components/chart/plot.ts': 'a chart has its figures',
  'src/features/incidents/details-aside.tsx': 'a row is opened next to the list',
  'src/features/monitors/details-aside.tsx': 'a row is opened next to the list',
  'src/features/servers/details-aside.tsx': 'a row is opened next to the list',
  'src/features/servers/entities/entity-tab.tsx': 'the first tab is on display',
  'src/features/servers/entities/entity-panel.tsx': 'a row of a tab is opened',
  'src/features/monitors/composites/editor.tsx': 'the kind of groups is chosen',
  'src/features/monitors/composites/panel.tsx': 'the monitor is a composite',
  'src/features/monitors/ping-calendar.tsx': 'the monitor is a heartbeat',
  'src/features/monitors/proposals/index.ts': 'something is typed or pasted',
  'src/components/documentation.tsx': 'people say something about the resource',
  'src/components/reclassified-note.tsx': 'an interval is reclassified',
  'src/features/monitors/active-hours-panel.tsx': 'the monitor has active hours',
  'src/components/documentation-fields.tsx': 'the form is on display',
  'src/features/monitors/active-hours-fields.tsx': 'the form is on display',
  'src/components/hours-fields.tsx': 'the active hours of a monitor are opened',
  'src/features/monitors/plain-faults.ts': 'a form is changed',
  'src/features/monitors/network-options.tsx': 'the options for the network are opened',
  'src/lib/faults.ts': 'a form is changed',
  'src/features/monitors/steps-editor.tsx': 'the kind of several requests is chosen',
}

/**
 * Gzipped script of a page beyond that of the first one when it opens, kB: what it imports, the texts of a language for which it waits, and
 * the parts that it loads itself.
 */
export function pageKilobytes(name: string, language = 'en'): number {
  const first = filesOf(FIRST)
  const follows = (dynamic: string) => {
    const [, ofLanguage = language] = /^src\/messages\/(\w+)\//.exec(dynamic) ?? []
    return ofLanguage === language && !(dynamic in LATER)
  }
  return beyondFirst(filesOf([name], follows, first))
}

/** Gzipped script of the sign-in, of the overview, and of the largest further page, kB. */
export function scriptKilobytes(): { signIn: number; overview: number; largestPage: { name: string; kilobytes: number } } {
  const first = filesOf(FIRST)
  const pages = pagesOfRoutes().map((name) => ({ name, kilobytes: pageKilobytes(name) }))
  const [largestPage] = pages.toSorted((one, other) => other.kilobytes - one.kilobytes)
  if (!largestPage) throw new Error('the build has no pages')
  return {
    signIn: rounded(kilobytes(filesOf(['index.html', 'src/messages/en.ts']))),
    overview: rounded(kilobytes(first)),
    largestPage,
  }
}

const rounded = (value: number): number => Math.round(value * 10) / 10
