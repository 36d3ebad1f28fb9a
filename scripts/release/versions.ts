import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Packages of the workspace below `root` whose version differs from the newest entry in CHANGELOG.md. */
export function versionFaults(root: string): string[] {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const [, newest = 'none', date = ''] = /^## \[([^\]]+)\](?: - (\S+))?/m.exec(read('CHANGELOG.md')) ?? []
  const isVersion = /^\d+\.\d+\.\d+$/.test(newest)
  const faults = isVersion ? [] : [`the newest entry of CHANGELOG.md is ${newest}, no version`]
  if (isVersion && !/^\d{4}-\d{2}-\d{2}$/.test(date)) faults.push(`the entry ${newest} of CHANGELOG.md has no date`)
  const packages = ['package.json', ...globSync('*/package.json', { cwd: root })]
    .map((path) => [path, (JSON.parse(read(path)) as { version?: string }).version] as const)
    // Packages that are never published may have no version.
    .filter(([path, version]) => version !== undefined || path === 'package.json')
  const programs = ['backend/src/platform/version.ts', 'agent/src/version.ts'].map(
    (path) => [path, /VERSION = '([^']+)'/.exec(read(path))?.[1]] as const,
  )
  const wanted = isVersion ? newest : packages[0]?.[1]
  const others = [...packages, ...programs].filter(([, version]) => version !== wanted)
  return [...faults, ...others.map(([path, version]) => `${path} says ${version ?? 'nothing'}, not ${wanted}`)]
}
