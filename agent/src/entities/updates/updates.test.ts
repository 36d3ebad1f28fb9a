import { execFile } from 'node:child_process'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { isMissing } from '../../../../scripts/test-tools.ts'
import { FakeClock } from '../../../test/fake-clock.ts'
import { addTo, tree } from '../../../test/tree.ts'
import { apt, parseAptList } from './apt.ts'
import { type CommandResult, createRunCommand, type RunCommand } from './command.ts'
import { dnf } from './dnf.ts'
import { parsePacman } from './pacman.ts'
import { UpdateSource } from './source.ts'

const recorded = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')
const result = (stdout: string, code = 0, stderr = ''): CommandResult => ({ code, stdout, stderr })

describe('apt list', () => {
  test('counts what has an update, and what comes from the archive of security updates', () => {
    const { pending, security } = parseAptList(recorded('apt-2.6.txt'), new Set())
    expect(pending).toEqual(['base-files:amd64', 'libgcrypt20-dev:amd64', 'python3-jwt:all', 'unzip:amd64', 'libc6:i386'])
    expect(security).toBe(3)
  })

  test('knows security updates by the archive of each system', () => {
    const line = (archives: string) => `curl/${archives} 2 amd64 [upgradable from: 1]\n`
    const securityOf = (archives: string) => parseAptList(line(archives), new Set()).security
    expect(['jammy-updates,jammy-security', 'oldstable/updates', 'bookworm-security'].map(securityOf)).toEqual([1, 1, 1])
    expect(['jammy-updates', 'stable', ''].map(securityOf)).toEqual([0, 0, 0])
  })

  test('leaves out packages on hold', async () => {
    const run: RunCommand = (program) =>
      Promise.resolve(
        result(
          program === 'apt' ? recorded('apt-2.6.txt') : 'install base-files:amd64\nhold unzip:amd64\nhold python3-jwt:amd64\n',
        ),
      )
    expect((await apt.count(run, '')).pending).toEqual([
      'base-files:amd64',
      'libgcrypt20-dev:amd64',
      'python3-jwt:all',
      'libc6:i386',
    ])
  })

  test.each(['E: something', 'bash/stable 5.2 amd64 [installed]', 'Auflistung...'])('is no number where it says %j', (line) =>
    expect(() => parseAptList(`Listing...\n${line}\n`, new Set())).toThrow('not understood'),
  )

  test('that fails is an error with what it said', async () => {
    const run: RunCommand = (program) => Promise.resolve(program === 'apt' ? result('', 100, '\nE: no lists\n') : result(''))
    await expect(apt.count(run, '')).rejects.toThrow('apt ended with 100: E: no lists')
  })
})

describe('dnf repoquery', () => {
  const CACHE = 'var/cache/dnf/os-589f9f28f05c421e/repodata'
  const NOTICES = { [`${CACHE}/1-primary.xml.gz`]: '', [`${CACHE}/2-updateinfo.xml.gz`]: '' }
  const answers = (all: string, security: string) => {
    const calls: string[][] = []
    const run: RunCommand = (...call) => {
      calls.push(call)
      return Promise.resolve(result(call.includes('--security') ? security : all))
    }
    return { run, calls }
  }

  test.each([
    ['dnf 4.14', recorded('dnf-4.14.txt')],
    // By its documentation: without the empty lines.
    ['dnf 5', recorded('dnf-4.14.txt').replaceAll('\n\n', '\n')],
  ])('counts each package once in the output of %s', async (_, output) => {
    const { run } = answers(output, 'alpha.noarch\n\n')
    const long = 'a-package-with-a-name-that-is-longer-than-any-column-of-a-terminal-of-eighty.noarch'
    expect(await dnf.count(run, tree(NOTICES))).toEqual({
      pending: [long, 'alpha.noarch', 'beta.noarch', 'gamma.noarch'],
      security: 1,
    })
  })

  test('does not count security updates without notices of them, and does not ask for them without updates', async () => {
    const { run, calls } = answers('alpha.noarch\n', '')
    expect(await dnf.count(run, tree({ [`${CACHE}/1-primary.xml.gz`]: '' }))).toEqual({
      pending: ['alpha.noarch'],
      security: undefined,
    })
    const none = answers('', '')
    expect(await dnf.count(none.run, tree(NOTICES))).toEqual({ pending: [], security: 0 })
    expect([calls.length, none.calls.length]).toEqual([1, 1])
  })

  test('is no number where it fails or says something else', async () => {
    const failing: RunCommand = () => Promise.resolve(result('', 1, "Error: Cache-only enabled but no cache for 'os'\n"))
    await expect(dnf.count(failing, tree(NOTICES))).rejects.toThrow(
      "dnf ended with 1: Error: Cache-only enabled but no cache for 'os'",
    )
    await expect(dnf.count(answers('a warning of a plugin\n', '').run, tree(NOTICES))).rejects.toThrow('not understood')
  })
})

describe('pacman -Qu', () => {
  test('counts updates without those of IgnorePkg', () =>
    expect(
      parsePacman(result('bash 5.2.037-1 -> 5.3.003-1\nheld 1-1 -> 2-1 [ignored]\nlib32-glibc 2.42-1 -> 1:2.42+r3-1\n')),
    ).toEqual(['bash', 'lib32-glibc']))

  test('exits with 1 without updates, which is 0, and with an error, which is no number', () => {
    expect(parsePacman(result('', 1))).toEqual([])
    const missing = "warning: database file for 'core' does not exist (use '-Sy' to download)\n"
    expect(() => parsePacman(result('', 1, missing))).toThrow('does not exist')
    expect(() => parsePacman(result('something else\n'))).toThrow('not understood')
  })
})

describe('the real programs', () => {
  const run = createRunCommand(new AbortController().signal)

  test.skipIf(isMissing('apt', 'dpkg-query'))('apt lists the updates of this system in the form that is read', async () => {
    // At the usual priority, and without the cache that apt would write as root.
    const asUsual: RunCommand = async (program, ...args) => {
      const cache = program === 'apt' ? ['-o', 'Dir::Cache::pkgcache=', '-o', 'Dir::Cache::srcpkgcache='] : []
      return { code: 0, ...(await promisify(execFile)(program, [...args, ...cache], { env: { ...process.env, LC_ALL: 'C' } })) }
    }
    const updates = await apt.count(asUsual, '')
    expect(updates.security).toBeLessThanOrEqual(updates.pending.length)
    expect(updates.pending.filter((name) => !/^[a-z0-9.+-]+:\w+$/.test(name))).toEqual([])
  })

  test('run in English, bounded, as a user who may write nowhere, and last for processor and disk', async () => {
    const { stdout } = await run(
      'sh',
      '-c',
      'echo $LC_ALL $(ulimit -d) $(nice); id -u; touch /var/lib/dpkg/x 2>/dev/null || echo refused',
    )
    expect(stdout.split('\n')).toEqual(['C 131072 19', expect.not.stringMatching(/^0$/), 'refused', ''])
  })

  test('throw when they say too much, are ended or are not there', async () => {
    await expect(run('sh', '-c', 'yes | head -c 5000000')).rejects.toThrow('maxBuffer')
    expect(await run('no-such-program')).toMatchObject({ code: 127 })
    const ending = new AbortController()
    const running = createRunCommand(ending.signal)('sleep', '60')
    ending.abort()
    await expect(running).rejects.toThrow('abort')
  })
})

describe('UpdateSource', () => {
  const DPKG = { 'var/lib/dpkg/status': '', 'usr/bin/apt': '', 'var/lib/apt/lists/lock': '' }
  const LISTS = 'var/lib/apt/lists'

  /** A host whose apt answers with these packages. */
  function start() {
    const clock = new FakeClock()
    const root = tree(DPKG)
    const host = { pending: ['a'], calls: 0, error: '' }
    const run: RunCommand = (program) => {
      if (program !== 'apt') return Promise.resolve(result(''))
      host.calls++
      if (host.error !== '') return Promise.resolve(result('', 100, host.error))
      return Promise.resolve(result(host.pending.map((name) => `${name}/stable 2 amd64 [upgradable from: 1]\n`).join('')))
    }
    const listsAre = (ageMs: number) => {
      const seconds = (clock.now() - ageMs) / 1_000
      utimesSync(`${root}/${LISTS}`, seconds, seconds)
    }
    const logged: string[] = []
    const open = () =>
      new UpdateSource(clock, (_, text, details) => void logged.push(`${text} ${JSON.stringify(details)}`), {
        root,
        stateFile: `${root}/state/updates.json`,
        run,
      })
    return { clock, root, host, listsAre, open, logged }
  }

  async function counted(source: UpdateSource, pending: number) {
    await source.read()
    return vi.waitFor(async () => {
      const [reading] = await source.read()
      expect(reading?.values['pending']).toBe(pending)
      return reading
    })
  }

  test('counts two minutes after the start and then every six hours, with the age across restarts', async () => {
    const { clock, root, host, listsAre, open } = start()
    listsAre(43_200_000)
    const source = open()
    expect(await source.read()).toEqual([])
    await clock.advance(120_000)
    expect(await counted(source, 1)).toEqual({
      kind: 'updates',
      name: 'apt',
      values: { pending: 1, security: 0, oldest_days: 0, lists_age_days: 0.5 },
    })
    host.pending = ['a', 'b']
    listsAre(0)
    await clock.advance(5 * 3_600_000)
    expect((await source.read())[0]?.values['pending']).toBe(1)
    await clock.advance(3_600_000)
    expect((await counted(source, 2))?.values['oldest_days']).toBe(0.25)
    clock.setWall(2 * 86_400_000)
    const restarted = open()
    await clock.advance(120_000)
    expect((await counted(restarted, 2))?.values['oldest_days']).toBeGreaterThan(1.9)
    expect(Object.keys(JSON.parse(readFileSync(`${root}/state/updates.json`, 'utf8')) as object)).toEqual(['a:amd64', 'b:amd64'])
    writeFileSync(`${root}/state/updates.json`, 'broken')
    const damaged = open()
    await clock.advance(120_000)
    expect((await counted(damaged, 2))?.values['oldest_days']).toBe(0)
  })

  test('asks again only after a change of packages, lists or settings', async () => {
    const { clock, root, host, open } = start()
    const source = open()
    await clock.advance(120_000)
    await counted(source, 1)
    const sixHoursLater = async (calls: number) => {
      await clock.advance(6 * 3_600_000)
      await source.read()
      await vi.waitFor(() => expect(host.calls).toBe(calls))
    }
    await sixHoursLater(1)
    addTo(root, { 'etc/apt/preferences': 'Package: a\n' })
    await sixHoursLater(2)
    utimesSync(`${root}/var/lib/dpkg/status`, 1, 1)
    await sixHoursLater(3)
  })

  test('has no number after a failure, and the reason in the log', async () => {
    const { clock, host, listsAre, open, logged } = start()
    const source = open()
    await clock.advance(120_000)
    await counted(source, 1)
    Object.assign(host, { error: 'E: broken' })
    listsAre(1_000)
    await clock.advance(6 * 3_600_000)
    await source.read()
    await vi.waitFor(async () => expect(await source.read()).toEqual([]))
    expect(logged).toEqual(['cannot count pending updates {"reason":"apt ended with 100: E: broken"}'])
  })

  test('a host without a package manager has none', async () => {
    const clock = new FakeClock()
    const source = new UpdateSource(clock, () => undefined, { root: tree({}), stateFile: '' })
    await clock.advance(200_000)
    expect(await source.read()).toEqual([])
  })
})
