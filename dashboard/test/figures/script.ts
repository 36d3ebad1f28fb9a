import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

export const DIST = join(import.meta.dirname, '../../dist')

const PAGE = 'index.html'

interface Part {
  file: string
  imports?: string[]
}

/** The files that the browser loads before it runs these entries, each one once. */
export function filesOf(names: readonly string[]): Set<string> {
  const parts = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Part>
  const files = new Set<string>()
  const add = (name: string) => {
    const part = parts[name]
    if (!part || files.has(part.file)) return
    files.add(part.file)
    for (const other of part.imports ?? []) add(other)
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

/** Gzipped script of a page beyond that of the first one, kB, with what else of the build it uses. */
export const pageKilobytes = (name: string, ...used: string[]): number => {
  const first = filesOf(FIRST)
  return rounded(kilobytes([...filesOf([name, ...used])].filter((file) => !first.has(file))))
}

const FIRST = ['index.html', 'src/messages/en.ts', 'src/app/signed-in.tsx'] as const

/** What an editor loads to check its input: the checks, and the largest schema. */
const CHECKS = ['src/lib/faults.ts', 'src/lib/bodies/monitors.ts'] as const

/** Gzipped script of the sign-in, of the overview, and of the largest further page with what it loads when it is used, kB. */
export function scriptKilobytes(): { signIn: number; overview: number; largestPage: { name: string; kilobytes: number } } {
  const first = filesOf(FIRST)
  const pages = pagesOfRoutes().map((name) => ({
    name,
    // The schema of a monitor is the largest one.
    kilobytes: name.endsWith('editor-page.tsx') ? pageKilobytes(name, ...CHECKS) : pageKilobytes(name),
  }))
  const [largestPage] = pages.toSorted((one, other) => other.kilobytes - one.kilobytes)
  if (!largestPage) throw new Error('the build has no pages')
  return {
    signIn: rounded(kilobytes(filesOf(['index.html', 'src/messages/en.ts']))),
    overview: rounded(kilobytes(first)),
    largestPage,
  }
}

const rounded = (value: number): number => Math.round(value * 10) / 10
