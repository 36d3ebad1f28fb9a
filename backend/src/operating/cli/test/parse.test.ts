import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { type CommandContext, UsageError } from '../command.ts'
import { COMMANDS } from '../commands.ts'
import { parseCall } from '../parse.ts'

const UNKNOWN = 'org_01h455vb4pex5vsknk084sn02q'

const world: CommandContext = {
  version: 'test',
  environment: { DATABASE_URL: 'postgres://127.0.0.1:1/never_queried' },
  processEnvironment: {},
  defaultDataDir: '/nowhere',
  clock: createFakeClock(Date.parse('2026-11-20T18:00:00Z')),
  createLog: () => silentLog,
  readInput: async () => 'short',
  announce: () => undefined,
  show: undefined,
}

async function call(args: string[]): Promise<unknown> {
  const { command, ...rest } = parseCall(COMMANDS, args)
  return command && 'run' in command ? command.run(rest, world) : undefined
}

describe('a usage error', () => {
  it.each([
    [['bogus'], /no command "bogus"/],
    [['user'], /no command "user"; there are "user create", "user reset-password", "user reset-totp"/],
    [['user', 'destroy'], /no command "user destroy"/],
    [['org', 'list', 'extra'], /"extra" is unexpected/],
    [['org', 'list', '--loud'], /--loud/],
    [['org', 'set-plan'], /org_… is missing/],
    [['org', 'set-plan', UNKNOWN], /plan is missing/],
    [['org', 'set-plan', UNKNOWN, 'gold'], /one of free, pro, enterprise/],
    [['user', 'create'], /--email is missing/],
    [['user', 'create', '--email', 'nobody'], /e-mail address/],
    [['user', 'create', '--email', 'a@example.com', '--role', 'owner'], /--role requires --organization/],
    [['user', 'create', '--email', 'a@example.com', '--organization', UNKNOWN, '--role', 'king'], /one of viewer/],
    [['user', 'create', '--email', 'a@example.com', '--password', 'x'], /--password/],
    [['user', 'reset-password'], /--email is missing/],
    [['user', 'reset-totp'], /--email is missing/],
    [['user', 'reset-totp', '--email'], /--email needs a value/],
    [['user', 'reset-totp', 'a@example.com'], /"a@example.com" is unexpected/],
    [['user', 'reset-totp', '--email', 'a@example.com', '--password-stdin'], /--password-stdin/],
    [['user', 'reset-totp', '--email', '--json'], /--email needs a value/],
    [['user', 'reset-totp', '--email', 'a@example.com', '--email', 'b@example.com'], /--email is given twice/],
    [['org', 'list', '--json=yes'], /--json takes no value/],
    [['org', 'list', '--env-file'], /--env-file needs a value/],
    [['export'], /file is missing/],
    [['export', 'f', '--server', UNKNOWN, '--organization', UNKNOWN], /cannot be combined/],
    [['export', 'f', '--format', 'csv'], /--format requires --server/],
    [['export', 'f', '--server', 'srv_x'], /--format must be one of csv, jsonl, columns/],
    [['export', 'f', '--server', 'srv_x', '--format', 'csv', '--from', 'noon'], /--from must be an instant/],
    [['import'], /file is missing/],
    [['help', '--loud'], /no option --loud; "vedette help"/],
    [['-j'], /no option -j/],
    [['org', 'list', '--help', '--loud'], /no option --loud; "vedette org list --help"/],
    [['key', 'create', '--scopes', 'read'], /--name is missing/],
    [['key', 'create', '--name', 'x', '--scopes', 'root'], /one of read, write, admin, agent/],
    [['key', 'create', '--name', 'x', '--scopes', 'read', '--expires-at', '2001-01-01T00:00:00Z'], /in the future/],
  ])('%j is refused with the reason before the database is queried', async (args, why) => {
    await expect(call(args)).rejects.toThrow(why)
  })

  it('is a short password as well', async () => {
    await expect(call(['user', 'create', '--email', 'a@example.com', '--password-stdin'])).rejects.toThrow(/12 to 128/)
  })
})

describe('parseCall', () => {
  it('accepts global options before and after the command', () => {
    const args = ['--env-file', 'f', 'org', 'set-plan', '--json', UNKNOWN, 'free']
    expect(parseCall(COMMANDS, args)).toMatchObject({
      command: { name: 'org set-plan' },
      envFile: 'f',
      parameters: { 'org_…': UNKNOWN, plan: 'free' },
      options: {},
    })
  })

  it('finds the command before values that look like one', () => {
    const args = ['key', 'create', '--name', 'org list', '--scopes', 'read']
    expect(parseCall(COMMANDS, args)).toMatchObject({ command: { name: 'key create' }, options: { name: 'org list' } })
  })

  it('accepts a value that begins with a dash after an equals sign', () => {
    const args = ['key', 'create', '--name=--help', '--scopes', 'read', '--json', '--json']
    expect(parseCall(COMMANDS, args)).toMatchObject({ command: { name: 'key create' }, options: { name: '--help' } })
  })

  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    '%s has help, and refuses what it does not take',
    (name, { rest }) => {
      const words = name.split(' ')
      expect(parseCall(COMMANDS, [...words, '--help'])).toMatchObject({ command: undefined, topics: [{ name }] })
      expect(() => parseCall(COMMANDS, [...words, '--bogus'])).toThrow(UsageError)
      // One that takes as many as there are takes at least one.
      const wrong = rest === undefined ? ['a', 'b', 'c'] : []
      expect(() => parseCall(COMMANDS, [...words, ...wrong])).toThrow(UsageError)
    },
  )

  it.each([[[]], [['help']], [['--help']], [['-h']]])('%j prints the help', (args) => {
    expect(parseCall(COMMANDS, args)).toMatchObject({ command: undefined, topics: COMMANDS })
  })

  it.each([[['user', '--help']], [['help', 'user']]])('%j prints the help of the group', (args) => {
    const names = ['user create', 'user reset-password', 'user reset-totp']
    expect(parseCall(COMMANDS, args)).toMatchObject({ command: undefined, topics: names.map((name) => ({ name })) })
  })

  it.each([[['--version']], [['-v']], [['--json', '-v']]])('%j prints the version', (args) => {
    expect(parseCall(COMMANDS, args)).toMatchObject({ command: { name: 'version' }, options: {} })
  })

  it.each([[['help', 'org', 'list']], [['org', 'list', '--help']], [['org', 'list', '-h']]])(
    '%j prints the help of one',
    (args) => {
      expect(parseCall(COMMANDS, args)).toMatchObject({ command: undefined, topics: [{ name: 'org list' }] })
    },
  )
})

describe('the recipes of the docs', () => {
  it.each(['github-actions.yml', 'gitlab-ci.yml'])('%s calls commands as they are', (name) => {
    const text = readFileSync(join(import.meta.dirname, '../../../../../docs/recipes', name), 'utf8')
    expect(parseAllDocuments(text)).toMatchObject([{ errors: [] }])
    const calls = [...text.matchAll(/\bvedette ((?:plan|apply)\b[^\n|>]*)/g)].map(([, call = '']) => call)
    expect(calls).toHaveLength(2)
    for (const call of calls) {
      const words = call
        .replaceAll(/\$\{\{[^}]*\}\}|\$\w+/g, 'x')
        .replaceAll('"', '')
        .trim()
        .split(/\s+/)
      expect(
        parseCall(
          COMMANDS,
          words.filter((word) => !/^\d?$/.test(word)),
        ),
      ).toMatchObject({ rest: ['config/'], options: { prune: true } })
    }
  })
})
