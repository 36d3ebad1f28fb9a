import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync } from 'node:fs'
import nodemailer from 'nodemailer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findTool, freePort } from '../../scripts/test-tools.ts'
import type { Delivered } from '../src/alerting/alert-sources/mail/conversation.ts'
import { type MailServer, startMailServer } from '../src/alerting/alert-sources/mail/server.ts'
import type { ReceivedAlert } from '../src/alerting/alert-sources/formats/format.ts'
import { idsOf, makeServerFolder, type Server, startServer } from '../src/monitoring/checks/probe/test/servers.ts'
import { silentLog } from '../src/platform/logging/log.ts'

const DOMAIN = 'alerts.example.test'

/** Postfix that passes the mails of a domain on, with the settings of docs/alert-mails.md. Needs root. */
async function startPostfix(lmtpPort: number): Promise<Server & { port: number }> {
  const port = await freePort()
  const folder = makeServerFolder()
  const settings = {
    compatibility_level: '3.6',
    queue_directory: `${folder}/queue`,
    data_directory: `${folder}/data`,
    maillog_file: `${folder}/log`,
    maillog_file_prefixes: folder,
    myhostname: 'mail.example.test',
    mydestination: '',
    inet_interfaces: '127.0.0.1',
    mynetworks: '127.0.0.0/8',
    alias_maps: '',
    queue_run_delay: '1s',
    minimal_backoff_time: '1s',
    virtual_mailbox_domains: DOMAIN,
    virtual_mailbox_maps: 'static:all',
    virtual_transport: `lmtp:inet:127.0.0.1:${lmtpPort}`,
  }
  const services = `
127.0.0.1:${port} inet n - n - - smtpd
postlog unix-dgram n - n - 1 postlogd
anvil unix - - n - 1 anvil
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
cleanup unix n - n - 0 cleanup
qmgr unix n - n 1 1 qmgr
lmtp unix - - n - - lmtp
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
proxymap unix - - n - - proxymap
scache unix - - n - 1 scache
`
  const main = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  const own = makeServerFolder({ 'main.cf': main.join(''), 'master.cf': services }, undefined, folder)
  for (const name of ['queue', 'data']) mkdirSync(`${folder}/${name}`)
  const ids = idsOf('postfix')
  if (ids) chownSync(`${folder}/data`, ids.uid, ids.gid)
  execFileSync(findTool('postfix') ?? '', ['-c', own, 'check'], { stdio: 'pipe' })
  const programs = execFileSync(findTool('postconf') ?? '', ['-c', own, '-h', 'daemon_directory'], { encoding: 'utf8' }).trim()
  const server = await startServer([`${programs}/master`, '-c', own, '-d'], { folder, port, isGroup: true })
  return { ...server, output: () => readFileSync(`${folder}/log`, 'utf8'), port }
}

describe.skipIf(!findTool('postfix') || process.getuid?.() !== 0)('a mail through Postfix', () => {
  const delivered: { token: string; alert: ReceivedAlert }[] = []
  const outcomes = new Map<string, (Delivered | Error)[]>()
  const deliver = (token: string, alert: ReceivedAlert): Promise<Delivered> => {
    const outcome = outcomes.get(token)?.shift() ?? 'stored'
    if (outcome instanceof Error) return Promise.reject(outcome)
    if (outcome === 'stored') delivered.push({ token, alert })
    return Promise.resolve(outcome)
  }
  let server: MailServer
  let postfix: Server & { port: number }
  beforeAll(async () => {
    server = await startMailServer({ deliver, log: silentLog }, { host: '127.0.0.1', port: 0 })
    postfix = await startPostfix(server.port)
  })
  afterAll(async () => {
    await postfix.stop()
    await server.close()
  })
  const send = (tokens: string[], subject: string) =>
    nodemailer.createTransport({ host: '127.0.0.1', port: postfix.port, ignoreTLS: true }).sendMail({
      from: 'root@db-1.example.test',
      to: tokens.map((token) => `alerts+${token}@${DOMAIN}`),
      subject,
      text: 'Es fehlt etwas: Größe.\n.\nEnde',
    })

  it('arrives whole, and is sent again until it is stored, once for each recipient', async () => {
    outcomes.set('vdt_in_Later', [new Error('the database is away'), 'limited'])
    outcomes.set('vdt_in_Unknown', ['unknown'])
    await send(['vdt_in_Now', 'vdt_in_Later', 'vdt_in_Unknown'], 'Sicherung für db-1: ALARM')
    await expect
      .poll(() => delivered.map(({ token }) => token).toSorted(), { timeout: 20_000 })
      .toEqual(['vdt_in_Later', 'vdt_in_Now'])
    for (const { alert } of delivered)
      expect(alert).toMatchObject({
        status: 'firing',
        title: 'Sicherung für db-1: ALARM',
        text: 'Es fehlt etwas: Größe.\n.\nEnde',
      })
    await expect.poll(() => postfix.output(), { timeout: 20_000 }).toMatch(/vdt_in_Unknown@.*status=bounced.*550 5\.1\.1/)
    expect(postfix.output()).toMatch(/vdt_in_Later@.*status=deferred.*451 4\.3\.0/)
    expect(postfix.output()).toMatch(/vdt_in_Later@.*status=deferred.*452 4\.3\.1/)
  })
})
