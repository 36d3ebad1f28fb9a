import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/fake-clock.ts'
import { HostStateReader, parseSession, parseUptime, parseUtmp } from './host-state.ts'

/** A host with these files. */
function hostWith(files: Record<string, string | Buffer>): HostStateReader {
  const root = mkdtempSync(join(tmpdir(), 'vedette-host-'))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return new HostStateReader(new FakeClock(), { root, procRoot: join(root, 'proc') })
}

function utmpRecord(type: number, user: string): Buffer {
  const record = Buffer.alloc(384)
  record.writeInt16LE(type)
  record.write(user, 44, 'latin1')
  return record
}
const session = (uid: number, fields: string) => `UID=${uid}\nUSER=u${uid}\n${fields}\n`

test.each([
  ['15034.87 29000.10\n', 15_034],
  ['0.01 0.00\n', 0],
  ['', undefined],
  ['soon\n', undefined],
])('%j is up for %s s', (text, seconds) => expect(parseUptime(text)).toBe(seconds))

test('each user of a utmp file is counted once, and other records are not', () => {
  const bytes = Buffer.concat([utmpRecord(2, 'reboot'), utmpRecord(7, 'ada'), utmpRecord(7, 'ada'), utmpRecord(8, 'bob')])
  expect(parseUtmp(bytes)).toEqual(new Set(['ada']))
  expect(parseUtmp(Buffer.alloc(0))).toEqual(new Set())
})

test('records of 400 bytes, as on 64-bit ARM, are read, and a file of another form is not', () => {
  const longer = (type: number, user: string) => Buffer.concat([utmpRecord(type, user), Buffer.alloc(16, 0xff)])
  const bytes = Buffer.concat([longer(2, 'reboot'), longer(6, 'LOGIN'), longer(7, 'ada'), longer(7, 'bob')])
  expect(parseUtmp(bytes)).toEqual(new Set(['ada', 'bob']))
  // 9,600 bytes are whole records of both sizes.
  const many = Buffer.concat(Array.from({ length: 24 }, (_, index) => longer(index < 2 ? 7 : 8, `user${index}`)))
  expect(parseUtmp(many)).toEqual(new Set(['user0', 'user1']))
  expect(parseUtmp(bytes.subarray(0, 383))).toBeUndefined()
})

test.each([
  [session(1000, 'CLASS=user\nSTATE=active'), '1000'],
  [session(0, 'CLASS=user-early\nSTATE=online'), '0'],
  [session(1000, 'CLASS=user\nSTATE=closing'), undefined],
  [session(110, 'CLASS=greeter\nSTATE=active'), undefined],
  [session(1000, 'CLASS=manager\nSTATE=active'), undefined],
  ['', undefined],
])('the session %j is of %s', (text, user) => expect(parseSession(text)).toBe(user))

test('logged-in users come from the sessions of systemd, or from utmp without systemd', async () => {
  const sessions = {
    'run/systemd/sessions/1': session(1000, 'CLASS=user\nSTATE=active'),
    'run/systemd/sessions/1.ref': '',
    'run/systemd/sessions/2': session(1000, 'CLASS=user\nSTATE=online'),
    'run/systemd/sessions/3': session(0, 'CLASS=user\nSTATE=active'),
  }
  const utmp = { 'run/utmp': utmpRecord(7, 'ada') }
  expect(await hostWith({ ...sessions, ...utmp, 'run/systemd/system/x': '' }).read()).toEqual({ logged_in_users: 2 })
  expect(await hostWith({ ...sessions, ...utmp }).read()).toEqual({ logged_in_users: 1 })
  expect(await hostWith(sessions).read()).toEqual({})
})

test('a restart is required, not required, or unknown without a program that reports it', async () => {
  const read = async (files: Record<string, string>) => (await hostWith(files).read()).reboot_required
  expect(await read({ 'run/reboot-required': '' })).toBe(true)
  expect(await read({ 'run/reboot-needed': '' })).toBe(true)
  expect(await read({ 'usr/bin/zypper': '' })).toBe(false)
  expect(await read({})).toBeUndefined()
})

test('unknown host state is absent, never 0', async () => {
  expect(await hostWith({}).read()).toEqual({})
  expect(await hostWith({ 'proc/uptime': '60.5 1.0\n' }).read()).toEqual({ uptime_seconds: 60 })
})
