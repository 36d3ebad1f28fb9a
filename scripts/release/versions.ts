import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What is wrong with the versions of the workspace below `root`; empty where all are that of the newest entry in CHANGELOG.md. */
export function versionFaults(root: string): string[] {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const newest = /^## \[([^\]]+)\]/m.exec(read('CHANGELOG.md'))?.[1]
  const faults = /^\d+\.\d+\.\d+$/.test(newest ?? '')
    ? []
    : [`the newest entry of CHANGELOG.md is ${newest ?? 'none'}, no version`]
  const packages = ['package.json', ...globSync('*/package.json', { cwd: root })]
    .map((path) => [path, (JSON.parse(read(path)) as { version?: string }).version] as const)
    // What is never published by itself may have none.
    .filter(([path, version]) => version !== undefined || path === 'package.json')
  const programs = ['backend/src/main.ts', 'agent/src/version.ts'].map(
    (path) => [path, /VERSION = '([^']+)'/.exec(read(path))?.[1]] as const,
  )
  const wanted = faults.length > 0 ? packages[0]?.[1] : newest
  const others = [...packages, ...programs].filter(([, version]) => version !== wanted)
  return [...faults, ...others.map(([path, version]) => `${path} says ${version ?? 'nothing'}, not ${wanted}`)]
}
