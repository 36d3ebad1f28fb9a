import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { checkPlaces } from '../check.ts'
import { featureOf, placeFault } from '../places.ts'

test.each([
  ['backend/src/hosts/servers/routes.ts', 'hosts/servers'],
  ['backend/src/hosts/servers/test/a.test.ts', 'hosts/servers'],
  ['backend/src/platform/ids.ts', 'platform'],
  ['backend/src/app.ts', undefined],
  ['backend/test/harness.ts', undefined],
])('the feature of %s is %s', (path, feature) => expect(featureOf(path)).toBe(feature))

test.each([
  'backend/src/app.ts',
  'backend/src/platform/ids.ts',
  'backend/src/hosts/servers/routes.ts',
  'shared/src/index.ts',
  'shared/src/wire/ids.ts',
  'shared/src/hosts/servers.ts',
  'shared/src/hosts/metrics/fields.ts',
  'agent/src/main.ts',
  'agent/src/push/pusher.ts',
  'dashboard/src/main.tsx',
])('%s may stand there', (path) => expect(placeFault(path)).toBeUndefined())

test.each([
  ['backend/src/servers/routes.ts', /^servers is no folder of backend\/src/],
  ['backend/src/hosts/names.ts', /^a wing of the backend has features/],
  ['backend/src/helpers.ts', /^only main\.ts, /],
  ['shared/src/servers.ts', /^only index\.ts, /],
  ['shared/src/metrics/fields.ts', /^metrics is no folder of shared\/src/],
  ['agent/src/pusher.ts', /^only main\.ts, /],
  ['agent/src/hosts/a.ts', /^hosts is no folder of agent\/src/],
])('%s may not', (path, message) => expect(placeFault(path)).toMatch(message))

const root = join(import.meta.dirname, '../../..')

test('everything in the repository stands in its place', () => expect(checkPlaces(root)).toEqual([]))

test('docs/architecture.md names every feature', () => {
  const features = globSync('backend/src/*/*/index.ts', { cwd: root, exclude: ['backend/src/platform/**'] })
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const [section = ''] = /## Features of the backend[^]*?## Rules of import/.exec(text) ?? []
  expect(features.length).toBeGreaterThan(40)
  expect(features.map((path) => basename(dirname(path))).filter((name) => !section.includes(`\`${name}\``))).toEqual([])
})
