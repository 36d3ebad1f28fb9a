import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const listed = (pattern: string): string[] => globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }).sort()
const all = (text: string, pattern: RegExp, group = 1): string[] => [...text.matchAll(pattern)].map((match) => match[group] ?? '')

const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...listed('{client,docs,installers}/**/*.md')]
const documents = new Map(pages.map((path) => [path, read(path)]))
const everything = [...documents.values()].join('\n')
const operations = read('docs/operations.md')
const api = read('docs/api.md')
const settings = read('backend/src/operating/settings/declarations.ts')
const sources = listed('{agent,backend}/src/**/*.ts').filter((path) => !/\.test\.ts$|\/test\//.test(path))

/** Text between two marks; throws where the source was moved away from under this test. */
function between(text: string, from: string, to: string): string {
  const start = text.indexOf(from)
  const end = text.indexOf(to, start)
  if (start < 0 || end < 0) throw new Error(`nothing stands between ${JSON.stringify(from)} and ${JSON.stringify(to)} any more`)
  return text.slice(start + from.length, end)
}

/** What GitHub makes of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

/** Examples are no headings and no links. */
const withoutExamples = (text: string): string => text.replaceAll(/^ *```[^]*?^ *```/gm, '')

function anchorsOf(text: string): string[] {
  return all(withoutExamples(text), /^#{1,6} (.+)$/gm).map(anchorOf)
}

function brokenLinks(path: string, text: string): string[] {
  return all(withoutExamples(text), /\]\(([^)\s]+)\)/g).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? path : relative(root, resolve(root, dirname(path), file))
    if (!existsSync(join(root, target))) return true
    return anchor !== undefined && !anchorsOf(read(target)).includes(anchor)
  })
}

test.each([...documents])('every link of %s leads somewhere', (path, text) => expect(brokenLinks(path, text)).toEqual([]))

test('every VEDETTE_ name in the docs is one that the code reads', () => {
  const code = ['backend/src/operating/settings/declarations.ts', 'shared/src/operating/environment-names.ts']
    .map(read)
    .join('\n')
  const known = new Set(all(code, /\b(VEDETTE_[A-Z_]*[A-Z])\b/g))
  const named = new Set(all(everything, /\b(VEDETTE_[A-Z_]*[A-Z])\b/g))
  expect([...named].filter((name) => !known.has(name))).toEqual([])
})

test('docs/agent.md has every name of the environment and every command', () => {
  const agent = read('docs/agent.md')
  const names = all(between(read('agent/src/config/environment.ts'), 'const OWN_VARIABLES = {', '}'), /\b(VEDETTE_\w+):/g)
  const commands = all(between(read('agent/src/commands/help.ts'), 'const COMMANDS', '\n}'), /^ {2}'?([\w ]+)'?: \{/gm)
  expect([names.length, commands.length].every((count) => count > 2)).toBe(true)
  for (const name of names) expect(agent).toContain(`| \`${name}\``)
  for (const command of commands) expect(agent).toMatch(new RegExp(`\`${command}\\b`))
})

/** `METHOD /path` of each route that the sources register: one by one, or those of a resource. */
function registeredRoutes(): string[] {
  return sources.flatMap((path) => {
    const code = read(path)
    const single = [...code.matchAll(/\bapp\.(get|post|put|patch|delete)\(\s*'([^']+)'/g)]
    const resources = [...code.matchAll(/\b(?:resourceRoutes|defineResource)\(\{\s*kind: '\w+',\s*path: '([^']+)'([^]*?)\n\}\)/g)]
    const steps = code.matchAll(/\bstepRoute\(app, deps, \{\s*path: '([^']+)'/g)
    return [
      ...[...steps].map(([, url]) => `POST ${url}`),
      ...single.map(([, method = '', url]) => `${method.toUpperCase()} ${url}`),
      ...resources.flatMap(([, url, declared = '']) => [
        `GET ${url}`,
        ...(/^ {2}create: \w+,$/m.test(declared) ? [`POST ${url}`] : []),
        ...['GET', 'PATCH', 'DELETE'].map((each) => `${each} ${url}/:id`),
        ...(/^ {2}restore: \{$/m.test(declared) ? [`GET ${url}/deleted`, `POST ${url}/:id/restore`] : []),
      ]),
    ]
  })
}

describe('docs/api.md', () => {
  test('has every route, and no other [DOC-03]', () => {
    const rows = all(between(api, '## Endpoints', '\n## '), /^\| `([A-Z]+ \/[^`]*)`/gm)
    expect(rows.toSorted()).toEqual(registeredRoutes().toSorted())
    const named = all(everything, /`((?:GET|POST|PUT|PATCH|DELETE) \/[^\s`]*)`/g)
    expect(named.filter((name) => !rows.includes(name))).toEqual([])
  })

  test('has every error code with its status [DOC-03]', () => {
    const codes = [...between(read('shared/src/wire/errors.ts'), 'ERROR_STATUS = {', '}').matchAll(/(\w+): (\d{3})/g)]
    expect(codes.length).toBeGreaterThan(10)
    const rows = [...api.matchAll(/^\| `(\w+)` +\| (\d{3}) /gm)].map(([, code, status]) => `${code} ${status}`)
    expect(rows.toSorted()).toEqual(codes.map(([, code, status]) => `${code} ${status}`).toSorted())
  })

  test('has every metric field [DOC-03, SAMPLE-01]', () => {
    const fields = all(between(read('shared/src/hosts/metrics/fields.ts'), 'METRIC_FIELDS = {', '} as const'), /^ {4}(\w+): /gm)
    expect(fields.length).toBeGreaterThan(30)
    const table = between(api, '## Metrics', '\n## ')
    expect(fields.filter((field) => !table.includes(`\`${field}\``))).toEqual([])
  })

  test('has every kind of entity with its fields and attributes', () => {
    const kinds = between(read('shared/src/hosts/entities/kinds.ts'), 'export const ENTITY_KINDS = {', '} as const')
    const names = [
      ...all(kinds, /^ {2}(\w+): \{/gm),
      ...all(kinds, /(\w+): (?:newest|mean)\(/g),
      ...all(kinds, /'(\w+)'[,\]](?!\))/g),
    ]
    expect(names.length).toBeGreaterThan(100)
    const section = between(api, '## Entities', '\n## ')
    expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual([])
  })

  test('has every limit of every plan', () => {
    const plans = between(read('shared/src/access/plans.ts'), 'export const PLANS = {', '} as const')
    const shortest = /SHORTEST_INTERVAL_SECONDS = (\d+)/.exec(read('shared/src/access/plans.ts'))?.[1] ?? ''
    const rows = between(api, '## Plans', '\n## ')
      .split('\n')
      .filter((line) => /^\| [a-z]/.test(line))
      .map((line) => line.split('|').map((cell) => cell.trim()))
    expect(rows[0]?.slice(2, 5)).toEqual(all(plans, /^ {2}(\w+): \{/gm).map((name) => `\`${name}\``))
    for (const [index, limits] of all(plans, /^ {2}\w+: \{([^}]+)\}/gm).entries()) {
      const values = all(limits, /\w+: (\w+)/g).map((value) =>
        value === 'SHORTEST_INTERVAL_SECONDS' ? shortest : value.replace('_', ''),
      )
      expect(values).toHaveLength(7)
      const stated = rows.slice(1).map((cells) => (cells[index + 2] ?? '').replace(',', ''))
      expect(stated.map((value) => (/^(none|all kept|the setting)$/.test(value) ? 'null' : value))).toEqual(values)
    }
  })

  test('has the limits as they are by default [DOC-03]', () => {
    const limits = [...between(settings, 'const RATE_LIMITS = {', '}').matchAll(/(\w+): ([\d_]+)/g)]
    expect(limits).toHaveLength(11)
    for (const [, group, digits = ''] of limits) {
      const limit = digits.replace('_', '')
      expect(api.replaceAll(/(\d),(\d)/g, '$1$2')).toMatch(new RegExp(`^\\| ${group} +\\|.*\\| ${limit} +\\|$`, 'm'))
    }
  })
})

test('docs/internals/choices.md names every direct dependency, and no other package', () => {
  const manifests = listed('{package.json,*/package.json}').map((path) => JSON.parse(read(path)) as Record<string, object>)
  const direct = manifests.flatMap((manifest) =>
    ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) => Object.entries(manifest[kind] ?? {})),
  )
  const wanted = new Set(direct.filter(([, version]) => !String(version).startsWith('workspace:')).map(([name]) => name))
  const tables = between(read('docs/internals/choices.md'), '## Backend', '## Written here')
  const named = new Set(all(tables, /^\| (`[^|]+) \|/gm).flatMap((cell) => all(cell, /`([^`]+)`/g)))
  expect([...wanted].filter((name) => !named.has(name))).toEqual([])
  expect([...named].filter((name) => !wanted.has(name))).toEqual([])
})

test('every variable of a shell command is set on its page, or explained', () => {
  const unset = pages.flatMap((page) => {
    const commands = all(read(page), /^```\w*\n([^]*?)^```/gm)
      .flatMap((block) => all(block, /^([$#] [^]*?)(?=\n(?! {4}))/gm))
      .map((command) => command.replaceAll(/'[^']*'/g, "''"))
    const names = new Set(commands.flatMap((command) => all(command, /\$\{?([A-Z][A-Z_]*)\b/g)))
    return [...names]
      .filter((name) => !new RegExp(`\\b${name}=|\`\\$${name}\``).test(read(page)))
      .map((name) => `${page}: $${name}`)
  })
  expect(unset).toEqual([])
})

test('every npm script that is named exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const named = all(everything, /\bnpm run(?: --silent)? ([\w:-]+)/g)
  expect(named.length).toBeGreaterThan(3)
  expect([...new Set(named)].filter((name) => !(name in scripts))).toEqual([])
})

test('every command of the backend that is named exists', () => {
  const known = ['help', ...listed('backend/src/operating/cli/*.ts').flatMap((path) => all(read(path), /^ {2}name: '(\w+)/gm))]
  expect(known.length).toBeGreaterThan(5)
  const named = all(everything, /npm run vedette -- (\w+)/g)
  expect([...new Set(named)].filter((name) => !known.includes(name))).toEqual([])
})

test('docs/operations.md has the exit codes of every command of the backend', () => {
  const commands = listed('backend/src/operating/cli/*.ts').flatMap((path) => all(read(path), /^ {2}name: '([^']+)'/gm))
  expect(commands.length).toBeGreaterThan(10)
  const rows = all(between(operations, '| 1 when ', '\n\n'), /^\| (`.*?) +\|/gm).join('\n')
  expect(commands.filter((name) => !rows.includes(`\`${name}\``))).toEqual([])
})
