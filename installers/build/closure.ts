import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface NpmPackage {
  name: string
  version: string
  license: string
  licenseText: string
  folder: string
  dependencies: string[]
}

/** The package that `from` (a folder with node_modules, or a package installed by pnpm) would load; undefined if missing. */
function findPackage(name: string, from: string): NpmPackage | undefined {
  // pnpm installs the dependencies of a package next to it.
  const parents = [join(from, 'node_modules'), dirname(from), dirname(dirname(from))]
  const found = parents.map((parent) => join(parent, name)).find((path) => existsSync(join(path, 'package.json')))
  if (found === undefined) return undefined
  const folder = realpathSync(found)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    version: string
    license?: string
    dependencies?: Record<string, string>
    optionalDependencies?: Record<string, string>
  }
  const file = readdirSync(folder).find((entry) => /^(?:un)?licen[cs]e/i.test(entry))
  return {
    name,
    version: manifest.version,
    license: manifest.license ?? 'NOASSERTION',
    licenseText: file === undefined ? '' : readFileSync(join(folder, file), 'utf8'),
    folder,
    dependencies: Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }),
  }
}

/** These packages and all their dependencies, sorted; packages that are not installed (other platforms) are left out. */
export function closureOf(names: readonly string[], from: string): NpmPackage[] {
  const found = new Map<string, NpmPackage>()
  const waiting = names.map((name) => ({ name, from }))
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const one = findPackage(next.name, next.from)
    if (!one || found.has(one.folder)) continue
    found.set(one.folder, one)
    waiting.push(...one.dependencies.map((name) => ({ name, from: one.folder })))
  }
  const keyOf = ({ name, version }: NpmPackage) => `${name}@${version}`
  return [...found.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/**
 * Copies packages with their dependencies into `to`, flat as npm does: a second version of a package goes below the package that needs
 * it. `includes` selects packages by name.
 */
export function copyClosure(names: readonly string[], from: string, to: string, includes = (_name: string) => true): void {
  const copied = new Map<string, string>()
  const copy = (name: string, from: string, parent: string): void => {
    const one = includes(name) ? findPackage(name, from) : undefined
    if (!one) return
    const top = join(to, name)
    if (copied.get(top) === one.folder) return
    const target = copied.has(top) ? join(parent, 'node_modules', name) : top
    if (copied.get(target) === one.folder) return
    copied.set(target, one.folder)
    mkdirSync(dirname(target), { recursive: true })
    // pnpm's node_modules in a package contains only links to programs.
    cpSync(one.folder, target, { recursive: true, filter: (path) => !path.startsWith(join(one.folder, 'node_modules')) })
    for (const each of one.dependencies) copy(each, one.folder, target)
  }
  for (const name of names) copy(name, from, dirname(to))
}
