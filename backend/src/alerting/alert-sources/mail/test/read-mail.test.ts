import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { MAX_TEXT_BYTES, readMessage } from '../message.ts'
import { bounded } from '../../formats/test/bounded.ts'
import { readMail } from '../read-mail.ts'
import { readSubject, SUBJECT_RULES } from '../subject.ts'

const mail = (...lines: string[]) => Buffer.from(lines.join('\r\n'))
const MULTIPART = [
  'From: =?utf-8?q?J=C3=BCrgen?= <Backup@Example.com>',
  'Subject: =?UTF-8?B?QmFja3VwIMO8YmVy?=',
  '\t=?UTF-8?Q?_Nacht_fehlt?=',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="outer"',
  '',
  'Not shown.',
  '--outer',
  'Content-Type: multipart/alternative; boundary=inner',
  '',
  '--inner',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>HTML</p>',
  '--inner',
  'Content-Type: text/plain; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'The job f=FCr db-1 did=',
  ' not run.',
  '--inner--',
  '--outer',
  'Content-Type: text/plain',
  'Content-Disposition: attachment; filename=log.txt',
  '',
  'secret log',
  '--outer--',
  '',
]

describe('a mail', () => {
  it('with alternatives and an attachment is read as its plain text, with decoded headers', () => {
    expect(readMail(mail(...MULTIPART))).toEqual({
      key: 'Backup über Nacht fehlt',
      status: 'firing',
      title: 'Backup über Nacht fehlt',
      severity: null,
      labels: { from: 'backup@example.com' },
      text: 'The job für db-1 did not run.',
      url: null,
      startsAtMs: null,
      endsAtMs: null,
      by: null,
    })
  })

  it.each([
    ['plain, without a type', ['Subject: x', '', 'Hello', 'world'], 'Hello\r\nworld'],
    ['base64', ['Content-Transfer-Encoding: base64', '', Buffer.from('Grüße').toString('base64')], 'Grüße'],
    [
      'of UTF-16',
      [
        'Content-Type: text/plain; charset=utf-16le',
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from('Hi', 'utf16le').toString('base64'),
      ],
      'Hi',
    ],
    ['of no known charset', ['Content-Type: text/plain; charset=klingon', '', 'Hello'], 'Hello'],
    [
      'HTML alone',
      ['Content-Type: text/html', '', '<head><title>x</title></head><style>p{}</style><p>CPU &gt; 90&nbsp;%</p>on <b>db-1</b>'],
      'CPU > 90 %\non db-1',
    ],
    ['with line ends of Unix', ['Subject: x\nContent-Type: text/plain\n\nHello'], 'Hello'],
    ['only an attachment', ['Content-Disposition: attachment', '', 'secret'], ''],
    ['only a picture', ['Content-Type: image/png', '', 'x'], ''],
    ['a multipart whose end is missing', ['Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'Hello'], 'Hello'],
    ['without a blank line', ['Subject: x'], ''],
    ['empty', [''], ''],
  ])('%s: the text is read', (_kind, lines, text) => {
    expect(readMessage(mail(...lines)).text).toBe(text)
  })

  it('at most 256 KiB of the text are read', () => {
    const { text } = readMessage(mail('', 'x'.repeat(MAX_TEXT_BYTES + 1)))
    expect(text).toHaveLength(MAX_TEXT_BYTES)
    expect(bounded(readMail(mail('Subject: x', '', 'y'.repeat(1_000_000)))).text).toHaveLength(4_096)
  })

  it('without a subject its first line is the title, and its sender the key', () => {
    expect(readMail(mail('From: root@db-1', '', 'Disk is full', 'Now'))).toMatchObject({
      title: 'Disk is full',
      key: 'root@db-1',
    })
    expect(bounded(readMail(Buffer.alloc(0)))).toMatchObject({ title: 'mail', key: 'mail', text: null })
  })

  it.each<[string, (megabyte: number) => string]>([
    ['headers', (length) => 'a: b\r\n'.repeat(length / 6)],
    ['one header', (length) => `subject: ${'=?utf-8?q?'.repeat(length / 10)}`],
    ['blanks', (length) => `subject: x\r\n\r\n${' '.repeat(length)}`],
    ['parts', (length) => `content-type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\n'.repeat(length / 7)}`],
    ['parts in parts', (length) => 'content-type: multipart/mixed; boundary=b\r\n\r\n--b\r\n'.repeat(length / 50)],
    ['open tags', (length) => `content-type: text/html\r\n\r\n${'<head '.repeat(length / 6)}`],
    ['open styles', (length) => `content-type: text/html\r\n\r\n${'<style>'.repeat(length / 7)}`],
    ['soft line ends', (length) => `content-transfer-encoding: quoted-printable\r\n\r\n${'=  '.repeat(length / 3)}`],
    ['no base64', (length) => `content-transfer-encoding: base64\r\n\r\n${'!'.repeat(length)}`],
    ['bytes of no charset', (length) => `subject: x\r\n\r\n${'\xff'.repeat(length)}`],
  ])('a megabyte of %s is read within 100 ms of a core', (_kind, make) => {
    const raw = Buffer.from(make(1_048_576), 'latin1')
    let leastMs = Infinity
    for (let round = 0; round < 5 && leastMs > 100; round += 1) {
      const before = process.threadCpuUsage()
      readMail(raw)
      leastMs = Math.min(leastMs, process.threadCpuUsage(before).user / 1_000)
    }
    expect(leastMs).toBeLessThan(100)
  })
})

describe('a subject', () => {
  it.each([
    ['[FIRING:2] DiskFull (db-1 critical)', '[RESOLVED] DiskFull (db-1 critical)', null],
    ['ALARM: "shop-errors" in EU (Frankfurt)', 'OK: "shop-errors" in EU (Frankfurt)', null],
    ['** PROBLEM Service Alert: web-1/disk is CRITICAL **', '** RECOVERY Service Alert: web-1/disk is OK **', 'critical'],
    ['** PROBLEM Service Alert: web-1/disk is WARNING **', '** RECOVERY Service Alert: web-1/disk is OK **', 'warning'],
    ['Check_MK: web-1/Filesystem OK -> CRIT', 'Check_MK: web-1/Filesystem CRIT -> OK', 'critical'],
    ['Check_MK: web-1 UP -> DOWN', 'Check_MK: web-1 DOWN -> UP', 'critical'],
    ['Problem: High CPU on db-1', 'Resolved in 5m 3s: High CPU on db-1', null],
    ['[Shop] [🔴 Down] connect ECONNREFUSED', '[Shop] [✅ Up] 200 - OK', 'critical'],
    ['Monitor is DOWN: Shop', 'Monitor is UP: Shop', 'critical'],
    ['DOWN | nightly backup', 'UP | nightly backup', 'critical'],
    ['web-1 is offline', 'web-1 is back to normal', 'critical'],
    ['WARNING: temperature of rack 3', 'OK: temperature of rack 3', 'warning'],
    ['Re: ALERT: pool tank', 'Fwd: OK: pool tank', null],
  ])('"%s" opens what "%s" ends', (opening, ending, severity) => {
    const [opened, ended] = [readSubject(opening), readSubject(ending)]
    expect([opened.status, opened.severity, ended.status, ended.severity]).toEqual(['firing', severity, 'resolved', null])
    expect(ended.key).toBe(opened.key)
    expect(opened.key.length).toBeGreaterThan(3)
  })

  it.each([
    ['vzdump backup status (db-1): backup failed', 'firing'],
    ['DegradedArray event on /dev/md0:db-1', 'firing'],
    ['The shop is okay-ish', 'firing'],
    ['ACKNOWLEDGEMENT Service Alert: web-1/disk is CRITICAL', 'acknowledged'],
  ])('"%s" is %s', (subject, status) => {
    expect(readSubject(subject).status).toBe(status)
  })

  it('docs/alert-mails.md lists the rules in their order', () => {
    const docs = readFileSync(new URL('../../../../../../docs/alert-mails.md', import.meta.url), 'utf8')
    const rows = [...docs.matchAll(/^\| `(.+?)` +\| (\w+) +\| (\w*) *\|$/gm)].map(([, ...cells]) => cells)
    expect(rows).toEqual(
      SUBJECT_RULES.map(({ example, status, severity = '' }) => [example.replace('|', '\\|'), status, severity]),
    )
  })

  it.each(SUBJECT_RULES)('the rule for "$example" fits its example', ({ example, status, pattern }) => {
    expect(pattern.test(example)).toBe(true)
    expect(readSubject(example).status).toBe(status)
  })
})
