import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { checkTree } from '../check.ts'
import { RULES } from '../rules.ts'

const roots: string[] = []
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true })
})

/** Plants the files in an empty tree and gives the refusals as `path:line rule`. */
function refusals(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'imports-'))
  roots.push(root)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return checkTree(root).map(({ path, line, rule }) => `${path}:${line} ${rule}`)
}

/** Every way to write an import of `specifier`, on line 2. */
const forms = (specifier: string): [string, string][] =>
  [
    ['static', `import { a } from '${specifier}'; a()`],
    ['side effect', `import '${specifier}'`],
    ['default', `import a from '${specifier}'; a()`],
    ['type-only', `import type { A } from '${specifier}'; export type B = A`],
    ['inline type', `import { type A } from '${specifier}'; export type B = A`],
    ['dynamic', `export const a = await import('${specifier}')`],
    ['dynamic in a template', `export const a = await import(\`${specifier}\`)`],
    ['in type position', `export type A = import('${specifier}').A`],
    ['typeof in type position', `export type A = typeof import('${specifier}')`],
    ['re-exported', `export { a } from '${specifier}'`],
    ['re-exported type', `export type { A } from '${specifier}'`],
    ['re-exported whole', `export * from '${specifier}'`],
    ['import =', `import a = require('${specifier}'); a()`],
    ['require', `const a = require('${specifier}'); a()`],
    ['resolved', `export const a = import.meta.resolve('${specifier}')`],
  ].map(([form, code]) => [form ?? '', `// planted\n${code}\n`])

/** rule, file that imports, what it must not import, file and name that are the legal form of the same wish */
const IMPORT_RULES: [rule: string, file: string, specifier: string, legalFile: string, legalSpecifier: string][] = [
  ['package-direction', 'agent/src/loop.ts', '@vedette/backend', 'agent/src/loop.ts', '@vedette/shared'],
  ['package-direction', 'agent/src/loop.ts', '../../backend/src/clock.ts', 'agent/src/loop.ts', './clock.ts'],
  ['package-direction', 'backend/src/auth/service.ts', '@vedette/agent', 'backend/src/auth/service.ts', '@vedette/shared'],
  [
    'package-direction',
    'backend/src/auth/service.ts',
    '../../../shared/src/ids.ts',
    'backend/src/auth/service.ts',
    '@vedette/shared',
  ],
  [
    'package-direction',
    'backend/src/auth/service.ts',
    '@vedette/contract/proxy',
    'backend/test/openapi.test.ts',
    '@vedette/contract/proxy',
  ],
  ['package-direction', 'agent/test/harness.ts', '@vedette/contract/proxy', 'agent/test/harness.ts', '@vedette/shared'],
  ['package-direction', 'contract/src/proxy.ts', '@vedette/shared', 'contract/src/proxy.ts', './linters.ts'],
  ['package-direction', 'dashboard/src/api/get.ts', '@vedette/backend', 'dashboard/src/api/get.ts', '@vedette/shared'],
  [
    'package-direction',
    'dashboard/src/api/get.ts',
    '@vedette/shared/src/ids.ts',
    'dashboard/src/api/get.ts',
    '@vedette/shared/ids',
  ],
  ['package-direction', 'client/src/client.ts', '@vedette/backend', 'client/src/client.ts', '@vedette/shared'],
  ['package-direction', 'backend/src/app.ts', '@vedette/client', 'backend/test/client/routes.test.ts', '@vedette/client'],
  ['package-direction', 'agent/test/loop.test.ts', '@vedette/client', 'dashboard/src/session.ts', '@vedette/client'],
  ['package-direction', 'shared/src/ids.ts', '@vedette/backend', 'shared/src/ids.ts', './wire.ts'],
  ['package-direction', 'agent/test/loop.test.ts', '@vedette/backend', 'agent/test/loop.test.ts', '../../scripts/test-tools.ts'],
  ['shared-pure', 'shared/src/ids.ts', 'node:fs', 'shared/src/test/ids.test.ts', 'node:fs'],
  ['shared-pure', 'shared/src/ids.ts', 'os', 'shared/src/ids.ts', 'typebox'],
  ['feature-index', 'backend/src/auth/service.ts', '../servers/service.ts', 'backend/src/auth/service.ts', '../servers/index.ts'],
  ['feature-index', 'backend/src/app.ts', './servers/routes.ts', 'backend/src/app.ts', './servers/index.ts'],
  [
    'feature-index',
    'backend/src/access/auth/service.ts',
    '../plans/store.ts',
    'backend/src/access/auth/service.ts',
    '../plans/index.ts',
  ],
  ['feature-index', 'backend/src/app.ts', './hosts/servers/wire.ts', 'backend/src/app.ts', './hosts/servers/index.ts'],
  [
    'platform-below',
    'backend/src/platform/http/errors.ts',
    '../../auth/index.ts',
    'backend/src/platform/http/errors.ts',
    '../clock.ts',
  ],
  ['sql-in-stores', 'backend/src/auth/service.ts', 'kysely', 'backend/src/auth/store.ts', 'kysely'],
  [
    'sql-in-stores',
    'backend/src/auth/routes.ts',
    'kysely/helpers/postgres',
    'backend/src/auth/key-store.ts',
    'kysely/helpers/postgres',
  ],
  ['sql-in-stores', 'backend/src/main.ts', 'pg', 'backend/src/platform/db/pool.ts', 'pg'],
  ['sql-in-stores', 'backend/src/platform/http/errors.ts', 'pg', 'backend/src/auth/store/keys.ts', 'pg'],
  ['sql-in-stores', 'backend/src/settings/index.ts', 'pg-types', 'backend/migrations/0001-users.ts', 'kysely'],
  ['http-in-routes', 'backend/src/auth/service.ts', 'fastify', 'backend/src/auth/routes.ts', 'fastify'],
  ['http-in-routes', 'backend/src/auth/store.ts', '@fastify/jwt', 'backend/src/auth/key-routes.ts', '@fastify/jwt'],
  ['http-in-routes', 'backend/src/main.ts', 'fastify', 'backend/src/app.ts', 'fastify'],
  ['http-in-routes', 'backend/src/platform/time/clock.ts', 'fastify', 'backend/src/platform/http/limits.ts', 'fastify'],
  ['pure-files', 'backend/src/monitors/status.ts', './store.ts', 'backend/src/monitors/status.ts', './assertions.ts'],
  [
    'pure-files',
    'backend/src/monitors/assertions.ts',
    '../platform/time/clock.ts',
    'backend/src/monitors/assertions.ts',
    '@vedette/shared',
  ],
  ['pure-files', 'backend/src/monitors/assertions.ts', 'node:fs', 'backend/src/monitors/assertions.ts', 'node:zlib'],
  [
    'tests-stay-out',
    'backend/src/auth/service.ts',
    '../../test/harness.ts',
    'backend/src/auth/test/login.test.ts',
    '../../../test/harness.ts',
  ],
  ['tests-stay-out', 'agent/src/loop.ts', './loop.test.ts', 'agent/src/test/loop.test.ts', './host.ts'],
  ['dashboard-layers', 'dashboard/src/lib/a.ts', '../components/b.tsx', 'dashboard/src/components/b.tsx', '../lib/a.ts'],
  ['dashboard-layers', 'dashboard/src/features/x/a.tsx', '../y/b.tsx', 'dashboard/src/features/x/a.tsx', './b.tsx'],
]

/** Lines that read what only some files may; rule, file, legal file, line, and nothing else on it. */
const ENVIRONMENT = [
  'export const a = process.env.HOME',
  "export const a = process['env']",
  'export const a = (key: string) => process.env[key]',
  'export const a = globalThis.process.env',
  'export const { env } = process',
  'export const { process: own } = globalThis',
  'export const own = process',
  "import { env } from 'node:process'; export const a = env",
  "export { env } from 'node:process'",
  "import own from 'node:process'; export const a = own.env",
  "import * as own from 'process'",
  "export const { env } = await import('node:process')",
  'export const a = () => process.exit(1)',
  "import { exit } from 'node:process'; exit()",
]
const CLOCK = [
  'export const a = Date.now()',
  'export const a = Date.now',
  'export const { now } = Date',
  'export const a = new Date()',
  'export const a = globalThis.Date.now()',
  'export const a = performance.now()',
  'setTimeout(() => {}, 1)',
  'globalThis.setInterval(() => {}, 1)',
  "import { setTimeout as sleep } from 'node:timers/promises'; await sleep(1)",
  "export const timers = await import('node:timers')",
  'export const a = Math.random()',
  'export const a = crypto.randomUUID()',
  "import { randomBytes } from 'node:crypto'; randomBytes(1)",
  "import chance from 'node:crypto'; chance.randomUUID()",
  "export const a = await import('node:crypto')",
]
const USE_RULES: [rule: string, lines: string[], files: string[], legalFiles: string[]][] = [
  [
    'environment-in-main',
    ENVIRONMENT,
    ['backend/src/settings/index.ts', 'backend/src/platform/logging/log.ts', 'agent/src/loop.ts', 'dashboard/src/api/get.ts'],
    ['backend/src/main.ts', 'agent/src/main.ts', 'bench/idle/main.ts', 'backend/test/harness.ts', 'backend/rolldown.config.ts'],
  ],
  [
    'clock-in-platform',
    CLOCK,
    ['backend/src/auth/service.ts', 'backend/src/app.ts', 'agent/src/loop.ts'],
    [
      'backend/src/platform/time/clock.ts',
      'backend/src/main.ts',
      'agent/src/platform/timers.ts',
      'agent/src/clock.ts',
      'agent/src/loop.test.ts',
    ],
  ],
]

describe('imports', () => {
  for (const [rule, file, specifier, legalFile, legalSpecifier] of IMPORT_RULES) {
    test(`${rule}: ${file} may not import ${specifier}`, () => {
      for (const [form, code] of forms(specifier)) expect(refusals({ [file]: code }), form).toEqual([`${file}:2 ${rule}`])
    })
    test(`${rule}: ${legalFile} may import ${legalSpecifier}`, () => {
      for (const [form, code] of forms(legalSpecifier)) expect(refusals({ [legalFile]: code }), form).toEqual([])
    })
  }

  test("a test of one feature does not import another feature's test folder", () => {
    const path = 'backend/src/auth/test/login.test.ts'
    for (const [form, code] of forms('../../servers/test/host.ts')) {
      expect(refusals({ [path]: code }), form).toEqual([`${path}:2 feature-index`, `${path}:2 tests-stay-out`])
    }
  })

  test('the sql tag of platform/db is for stores only; other names of it are for all', () => {
    const from = "from '../platform/db/index.ts'"
    for (const code of [
      `import { sql as raw } ${from}; raw`,
      `import * as db ${from}; db`,
      `export * ${from}`,
      `export { sql } ${from}`,
    ]) {
      expect(refusals({ 'backend/src/auth/service.ts': code }), code).toEqual(['backend/src/auth/service.ts:1 sql-in-stores'])
      expect(refusals({ 'backend/src/auth/store.ts': code }), code).toEqual([])
    }
    const legal = `import { inTransaction, type Db } ${from}; export type A = Db | typeof inTransaction | import('../platform/db/index.ts').Db`
    expect(refusals({ 'backend/src/auth/service.ts': legal })).toEqual([])
  })

  test('an encrypter is made only where its stored values are declared', () => {
    const from = "from '../platform/crypto/encrypter.ts'"
    for (const code of [`import { createEncrypter } ${from}; createEncrypter`, `export * ${from}`])
      expect(refusals({ 'backend/src/auth/totp.ts': code }), code).toEqual(['backend/src/auth/totp.ts:1 encrypters-declared'])
    const type = `import type { Encrypter } ${from}; export type A = Encrypter`
    expect(refusals({ 'backend/src/auth/totp.ts': type })).toEqual([])
  })

  test('a computed import is refused outside platform, tests and configs', () => {
    const code = 'export const load = (name: string) => import(name)'
    expect(refusals({ 'backend/src/app.ts': code })).toEqual(['backend/src/app.ts:1 computed-import'])
    expect(refusals({ 'backend/src/platform/db/migrate.ts': code, 'backend/test/harness.ts': code })).toEqual([])
    expect(refusals({ 'agent/src/a.ts': "import { createRequire } from 'node:module'; createRequire" })).toEqual([
      'agent/src/a.ts:1 computed-import',
    ])
  })
})

describe('uses', () => {
  for (const [rule, lines, files, legalFiles] of USE_RULES) {
    test.each(lines)(`${rule}: %s`, (line) => {
      for (const file of files)
        expect(new Set(refusals({ [file]: `// planted\n${line}\n` })), file).toEqual(new Set([`${file}:2 ${rule}`]))
      for (const file of legalFiles) expect(refusals({ [file]: line }), file).toEqual([])
    })
  }

  test('shared has neither clock nor chance nor process', () => {
    for (const line of [
      'Date.now()',
      'new Date()',
      'performance.now()',
      'Math.random()',
      'process.platform',
      'crypto.randomUUID()',
    ]) {
      expect(refusals({ 'shared/src/ids.ts': `export const a = ${line}` }), line).toEqual(['shared/src/ids.ts:1 shared-pure'])
    }
  })

  test('what only looks like a use is accepted', () => {
    const code = `
      import { createHash } from 'node:crypto'
      interface Clock { setTimeout: (run: () => void) => void; process: string }
      type P = typeof process
      export const at = (ms: number) => new Date(ms)
      export const isDate = (value: unknown) => value instanceof Date && Date.UTC(2026) > Date.parse('2026') && createHash
      export function run({ setTimeout }: Clock) { setTimeout(() => {}) }
      export const later = (clock: Clock) => clock.setTimeout(() => {})
      export const stop = () => { process.exitCode = 1; process.stdout.write(process.version) }
      export const max = { process: Math.max(1, 2) } satisfies { process: number } as { process: number } | P`
    expect(refusals({ 'backend/src/auth/service.ts': code, 'agent/src/loop.ts': code })).toEqual([])
  })
})

describe('the whole tree', () => {
  test.each([
    ['static', "import { b } from './b.ts'; export const a = b"],
    ['type-only', "import type { B } from './b.ts'; export type A = B"],
    ['in type position', "export type A = import('./b.ts').B"],
    ['dynamic', "export const a = () => import('./b.ts')"],
    ['re-exported', "export * from './b.ts'"],
  ])('a cycle closed by an import that is %s is refused once', (_form, code) => {
    const files = { 'agent/src/b.ts': "export * from './c.ts'", 'agent/src/c.ts': "export type { A } from './a.ts'" }
    expect(refusals({ ...files, 'agent/src/a.ts': code })).toEqual(['agent/src/a.ts:1 no-cycle'])
    expect(refusals(files)).toEqual([])
  })

  const uses = (specifier: string) => `import type { A } from '${specifier}'; export type B = A`

  test.each([
    ['features', 'backend/src/a', ['a/one.ts', '../b/index.ts'], ['b/two.ts', '../a/index.ts']],
    ['folders of a feature', 'backend/src/f/one', ['f/one/a.ts', '../two/b.ts'], ['f/two/c.ts', '../one/d.ts']],
    ['folders of a folder', 'backend/src/f/g/one', ['f/g/one/a.ts', '../two/b.ts'], ['f/g/two/c.ts', '../one/d.ts']],
    ["a folder's own files and a subfolder", 'backend/src/f/*', ['f/top.ts', './one/a.ts'], ['f/one/b.ts', '../types.ts']],
    ['a service and its subfolder', 'backend/src/f/one', ['f/service.ts', './one/a.ts'], ['f/one/b.ts', '../service.ts']],
  ])('a circle of %s that is none of files is refused once', (_name, path, [first, to], [second, back]) => {
    const files = {
      [`backend/src/${first}`]: uses(to ?? ''),
      [`backend/src/${second}`]: uses(back ?? ''),
      'backend/src/a/index.ts': 'export const a = 1',
      'backend/src/b/index.ts': 'export const b = 1',
    }
    for (const name of ['f/one/a', 'f/one/d', 'f/two/b', 'f/g/one/d', 'f/g/two/b', 'f/types', 'f/service'])
      files[`backend/src/${name}.ts`] ??= 'export const c = 1'
    expect(refusals(files)).toEqual([`${path}:1 no-folder-cycle`])
    expect(refusals({ ...files, [`backend/src/${second}`]: 'export const d = 1' })).toEqual([])
  })

  test.each([
    [
      'features of two wings',
      'backend/src/access/a',
      ['access/a/one.ts', '../../pages/b/index.ts'],
      ['pages/b/two.ts', '../../access/a/index.ts'],
    ],
    ['features of one wing', 'backend/src/access/a', ['access/a/one.ts', '../b/index.ts'], ['access/b/two.ts', '../a/index.ts']],
    ['folders of shared', 'shared/src/a', ['a/one.ts', '../b/one.ts'], ['b/two.ts', '../a/two.ts']],
    ['folders of a wing of shared', 'shared/src/hosts/a', ['hosts/a/one.ts', '../b/one.ts'], ['hosts/b/two.ts', '../a/two.ts']],
    ['a folder and a file', 'agent/src/a', ['a/one.ts', '../c.ts'], ['c.ts', './a/two.ts']],
    ['a folder and a file of a folder', 'agent/src/d/a', ['d/a/one.ts', '../c.ts'], ['d/c.ts', './a/two.ts']],
  ])('a circle of %s is refused once', (_name, path, [first, to], [second, back]) => {
    const [root = ''] = /^\w+\/src/.exec(path) ?? []
    const files: Record<string, string> = { [`${root}/${first}`]: uses(to ?? ''), [`${root}/${second}`]: uses(back ?? '') }
    for (const target of [to, back]) {
      const from = target === to ? first : second
      files[join(root, dirname(from ?? ''), target ?? '')] ??= 'export const c = 1'
    }
    expect(refusals(files)).toEqual([`${path}:1 no-folder-cycle`])
    expect(refusals({ ...files, [`${root}/${second}`]: 'export const d = 1' })).toEqual([])
  })

  test('wings may import each other both ways, and so may a folder of agent and other files of its parent', () => {
    expect(
      refusals({
        'backend/src/access/a/one.ts': uses('../../pages/b/index.ts'),
        'backend/src/pages/b/index.ts': 'export const b = 1',
        'backend/src/pages/c/one.ts': uses('../../access/d/index.ts'),
        'backend/src/access/d/index.ts': 'export const d = 1',
        'agent/src/a/all.ts': uses('./one/a.ts'),
        'agent/src/a/one/a.ts': uses('../types.ts'),
        'agent/src/a/types.ts': 'export const c = 1',
      }),
    ).toEqual([])
  })

  test('folders may import in one direction, entry points downwards, and tests anywhere', () => {
    expect(
      refusals({
        'backend/src/f/index.ts': uses('./one/a.ts'),
        'backend/src/f/service.ts': uses('./one/a.ts'),
        'backend/src/f/routes.ts': uses('./service.ts'),
        'backend/src/f/types.ts': 'export const c = 1',
        'backend/src/f/one/a.ts': uses('../types.ts'),
        'backend/src/f/two/b.ts': uses('../one/a.ts'),
        'backend/src/f/one/test/a.test.ts': uses('../../two/b.ts'),
        'backend/src/f/one/c.test.ts': uses('../two/b.ts'),
      }),
    ).toEqual([])
  })

  test('a file that cannot be parsed is a finding', () => {
    expect(refusals({ 'agent/src/a.ts': 'export const = 1' })).toEqual(['agent/src/a.ts:1 syntax'])
  })

  test('files are changed by the helpers alone, in agent and backend', () => {
    const writers = ['chmodSync', 'chownSync', 'openSync', 'writeFileSync', 'appendFileSync', 'mkdirSync', 'rmSync', 'renameSync']
    const imports = [
      ...writers.map((name) => `import { ${name} } from 'node:fs'; ${name}()`),
      `import { open } from 'node:fs/promises'; open()`,
      `import * as fs from 'node:fs'; fs.rmSync()`,
      `import fs from 'fs'; fs.rmSync()`,
    ]
    for (const code of imports)
      for (const path of ['backend/src/auth/service.ts', 'agent/src/loop.ts'])
        expect(refusals({ [path]: code }), code).toEqual([`${path}:1 files-by-helper`])
    const [code = ''] = imports
    for (const path of [
      'backend/src/platform/system/private-file.ts',
      'agent/src/process/files.ts',
      'backend/src/auth/test/a.test.ts',
    ])
      expect(refusals({ [path]: code }), path).toEqual([])
    expect(refusals({ 'backend/src/auth/service.ts': `import { readFileSync } from 'node:fs'; readFileSync('')` })).toEqual([])
  })

  test('every rule is planted here', () => {
    const planted = new Set([...IMPORT_RULES, ...USE_RULES].map(([rule]) => rule))
    expect(RULES.map(({ id }) => id).filter((id) => !planted.has(id))).toEqual([
      'encrypters-declared',
      'files-by-helper',
      'computed-import',
    ])
  })
})
