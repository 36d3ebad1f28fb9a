import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ACCOUNTS, KEY, type SavedAccount } from '../../../../test/on-call-tools/accounts.ts'
import { startDouble } from '../../../../test/on-call-tools/api-doubles.ts'
import { callVedette } from './run-vedette.ts'

const folder = mkdtempSync(join(tmpdir(), 'vedette-fetch-'))
afterAll(() => rmSync(folder, { recursive: true }))

const never = join(folder, 'never')

describe('vedette migrate-from --fetch', () => {
  it('saves a folder without an installation, with the token of a file or of the environment', async () => {
    const { respond } = (ACCOUNTS['pagerduty'] as () => SavedAccount)()
    const double = await startDouble(respond)
    const tokenFile = join(folder, 'token')
    writeFileSync(tokenFile, 'right\n')
    const to = join(folder, 'fetched')
    const args = ['migrate-from', 'pagerduty', to, '--fetch', '--url', double.origin]
    const fetched = await callVedette([...args, '--token-file', tokenFile])
    const used = await callVedette(args, { PAGERDUTY_API_TOKEN: 'right' })
    const again = await callVedette(args.with(2, `${to}-2`).concat('--json'), { PAGERDUTY_API_TOKEN: 'right' })
    double.close()
    expect([fetched.code, fetched.stderr]).toEqual([0, ''])
    expect(fetched.stdout).toMatch(/^Saved 8 files \(9 requests\).*\nPlan it: vedette migrate-from pagerduty .* --plan\n$/)
    expect([used.code, used.stderr]).toEqual([1, expect.stringContaining('is not empty')])
    expect([again.code, again.json]).toMatchObject([0, { files: 8, requests: 9, not_saved: [] }])
    expect(fetched.stdout + again.stdout).not.toContain(KEY)
    expect(readdirSync(`${to}-2`)).toEqual(readdirSync(to))
    expect(readFileSync(join(to, 'fetched.json'), 'utf8')).not.toContain('right')
  })

  it.each<[string, string[], Record<string, string>, string]>([
    ['no token', [], {}, '--token-file or PAGERDUTY_API_TOKEN must give the token of the source'],
    ['a token of two lines', [], { PAGERDUTY_API_TOKEN: 'a\nb' }, 'must have one token'],
    ...['--plan', '--invite', '--issue-tokens', '--key-file=k', '--owner=o', '--out=f', '--addresses=f'].map(
      (option): [string, string[], Record<string, string>, string] => [
        `${option}, an option of the plan`,
        [option],
        { PAGERDUTY_API_TOKEN: 'a' },
        `${option.split('=')[0]} is of the plan`,
      ],
    ),
    ['a password in the address', ['--url', 'https://a:b@example.com'], { PAGERDUTY_API_TOKEN: 'a' }, 'no user, password'],
    ['no address', ['--url', 'ftp://example.com'], { PAGERDUTY_API_TOKEN: 'a' }, 'is no http:// or https:// address'],
  ])('refuses %s before any request', async (_name, args, environment, message) => {
    const refused = await callVedette(['migrate-from', 'pagerduty', never, '--fetch', ...args], environment)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(message)])
    expect(statSync(never, { throwIfNoEntry: false })).toBeUndefined()
  })

  it('saves past alerts with --history, and refuses it for a tool of which none come', async () => {
    const { respond } = (ACCOUNTS['pagerduty'] as () => SavedAccount)()
    const double = await startDouble((request) =>
      /^\/(?:incidents|log_entries)$/.test(request.path)
        ? { body: { [request.path.slice(1)]: [], more: false } }
        : respond(request),
    )
    const to = join(folder, 'with-history')
    const args = ['migrate-from', 'pagerduty', to, '--fetch', '--history', '--url', double.origin]
    const fetched = await callVedette(args, { PAGERDUTY_API_TOKEN: 'right' })
    double.close()
    expect([fetched.code, fetched.stderr]).toEqual([0, ''])
    expect(fetched.stdout).toMatch(/, and 0 past alerts\nPlan it: vedette migrate-from pagerduty .* --history --plan\n$/)
    const refused = await callVedette(['migrate-from', 'splunk-oncall', never, '--fetch', '--history'])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('no past alerts come of splunk-oncall')])
  })

  it('needs the address of an installation of Grafana OnCall, and both words of Splunk On-Call', async () => {
    const environment = { ONCALL_API_TOKEN: 'a', SPLUNK_API_KEY: 'b' }
    const [grafana, splunk] = await Promise.all(
      ['grafana-oncall', 'splunk-oncall'].map((tool) => callVedette(['migrate-from', tool, never, '--fetch'], environment)),
    )
    expect([grafana?.stderr, splunk?.stderr]).toEqual([
      expect.stringContaining('--url must say where the API of grafana-oncall is'),
      expect.stringContaining('--token-file or SPLUNK_API_ID and SPLUNK_API_KEY'),
    ])
  })

  it('names a failure of the source with exit code 1, and a token file without it with 2', async () => {
    const double = await startDouble(() => ({ status: 401 }))
    const tokenFile = join(folder, 'token')
    writeFileSync(tokenFile, 'wrong-token')
    const args = ['migrate-from', 'opsgenie', never, '--url', double.origin, '--token-file', tokenFile]
    const [refused, unused] = [await callVedette([...args, '--fetch']), await callVedette(args)]
    double.close()
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is refused (401)')])
    expect(refused.stderr).toContain('or the account is at https://api.eu.opsgenie.com')
    expect(refused.stderr).not.toContain('wrong-token')
    expect([unused.code, unused.stderr]).toEqual([2, expect.stringContaining('--token-file is for --fetch')])
  })
})
