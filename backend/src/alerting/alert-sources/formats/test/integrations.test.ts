import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { bounded } from './bounded.ts'
import { FORMATS, type FormatName } from './bodies.ts'

const INTEGRATIONS = fileURLToPath(new URL('../../../../../../integrations/', import.meta.url))
const run = promisify(execFile)
/** What a shell, JSON or a terminal could take for something else. */
const OUTPUT = 'C:\\new "quoted" $(id) `id` Grüße\tthere\nsecond line\u0007'
const READ_OUTPUT = 'C:\\new "quoted" $(id) `id` Grüße\tthere\nsecond line'

const bodies: unknown[] = []
let status = 202
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    bodies.push(JSON.parse(Buffer.concat(chunks).toString()))
    response.writeHead(status).end('{}')
  })
})
let address = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/in/vdt_in_test`
})
afterAll(() => void server.close())

const readLast = (name: FormatName) => {
  const { alerts, faults } = FORMATS[name].read({ body: bodies.pop(), headers: {}, nowMs: 0 })
  return { alerts: alerts.map(bounded), faults }
}
const exitOf = (started: Promise<unknown>) =>
  started.then(
    () => 0,
    (error: unknown) => (error as { code: number }).code,
  )

describe('what the scripts in integrations/ send', () => {
  const checkmk = (variables: Record<string, string>) =>
    run('python3', [`${INTEGRATIONS}checkmk/vedette`], {
      env: { PATH: process.env['PATH'], NOTIFY_PARAMETER_1: address, ...variables },
    })

  it('a service of Checkmk is read, whatever its output has', async () => {
    status = 202
    await checkmk({
      NOTIFY_WHAT: 'SERVICE',
      NOTIFY_NOTIFICATIONTYPE: 'PROBLEM',
      NOTIFY_HOSTNAME: 'web-1',
      NOTIFY_HOSTADDRESS: '192.0.2.10',
      NOTIFY_SERVICEDESC: 'Filesystem /var',
      NOTIFY_SERVICESTATE: 'CRITICAL',
      NOTIFY_SERVICEOUTPUT: 'Full',
      NOTIFY_LONGSERVICEOUTPUT: 'first\\nsecond',
      NOTIFY_LASTSERVICESTATECHANGE: '1796032263',
      NOTIFY_PARAMETER_2: 'https://checkmk.example/',
      NOTIFY_SERVICEURL: '/mysite/check_mk/index.py',
      NOTIFY_OMD_SITE: 'mysite',
    })
    expect(readLast('monitoringCore').alerts).toEqual([
      {
        key: 'web-1!Filesystem /var',
        status: 'firing',
        title: 'Filesystem /var on web-1 is CRITICAL',
        severity: 'CRITICAL',
        labels: { host: 'web-1', address: '192.0.2.10', service: 'Filesystem /var', state: 'CRITICAL', site: 'mysite' },
        text: 'Full\nfirst\nsecond',
        url: 'https://checkmk.example/mysite/check_mk/index.py',
        startsAtMs: 1_796_032_263_000,
        endsAtMs: null,
        by: null,
      },
    ])
  })

  it('Checkmk repeats a notification only where that can help', async () => {
    const host = {
      NOTIFY_WHAT: 'HOST',
      NOTIFY_NOTIFICATIONTYPE: 'FLAPPINGSTART (DOWN)',
      NOTIFY_HOSTNAME: 'web-1',
      NOTIFY_HOSTSTATE: 'DOWN',
    }
    const exits: number[] = []
    for (status of [202, 429, 503, 404]) exits.push(await exitOf(checkmk(host)))
    expect(exits).toEqual([0, 1, 1, 2])
    expect(await exitOf(checkmk({ ...host, NOTIFY_PARAMETER_1: 'ftp://x' }))).toBe(2)
    expect(readLast('monitoringCore').alerts[0]).toMatchObject({ key: 'web-1', status: 'firing', title: 'web-1 is DOWN' })
  })

  it('a service of Icinga 2 is read, whatever its output has', async () => {
    status = 202
    const env = {
      PATH: process.env['PATH'],
      VEDETTE_SOURCE: address,
      VEDETTE_TYPE: 'ACKNOWLEDGEMENT',
      VEDETTE_HOST: 'web-1',
      VEDETTE_SERVICE: 'disk',
      VEDETTE_STATE: 'WARNING',
      VEDETTE_OUTPUT: 'not shown with a comment',
      VEDETTE_AUTHOR: 'Ada "A" L.',
      VEDETTE_COMMENT: OUTPUT,
      VEDETTE_CHANGED_AT: '1796032263.517',
    }
    await run('sh', [`${INTEGRATIONS}icinga2/vedette-notification`], { env })
    expect(bodies.at(-1)).toMatchObject({ comment: READ_OUTPUT, changed_at: '1796032263', url: '' })
    expect(readLast('monitoringCore').alerts[0]).toMatchObject({
      key: 'web-1!disk',
      status: 'acknowledged',
      text: READ_OUTPUT,
      by: 'Ada "A" L.',
    })
    expect(
      await exitOf(run('sh', [`${INTEGRATIONS}icinga2/vedette-notification`], { env: { ...env, VEDETTE_SOURCE: '' } })),
    ).toBe(2)
  })

  it('the media type of Zabbix sends every macro that its format reads, and not the address', () => {
    const file = parse(readFileSync(`${INTEGRATIONS}zabbix/media-type-vedette.yaml`, 'utf8')) as {
      zabbix_export: { media_types: { script: string; parameters: { name: string; value: string }[] }[] }
    }
    const [media] = file.zabbix_export.media_types
    const values: Record<string, string> = {
      event_id: '4711',
      event_source: '0',
      event_value: '1',
      event_name: OUTPUT,
      source: address,
    }
    const parameters = Object.fromEntries((media?.parameters ?? []).map(({ name, value }) => [name, values[name] ?? value]))
    const sent: { url: string; body: string; headers: string[] } = { url: '', body: '', headers: [] }
    let answer = 202
    class HttpRequest {
      addHeader(header: string) {
        sent.headers.push(header)
      }
      post(url: string, body: string) {
        Object.assign(sent, { url, body })
        return '{}'
      }
      getStatus() {
        return answer
      }
    }
    // As Zabbix runs it: the body of a function of `value`.
    // oxlint-disable-next-line typescript/no-implied-eval -- the script is a file of this repository
    const script = new Function('value', 'HttpRequest', media?.script ?? '') as (value: string, request: unknown) => string
    expect(script(JSON.stringify(parameters), HttpRequest)).toBe('OK')
    expect(sent).toMatchObject({ url: address, headers: ['Content-Type: application/json'] })
    expect(sent.body).not.toContain('vdt_in_test')
    const { alerts } = FORMATS.zabbix.read({ body: JSON.parse(sent.body), headers: {}, nowMs: 0 })
    // What no macro filled is left out.
    expect(alerts).toMatchObject([{ key: '4711', status: 'firing', severity: null, labels: {}, text: null, url: null }])
    answer = 503
    const thrownBy = (source: string): unknown => {
      try {
        return script(JSON.stringify({ ...parameters, source }), HttpRequest)
      } catch (thrown) {
        return thrown
      }
    }
    expect(thrownBy(address)).toBe('Vedette answered with status 503: {}')
    expect(thrownBy('x')).toBe('Send to must be the address of an alert source of Vedette')
  })
})
