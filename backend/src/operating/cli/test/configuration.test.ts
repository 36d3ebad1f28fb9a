import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { runCommand } from '../run.ts'

let backend: TestBackend
let url: string
let folder: string
let environment: NodeJS.ProcessEnv
beforeAll(async () => {
  backend = await startTestBackend({ throughProxy: false })
  url = `http://127.0.0.1:${await backend.listen()}`
})
afterAll(() => backend.close())
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vedette-configuration-'))
  const key = await backend.apiKey(await backend.organization(), 'read', 'write', 'admin')
  writeFileSync(join(folder, 'key'), `${key['x-api-key']}\n`)
  environment = { VEDETTE_URL: url, VEDETTE_API_KEY_FILE: join(folder, 'key') }
  mkdirSync(join(folder, 'files'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function vedette(...args: string[]) {
  const [said, complained]: [string[], string[]] = [[], []]
  const terminal = {
    environment,
    readInput: async () => '',
    say: async (line: string) => void said.push(line),
    complain: (line: string) => void complained.push(line),
    show: undefined,
  }
  const code = await runCommand(args, terminal, () => Promise.reject(new Error('no service')))
  return { code, said: said.join('\n'), complained: complained.join('\n') }
}

const write = (name: string, text: string) => writeFileSync(join(folder, 'files', name), text)
const read = (name: string) => readFileSync(join(folder, 'files', name), 'utf8')
const files = () => join(folder, 'files')

const SHOP = `# Our shop
kind: monitor
ref: shop/checkout
spec:
  name: Checkout # what people pay with
  url: https://shop.example.com
---
kind: alert_rule
ref: shop/down
spec:
  name: Checkout down
  target: { type: monitor, id: { ref: "monitor:shop/checkout" } }
  condition: { metric: status, operator: equals, value: down }
`

describe('vedette', () => {
  it('plans, applies and takes back, and says with its exit code whether there is something to do', async () => {
    write('shop.yaml', SHOP)
    const planned = await vedette('plan', files())
    expect([planned.code, planned.said]).toEqual([
      2,
      [
        '+ monitor:shop/checkout — Checkout: new monitor',
        '+ alert_rule:shop/down — Checkout down: new alert rule',
        'create 2, update 0, delete 0, unchanged 0, refused 0',
      ].join('\n'),
    ])
    expect(await vedette('apply', files())).toMatchObject({ code: 2, said: expect.stringContaining('Say --yes to apply it') })
    const applied = await vedette('apply', files(), '--yes')
    expect([applied.code, applied.complained]).toEqual([0, ''])
    const [, id = ''] = /vedette undo (chg_\w+)/.exec(applied.said) ?? []
    expect(await vedette('plan', files())).toMatchObject({
      code: 0,
      said: 'create 0, update 0, delete 0, unchanged 2, refused 0',
    })
    expect(await vedette('drift')).toMatchObject({ code: 0 })
    expect(await vedette('undo', id)).toMatchObject({ code: 0, said: expect.stringContaining('Checkout: monitor deleted') })
    expect(await vedette('plan', files())).toMatchObject({ code: 2 })
  })

  it('stores where a resource stands now, also where nothing else changes', async () => {
    write('shop.yaml', SHOP)
    await vedette('apply', files(), '--yes')
    write('shop.yaml', `# One more line\n${SHOP}`)
    const moved = 'Elsewhere in the files, and as they should be: 2'
    expect(await vedette('plan', files())).toMatchObject({ code: 0, said: expect.stringContaining(moved) })
    expect(await vedette('apply', files(), '--yes')).toMatchObject({ code: 0, said: expect.stringContaining('Applied as chg_') })
    const key = { 'x-api-key': readFileSync(join(folder, 'key'), 'utf8').trim() }
    const { body } = await backend.call('GET', '/v1/configuration?kind=monitor', { as: key })
    expect(body.resources).toMatchObject([{ ref: 'shop/checkout', source: { line: 3 } }])
    expect((await vedette('apply', files(), '--yes')).said).toBe('create 0, update 0, delete 0, unchanged 2, refused 0')
  })

  it('takes back what does not come back as it was only with --yes', async () => {
    const key = { 'x-api-key': readFileSync(join(folder, 'key'), 'utf8').trim() }
    const page = { name: 'Page', slug: 'cli-page', title: 'Page', visibility: 'password', password: 'a password of the page' }
    const made = await backend.call('POST', '/v1/status-pages', { as: key, body: page })
    await backend.call('PATCH', `/v1/status-pages/${made.body.id}`, { as: key, body: { title: 'Changed' } })
    const { body } = await backend.call('GET', '/v1/change-sets?limit=1', { as: key })
    const [{ id }] = body.change_sets
    expect(await vedette('undo', id)).toMatchObject({
      code: 2,
      said: '! Page: if its password was changed, the earlier one is not brought back\nNothing was changed. Say --yes to take it back all the same.',
    })
    expect(await vedette('undo', id, '--yes')).toMatchObject({ code: 0, said: expect.stringContaining('Taken back as chg_') })
  })

  it('applies the plan that was written into a file', async () => {
    write('shop.yaml', SHOP)
    const out = join(folder, 'plan.json')
    await vedette('plan', files(), '--out', out)
    expect(await vedette('apply', out, '--yes')).toMatchObject({ code: 0 })
    expect(await vedette('apply', out, '--yes')).toMatchObject({
      code: 1,
      complained: 'vedette: The change set has been applied.',
    })
  })

  it('names the file, the line and the column of each fault', async () => {
    write('shop.yaml', SHOP.replace('  url:', '  interval: 1\n  url:'))
    expect(await vedette('plan', files())).toMatchObject({
      code: 1,
      said: expect.stringMatching(/shop\.yaml:6:13: monitor:shop\/checkout: spec\.interval: /),
    })
    write('shop.yaml', 'kind: monitor\nref: a\nspec: { name: [ }\n')
    expect(await vedette('plan', files())).toMatchObject({ code: 1, complained: expect.stringMatching(/shop\.yaml:3:\d+: /) })
    write('shop.yaml', 'kind: monitor\nref: a\nname: A\n')
    expect(await vedette('plan', files())).toMatchObject({
      complained: expect.stringMatching(/shop\.yaml:3:\d+: name is no field of a resource/),
    })
    write('shop.yaml', `${SHOP}---\n${SHOP}`)
    expect(await vedette('plan', files())).toMatchObject({
      complained: expect.stringMatching(/shop\.yaml:16:1: monitor:shop\/checkout is there already, at .*shop\.yaml:2:1/),
    })
    write('shop.yaml', 'kind: monitor\nref: "a b"\nspec: { name: A }\n')
    expect(await vedette('plan', files())).toMatchObject({ complained: expect.stringMatching(/shop\.yaml:2:6: ref: /) })
  })

  it('fills in variables and files, and includes others', async () => {
    writeFileSync(join(folder, 'token'), 'Bearer abc\n')
    write('main.yaml', 'include: ../more\n')
    mkdirSync(join(folder, 'more'))
    writeFileSync(
      join(folder, 'more', 'a.yaml'),
      'kind: monitor\nref: a\nspec: { name: "A ${env:STAGE}", url: "https://a.example.com", headers: { authorization: "${file:../token}" } }\n',
    )
    expect(await vedette('plan', files())).toMatchObject({ complained: expect.stringContaining('the variable STAGE is not set') })
    environment['STAGE'] = 'live'
    const applied = await vedette('apply', files(), '--yes')
    expect(applied).toMatchObject({ code: 0, said: expect.stringContaining('A live: new monitor') })
    expect(applied.said).not.toContain('abc')
  })

  it('writes what was changed by hand into the files, and leaves their comments', async () => {
    write('shop.yaml', SHOP)
    await vedette('apply', files(), '--yes')
    const key = { 'x-api-key': readFileSync(join(folder, 'key'), 'utf8').trim() }
    const { body } = await backend.call('GET', '/v1/monitors', { as: key })
    const { id } = body.monitors[0]
    await backend.call('PATCH', `/v1/monitors/${id}`, { as: key, body: { interval: 120, name: 'Checkout 2' } })
    await backend.call('POST', '/v1/monitors', { as: key, body: { name: 'By hand', url: 'https://hand.example.com' } })
    const drift = await vedette('drift')
    expect([drift.code, drift.said]).toEqual([2, expect.stringContaining('~ monitor:shop/checkout — interval, name changed')])
    const proposed = async () => (await backend.call('GET', '/v1/change-sets', { as: key })).body.total
    const before = await proposed()
    expect(await vedette('pull', files())).toMatchObject({ code: 0 })
    expect(await proposed()).toBe(before)
    expect(read('shop.yaml')).toContain('name: Checkout 2 # what people pay with')
    expect(read('shop.yaml')).toContain('# Our shop')
    expect(read('shop.yaml')).toContain('interval: 120')
    expect(read('shop.yaml')).not.toContain('confirmations')
    expect(read('monitor.yaml')).toContain('By hand')
    const planned = await vedette('plan', files())
    expect(planned.said).toContain('~ monitor:By-hand — By hand: taken over by git')
    // Everything else is as the files say; the rules that each organization begins with are taken over.
    expect(planned.said).toMatch(/create 0, update \d+, delete 0, unchanged 2, refused 0$/)
  })

  it.each([
    [['plan'], /path is missing/],
    [['plan', 'nowhere'], /nowhere: does not exist/],
    [['undo', 'x'], /is no id of a change set/],
    [['drift', '--url', 'ftp://x'], /is no http:\/\/ or https:\/\/ address/],
  ])('%j is refused', async (args, message) => {
    expect((await vedette(...args)).complained).toMatch(message)
  })
})
